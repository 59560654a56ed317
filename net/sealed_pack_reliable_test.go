package netmsg

import (
	"testing"
	"time"
)

// fullPackets sends 400 messages of so many bytes over a path of 1 MB a second,
// and gives how many packets the first of them take and how many of those are full.
func fullPackets(t *testing.T, size int) (packets, full int) {
	t.Helper()
	p := newSealedPair(t, nil, LinkConfig{Latency: 25 * ms, Rate: 1_000_000}, 1)
	for range 400 {
		if err := p.A.SendReliable(make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	p.Tap = func(_ time.Duration, fromA bool, datagram []byte) bool {
		if fromA && len(datagram) > size/2 && len(datagram) != 1452 { // that is a probe's size
			packets++
			if len(datagram) > 1190 {
				full++
			}
		}
		return true
	}
	p.run(50 * ms) // what the first window lets go
	p.Tap = nil
	p.run(2 * time.Second)
	if got := len(messagesOn(p.heardB, Ordered1)); got != 400 {
		t.Errorf("%d messages of %d bytes arrived, want 400", got, size)
	}
	return packets, full
}

func TestBulkFillsItsPackets(t *testing.T) {
	if packets, full := fullPackets(t, 700); packets < 20 || full < packets*9/10 {
		t.Errorf("%d packets of %d are full", full, packets)
	}
}

func TestWhatMayBeRepeatedStaysWholeInBulk(t *testing.T) {
	p := newSealedPair(t, nil, LinkConfig{Latency: 25 * ms}, 1)
	p.a.bulking = true
	small, large := &outMessage{size: maxRepeated}, &outMessage{size: maxRepeated + 1}

	if p.a.fills(small, true) || p.a.fills(large, false) || !p.a.fills(large, true) {
		t.Error("what fills packets is not what is large and new")
	}
	if p.a.control().window = 10_000; p.a.fills(large, true) {
		t.Error("packets are filled on a path that takes them as fast as they can be put together")
	}
}

func TestBulkBeginsSmallWhereAnotherHasBegun(t *testing.T) {
	var share pacer
	var place paceShare
	p := newSealedPair(t, nil, LinkConfig{Latency: 50 * ms}, 1)
	p.a.share, p.b.share = &share, &share
	if got := p.a.control().window; got != 64 {
		t.Errorf("the first begins with %v, want 64", got)
	}

	share.ask(&place, 0, 500, 0)

	if got := p.b.control().window; got != 32 {
		t.Errorf("the second begins with %v, want 32", got)
	}
}
