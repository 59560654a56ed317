package netmsg

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestRTTSpanKnowsTheLeastAndTheMeanOfItsSpan(t *testing.T) {
	const span = 100 * time.Millisecond
	type sample struct{ at, rtt time.Duration }
	var all []sample
	var s rttSpan
	rng := rand.New(rand.NewPCG(1, 1))
	now := time.Duration(0)
	for range 5000 {
		now += time.Duration(rng.IntN(20)) * ms / 4
		rtt := time.Duration(rng.IntN(1000)) * ms
		s.add(now, span, rtt)
		all = append(all, sample{now, rtt})

		// What it says covers the span, and a little more.
		least, mean, n := s.over(now, span)
		inner, outer := time.Duration(-1), time.Duration(-1)
		var sum time.Duration
		count := 0
		for _, a := range all[max(0, len(all)-1000):] {
			if now-a.at <= span && (inner < 0 || a.rtt < inner) {
				inner = a.rtt
			}
			if now-a.at <= span*12/10 && (outer < 0 || a.rtt < outer) {
				outer = a.rtt
			}
		}
		for i := len(all) - n; i < len(all); i++ {
			sum += all[i].rtt
			count++
		}
		if least > inner || least < outer {
			t.Fatalf("at %v the least is %v, want %v, or %v of a little more", now, least, inner, outer)
		}
		if mean != sum/time.Duration(count) {
			t.Fatalf("at %v the mean of %d is %v, want %v", now, n, mean, sum/time.Duration(count))
		}
	}
}

func TestRTTSpanForgets(t *testing.T) {
	var s rttSpan
	if _, _, n := s.over(0, time.Second); n != 0 {
		t.Errorf("a new one has %d samples", n)
	}
	s.add(0, time.Second, ms)

	if _, _, n := s.over(1200*ms, time.Second); n != 0 {
		t.Errorf("%d samples after the span", n)
	}
}
