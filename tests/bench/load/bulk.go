package load

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// Bulk is messages of 1,024 bytes, of which the client has a MiB on the way at
// most: for every 64 KiB the host says how much it has.
const (
	bulkMessage = 1024
	bulkAhead   = 1 << 20
	bulkTold    = 64 << 10
)

func bulkHost(l peer.Library, j Job, s Stage) (Figures, error) {
	var got, told int
	var began meter
	var used atomic.Int64
	e, err := l.Listen(peer.Setup{Conns: 1, Bulk: true, Handler: func(e peer.Endpoint, ev peer.Event) {
		if ev.Kind != peer.Reliable {
			return
		}
		if got == 0 {
			began = startMeter()
		}
		got += len(ev.Data)
		if got-told < bulkTold && got < j.Bytes {
			return
		}
		told = got
		if got >= j.Bytes {
			_, cpu, _ := began.stop()
			used.Store(int64(cpu))
		}
		_ = e.Send(ev.Conn, peer.Reliable, binary.LittleEndian.AppendUint64(nil, uint64(got))) // the client notices
	}})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s.Ready(e.Port())
	<-s.Stop
	return Figures{"host_s_GB": time.Duration(used.Load()).Seconds() / float64(j.Bytes) * 1e9}, nil
}

// A pourer is the client's side.
type pourer struct {
	bytes, sent, told int
	began             meter
	failed            chan error
	done              chan Figures
}

func (p *pourer) hear(e peer.Endpoint, ev peer.Event) {
	switch ev.Kind {
	case peer.Joined:
		p.began = startMeter()
	case peer.Reliable:
		p.told = int(binary.LittleEndian.Uint64(ev.Data))
		if p.told == p.bytes {
			p.finish()
			return
		}
	}
	message := make([]byte, bulkMessage)
	for p.sent < p.bytes && p.sent-p.told < bulkAhead {
		n := min(bulkMessage, p.bytes-p.sent)
		if err := e.Send(ev.Conn, peer.Reliable, message[:n]); err != nil {
			p.failed <- err
			return
		}
		p.sent += n
	}
}

func (p *pourer) finish() {
	wall, cpu, _ := p.began.stop()
	p.done <- Figures{
		"MB_s":        float64(p.bytes) / 1e6 / wall.Seconds(),
		"Mbit_s":      float64(p.bytes) * 8 / 1e6 / wall.Seconds(),
		"client_s_GB": cpu.Seconds() / float64(p.bytes) * 1e9,
	}
}

func bulkClient(l peer.Library, j Job, s Stage) (Figures, error) {
	p := &pourer{bytes: j.Bytes, failed: make(chan error, 1), done: make(chan Figures, 1)}
	e, err := l.Dial(j.Port, peer.Setup{Conns: 1, Bulk: true, Handler: p.hear})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	select {
	case f := <-p.done:
		return f, nil
	case err := <-p.failed:
		return nil, err
	case <-s.Stop:
	case <-time.After(j.For):
	}
	return nil, errStopped
}
