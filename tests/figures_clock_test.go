package tests

import (
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// TestClock measures how far a client's shared clock is from its server's, which
// runs 30 millionths faster, while a twentieth of all packets is lost each way:
// sixty readings a second, from five seconds after the connection opens to two
// minutes. It never runs back.
func TestClock(t *testing.T) {
	even := func(latency, jitter time.Duration) netmsg.LinkConfig { return netmsg.Lossy(0.05, latency, jitter) }
	for _, c := range []struct {
		name     string
		up, down netmsg.LinkConfig
		bloat    time.Duration // of the uplink, three seconds of every six
		promise  time.Duration // for 99 readings of 100
	}{
		{"clean, 30 ms", even(15*time.Millisecond, 0), even(15*time.Millisecond, 0), 0, time.Millisecond},
		{"80 ms, 40 more or less", even(20*time.Millisecond, 40*time.Millisecond), even(20*time.Millisecond, 40*time.Millisecond), 0, 5 * time.Millisecond},
		{"40 ms, the uplink 200 ms late half the time", even(20*time.Millisecond, 0), even(20*time.Millisecond, 0), 200 * time.Millisecond, 5 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			var off []time.Duration
			for seed := range uint64(5) {
				w := &clockWorld{t: t, bloat: c.bloat, seed: seed}
				off = append(off, w.run(c.up, c.down)...)
			}
			t.Logf("off by %v (median), %v (p99), %v (worst)", fine(percentile(off, 0.5)), fine(percentile(off, 0.99)), fine(percentile(off, 1)))
			if p99 := percentile(off, 0.99); p99 > c.promise {
				t.Errorf("off by %v in one reading of a hundred, want at most %v", p99, c.promise)
			}
		})
	}
}

// fine makes a small error readable.
func fine(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// A clockWorld is a client and a server whose clocks differ.
type clockWorld struct {
	t     *testing.T
	bloat time.Duration
	seed  uint64
	buf   [1 << 16]byte
}

// server is the server's clock when the client's is now.
func (w *clockWorld) server(now time.Duration) time.Duration {
	return 3*time.Second + now + time.Duration(float64(now)*30e-6)
}

func (w *clockWorld) run(up, down netmsg.LinkConfig) (off []time.Duration) {
	slow := up
	slow.Latency += w.bloat
	p := netmsg.NewSimPair(nil, netmsg.LinkConfig{}, netmsg.LinkConfig{}, w.seed)
	uplinks := [2]*netmsg.LinkSim{netmsg.NewLinkSim(up, w.seed), netmsg.NewLinkSim(slow, w.seed+1)}
	downlink := netmsg.NewLinkSim(down, w.seed+2)
	var last time.Duration
	for now := time.Duration(0); now < 2*time.Minute; now += time.Millisecond {
		for _, link := range uplinks {
			for n, ok := link.Deliver(now, w.buf[:]); ok; n, ok = link.Deliver(now, w.buf[:]) {
				p.B.Receive(w.server(now), w.buf[:n])
			}
		}
		for n, ok := downlink.Deliver(now, w.buf[:]); ok; n, ok = downlink.Deliver(now, w.buf[:]) {
			p.A.Receive(now, w.buf[:n])
		}
		w.transmit(p.A, now, now, uplinks[now/(3*time.Second)%2])
		w.transmit(p.B, w.server(now), now, downlink)
		if now/time.Millisecond%17 != 0 {
			continue
		}
		reading, _, state := p.A.Clock(now)
		if reading < last {
			w.t.Fatalf("seed %d at %v: the clock ran back from %v to %v", w.seed, now, last, reading)
		}
		last = reading
		if now >= 5*time.Second {
			off = append(off, (reading - w.server(now)).Abs())
			if state != netmsg.ClockGood {
				w.t.Fatalf("seed %d at %v: the clock is %v", w.seed, now, state)
			}
		}
	}
	return off
}

// transmit sends what is due at a core whose clock says at.
func (w *clockWorld) transmit(core *netmsg.ConnectionCore, at, now time.Duration, link *netmsg.LinkSim) {
	for n := core.Transmit(at, w.buf[:]); n > 0; n = core.Transmit(at, w.buf[:]) {
		link.Send(now, w.buf[:n])
	}
}
