package matchmaker

import "time"

// bucket lets rate things a second pass, burst at once. Its zero value is full.
type bucket struct {
	used float64 // of burst
	last time.Duration
}

func (b *bucket) take(now time.Duration, rate, burst float64) bool {
	return b.takeSome(now, 1, rate, burst)
}

// takeSome takes n at once.
func (b *bucket) takeSome(now time.Duration, n, rate, burst float64) bool {
	b.used = max(0, b.used-rate*(now-b.last).Seconds())
	b.last = now
	if b.used+n > burst {
		return false
	}
	b.used += n
	return true
}
