package netmsg

import (
	"net/netip"
	"time"
)

const (
	// plainRemembered is how long a connection that has ended stays known, so
	// that its Response, recorded and sent again, opens nothing. Then the
	// cookie in it is too old.
	plainRemembered = 25 * time.Second

	// plainMinEnded is how many ended connections a gate remembers at least,
	// or four times MaxClients if that is more. Beyond that the oldest are
	// forgotten: each costs its maker a whole handshake from a real address.
	plainMinEnded = 1024
)

// A plainGate is the server's side of the NMS1 handshake. For a Request it
// keeps nothing. It knows the connections that are open: a Response that is
// repeated is answered with its Accept again and opens nothing, one from an
// address that already has a connection but with another salt replaces it, and
// one beyond Config.MaxClients is Denied. So that it knows, whoever drives it
// calls Left when a connection has ended; a recorded Response is of no use for
// 25 s after that, and later its cookie is too old.
type plainGate struct {
	cfg *Config
	key [16]byte

	open   map[netip.AddrPort]plainGuest
	ended  map[plainPast]struct{}
	leaves ring[plainLeave] // the keys of ended, oldest first
}

// plainGuest is the one connection from an address.
type plainGuest struct{ salt, session uint64 }

// plainPast names a connection that has ended.
type plainPast struct {
	from netip.AddrPort
	salt uint64
}

type plainLeave struct {
	who plainPast
	at  time.Duration
}

// newPlainGate gives a gate whose cookies are made with key: 16 random
// bytes that nobody else knows and that serve for nothing else. A nil cfg is
// all defaults.
func newPlainGate(cfg *Config, key [16]byte) *plainGate {
	return &plainGate{
		cfg:   cfg.settle(),
		key:   key,
		open:  make(map[netip.AddrPort]plainGuest),
		ended: make(map[plainPast]struct{}),
	}
}

// Receive acts on a Request or a Response that came from an address; anything
// else gets an empty Verdict. An answer is written into buf, which must have
// room for 21 bytes; in a smaller one there is none.
func (g *plainGate) Receive(now time.Duration, from netip.AddrPort, datagram, buf []byte) Verdict {
	if len(buf) < plainChallengeLen {
		return Verdict{}
	}
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	if salt, ok := parsePlainRequest(datagram); ok {
		cookie := plainCookie(g.key, from, salt, plainCookieStepAt(now))
		return Verdict{Reply: len(appendPlainChallenge(buf[:0], salt, cookie))}
	}
	salt, cookie, ok := parsePlainResponse(datagram)
	if !ok || !plainCookieGood(g.key, now, from, salt, cookie) {
		return Verdict{}
	}
	return g.respond(now, from, plainGuest{salt, plainSession(salt, cookie)}, buf)
}

// respond answers a Response whose cookie is good.
func (g *plainGate) respond(now time.Duration, from netip.AddrPort, guest plainGuest, buf []byte) (v Verdict) {
	g.prune(now)
	old, taken := g.open[from]
	if taken && old.salt == guest.salt {
		v.Reply = len(appendPlainShort(buf[:0], plainAccept, old.session))
		return v
	}
	if _, past := g.ended[plainPast{from, guest.salt}]; past {
		return v
	}
	if taken {
		v.Replaced, v.Old = true, Session{ID: old.session}
		g.Left(now, from, v.Old)
	}
	if g.cfg.MaxClients > 0 && len(g.open) >= g.cfg.MaxClients {
		v.Reply = len(appendPlainShort(buf[:0], plainDenied, guest.salt))
		return v
	}
	g.open[from] = guest
	v.Joined, v.Session = true, Session{ID: guest.session}
	v.Reply = len(appendPlainShort(buf[:0], plainAccept, guest.session))
	return v
}

// Left says that the connection s from an address has ended, whatever for: its
// place is free. A connection that is not open changes nothing.
func (g *plainGate) Left(now time.Duration, from netip.AddrPort, s Session) {
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	guest, ok := g.open[from]
	if !ok || guest.session != s.ID {
		return
	}
	delete(g.open, from)
	who := plainPast{from, guest.salt}
	g.ended[who] = struct{}{}
	*g.leaves.push() = plainLeave{who, now}
	g.prune(now)
}

// Len is the number of connections that are open.
func (g *plainGate) Len() int { return len(g.open) }

// prune forgets connections that ended long ago, and the oldest of too many.
func (g *plainGate) prune(now time.Duration) {
	limit := max(plainMinEnded, 4*g.cfg.MaxClients)
	for g.leaves.len() > limit || g.leaves.len() > 0 && now-g.leaves.at(0).at > plainRemembered {
		delete(g.ended, g.leaves.pop().who)
	}
}
