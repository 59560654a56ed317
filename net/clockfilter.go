package netmsg

import (
	"cmp"
	"slices"
	"time"
)

// Constants of the clock's filter. PROTOCOL.md, Time synchronisation.
const (
	clockSamples = 32 // kept at most
	clockMemory  = 60 * time.Second
	clockDrift   = 100e-6 // between two honest clocks, at most
	clockAgeing  = 50e-6  // of its age, a sample is worse than it was
)

// A clockSample is what a ping and its pong said of the peer's clock.
type clockSample struct {
	at     time.Duration // when the pong came
	offset time.Duration // the peer's clock less ours
	rtt    time.Duration // offset is off by at most half of it, whatever the path does
}

// A clockFilter keeps the newest samples and makes one estimate of them: the
// mean of the best, not of all, since a path that is lopsided for a while, as
// when somebody uploads, spoils every mean. Its zero value is empty.
type clockFilter struct {
	samples [clockSamples]clockSample // the first n, oldest first
	n       int
}

// add takes a sample. Older ones that contradict it are thrown away; alone says
// that none was left. That is so for the first one too.
func (f *clockFilter) add(s clockSample) (alone bool) {
	kept := f.samples[:0]
	for _, old := range f.samples[:f.n] {
		if s.at-old.at <= clockMemory && agree(old, s) {
			kept = append(kept, old)
		}
	}
	if len(kept) == clockSamples {
		copy(kept, kept[1:])
		kept = kept[:clockSamples-1]
	}
	f.n = len(append(kept, s))
	return f.n == 1
}

// agree says that one offset fits both samples, given how far clocks may drift
// apart in the time between.
func agree(older, newer clockSample) bool {
	bound := (older.rtt+newer.rtt)/2 + time.Duration(clockDrift*float64(newer.at-older.at))
	return (older.offset - newer.offset).Abs() <= bound
}

// estimate averages the best quarter, those of it that are nearly as good as
// the best. spread is how far they lie from that at most, best the round trip
// of the best. There has to be a sample.
func (f *clockFilter) estimate(now time.Duration) (offset, spread, best time.Duration) {
	ranked := f.samples
	slices.SortFunc(ranked[:f.n], func(a, b clockSample) int {
		return cmp.Compare(a.rank(now), b.rank(now))
	})
	best = ranked[0].rtt
	chosen := ranked[:0]
	for _, s := range ranked[:max(1, f.n/4)] {
		if nearly(s.rtt, best) {
			chosen = append(chosen, s)
		}
	}
	// Offsets may be large: averaging what they differ by cannot overflow.
	first := chosen[0].offset
	var sum time.Duration
	for _, s := range chosen {
		sum += s.offset - first
	}
	offset = first + sum/time.Duration(len(chosen))
	for _, s := range chosen {
		spread = max(spread, (s.offset - offset).Abs())
	}
	return offset, spread, best
}

// rank is how far off a sample may be by now; the least is the best.
func (s clockSample) rank(now time.Duration) time.Duration {
	return s.rtt/2 + time.Duration(clockAgeing*float64(now-s.at))
}

// nearly says that a round trip is about as short as the best.
func nearly(rtt, best time.Duration) bool {
	return rtt <= best+best/4+2*time.Millisecond
}
