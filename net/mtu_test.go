package netmsg

import (
	"math"
	"slices"
	"testing"
	"time"
)

// An mtuWorld is a path that carries packets up to some size, and a search on
// it. Every probe's fate is known a round trip after it went.
type mtuWorld struct {
	mtuSearch
	carries int
	rtt     time.Duration
	now     time.Duration
	probes  []int // sizes, in order
	times   []time.Duration
}

func newMTUWorld(carries, ceiling int) *mtuWorld {
	return &mtuWorld{
		mtuSearch: newMTUSearch(0, mtuFloor, ceiling, true),
		carries:   carries,
		rtt:       20 * ms,
	}
}

func (w *mtuWorld) runFor(d time.Duration) {
	for end := w.now + d; w.now < end; w.now += 5 * ms {
		if size := w.probe(w.now); size != 0 {
			w.onProbeSent(w.now, w.rtt)
			w.probes, w.times = append(w.probes, size), append(w.times, w.now)
		}
		if !w.out || w.now-w.times[len(w.times)-1] < w.rtt {
			continue
		}
		if size := w.probes[len(w.probes)-1]; size <= w.carries {
			w.onProbeAcked(w.now, w.times[len(w.times)-1], size)
		} else {
			w.onProbeLost(w.now, w.times[len(w.times)-1])
		}
	}
}

// found is a search that has found 1,472.
func foundMTU() *mtuWorld {
	w := newMTUWorld(9000, 1472)
	w.runFor(3 * time.Second)
	return w
}

func TestMTUStartsAt1200AndStaysWhereIPFragments(t *testing.T) {
	m := newMTUSearch(0, mtuFloor, 1472, false)

	if m.size != 1200 || m.probe(time.Hour) != 0 || m.probeTime() != math.MaxInt64 {
		t.Errorf("size %d, probe %d, want 1,200 and none", m.size, m.probe(time.Hour))
	}
}

func TestMTUStaysAtWhatASmallSocketTakes(t *testing.T) {
	m := newMTUSearch(0, 1150, 1150, true)

	if m.size != 1150 || m.probe(time.Hour) != 0 {
		t.Errorf("size %d, probe %d, want 1,150 and none", m.size, m.probe(time.Hour))
	}
}

func TestMTUSearchFindsTheLargestCandidateThatPasses(t *testing.T) {
	for carries := mtuFloor; carries <= 1500; carries++ {
		w := newMTUWorld(carries, 1472)

		w.runFor(10 * time.Second)

		want := mtuFloor
		for _, c := range mtuCandidates {
			if c <= carries {
				want = c
			}
		}
		if w.size != want {
			t.Errorf("on a path of %d it found %d, want %d", carries, w.size, want)
		}
		if len(w.probes) > 3+3*4 {
			t.Errorf("on a path of %d it took %d probes: %v", carries, len(w.probes), w.probes)
		}
	}
}

func TestMTUSearchTries1452FirstThenUpwards(t *testing.T) {
	w := newMTUWorld(9000, 1472)

	w.runFor(10 * time.Second)

	if want := []int{1452, 1464, 1472}; !slices.Equal(w.probes, want) {
		t.Errorf("probed %v, want %v", w.probes, want)
	}
}

func TestMTUSearchHalvesBelow1452(t *testing.T) {
	w := newMTUWorld(1300, 1472)

	w.runFor(10 * time.Second)

	want := []int{1452, 1452, 1452, 1392, 1392, 1392, 1332, 1332, 1332, 1252}
	if !slices.Equal(w.probes, want) {
		t.Errorf("probed %v, want %v", w.probes, want)
	}
}

func TestMTUSearchStopsAtTheCeiling(t *testing.T) {
	for ceiling, want := range map[int]int{1200: 1200, 1232: 1232, 1400: 1400, 1460: 1460, 4000: 4000} {
		w := newMTUWorld(9000, ceiling)

		w.runFor(10 * time.Second)

		if w.size != want {
			t.Errorf("under a ceiling of %d it found %d, want %d", ceiling, w.size, want)
		}
	}
}

func TestMTUProbesAreApartAndOneAtATime(t *testing.T) {
	for srtt, want := range map[time.Duration]time.Duration{10 * ms: 200 * ms, 100 * ms: 500 * ms} {
		m := newMTUSearch(0, mtuFloor, 1472, true)
		m.onProbeSent(time.Second, srtt)
		if m.probe(time.Hour) != 0 {
			t.Error("a second probe is due while one is out")
		}

		m.onProbeAcked(time.Second+srtt, time.Second, 1452)

		if got := m.probeTime() - time.Second; got != want {
			t.Errorf("with srtt %v the next probe goes after %v, want %v", srtt, got, want)
		}
	}
}

func TestMTUSizeFailsByThreeLostProbes(t *testing.T) {
	m := newMTUSearch(0, mtuFloor, 1472, true)
	lose := func(now time.Duration) {
		m.onProbeSent(now, 10*ms)
		m.onProbeLost(now+10*ms, now)
	}

	lose(1 * time.Second)
	lose(2 * time.Second)
	if m.probe(3*time.Second) != 1452 {
		t.Errorf("after two lost probes it tries %d, want 1,452 again", m.probe(3*time.Second))
	}
	lose(3 * time.Second)
	if m.probe(4*time.Second) != 1392 {
		t.Errorf("after three lost probes it tries %d, want 1,392", m.probe(4*time.Second))
	}
}

func TestMTUProbeThatArrivesAfterAllCounts(t *testing.T) {
	m := newMTUSearch(0, mtuFloor, 1472, true)
	for range 3 {
		m.onProbeSent(time.Second, 10*ms)
		m.onProbeLost(2*time.Second, time.Second)
	}

	m.onProbeAcked(3*time.Second, time.Second, 1452)

	if m.size != 1452 || m.probe(4*time.Second) != 1464 {
		t.Errorf("size %d, next %d, want 1,452 and 1,464", m.size, m.probe(4*time.Second))
	}
}

func TestMTUSizeThatTheSystemRefusesFailsAtOnce(t *testing.T) {
	m := newMTUSearch(0, mtuFloor, 1472, true)
	m.onProbeSent(time.Second, 10*ms)

	m.onTooLong(time.Second, 1452)

	if m.probe(2*time.Second) != 1392 {
		t.Errorf("it tries %d, want 1,392", m.probe(2*time.Second))
	}
}

func TestMTUFallsBackWhenTheSystemRefusesTheSizeFound(t *testing.T) {
	w := foundMTU()

	w.onTooLong(w.now, 1472)

	if w.size != mtuFloor {
		t.Errorf("size %d, want 1,200", w.size)
	}
}

func TestMTUSearchBeginsAfterASecondOrWithBulk(t *testing.T) {
	m := newMTUSearch(0, mtuFloor, 1472, true)
	if m.probe(999*ms) != 0 || m.probe(time.Second) != 1452 {
		t.Error("the search begins a second after the connection")
	}

	m.bulkWaits(300 * ms)

	if m.probeTime() != 300*ms {
		t.Errorf("with bulk it begins at %v, want 300ms", m.probeTime())
	}
}

func TestMTUSearchBeginsAgainAfterTenMinutes(t *testing.T) {
	w := newMTUWorld(1300, 1472)
	w.runFor(10 * time.Second)
	probes, ended := len(w.probes), w.times[len(w.times)-1]+w.rtt

	w.runFor(ended + 600*time.Second - w.now - 5*ms)
	if len(w.probes) != probes {
		t.Errorf("it probed again at %v", w.times[len(w.times)-1])
	}
	w.carries = 9000
	w.runFor(10 * time.Second)

	if w.size != 1472 {
		t.Errorf("size %d on a path that has grown, want 1,472", w.size)
	}
}

func TestMTUThatIsAsLargeAsItMayBeIsNotProbed(t *testing.T) {
	w := foundMTU()
	probes := len(w.probes)

	w.runFor(20 * time.Minute)

	if len(w.probes) != probes {
		t.Errorf("probed %v more", w.probes[probes:])
	}
}

func TestMTUSearchBeginsAgainAfterAMove(t *testing.T) {
	w := foundMTU()
	old := w.now
	w.onProbeSent(old, w.rtt)

	w.restart(w.now)
	w.onProbeAcked(w.now+w.rtt, old-ms, 1472)

	if w.size != mtuFloor || w.probeTime() != w.now+time.Second {
		t.Errorf("size %d, next probe at %v, want 1,200 and a second later", w.size, w.probeTime()-w.now)
	}
}

// swallow sends large packets, of which none arrives, and small ones, of which
// all do.
func (w *mtuWorld) swallow(large, small int, share float64) {
	sent := w.now
	for range large {
		w.onSent(sent, w.size)
	}
	for range small {
		w.onSent(sent, 100)
		w.onAcked(sent, 100)
	}
	w.now += w.rtt
	for range large {
		w.onLost(w.now, sent, 1472, share)
	}
}

func TestMTUFallsBackInABlackHole(t *testing.T) {
	for _, c := range []struct {
		large, small int
		share        float64
		want         int
	}{
		{10, 3, 0, mtuFloor},
		{9, 3, 0, 1472},
		{10, 2, 0, 1472},
		{23, 3, 0.25, 1472},
		{24, 3, 0.25, mtuFloor},
	} {
		w := foundMTU()

		w.swallow(c.large, c.small, c.share)

		if w.size != c.want {
			t.Errorf("%d large lost, %d small arrived, loss %v: size %d, want %d", c.large, c.small, c.share, w.size, c.want)
		}
	}
}

func TestMTUBlackHoleIsNoneIfALargePacketArrives(t *testing.T) {
	w := foundMTU()

	w.swallow(9, 3, 0)
	w.onAcked(w.now, 1472)
	w.swallow(9, 3, 0)

	if w.size != 1472 {
		t.Errorf("size %d, want 1,472", w.size)
	}
}

func TestMTUBlackHoleIsNotShownBySmallPacketsSentBefore(t *testing.T) {
	w := foundMTU()
	w.onSent(w.now, 1472)
	w.onAcked(w.now, 1472)
	for range 5 {
		w.onSent(w.now, 100)
	}
	w.now += 100 * ms

	w.onSent(w.now, 1472)
	for range 5 {
		w.onAcked(w.now-100*ms, 100)
	}
	for range 20 {
		w.onLost(w.now+w.rtt, w.now, 1472, 0)
	}

	if w.size != 1472 {
		t.Errorf("size %d, want 1,472: all may be lost now", w.size)
	}
}

func TestMTUFallsBackAfterThreeProbeTimeouts(t *testing.T) {
	w := foundMTU()

	w.onPTO(w.now, 1)
	w.onPTO(w.now, 2)
	if w.size != 1472 {
		t.Fatalf("size %d after two, want 1,472", w.size)
	}
	w.onPTO(w.now, 3)

	if w.size != mtuFloor {
		t.Errorf("size %d, want 1,200", w.size)
	}
}

func TestMTUSearchWaitsLongerAfterEachBlackHole(t *testing.T) {
	w := foundMTU()
	for _, want := range []time.Duration{5 * time.Second, 60 * time.Second, 600 * time.Second, 600 * time.Second} {
		w.swallow(10, 3, 0)
		w.bulkWaits(w.now)
		if got := w.probeTime() - w.now; got != want {
			t.Errorf("the search begins again after %v, want %v", got, want)
		}
		w.runFor(want + 5*time.Second)
		if w.size != 1472 {
			t.Fatalf("size %d after the search, want 1,472", w.size)
		}
	}
}

func TestMTUBlackHoleIsNotOvercomeByAnOldAcknowledgement(t *testing.T) {
	w := foundMTU()
	sent := w.now - ms
	w.swallow(10, 3, 0)

	w.onProbeAcked(w.now, sent, 1472)

	if w.size != mtuFloor {
		t.Errorf("size %d, want 1,200", w.size)
	}
}

func TestMTUBlackHoleIsCountedOnce(t *testing.T) {
	w := foundMTU()
	sent := w.now
	w.swallow(10, 3, 0)
	begins := w.probeTime()

	for range 30 { // the rest of what was in flight
		w.onLost(w.now+w.rtt, sent, 1472, 0)
	}

	if w.probeTime() != begins {
		t.Errorf("the search begins at %v, want %v", w.probeTime(), begins)
	}
}

func TestMTULostProbesCountForOneSizeAndOneSearch(t *testing.T) {
	w := newMTUWorld(9000, 1472)
	w.now = time.Second
	lose := func(times int) {
		for range times {
			w.onProbeSent(w.now, w.rtt)
			w.onProbeLost(w.now, w.now)
		}
	}
	arrive := func(size int) {
		w.onProbeSent(w.now, w.rtt)
		w.onProbeAcked(w.now, w.now, size)
	}

	lose(2)
	arrive(1452)
	lose(1)
	if w.probe(w.now+time.Second) != 1464 {
		t.Errorf("one lost probe of 1,464: next %d", w.probe(w.now+time.Second))
	}

	w.now += ms
	w.onProbeSent(w.now, w.rtt)
	w.onPTO(w.now+ms, 3)
	old := w.now
	w.now += 10 * time.Second
	lose(2)
	w.onProbeSent(w.now, w.rtt)
	w.onProbeLost(w.now, old)
	if w.candidate() != 1452 {
		t.Errorf("two lost probes of the new search: next %d", w.candidate())
	}
}
