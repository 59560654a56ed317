package netmsg

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// An arrival is a datagram that came through a link, which is numbered.
type arrival struct {
	n     int
	delay time.Duration
}

// through sends n numbered datagrams of size bytes, each so long after the one
// before, and gives what arrives.
func through(cfg LinkConfig, seed uint64, n, size int, each time.Duration) (came []arrival) {
	l := NewLinkSim(cfg, seed)
	buf := make([]byte, 2000)
	deliver := func(until time.Duration) {
		for at := l.Deadline(); at <= until && at != never; at = l.Deadline() {
			for {
				m, ok := l.Deliver(at, buf)
				if !ok {
					break
				}
				n := int(U32(buf[:m]))
				came = append(came, arrival{n, at - time.Duration(n)*each})
			}
		}
	}
	for i := range n {
		now := time.Duration(i) * each
		deliver(now)
		b := append(PutU32(nil, uint32(i)), make([]byte, size-4)...)
		l.Send(now, b)
		clear(b) // the link has a copy
	}
	deliver(never)
	return came
}

const manyDatagrams = 10000

// wantShare checks a share of many datagrams, within two points.
func wantShare(t *testing.T, what string, got int, want float64) {
	t.Helper()
	if share := float64(got) / manyDatagrams; math.Abs(share-want) > 0.02 {
		t.Errorf("%s: got %.3f, want %.3f", what, share, want)
	}
}

func TestAPerfectLinkDeliversAllAtOnceInOrder(t *testing.T) {
	for i, a := range through(LinkConfig{}, 1, 100, 10, time.Millisecond) {
		if a.n != i || a.delay != 0 {
			t.Fatalf("arrival %d: datagram %d after %v", i, a.n, a.delay)
		}
	}
}

func TestALinkLosesItsShare(t *testing.T) {
	came := through(LinkConfig{Loss: 0.2}, 1, manyDatagrams, 10, time.Millisecond)
	wantShare(t, "arrived", len(came), 0.8)
	if got := through(LinkConfig{Loss: 1}, 1, 100, 10, 0); len(got) != 0 {
		t.Errorf("%d came through a link that loses all", len(got))
	}
}

func TestALinkDelaysByItsLatencyAndUpToItsJitter(t *testing.T) {
	cfg := LinkConfig{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond}
	var sum time.Duration
	least, most := never, time.Duration(0)
	for _, a := range through(cfg, 1, manyDatagrams, 10, 100*time.Millisecond) {
		sum += a.delay
		least, most = min(least, a.delay), max(most, a.delay)
	}
	if least < 50*time.Millisecond || most > 70*time.Millisecond || most-least < 19*time.Millisecond {
		t.Errorf("delays from %v to %v, want 50ms to 70ms", least, most)
	}
	if mean := sum / manyDatagrams; (mean - 60*time.Millisecond).Abs() > time.Millisecond {
		t.Errorf("%v on average, want 60ms", mean)
	}
}

func TestALinkDuplicatesItsShareAndEachCopyHasItsOwnDelay(t *testing.T) {
	came := through(LinkConfig{Duplicate: 0.3, Jitter: 50 * time.Millisecond}, 1, manyDatagrams, 10, 100*time.Millisecond)
	wantShare(t, "arrived", len(came)-manyDatagrams, 0.3)
	for i, a := range came[1:] {
		if a == came[i] {
			t.Fatalf("both copies of %d came after %v", a.n, a.delay)
		}
	}
}

func TestALinkHoldsBackItsShareSoThatLaterOnesPass(t *testing.T) {
	came := through(LinkConfig{Reorder: 0.1, ReorderDelay: 30 * time.Millisecond}, 1, manyDatagrams, 10, 10*time.Millisecond)
	held := 0
	for _, a := range came {
		switch a.delay {
		case 0:
		case 30 * time.Millisecond:
			held++
		default:
			t.Fatalf("a delay of %v", a.delay)
		}
	}
	wantShare(t, "held back", held, 0.1)
	if slices.IsSortedFunc(came, func(a, b arrival) int { return a.n - b.n }) {
		t.Error("everything came in order")
	}
}

func TestALinkCarriesItsRateAndLosesWhatItsBufferCannotHold(t *testing.T) {
	// 1,000 bytes take 10 ms; one is sent each 5 ms.
	cfg := LinkConfig{Rate: 100_000, Buffer: 100 * time.Millisecond}
	came := through(cfg, 1, 1000, 1000, 5*time.Millisecond)
	most := time.Duration(0)
	for _, a := range came {
		most = max(most, a.delay)
	}
	if n := len(came); n < 500 || n > 520 {
		t.Errorf("%d of 1,000 came at twice the rate, want a half and the buffer's", n)
	}
	if most < 100*time.Millisecond || most > 110*time.Millisecond {
		t.Errorf("the latest was %v under way, want the buffer's 100ms and its own 10ms", most)
	}

	cfg.Buffer = 0
	if n := len(through(cfg, 1, 1000, 1000, 5*time.Millisecond)); n != 1000 {
		t.Errorf("with no limit on the buffer %d of 1,000 came", n)
	}
}

func TestALinkLosesWhatIsOverItsMTU(t *testing.T) {
	if n := len(through(LinkConfig{MTU: 1228}, 1, 10, 1228, 0)); n != 10 {
		t.Errorf("%d of 10 at the limit came", n)
	}
	if n := len(through(LinkConfig{MTU: 1228}, 1, 10, 1229, 0)); n != 0 {
		t.Errorf("%d of 10 over it came", n)
	}
}

func TestTheSameSeedIsTheSameFate(t *testing.T) {
	a := through(Awful(), 42, 2000, 100, 3*time.Millisecond)
	b := through(Awful(), 42, 2000, 100, 3*time.Millisecond)
	c := through(Awful(), 43, 2000, 100, 3*time.Millisecond)
	if !slices.Equal(a, b) {
		t.Error("two runs of one seed differ")
	}
	if slices.Equal(a, c) {
		t.Error("another seed made no difference")
	}
}

func TestAChangeOfOneKnobLeavesTheOthersFates(t *testing.T) {
	lost := func(cfg LinkConfig) (gone []int) {
		came := map[int]bool{}
		for _, a := range through(cfg, 7, 1000, 10, time.Millisecond) {
			came[a.n] = true
		}
		for n := range 1000 {
			if !came[n] {
				gone = append(gone, n)
			}
		}
		return gone
	}
	plain := lost(LinkConfig{Loss: 0.1})
	rich := lost(LinkConfig{Loss: 0.1, Duplicate: 0.5, Jitter: time.Second, Reorder: 0.5, ReorderDelay: time.Second})
	if len(plain) == 0 || !slices.Equal(plain, rich) {
		t.Errorf("lost %v, and %v with other knobs turned", plain, rich)
	}
}

func TestADatagramLargerThanTheBufferIsCut(t *testing.T) {
	l := NewLinkSim(LinkConfig{}, 1)
	l.Send(0, []byte("abcdef"))
	buf := make([]byte, 4)
	if n, ok := l.Deliver(0, buf); !ok || n != 4 || string(buf) != "abcd" {
		t.Errorf("got %d %v %q", n, ok, buf)
	}
}

func TestAnEmptyDatagramIsDelivered(t *testing.T) {
	l := NewLinkSim(LinkConfig{}, 1)
	l.Send(0, nil)
	if n, ok := l.Deliver(0, nil); !ok || n != 0 {
		t.Errorf("got %d %v", n, ok)
	}
	if _, ok := l.Deliver(0, nil); ok || l.Deadline() != never {
		t.Error("there is one more")
	}
}

func TestArrivalsAreInOrderOfTheirTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := NewLinkSim(LinkConfig{Jitter: time.Second, Duplicate: 0.2}, rapid.Uint64().Draw(t, "seed"))
		now, last := time.Duration(0), time.Duration(0)
		for range 200 {
			if rapid.Bool().Draw(t, "send") {
				l.Send(now, []byte{1})
				continue
			}
			at := l.Deadline()
			if at == never {
				continue
			}
			if at < last {
				t.Fatalf("one is due at %v, after one at %v", at, last)
			}
			if _, ok := l.Deliver(at, make([]byte, 1)); !ok {
				t.Fatalf("nothing came at the deadline %v", at)
			}
			now, last = at, at
		}
	})
}

func TestASteadyLinkAllocatesNothing(t *testing.T) {
	l := NewLinkSim(Awful(), 1)
	buf := make([]byte, 1200)
	now := time.Duration(0)
	step := func() {
		now += time.Millisecond
		l.Send(now, buf)
		for ok := true; ok; {
			_, ok = l.Deliver(now, buf)
		}
	}
	for range 10000 {
		step()
	}
	if allocs := testing.AllocsPerRun(1000, step); allocs != 0 {
		t.Errorf("got %v allocations a datagram", allocs)
	}
}

func TestReadyMadeLinksAreWithinReason(t *testing.T) {
	for name, c := range map[string]struct {
		link        LinkConfig
		loss        float64
		least, most time.Duration
	}{
		"WiFi":      {WiFi(), 0.01, 8 * time.Millisecond, 20 * time.Millisecond},
		"Mobile":    {Mobile(), 0.03, 45 * time.Millisecond, 120 * time.Millisecond},
		"Satellite": {Satellite(), 0.005, 300 * time.Millisecond, 320 * time.Millisecond},
		"Awful":     {Awful(), 0.2, 100 * time.Millisecond, 300 * time.Millisecond},
		"Lossy":     {Lossy(0.3, 10*time.Millisecond, 5*time.Millisecond), 0.3, 10 * time.Millisecond, 15 * time.Millisecond},
	} {
		once := map[int]bool{}
		for _, a := range through(c.link, 1, manyDatagrams, 100, 10*time.Millisecond) {
			once[a.n] = true
			if a.delay < c.least || a.delay > c.most {
				t.Fatalf("%s: a delay of %v, want %v to %v", name, a.delay, c.least, c.most)
			}
		}
		wantShare(t, name, manyDatagrams-len(once), c.loss)
	}
}

func TestWhatIsSentAtOneTimeArrivesInOrder(t *testing.T) {
	for i, a := range through(LinkConfig{Latency: ms}, 1, 100, 10, 0) {
		if a.n != i {
			t.Fatalf("arrival %d is datagram %d", i, a.n)
		}
	}
}

func TestALinksDeadlineIsNotBeforeItsTime(t *testing.T) {
	l := NewLinkSim(LinkConfig{}, 1)
	l.Send(0, []byte("early"))
	l.Send(50*ms, []byte("late"))
	if at := l.Deadline(); at != 50*ms {
		t.Errorf("got %v, want 50ms", at)
	}
}

func TestADelayIsNeverUnderZeroAndMayBeForEver(t *testing.T) {
	early := NewLinkSim(LinkConfig{Latency: -time.Second, Jitter: -time.Second, ReorderDelay: -time.Second, Reorder: 1}, 1)
	early.Send(time.Minute, []byte("early"))
	late := NewLinkSim(LinkConfig{Latency: math.MaxInt64, Jitter: math.MaxInt64, ReorderDelay: math.MaxInt64, Reorder: 1}, 1)
	late.Send(time.Minute, []byte("late"))

	if early.heap[0].due != time.Minute {
		t.Errorf("sent at a minute, it arrives at %v", early.heap[0].due)
	}
	if late.Deadline() < 10*365*24*time.Hour {
		t.Errorf("it arrives at %v", late.Deadline())
	}
}
