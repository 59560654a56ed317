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

// maxPrefixes is how many prefixes a Directory remembers. When more come at
// once, those beyond share one account: memory stays flat, and a flood from
// very many places throttles newcomers, not those already known.
const maxPrefixes = 1 << 16

// account is what one prefix has used up.
type account struct {
	sockets int
	rooms   int
	opens   bucket
	guesses guessing
	used    time.Duration // last touched
}

func (a *account) idle(now time.Duration) bool {
	return a.sockets == 0 && a.rooms == 0 && now-a.used > 10*time.Minute && now >= a.guesses.until
}

// accounts is the bounded table of them.
type accounts struct {
	byPrefix  map[netip.Prefix]*account
	overflow  account
	nextSweep time.Duration
}

func (t *accounts) of(now time.Duration, a netip.Addr) *account {
	p := prefixOf(a)
	if acc := t.byPrefix[p]; acc != nil {
		acc.used = now
		return acc
	}
	if len(t.byPrefix) >= maxPrefixes {
		t.sweep(now)
	}
	if len(t.byPrefix) >= maxPrefixes {
		return &t.overflow
	}
	if t.byPrefix == nil {
		t.byPrefix = make(map[netip.Prefix]*account)
	}
	acc := &account{used: now}
	t.byPrefix[p] = acc
	return acc
}

// sweep forgets prefixes that have been idle for long, at most once a minute.
func (t *accounts) sweep(now time.Duration) {
	if now < t.nextSweep {
		return
	}
	t.nextSweep = now + time.Minute
	for p, acc := range t.byPrefix {
		if acc.idle(now) {
			delete(t.byPrefix, p)
		}
	}
}

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

// guessing counts wrong room codes: five a minute are free, after that each
// wait is twice the one before. A quiet quarter of an hour forgives all.
type guessing struct {
	wrong int
	since time.Duration // of the minute being counted
	until time.Duration // no join is answered before
	wait  time.Duration
}

const (
	freeGuesses = 5
	firstWait   = time.Minute
	longestWait = 24 * time.Hour
	forgiven    = 15 * time.Minute
)

// blocked says how long the prefix must wait before its next try.
func (g *guessing) blocked(now time.Duration) time.Duration { return max(0, g.until-now) }

// miss notes a wrong code.
func (g *guessing) miss(now time.Duration) {
	if g.wait > 0 && now-g.until > forgiven {
		*g = guessing{}
	}
	if now-g.since > time.Minute {
		g.wrong, g.since = 0, now
	}
	g.wrong++
	if g.wait == 0 && g.wrong < freeGuesses {
		return
	}
	g.wait = min(max(firstWait, 2*g.wait), longestWait)
	g.until = now + g.wait
	g.wrong = 0
}
