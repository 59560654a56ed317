package netmsg

import (
	"testing"
	"time"
)

func TestAMessageArrivesOnceOverALossyLink(t *testing.T) {
	link := Lossy(0.2, 40*time.Millisecond, 30*time.Millisecond)
	p := NewSimPair(nil, link, link, 1)
	p.A.SendReliable([]byte("one"))
	heard := 0
	for range 3000 {
		p.Advance(time.Millisecond)
		for e := range p.EventsB() {
			if e.Kind == Message && string(e.Data) == "one" {
				heard++
			}
		}
	}
	if heard != 1 {
		t.Errorf("heard %d times, want once", heard)
	}
	t.Log(p.A.Stats(), p.B.Stats())
}
