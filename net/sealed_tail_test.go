package netmsg

import (
	"slices"
	"testing"
	"time"
)

// tailTimes sends a message of 60,000 bytes at a time over a path that loses so
// much, and gives how long each takes and the bytes sent for each of data.
func tailTimes(t *testing.T, loss float64) (times []time.Duration, cost float64) {
	t.Helper()
	link := LinkConfig{Loss: loss, Latency: 40 * ms}
	p := NewSimPair(nil, link, link, 1)
	const messages, size = 40, 60_000
	for range messages {
		if err := p.A.SendReliable(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
		began := p.Now()
		for arrived := false; !arrived; {
			p.Advance(ms)
			for e := range p.EventsB() {
				arrived = arrived || e.Kind == Message
			}
			if p.Now()-began > 10*time.Second {
				t.Fatalf("at %v a message has not arrived in ten seconds", p.Now())
			}
		}
		times = append(times, p.Now()-began)
		p.Advance(500 * ms)
	}
	slices.Sort(times)
	return times, float64(p.A.Stats().BytesSent) / (messages * size)
}

func TestTailOfBulkIsRepeatedWhereMuchIsLost(t *testing.T) {
	times, cost := tailTimes(t, 0.2)

	t.Logf("a message takes %v (median), %v (worst), %.2f bytes sent for each", times[len(times)/2], times[len(times)-1], cost)
	if got := times[len(times)/2]; got > 300*ms {
		t.Errorf("a message takes %v (median), want at most 300ms", got)
	}
}

// Where little is lost only what a round trip has not brought is repeated: it
// costs nothing, and what is lost twice is not waited for twice.
func TestTailOfBulkIsRepeatedLateWhereLittleIsLost(t *testing.T) {
	times, cost := tailTimes(t, 0.02)

	t.Logf("a message takes %v (median), %v (worst), %.2f bytes sent for each", times[len(times)/2], times[len(times)-1], cost)
	if cost > 1.12 {
		t.Errorf("%.2f bytes were sent for each, want 1.12 at most", cost)
	}
	if got := times[len(times)-1]; got > 260*ms {
		t.Errorf("a message takes %v at worst, want at most 260ms", got)
	}
}

// A peer may hold an acknowledgement of values for 250 ms, but not one of a
// message.
func TestALoneMessageThatIsLostIsNotWaitedForAsAValueIs(t *testing.T) {
	p := newSealedPair(t, &Config{KeepAlive: -1}, LinkConfig{Latency: 20 * ms}, 1)
	p.run(3 * time.Second) // the round trip is known well
	lost := 0
	p.Tap = func(now time.Duration, fromA bool, datagram []byte) bool {
		for _, f := range p.frames(fromA, datagram) {
			if fromA && f.kind == frameReliable && lost == 0 {
				lost++
				return false
			}
		}
		return true
	}
	start := p.Now()
	p.A.SendReliable([]byte("x"))
	p.A.Flush()
	for len(messagesOn(p.heardB, Ordered1)) == 0 && p.Now() < start+time.Second {
		p.run(5 * time.Millisecond)
	}

	if took := p.Now() - start; lost != 1 || took > 160*ms {
		t.Errorf("a message of which the first packet was lost arrives after %v, want 160ms at most: 60 ms of path, 40 ms of the peer's patience and what round trips vary", took)
	}
}
