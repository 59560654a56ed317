package netmsg

import (
	"net/netip"
	"slices"
)

// A Punch opens the sender's NAT towards the receiver, and may tell it the
// sender's address. It is never answered. id was agreed through a matchmaker.
func appendPunch(b []byte, id [8]byte) []byte {
	b = append(appendHello(b, helloPunch), 0, 0, 0)
	return append(b, id[:]...)
}

func parsePunch(b []byte) (id [8]byte, ok bool) {
	if kind, ok := helloKind(b); !ok || kind != helloPunch || len(b) != punchSize {
		return id, false
	}
	return [8]byte(b[8:]), b[5]|b[6]|b[7] == 0
}

// A punchWait is what a connection waits for whose peer opens a new way.
type punchWait struct {
	id   [8]byte
	from netip.AddrPort // the newest such Punch came from there; not valid: none did
}

// AwaitPunch has an open connection remember from where a Punch with this id
// comes: its peer opens a new way to here, and only the Punch may tell by which
// port. Nothing is moved by it; Probe does that. Another id takes the place of
// the one before; what came by that one is kept until the next.
func (c *Conn) AwaitPunch(id [8]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.owner.(*peer)
	if !ok || p.state != peerOpen {
		return
	}
	e := p.e
	e.awaiting = slices.DeleteFunc(e.awaiting, func(q *peer) bool { return q == p || q.state != peerOpen })
	e.awaiting = append(e.awaiting, p)
	if p.punches == nil {
		p.punches = new(punchWait)
	}
	p.punches.id = id
}

// Punched is the address from which the Punch came that AwaitPunch waits for,
// the newest of several; not valid: none has come.
func (c *Conn) Punched() netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.owner.(*peer); ok && p.punches != nil {
		return p.punches.from
	}
	return netip.AddrPort{}
}
