package netmsg

import (
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// A lookoutWorld is a reader with a lookout, on a clock and a socket of its own.
type lookoutWorld struct {
	now    time.Duration
	l      *lookout
	each   time.Duration // what a look takes
	waking time.Duration // how much later one who waits has it
}

func newLookoutWorld(t *testing.T) *lookoutWorld {
	procs := runtime.GOMAXPROCS(2)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(procs)
		if n := lookers.Load(); n != 0 {
			t.Errorf("%d readers look, though none reads", n)
		}
	})
	w := &lookoutWorld{each: time.Microsecond, waking: 10 * time.Microsecond}
	w.l = newLookout(func() time.Duration { return w.now })
	return w
}

var lookoutPeer = netip.MustParseAddrPort("192.0.2.1:5000")

// exchange is one of a datagram that comes after a while: it is read, and one
// is sent. It returns how often the reader looked in vain.
func (w *lookoutWorld) exchange(after time.Duration) int { return w.turn(after, 1, 1, lookoutPeer) }

// turn reads n datagrams that come after a while from a peer, and sends some.
func (w *lookoutWorld) turn(after time.Duration, n, sends int, from netip.AddrPort) (looks int) {
	at := w.now + after
	for w.now < at && w.l.again() {
		looks++
		w.now += w.each
	}
	if w.now < at {
		w.now = at + w.waking
	}
	got := make([]Datagram, n)
	for i := range got {
		got[i].Addr = from
	}
	w.l.came(got)
	w.l.sent.Add(int32(sends))
	return looks
}

// open has quick exchanges until looks begin.
func (w *lookoutWorld) open(t *testing.T) {
	t.Helper()
	for range 2 * fewestQuick {
		if w.exchange(5*time.Microsecond) > 0 {
			return
		}
	}
	t.Fatal("quick exchanges do not begin looks")
}

func TestAReaderLooksAgainWhileThatPays(t *testing.T) {
	w := newLookoutWorld(t)
	w.open(t)

	waits := 0
	for range 1000 {
		if w.exchange(5*time.Microsecond) == 0 {
			waits++
		}
	}

	if most := 1000/looksInRow + 1; waits == 0 || waits > most {
		t.Errorf("of 1,000 exchanges %d came to one who waited, want some, at most %d", waits, most)
	}
}

func TestLooksInVainEndSoon(t *testing.T) {
	w := newLookoutWorld(t)
	w.open(t)

	waits := 0
	for range 10 {
		if w.exchange(100*time.Microsecond) == 0 {
			waits++
		}
	}

	if waits < 10-firstTrust/lookCost {
		t.Errorf("of 10 exchanges that a look is too short for, only %d came to one who waited", waits)
	}
}

func TestLooksThatNeverPayBecomeRare(t *testing.T) {
	w := newLookoutWorld(t)
	var looking time.Duration
	for range 100_000 {
		looking += time.Duration(w.exchange(100*time.Microsecond)) * w.each
	}
	if share := float64(looking) / float64(w.now); share > 0.01 {
		t.Errorf("%.1f %% of the time went into looks", 100*share)
	}
}

func TestLooksThatAreLaterThanWaitsEnd(t *testing.T) {
	w := newLookoutWorld(t)
	w.open(t)

	// The answer comes from a goroutine that the looks keep from running.
	looked := 0
	for range 1000 {
		after := 2 * time.Microsecond
		if w.l.open {
			after = 40 * time.Microsecond
		}
		if w.exchange(after) > 0 {
			looked++
		}
	}

	if looked > 150 {
		t.Errorf("it looked %d times of 1,000", looked)
	}
}

func TestOnlyQuickExchangesWithOnePeerHaveLooks(t *testing.T) {
	other := netip.MustParseAddrPort("192.0.2.2:5000")
	for name, turn := range map[string]func(w *lookoutWorld, i int) int{
		"50 turns a second":  func(w *lookoutWorld, _ int) int { return w.exchange(20 * time.Millisecond) },
		"an idle connection": func(w *lookoutWorld, _ int) int { return w.exchange(100 * time.Millisecond) },
		"a stream that comes": func(w *lookoutWorld, _ int) int {
			return w.turn(5*time.Microsecond, 8, 1, lookoutPeer)
		},
		"a stream that goes": func(w *lookoutWorld, _ int) int {
			return w.turn(5*time.Microsecond, 1, 16, lookoutPeer)
		},
		"nothing is answered": func(w *lookoutWorld, _ int) int {
			return w.turn(5*time.Microsecond, 1, 0, lookoutPeer)
		},
		"a crowd": func(w *lookoutWorld, i int) int {
			return w.turn(5*time.Microsecond, 1, 1, [2]netip.AddrPort{lookoutPeer, other}[i%2])
		},
		"reads that fail": func(w *lookoutWorld, _ int) int {
			return w.turn(5*time.Microsecond, 0, 0, netip.AddrPort{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLookoutWorld(t)
			w.open(t)
			turn(w, 0) // may look, for what was before
			turn(w, 1)
			looks := 0
			for i := range 1000 {
				looks += turn(w, i)
			}
			if looks > 0 {
				t.Errorf("it looked %d times in vain", looks)
			}
		})
	}
}

func TestOneProcessorIsLeftToThoseWhoDoNotLook(t *testing.T) {
	w, other := newLookoutWorld(t), newLookoutWorld(t)
	w.open(t)
	other.open(t)
	if !other.l.again() {
		t.Fatal("it does not look")
	}

	if w.exchange(5*time.Microsecond) > 0 {
		t.Error("two look on two processors")
	}
	other.l.came([]Datagram{{Addr: lookoutPeer}})
	if w.exchange(5*time.Microsecond) == 0 {
		t.Error("it does not look when the other has done")
	}

	runtime.GOMAXPROCS(1)
	for range 100 {
		if w.exchange(5*time.Microsecond) > 0 {
			t.Fatal("it looks on the only processor")
		}
	}
}

func TestWithoutFastPathsNobodyLooks(t *testing.T) {
	for _, plain := range []string{"1", "2"} {
		t.Setenv(plainSocketVar, plain)
		s := udpSocket(t, "127.0.0.1:0")
		if b, ok := s.(*batchSocket); ok && b.waiting.look.clock != nil {
			t.Errorf("%s=%s: the reader has a clock to look by", plainSocketVar, plain)
		}
	}
	t.Setenv(plainSocketVar, "")
	if udpSocket(t, "127.0.0.1:0").(*batchSocket).waiting.look.clock == nil {
		t.Error("a reader never looks")
	}
}
