package party

import (
	"reflect"
	"testing"
	"time"
	"unsafe"
)

// setWallClock does to a live party what it would see of a wall clock that is
// set on by some time while the monotonic one goes on: in all moments that it
// remembers, the wall clock's part was so much earlier. (The machine's own is
// left alone, and a synctest bubble has no monotonic clock.)
func setWallClock(t *testing.T, p *Party, by time.Duration) {
	t.Helper()
	epoch := reflect.ValueOf(p.ep).Elem().FieldByName("epoch")
	for _, at := range []*time.Time{&p.clock.start, (*time.Time)(epoch.Addr().UnsafePointer())} {
		before := *at
		wall := (*uint64)(unsafe.Pointer(at)) // a bit, 33 bits of seconds, 30 of nanoseconds
		if *wall>>63 == 0 {
			t.Fatal("a moment is remembered without its monotonic part")
		}
		*wall -= uint64(int64(by/time.Second)) << 30
		if got := before.Round(0).Sub(at.Round(0)); got != by {
			t.Fatalf("the wall clock is set by %v, want %v", got, by)
		}
	}
}

func TestCaseT9WallClock(t *testing.T) { // the wall clock −1 h, then +24 h; the monotonic one goes on
	h := liveHost(t)
	g := newLive(t, Config{})
	g.joins(h)
	run := func(d time.Duration) {
		for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(frame) {
			h.frame()
			g.frame()
		}
	}
	for end := time.Now().Add(20 * time.Second); g.State() != StateJoined || h.PeerOf(2) == nil; run(frame) {
		if time.Now().After(end) {
			t.Fatalf("%v", g.State())
		}
	}
	run(time.Second)
	h.facts, g.facts = nil, nil

	// The guest's estimate moves by half a percent of the time that passes; what
	// is more is a jump.
	const span = 900 * time.Millisecond
	for _, by := range []time.Duration{-time.Hour, 24 * time.Hour} {
		before := h.PeerOf(2).Stats()
		clock := apart(h, g)
		for _, p := range []*Party{h.Party, g.Party} {
			now := p.clock.now()
			setWallClock(t, p, by)
			if d := p.clock.now() - now; d < 0 || d > time.Minute {
				t.Errorf("set by %v: the party's own time changes by %v", by, d)
			}
		}
		run(span)
		if len(h.facts)+len(g.facts) > 0 {
			t.Fatalf("set by %v: the host hears %v, the guest %v", by, h.facts, g.facts)
		}
		noise := 4 * before.RTTVar // of a machine that is busy
		if d := (h.PeerOf(2).Stats().RTT - before.RTT).Abs(); d >= 5*time.Millisecond+noise {
			t.Errorf("set by %v: the round trip changes by %v", by, d)
		}
		if d := (apart(h, g) - clock).Abs(); d >= 5*time.Millisecond+noise {
			t.Errorf("set by %v: the shared time changes by %v", by, d)
		}
	}
}

// apart is how far a guest's clock is from its host's: the nearest of many
// looks, since this goroutine may lose the processor between the two.
func apart(h, g *live) (least time.Duration) {
	least = time.Hour
	for range 20 {
		there, _, _ := h.Clock()
		here, _, _ := g.Clock()
		if d := here - there; d.Abs() < least.Abs() {
			least = d
		}
	}
	return least
}
