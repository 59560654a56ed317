package netmsg

import (
	"math"
	"slices"
	"testing"
	"time"
)

// pingTimes pings whenever a packet may carry one, for so long.
func pingTimes(p *clockPinger, from, until time.Duration, idle bool) (times []time.Duration) {
	for now := from; now < until; now += ms {
		p.turn(now)
		if p.may(now) {
			p.ping(now, idle)
			times = append(times, now-from)
		}
	}
	return times
}

func TestPingsBeginWithABurstAndGrowRarer(t *testing.T) {
	p := newClockPinger(0)

	got := pingTimes(&p, 0, 8*time.Second, false)

	want := []time.Duration{0, 100 * ms, 200 * ms, 300 * ms, 400 * ms, 900 * ms, 1400 * ms, 1900 * ms, 2400 * ms,
		2900 * ms, 3400 * ms, 3900 * ms, 4400 * ms, 4900 * ms, 5400 * ms, 6400 * ms, 7400 * ms}
	if !slices.Equal(got, want) {
		t.Errorf("pings at %v, want %v", got, want)
	}
}

func TestPingsOfAnIdleConnectionAreTwoSecondsApart(t *testing.T) {
	p := newClockPinger(0)
	pingTimes(&p, 0, 10*time.Second, true)

	got := pingTimes(&p, 10*time.Second, 20*time.Second, true)

	for i := 1; i < len(got); i++ {
		if got[i]-got[i-1] != 2*time.Second {
			t.Errorf("pings at %v, want two seconds between", got)
		}
	}
}

func TestPingGoesAloneWhenNoPacketCarriesIt(t *testing.T) {
	p := newClockPinger(0)
	if p.by() != 0 {
		t.Errorf("the first ping goes by %v, want at once", p.by())
	}

	p.ping(0, false)

	if p.may(99*ms) || !p.may(100*ms) {
		t.Error("the second ping may go with a packet 100 ms after the first")
	}
	if p.by() != 125*ms {
		t.Errorf("the second ping goes by %v, want 125ms", p.by())
	}
}

func TestPingBurstIsRepeatedAfterAGapOfTwoSeconds(t *testing.T) {
	p := newClockPinger(0)
	pingTimes(&p, 0, 20*time.Second, false)

	slept := p.turn(22*time.Second + 200*ms)

	if !slept {
		t.Fatal("a gap of two seconds went unnoticed")
	}
	got := pingTimes(&p, 22*time.Second+200*ms, 23*time.Second, false)
	if want := []time.Duration{0, 100 * ms, 200 * ms, 300 * ms, 400 * ms}; !slices.Equal(got, want) {
		t.Errorf("pings at %v, want %v", got, want)
	}
}

func TestPingWaitsOutAQuietConnectionWithoutTakingItForSleep(t *testing.T) {
	p := newClockPinger(0)
	pingTimes(&p, 0, 10*time.Second, true)

	for range 10 { // nothing but the ping's own deadline turns the core
		now := p.by() + ms
		if p.turn(now) {
			t.Fatalf("at %v a quiet connection counts as asleep", now)
		}
		p.ping(now, true)
	}
}

func TestPongIsReadAsFourTimesSay(t *testing.T) {
	p := newClockPinger(0)
	t1 := p.ping(5*time.Second, false)

	s, ok := p.pong(5*time.Second+50*ms, t1, 1_000_000, 10_000)

	// The peer had 1.000 s at the ping and 1.010 s at the pong, in the middle
	// 1.005; we 5.000 s and 5.050 s, in the middle 5.025.
	want := clockSample{at: 5*time.Second + 50*ms, offset: -4020 * ms, rtt: 40 * ms}
	if !ok || s != want {
		t.Errorf("got %v, %v, want %v", s, ok, want)
	}
}

func TestPongThatIsNoUseIsIgnored(t *testing.T) {
	for name, pong := range map[string]func(p *clockPinger, t1 uint64) (clockSample, bool){
		"never asked": func(p *clockPinger, t1 uint64) (clockSample, bool) { return p.pong(50*ms, t1+1, 0, 0) },
		"too late":    func(p *clockPinger, t1 uint64) (clockSample, bool) { return p.pong(2001*ms, t1, 0, 0) },
		"before it was asked": func(p *clockPinger, t1 uint64) (clockSample, bool) {
			return p.pong(50*ms, t1, 0, 50_001)
		},
		"unknown hold": func(p *clockPinger, t1 uint64) (clockSample, bool) {
			return p.pong(50*ms, t1, 0, math.MaxUint32)
		},
		"no clock": func(p *clockPinger, t1 uint64) (clockSample, bool) { return p.pong(50*ms, t1, 1<<53, 0) },
		"twice": func(p *clockPinger, t1 uint64) (clockSample, bool) {
			p.pong(50*ms, t1, 0, 0)
			return p.pong(51*ms, t1, 0, 0)
		},
	} {
		p := newClockPinger(0)
		t1 := p.ping(0, false)

		if s, ok := pong(&p, t1); ok {
			t.Errorf("%s: got %v", name, s)
		}
	}
}

func TestPongsAnswerTheNewestPingAndNoMoreThanEveryTenMilliseconds(t *testing.T) {
	var p clockPonger
	if p.may(time.Hour) || p.by() != math.MaxInt64 {
		t.Error("it answers unasked")
	}
	answers := 0
	for now := time.Second; now < 2*time.Second; now += ms {
		p.onPing(now, uint64(now))
		p.onPing(now, uint64(now)+1)
		if !p.may(now) {
			continue
		}
		answers++
		if t1, _, _ := p.pong(now); t1 != uint64(now)+1 {
			t.Errorf("answered %v, want the newest", t1)
		}
	}
	if answers != 100 {
		t.Errorf("%d answers in a second, want 100", answers)
	}
}

func TestPongTellsHowLongItWasHeld(t *testing.T) {
	var p clockPonger
	p.onPing(time.Second, 7)

	t1, t2, hold := p.pong(time.Second + 12345*time.Microsecond)

	if t1 != 7 || t2 != 1_000_000 || hold != 12345 {
		t.Errorf("got %d, %d, %d, want 7, 1000000, 12345", t1, t2, hold)
	}
}

func TestPongHeldTooLongToSayIsUnknown(t *testing.T) {
	var p clockPonger
	p.onPing(0, 7)

	if _, _, hold := p.pong(2 * time.Hour); hold != math.MaxUint32 {
		t.Errorf("hold %d, want unknown", hold)
	}
}
