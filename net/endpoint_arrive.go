package netmsg

import (
	"net/netip"
	"time"
)

// arrive acts on one datagram of the endpoint's own sockets. The lock is held.
func (e *Endpoint) arrive(now time.Duration, d *Datagram) {
	switch {
	case !e.ownUDP:
		d.Addr = canonical(d.Addr) // one that the caller wrapped may tell IPv4 as IPv6
	case synthetic(d.Addr.Addr()):
		e.stats.NoConnection++ // nobody on a network has such an address
		return
	}
	e.take(now, d)
}

// take acts on a datagram whose address is what it says.
func (e *Endpoint) take(now time.Duration, d *Datagram) {
	e.stats.Received++
	e.stats.BytesReceived += uint64(len(d.Data))
	if e.closed {
		return
	}
	if e.sealed != nil {
		e.arriveSealed(now, d)
		return
	}
	kind, ok := plainKindOf(d.Data)
	switch {
	case len(d.Data) < plainKindLen:
		e.stats.TooShort++
	case !ok || kind > plainDenied:
		if ok || !e.overheard(d) {
			e.stats.UnknownKind++
		}
	case kind == plainRequest || kind == plainResponse:
		e.knock(now, d, kind)
	default:
		e.deliver(now, d)
	}
}

// deliver gives a datagram to the connection or the dial that it is for.
func (e *Endpoint) deliver(now time.Duration, d *Datagram) {
	p := e.peerOf(d)
	if p == nil || len(e.dials) > 0 && !p.owns(d.Data) {
		if e.answer(now, d.Addr, d.Data) {
			return
		}
	}
	if p == nil {
		e.stats.NoConnection++
		return
	}
	p.core.Receive(now, d.Data)
	p.touched()
}

// peerOf finds the connection of the datagram's address; of several, the one
// with its session.
func (e *Endpoint) peerOf(d *Datagram) *peer {
	first := e.byAddr[d.Addr]
	if first == nil || first.next == nil {
		return first
	}
	for p := first; p != nil; p = p.next {
		if p.owns(d.Data) {
			return p
		}
	}
	return first
}

// owns says whether the datagram carries p's session.
func (p *peer) owns(datagram []byte) bool {
	return len(datagram) >= plainShortLen && U64(datagram[plainKindLen:]) == p.session.ID
}

// knock answers a Request or a Response.
func (e *Endpoint) knock(now time.Duration, d *Datagram, kind byte) {
	switch {
	case len(d.Data) != plainPaddedLen:
		e.stats.BadSize++
		return
	case !e.accepting || e.stalled:
		e.stats.NotAccepting++
		return
	case kind == plainResponse && e.untold >= e.mostUntold():
		e.stats.Full++
		return
	}
	buf := e.outbox.room()
	v := e.gate.Receive(now, d.Addr, d.Data, buf)
	if v.Reply == 0 {
		e.stats.BadCookie++
		return
	}
	if buf[plainKindLen-1] == plainDenied {
		e.stats.Full++
	}
	e.outbox.add(v.Reply, d.Addr)
	var old *peer
	if v.Replaced {
		old = e.replaced(now, d.Addr, v.Old)
	}
	if v.Joined {
		e.join(now, d.Addr, v.Session, old)
	}
}

// mostUntold is how many connections an endpoint keeps whose end the program
// has not heard, open ones included. A program that has stopped listening
// takes no more.
func (e *Endpoint) mostUntold() int {
	if e.cfg.MaxClients < 0 {
		return 1 << 30
	}
	return 2*e.cfg.MaxClients + 64
}

// replaced ends the connection in whose place a new one comes. Its peer is
// gone, so nobody is told.
func (e *Endpoint) replaced(now time.Duration, from netip.AddrPort, s Session) *peer {
	for p := e.byAddr[from]; p != nil; p = p.next {
		if p.session.ID == s.ID {
			p.core.end(now, Replaced, false)
			p.touched()
			return p
		}
	}
	return nil
}

// join opens the connection of a client. Its Joined is heard after the Left of
// old, if there is one.
func (e *Endpoint) join(now time.Duration, from netip.AddrPort, s Session, old *peer) {
	p := e.newPeer(0, peerOpen, nil)
	p.conn.addr, p.accepted = from, true
	e.becomeOpen(p, s, now)
	if old != nil && !old.conn.told {
		p.after, old.before = old, p
	}
	p.touched()
}
