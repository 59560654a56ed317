package netmsg

import (
	"testing"
	"time"
)

// spell lets the round trip be rtt from one time to another, a look every 10
// ms, and gives the time at which the state first changed.
func (r *tickRate) spell(from, to, rtt time.Duration) (changed time.Duration) {
	changed = -1
	for now := from; now < to; now += 10 * time.Millisecond {
		before := r.bad
		r.update(now, rtt)
		if r.bad != before && changed < 0 {
			changed = now
		}
	}
	return changed
}

const (
	testGood = 100 * time.Millisecond
	testBad  = 300 * time.Millisecond
)

func TestTheRateIsGoodAgainAfterThePenaltyWhichDoublesWhenItTurnsBadSoon(t *testing.T) {
	r := newTickRate(250*time.Millisecond, 0)

	if at := r.spell(0, 2*time.Second, testBad); at != 0 {
		t.Fatalf("turned bad at %v, want at once", at)
	}
	if at := r.spell(2*time.Second, 8*time.Second, testGood); at != 6*time.Second {
		t.Errorf("good again at %v, want after 4 s, at 6 s", at)
	}
	r.spell(8*time.Second, 9*time.Second, testBad)
	if at := r.spell(9*time.Second, 20*time.Second, testGood); at != 17*time.Second {
		t.Errorf("good again at %v, want after 8 s, at 17 s", at)
	}
}

func TestThePenaltyIsNeverOverAMinute(t *testing.T) {
	r := newTickRate(250*time.Millisecond, 0)
	now := time.Duration(0)
	for range 8 { // bad for an instant, then good for just long enough
		r.update(now, testBad)
		for ; r.bad; now += 100 * time.Millisecond {
			r.update(now, testGood)
		}
	}
	if r.penalty != time.Minute {
		t.Errorf("got %v, want %v", r.penalty, time.Minute)
	}
}

func TestTenSecondsOfGoodHalveThePenaltyDownToOneSecond(t *testing.T) {
	r := newTickRate(250*time.Millisecond, 0)
	for _, c := range []struct{ at, penalty time.Duration }{
		{9990 * time.Millisecond, 4 * time.Second},
		{10 * time.Second, 2 * time.Second},
		{20 * time.Second, time.Second},
		{24 * time.Hour, time.Second},
	} {
		r.update(c.at, testGood)
		if r.penalty != c.penalty {
			t.Errorf("at %v: got %v, want %v", c.at, r.penalty, c.penalty)
		}
	}
}

func TestARoundTripThatTurnsBadBeginsThePenaltyAnew(t *testing.T) {
	r := newTickRate(250*time.Millisecond, 0)
	r.spell(0, time.Second, testBad)
	r.spell(time.Second, 4*time.Second, testGood)
	r.spell(4*time.Second, 4100*time.Millisecond, testBad)

	if at := r.spell(4100*time.Millisecond, 10*time.Second, testGood); at != 8100*time.Millisecond {
		t.Errorf("good again at %v, want at 8.1 s", at)
	}
}

func TestTurningBadLateDoesNotDoubleThePenalty(t *testing.T) {
	r := newTickRate(250*time.Millisecond, 0)
	r.spell(0, time.Second, testBad)
	r.spell(time.Second, 16*time.Second, testGood) // good at 5 s, halved at 15 s
	r.spell(16*time.Second, 17*time.Second, testBad)

	if at := r.spell(17*time.Second, 25*time.Second, testGood); at != 19*time.Second {
		t.Errorf("good again at %v, want after 2 s, at 19 s", at)
	}
}

func TestALimitThatIsOffNeverTurnsTheRateBad(t *testing.T) {
	r := newTickRate(-1, 0)
	if at := r.spell(0, time.Second, time.Hour); at >= 0 {
		t.Errorf("turned bad at %v", at)
	}
}

func TestExactlyTheLimitIsStillGood(t *testing.T) {
	r := newTickRate(250*time.Millisecond, 0)
	if at := r.spell(0, time.Second, 250*time.Millisecond); at >= 0 {
		t.Errorf("turned bad at %v", at)
	}
}
