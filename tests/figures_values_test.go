package tests

import (
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// TestBulkValues measures how often a latest value of 16 KiB, which goes in a
// dozen fragments and is set in every frame, arrives whole on a clean link.
func TestBulkValues(t *testing.T) {
	link := netmsg.LinkConfig{Latency: 20 * time.Millisecond}
	b := newBench(nil, link, link, 1, 1)
	p := b.pairs[0]
	value := make([]byte, 16<<10)
	arrived := 0
	for b.now < 10*time.Second {
		if err := p.A.SendLatest(1, value); err != nil {
			t.Fatal(err)
		}
		b.runUntil(b.now + time.Second/60)
		for e := range p.EventsB() {
			if e.Kind == netmsg.Update && len(e.Data) == len(value) {
				arrived++
			}
		}
	}
	t.Logf("%.1f times a second", float64(arrived)/b.now.Seconds())
	if arrived < 50 {
		t.Errorf("%d times in ten seconds, want 50 at least", arrived)
	}
}
