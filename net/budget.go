package netmsg

import (
	"net/netip"
	"time"
)

// A perSecond allows limit things in each second, counted from the first.
type perSecond struct {
	limit int // negative: any number
	since time.Duration
	used  int
}

func (p *perSecond) left(now time.Duration) bool {
	if now-p.since >= time.Second {
		p.since, p.used = now, 0
	}
	return p.limit < 0 || p.used < p.limit
}

func (p *perSecond) take() { p.used++ }

const (
	prefixBits4 = 24 // addresses that one holder may have many of share a budget
	prefixBits6 = 56

	prefixProvisional = 32      // unconfirmed handshakes of one prefix
	maxPrefixes       = 1 << 16 // prefixes remembered: more than a second's handshakes can be from
	sweepPrefixes     = 1_024   // below so many nobody looks for ones to forget
	sweepPause        = time.Second
)

// prefixBudgets limit what one IPv4 /24 or IPv6 /56 may cost. What is known of
// a prefix is forgotten once it would be as if never seen.
type prefixBudgets struct {
	interval  time.Duration // a handshake each; 0: no limit
	burst     time.Duration // how far ahead of that a prefix may be
	prefixes  map[netip.Prefix]*prefixUse
	nextSweep time.Duration
}

// A prefixUse is what a prefix has used.
type prefixUse struct {
	paid        time.Duration // the handshakes so far are paid for at this time
	provisional int
}

func newPrefixBudgets(rate, burst int) prefixBudgets {
	b := prefixBudgets{prefixes: map[netip.Prefix]*prefixUse{}}
	if rate > 0 {
		b.interval = time.Second / time.Duration(rate)
		b.burst = time.Duration(max(burst, 1)-1) * b.interval
	}
	return b
}

// prefixOf is the prefix whose budget an address uses; false for one that has
// none: loopback, private, link-local, and the synthetic ones (fd6e:6d…) of
// paths that are not UDP.
func prefixOf(a netip.Addr) (netip.Prefix, bool) {
	a = a.Unmap().WithZone("")
	if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() {
		return netip.Prefix{}, false
	}
	bits := prefixBits6
	if a.Is4() {
		bits = prefixBits4
	}
	p, err := a.Prefix(bits)
	return p, err == nil
}

// allows says whether an address may have another handshake now.
func (b *prefixBudgets) allows(now time.Duration, from netip.Addr) bool {
	prefix, limited := prefixOf(from)
	if !limited || b.interval == 0 {
		return true
	}
	if u := b.prefixes[prefix]; u != nil {
		return u.paid-now <= b.burst && u.provisional < prefixProvisional
	}
	b.sweep(now)
	return len(b.prefixes) < maxPrefixes
}

// pay charges a handshake that was allowed. It gives the prefix's use, nil for
// an address without a budget.
func (b *prefixBudgets) pay(now time.Duration, from netip.Addr) *prefixUse {
	prefix, limited := prefixOf(from)
	if !limited || b.interval == 0 {
		return nil
	}
	u := b.prefixes[prefix]
	if u == nil {
		u = &prefixUse{}
		b.prefixes[prefix] = u
	}
	u.paid = max(u.paid, now) + b.interval
	return u
}

// sweep forgets the prefixes that owe nothing.
func (b *prefixBudgets) sweep(now time.Duration) {
	if len(b.prefixes) < sweepPrefixes || now < b.nextSweep {
		return
	}
	b.nextSweep = now + sweepPause
	for prefix, u := range b.prefixes {
		if u.paid <= now && u.provisional == 0 {
			delete(b.prefixes, prefix)
		}
	}
}

// An allowance is what handshakes may cost a whole endpoint. Token holders
// have one of their own.
type allowance struct {
	handshakes  perSecond
	provisional int
	most        int // provisional ones; negative: any number
}

func (a *allowance) left(now time.Duration) bool {
	return a.handshakes.left(now) && (a.most < 0 || a.provisional < a.most)
}
