package netmsg

import (
	"testing"
	"time"
)

func TestBulkTakesATooLongQueueDownEachRound(t *testing.T) {
	b, now := settled()
	for range 10 { // the queue grows to 30 ms: a round is a round trip
		b.held, b.usedAt = true, now
		b.onAck(now, 70*ms, 70*ms)
		now += 70 * ms
	}
	before := b.window
	b.onAck(now, 70*ms, 70*ms)

	if got := b.window / before; got < 0.949 || got > 0.951 {
		t.Errorf("the window is %.3f of what it was, want 0.95", got)
	}
}

func TestBulkDrainsTheQueueEveryFiveSeconds(t *testing.T) {
	s := newBulkSim(simLink{rate: 10e6, buffer: 200 * ms, rtt: 40 * ms}, 1, 0)
	var drains []time.Duration
	for s.now < 30*time.Second {
		s.runUntil(s.now + ms)
		b := &s.flows[0].ctl
		if b.draining(s.now) && (len(drains) == 0 || s.now-drains[len(drains)-1] > time.Second) {
			drains = append(drains, s.now)
			if limit := b.limit(s.now); limit != b.window/2 {
				t.Errorf("at %v the limit is %.0f of %.0f", s.now, limit, b.window)
			}
		}
	}

	if len(drains) < 5 {
		t.Errorf("drains at %v, want one every five seconds", drains)
	}
	for i := 1; i < len(drains); i++ {
		if gap := drains[i] - drains[i-1]; gap < 4900*ms || gap > 5500*ms {
			t.Errorf("drains at %v, want five seconds between", drains)
		}
	}
}

func TestBulkLeavesSlowStartWithTheWindowOfARoundTripAgo(t *testing.T) {
	for window, want := range map[float64]float64{60: 30, 120: 80} {
		b := newBulkControl(nil, 40*ms)
		b.window, b.held, b.usedAt = window, true, time.Second
		b.onAck(time.Second, 40*ms, 40*ms)

		b.onAcked(time.Second)
		b.onAck(1020*ms, 90*ms, 40*ms)
		b.onAcked(time.Second)
		b.onAck(1080*ms, 90*ms, 40*ms)

		if !b.steady || b.window != want {
			t.Errorf("from %v it went to %v (steady %v), want %v", window, b.window, b.steady, want)
		}
	}
}

// What the round that goes on has delivered so far counts, once half of it is
// over.
func TestBulkLeavesSlowStartWithWhatTheRoundDelivers(t *testing.T) {
	for at, want := range map[time.Duration]float64{10 * ms: 80, 30 * ms: 100} {
		b := newBulkControl(nil, 40*ms)
		b.window, b.held, b.usedAt = 120, true, time.Second
		b.onAck(time.Second, 40*ms, 40*ms)
		for range 75 {
			b.onAcked(time.Second)
		}

		b.endSlowStart(time.Second + at)

		if b.window != want {
			t.Errorf("with 75 delivered in %v of 40ms it went to %v, want %v", at, b.window, want)
		}
	}
}
