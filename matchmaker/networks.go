package matchmaker

import (
	"net/netip"
	"time"
)

// prefixOf is what limits count by: an IPv4 /24 or an IPv6 /56, since one home
// or one attacker has many addresses.
func prefixOf(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := 56
	if a.Is4() {
		bits = 24
	}
	p, _ := a.Prefix(bits)
	return p
}

// maxPrefixes is how many networks a table remembers. When more come at once,
// those beyond share one entry: memory stays flat, and a flood from very many
// places throttles newcomers, not those already known.
const maxPrefixes = 1 << 16

// networks keeps a T for each network (prefixOf), of maxPrefixes at most. It is
// used from one goroutine.
type networks[T any] struct {
	idle  func(entry *T, now time.Duration) bool // it may be forgotten
	every time.Duration                          // least time between two sweeps

	known     map[netip.Prefix]*T
	others    T
	nextSweep time.Duration
}

// of is the entry of a's network, a zero one if it is new.
func (t *networks[T]) of(now time.Duration, a netip.Addr) *T {
	p := prefixOf(a)
	if entry := t.known[p]; entry != nil {
		return entry
	}
	if len(t.known) >= maxPrefixes {
		t.sweep(now)
	}
	if len(t.known) >= maxPrefixes {
		return &t.others
	}
	if t.known == nil {
		t.known = make(map[netip.Prefix]*T)
	}
	entry := new(T)
	t.known[p] = entry
	return entry
}

// sweep forgets the idle, unless it did so a moment ago.
func (t *networks[T]) sweep(now time.Duration) {
	if now < t.nextSweep {
		return
	}
	t.nextSweep = now + t.every
	for p, entry := range t.known {
		if t.idle(entry, now) {
			delete(t.known, p)
		}
	}
}
