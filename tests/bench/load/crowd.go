package load

import (
	"time"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// A crowd is many connections on one socket, each with values of 32 bytes both
// ways, Hz a second. The server turns 50 times a second and serves a part of
// them in each turn.
const (
	crowdValue  = 32
	crowdIdle   = 3 * time.Second // before the first value: what they cost when idle
	crowdWarmUp = time.Second
)

func crowdHost(l peer.Library, j Job, s Stage) (Figures, error) {
	before, err := residentMemory()
	if err != nil {
		return nil, err
	}
	e, err := l.Listen(peer.Setup{Conns: j.Conns})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	s.Ready(e.Port())
	f := Figures{}
	if err := crowdJoins(e, j, s, f); err != nil {
		return nil, err
	}

	c := crowd{e: e, job: j, stop: s.Stop, value: make([]byte, crowdValue)}
	c.turn(crowdIdle, false)
	held, err := residentMemory()
	if err != nil {
		return nil, err
	}
	f["bytes_conn"] = (held - before) / float64(j.Conns)
	c.turn(crowdWarmUp+crowdIdle, true)

	c.heard, c.sent = 0, 0
	m := startMeter()
	c.turn(j.For, true)
	wall, cpu, mallocs := m.stop()
	packets := float64(c.heard + c.sent)
	due := wall.Seconds() * float64(j.Hz*j.Conns)
	f["us_packet"] = micros(cpu) / packets
	f["allocs_packet"] = mallocs / packets
	f["heard_share"] = float64(c.heard) / due
	f["sent_share"] = float64(c.sent) / due
	return f, c.failed
}

// crowdJoins lets all connections open, and measures what that costs.
func crowdJoins(e peer.Endpoint, j Job, s Stage, f Figures) error {
	joined, first := 0, 0 // until the measuring began
	var m meter
	until := time.Now().Add(joinPatience)
	frames(2*time.Millisecond, s.Stop, func(int) bool {
		e.Poll(func(_ peer.Endpoint, ev peer.Event) {
			if ev.Kind == peer.Joined {
				joined++
			}
		})
		e.Flush()
		if joined > 0 && first == 0 {
			m, first = startMeter(), joined
		}
		return joined < j.Conns && time.Now().Before(until)
	})
	if joined < j.Conns {
		return errJoined(joined, j.Conns)
	}
	wall, cpu, _ := m.stop()
	n := float64(max(1, j.Conns-first))
	f["joins_s"], f["us_join"] = n/wall.Seconds(), micros(cpu)/n
	return nil
}

// A crowd is one side's endpoint and what it has counted.
type crowd struct {
	e           peer.Endpoint
	job         Job
	stop        <-chan struct{}
	value       []byte
	heard, sent int
	failed      error
}

func (c *crowd) hear(_ peer.Endpoint, ev peer.Event) {
	if ev.Kind == peer.Latest {
		c.heard++
	}
}

// turn turns the endpoint for a while, and sends each connection its values. A
// side whose turns take longer than they should sends what is due all the same.
func (c *crowd) turn(d time.Duration, send bool) {
	hear := c.hear
	began, due := time.Now(), 0
	frames(tick, c.stop, func(int) bool {
		c.e.Poll(hear)
		passed := time.Since(began)
		for ; send && due <= int(passed/tick); due++ {
			c.sendGroup(due)
		}
		c.e.Flush()
		return passed+tick < d
	})
}

// sendGroup sends the values of the connections whose turn it is.
func (c *crowd) sendGroup(i int) {
	groups := int(time.Second/tick) / c.job.Hz
	for g := i % groups; g < c.job.Conns; g += groups {
		if err := c.e.Send(g, peer.Latest, c.value); err != nil {
			c.failed = err
		}
		c.sent++
	}
}

func crowdClient(l peer.Library, j Job, s Stage) (Figures, error) {
	e, err := l.Dial(j.Port, peer.Setup{Conns: j.Conns})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	c := crowd{e: e, job: j, stop: s.Stop, value: make([]byte, crowdValue)}
	// What the host is idle for, its clients are. What they hear is counted
	// while the host is sure to send: it goes on for longer, and what it does
	// before and after takes it a while.
	c.turn(crowdIdle+crowdWarmUp, false)
	c.heard = 0
	began := time.Now()
	c.turn(j.For, true)
	due := time.Since(began).Seconds() * float64(j.Hz*j.Conns)
	heard := float64(c.heard)
	c.turn(time.Hour, true)
	return Figures{"client_heard_share": heard / due}, nil
}
