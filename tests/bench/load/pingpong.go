package load

import (
	"slices"
	"time"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// A ping is a message of 32 bytes that the host's handler sends back.
const pingSize = 32

const pingWarmUp = 300 * time.Millisecond

func echoHost(l peer.Library, _ Job, s Stage) (Figures, error) {
	e, err := l.Listen(peer.Setup{Conns: 1, Handler: func(e peer.Endpoint, ev peer.Event) {
		if ev.Kind == peer.Reliable {
			_ = e.Send(ev.Conn, peer.Reliable, ev.Data) // the client notices
		}
	}})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	m := startMeter()
	s.Ready(e.Port())
	<-s.Stop
	_, cpu, _ := m.stop()
	return Figures{"host_cpu_s": cpu.Seconds()}, nil
}

// A pinger is the client's side.
type pinger struct {
	until, from time.Time
	sent        time.Time
	trips       []time.Duration
	began       meter
	done        chan Figures
	over        bool
}

func (p *pinger) hear(e peer.Endpoint, ev peer.Event) {
	now := time.Now()
	switch {
	case p.over || ev.Kind == peer.Latest:
		return
	case ev.Kind == peer.Joined:
		p.from = now.Add(pingWarmUp)
		p.until = p.from.Add(time.Until(p.until))
	case now.After(p.until):
		p.finish()
		return
	case now.After(p.from):
		if len(p.trips) == 0 {
			p.began = startMeter()
		}
		p.trips = append(p.trips, now.Sub(p.sent))
	}
	p.sent = time.Now()
	_ = e.Send(ev.Conn, peer.Reliable, make([]byte, pingSize)) // no answer shows
}

func (p *pinger) finish() {
	p.over = true
	wall, cpu, _ := p.began.stop()
	slices.Sort(p.trips)
	n := float64(len(p.trips))
	p.done <- Figures{
		"trips_s": n / wall.Seconds(),
		"p50_us":  micros(quantile(p.trips, 0.50)),
		"p99_us":  micros(quantile(p.trips, 0.99)),
		"us_trip": micros(cpu) / n,
	}
}

func echoClient(l peer.Library, j Job, s Stage) (Figures, error) {
	p := &pinger{until: time.Now().Add(j.For), trips: make([]time.Duration, 0, 1<<18), done: make(chan Figures, 1)}
	e, err := l.Dial(j.Port, peer.Setup{Conns: 1, Handler: p.hear})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	select {
	case f := <-p.done:
		return f, nil
	case <-s.Stop:
	case <-time.After(j.For + 10*time.Second):
	}
	return nil, errStopped
}
