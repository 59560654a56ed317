package netmsg

import (
	"math"
	"time"
)

// Constants of the clock's filter. PROTOCOL.md, Time synchronisation.
const (
	clockSamples = 32 // kept at most
	clockMemory  = 60 * time.Second
	clockDrift   = 100e-6 // between two honest clocks, at most
)

// A clockSample is what a ping and its pong said of the peer's clock.
type clockSample struct {
	at     time.Duration // when the pong came
	offset time.Duration // the peer's clock less ours
	rtt    time.Duration // offset is off by at most half of it, whatever the path does
}

// slack is how far off the sample may be by now.
func (s clockSample) slack(now time.Duration) time.Duration {
	return s.rtt/2 + time.Duration(clockDrift*float64(now-s.at))
}

// A clockFilter keeps the newest samples. Each says that the peer's clock lies
// within half its round trip; the truth lies in what all of them have in common,
// and the middle of that is the estimate. A path that is lopsided for a while, as
// when somebody uploads, only makes samples that say less. Its zero value is
// empty.
type clockFilter struct {
	samples [clockSamples]clockSample // the first n, oldest first
	n       int
}

// add takes a sample. Older ones that contradict it are thrown away; alone says
// that there were some and none is left.
func (f *clockFilter) add(s clockSample) (alone bool) {
	before := f.n
	kept := f.samples[:0]
	for _, old := range f.samples[:f.n] {
		agrees := (old.offset - s.offset).Abs() <= old.slack(s.at)+s.rtt/2
		if agrees && s.at-old.at <= clockMemory {
			kept = append(kept, old)
		}
	}
	if len(kept) == clockSamples {
		copy(kept, kept[1:])
		kept = kept[:clockSamples-1]
	}
	f.n = len(append(kept, s))
	return before > 0 && f.n == 1
}

// estimate is the peer's clock less ours, and how far off that may be. Of no
// samples it knows nothing.
func (f *clockFilter) estimate(now time.Duration) (offset, bound time.Duration) {
	least, most := time.Duration(math.MinInt64), time.Duration(math.MaxInt64)
	for _, s := range f.samples[:f.n] {
		slack := s.slack(now)
		least = max(least, s.offset-slack)
		most = min(most, s.offset+slack)
	}
	bound = (most - least) / 2
	return least + bound, bound
}

// good says that a round trip is about as short as the shortest known: its
// sample may speak for a jump of the peer's clock.
func (f *clockFilter) good(rtt time.Duration) bool {
	best := rtt
	for _, s := range f.samples[:f.n] {
		best = min(best, s.rtt)
	}
	return rtt <= best+best/4+2*time.Millisecond
}
