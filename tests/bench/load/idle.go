package load

import (
	"sync/atomic"
	"time"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// idleFor is how long a connection has nothing to say before it counts as idle.
const idleFor = 6 * time.Second

// idleHost has a full party of which nobody says anything. Its endpoint runs by
// itself; with Hz, frames drive it.
func idleHost(l peer.Library, j Job, s Stage) (Figures, error) {
	var joined atomic.Int64
	setup := peer.Setup{Conns: j.Conns}
	count := func(_ peer.Endpoint, ev peer.Event) {
		if ev.Kind == peer.Joined {
			joined.Add(1)
		}
	}
	if j.Hz == 0 {
		setup.Handler = count
	}
	e, err := l.Listen(setup)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s.Ready(e.Port())
	rest := func(d time.Duration) {
		if j.Hz == 0 {
			time.Sleep(d)
			return
		}
		until := time.Now().Add(d)
		frames(time.Second/time.Duration(j.Hz), s.Stop, func(int) bool {
			e.Poll(count)
			e.Flush()
			return time.Now().Before(until)
		})
	}
	for until := time.Now().Add(joinPatience); int(joined.Load()) < j.Conns; {
		if time.Now().After(until) {
			return nil, errJoined(int(joined.Load()), j.Conns)
		}
		rest(20 * time.Millisecond)
	}
	rest(idleFor)
	m := startMeter()
	rest(j.For)
	wall, cpu, _ := m.stop()
	return Figures{"core_percent": 100 * cpu.Seconds() / wall.Seconds()}, nil
}

func idleClient(l peer.Library, j Job, s Stage) (Figures, error) {
	e, err := l.Dial(j.Port, peer.Setup{Conns: j.Conns})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	frames(frame, s.Stop, func(int) bool {
		e.Poll(func(peer.Endpoint, peer.Event) {})
		e.Flush()
		return true
	})
	return Figures{}, nil
}
