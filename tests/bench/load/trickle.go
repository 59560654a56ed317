package load

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// A trickle is 60 messages of 64 bytes a second, through a bad link, between
// programs that turn 60 times a second. Each carries when it was sent.
const (
	trickleSize  = 64
	trickleFirst = 60     // frames before the first
	trickleLast  = 5 * 60 // frames after the last, for what was lost
)

func trickleHost(l peer.Library, _ Job, s Stage) (Figures, error) {
	e, err := l.Listen(peer.Setup{Conns: 1})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s.Ready(e.Port())
	var delays []time.Duration
	wrong, next := 0, uint64(0)
	hear := func(_ peer.Endpoint, ev peer.Event) {
		if ev.Kind != peer.Reliable {
			return
		}
		if binary.LittleEndian.Uint64(ev.Data[8:]) != next {
			wrong++
		}
		next++
		delays = append(delays, monotonic()-time.Duration(binary.LittleEndian.Uint64(ev.Data)))
	}
	frames(frame, s.Stop, func(int) bool {
		e.Poll(hear)
		e.Flush()
		return true
	})
	slices.Sort(delays)
	return Figures{
		"arrived": float64(len(delays)), "wrong": float64(wrong),
		"p50_ms": millis(quantile(delays, 0.50)), "p95_ms": millis(quantile(delays, 0.95)), "p99_ms": millis(quantile(delays, 0.99)),
	}, nil
}

func trickleClient(l peer.Library, j Job, s Stage) (Figures, error) {
	e, err := l.Dial(j.Port, peer.Setup{Conns: 1})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	message := make([]byte, trickleSize)
	sent, count := 0, int(j.For/frame)
	var failed error
	frames(frame, s.Stop, func(i int) bool {
		e.Poll(func(peer.Endpoint, peer.Event) {})
		if i >= trickleFirst && sent < count {
			binary.LittleEndian.PutUint64(message, uint64(monotonic()))
			binary.LittleEndian.PutUint64(message[8:], uint64(sent))
			failed = e.Send(0, peer.Reliable, message)
			sent++
		}
		e.Flush()
		return failed == nil && i < trickleFirst+count+trickleLast
	})
	return Figures{"sent": float64(sent)}, failed
}
