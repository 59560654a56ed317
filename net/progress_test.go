package netmsg

import (
	"testing"
	"time"
)

func TestProgressOfALargeMessageRisesAtBothEnds(t *testing.T) {
	p := NewSimPair(nil, LinkConfig{Latency: 20 * time.Millisecond, Rate: 200_000, Buffer: 100 * time.Millisecond}, LinkConfig{Latency: 20 * time.Millisecond}, 1)
	const size = 60_000
	if err := p.A.SendReliable(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	var sent, got []int
	whole := false
	for !whole && p.Now() < 10*time.Second {
		p.Advance(20 * time.Millisecond)
		for e := range p.EventsB() {
			whole = whole || e.Kind == Message
		}
		if n, total := p.B.Receiving(Ordered1); total == size {
			got = append(got, n)
		}
		if n, total := p.A.Sending(Ordered1); total == size {
			sent = append(sent, n)
		}
	}
	for _, steps := range [][]int{sent, got} {
		last, rises := 0, 0
		for _, n := range steps {
			if n < last || n > size {
				t.Fatalf("went %v", steps)
			}
			if n > last {
				rises++
			}
			last = n
		}
		if rises < 5 {
			t.Fatalf("rose %d times: %v", rises, steps)
		}
	}
	if n, total := p.B.Receiving(Ordered1); n != 0 || total != 0 {
		t.Fatalf("after it: %d of %d", n, total)
	}
}
