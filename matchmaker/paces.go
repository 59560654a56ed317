package matchmaker

import (
	"net/netip"
	"time"
)

// paces lets each network do so many things a second.
type paces struct {
	perSecond float64
	buckets   networks[bucket]
}

func newPaces(perSecond float64) paces {
	return paces{perSecond: perSecond, buckets: networks[bucket]{idle: isFullAgain, every: time.Second}}
}

// isFullAgain says that nothing is held against a network: its bucket holds what
// a second brings.
func isFullAgain(b *bucket, now time.Duration) bool { return now-b.last > time.Second }

// take says whether a may do one more thing now.
func (t *paces) take(now time.Duration, a netip.Addr) bool {
	return t.buckets.of(now, a).take(now, t.perSecond, t.perSecond)
}
