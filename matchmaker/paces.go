package matchmaker

import (
	"net/netip"
	"time"
)

// paces lets each network (prefixOf) do so many things a second. It remembers at
// most maxPrefixes of them; those beyond share one pace. It is used from one
// goroutine.
type paces struct {
	perSecond float64
	networks  map[netip.Prefix]*bucket
	others    bucket
	nextSweep time.Duration
}

// take says whether a may do one more thing now.
func (t *paces) take(now time.Duration, a netip.Addr) bool {
	return t.of(now, prefixOf(a)).take(now, t.perSecond, t.perSecond)
}

func (t *paces) of(now time.Duration, p netip.Prefix) *bucket {
	if b := t.networks[p]; b != nil {
		return b
	}
	if len(t.networks) >= maxPrefixes {
		t.sweep(now)
	}
	if len(t.networks) >= maxPrefixes {
		return &t.others
	}
	if t.networks == nil {
		t.networks = make(map[netip.Prefix]*bucket)
	}
	b := &bucket{last: now}
	t.networks[p] = b
	return b
}

// sweep forgets who has been quiet for so long that nothing is held against it,
// at most once a second.
func (t *paces) sweep(now time.Duration) {
	if now < t.nextSweep {
		return
	}
	t.nextSweep = now + time.Second
	for p, b := range t.networks {
		if now-b.last > time.Second {
			delete(t.networks, p)
		}
	}
}
