package load

import (
	"encoding/binary"
	"time"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// A party is a host and its guests at 60 frames a second: from each guest a
// value of 32 bytes a frame, to each one of 400, and once a second a message of
// 64 bytes.
const (
	guestValue  = 32
	hostValue   = 400
	hostMessage = 64
	partyWarmUp = 60 // frames
)

func partyHost(l peer.Library, j Job, s Stage) (Figures, error) {
	e, err := l.Listen(peer.Setup{Conns: j.Conns})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s.Ready(e.Port())
	if err := awaitGuests(e, j.Conns, s.Stop); err != nil {
		return nil, err
	}

	values := 0
	hear := func(_ peer.Endpoint, ev peer.Event) {
		if ev.Kind == peer.Latest {
			values++
		}
	}
	snapshot, message := make([]byte, hostValue), make([]byte, hostMessage)
	count := int(j.For / frame)
	var m meter
	var sendErr error
	frames(frame, s.Stop, func(i int) bool {
		if i == partyWarmUp {
			values = 0
			m = startMeter()
		}
		e.Poll(hear)
		binary.LittleEndian.PutUint32(snapshot, uint32(i))
		for g := range j.Conns {
			if err := e.Send(g, peer.Latest, snapshot); err != nil {
				sendErr = err
			}
			if i%60 == 0 {
				if err := e.Send(g, peer.Reliable, message); err != nil {
					sendErr = err
				}
			}
		}
		e.Flush()
		return i+1 < partyWarmUp+count
	})
	if m.at.IsZero() || sendErr != nil {
		return nil, orStopped(sendErr)
	}
	wall, cpu, mallocs := m.stop()
	n := float64(count)
	return Figures{
		"us_frame":     micros(cpu) / n,
		"allocs_frame": mallocs / n,
		"heard_frame":  float64(values) / n,
		"frames_s":     n / wall.Seconds(),
	}, nil
}

func orStopped(err error) error {
	if err == nil {
		return errStopped
	}
	return err
}

// awaitGuests turns a host until all its guests have joined.
func awaitGuests(e peer.Endpoint, n int, stop <-chan struct{}) error {
	joined := 0
	until := time.Now().Add(joinPatience)
	frames(2*time.Millisecond, stop, func(int) bool {
		e.Poll(func(_ peer.Endpoint, ev peer.Event) {
			if ev.Kind == peer.Joined {
				joined++
			}
		})
		e.Flush()
		return joined < n && time.Now().Before(until)
	})
	if joined < n {
		return errJoined(joined, n)
	}
	return nil
}

func partyClient(l peer.Library, j Job, s Stage) (Figures, error) {
	e, err := l.Dial(j.Port, peer.Setup{Conns: j.Conns})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	input := make([]byte, guestValue)
	values, messages, count := 0, 0, 0
	hear := func(_ peer.Endpoint, ev peer.Event) {
		switch ev.Kind {
		case peer.Latest:
			values++
		case peer.Reliable:
			messages++
		}
	}
	frames(frame, s.Stop, func(int) bool {
		e.Poll(hear)
		for g := range j.Conns {
			_ = e.Send(g, peer.Latest, input) // the host may have gone
		}
		e.Flush()
		count++
		return true
	})
	n := float64(max(1, j.Conns*count))
	return Figures{"guest_heard_frame": float64(values) / n, "guest_messages_s": float64(messages) / n * 60}, nil
}
