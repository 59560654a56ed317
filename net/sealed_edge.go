package netmsg

import (
	"net/netip"
	"time"
)

// What an endpoint needs of a core beside what every driver does: where
// datagrams come from and go to, and what connections share.

// receiveFrom is Receive for a peer that may have moved.
func (c *ConnectionCore) receiveFrom(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	s, ok := c.machine.(*sealedConn)
	if !ok {
		return c.Receive(now, datagram)
	}
	c.in.settle()
	return s.receiveFrom(c.tick(now), from, datagram)
}

// transmitTo is Transmit, and says where the datagram goes; an invalid address
// is where the connection began.
func (c *ConnectionCore) transmitTo(now time.Duration, buf []byte) (n int, to netip.AddrPort) {
	if s, ok := c.machine.(*sealedConn); ok {
		return s.transmitTo(c.tick(now), buf)
	}
	return c.Transmit(now, buf), to
}

// peerAddr is the peer's validated address; invalid in NMS1.
func (c *ConnectionCore) peerAddr() netip.AddrPort {
	if s, ok := c.machine.(*sealedConn); ok {
		return s.peerAddr()
	}
	return netip.AddrPort{}
}

// probe asks whether to would do as a path, and moves there if it answers. NMS1
// has one path.
func (c *ConnectionCore) probe(now time.Duration, to netip.AddrPort) {
	if s, ok := c.machine.(*sealedConn); ok {
		s.probePath(c.tick(now), to)
	}
}

// setChannel sets a channel's priority and weight. NMS1 has one channel.
func (c *ConnectionCore) setChannel(ch Channel, priority, weight int) error {
	if s, ok := c.machine.(*sealedConn); ok {
		return s.setChannel(ch, priority, weight)
	}
	return ErrNotInPlain
}

// question doubts that the peer is there. NMS1 has no doubts.
func (c *ConnectionCore) question(now time.Duration, ask doubtAsk) {
	if s, ok := c.machine.(*sealedConn); ok {
		s.question(c.tick(now), ask)
	}
}

// refill hands over what had no room before the application pulled. NMS1 holds
// nothing back.
func (c *ConnectionCore) refill() {
	if s, ok := c.machine.(*sealedConn); ok && s.heldBack {
		s.pulled(c.now)
	}
}

// judges says that the next turn at now ends the connection, or asks again, unless
// something of the peer's comes before.
func (c *ConnectionCore) judges(now time.Duration) bool {
	s, ok := c.machine.(*sealedConn)
	return ok && (now >= s.expiry() || now >= s.doubt.ends() && !s.ending.ended)
}

// takeDoubt gives what a doubt says of the other connections of the address, and
// forgets it. In NMS1 there are no doubts.
func (c *ConnectionCore) takeDoubt() (news doubtNews) {
	if s, ok := c.machine.(*sealedConn); ok {
		news, s.doubt.news = s.doubt.news, 0
	}
	return news
}

// vouched: another connection of the peer's program has answered.
func (c *ConnectionCore) vouched() {
	if s, ok := c.machine.(*sealedConn); ok {
		s.doubt.vouched()
	}
}

// Clock reads the server's game clock at now: the time that Conn.Clock tells, how
// far it may be off, and whether that can be relied on. A server reads its own,
// which is now. In NMS1, and before anything is known, all are zero.
func (c *ConnectionCore) Clock(now time.Duration) (t, uncertainty time.Duration, state ClockState) {
	if s, ok := c.machine.(*sealedConn); ok {
		return s.clockNow(c.tick(now))
	}
	return 0, 0, 0
}

// share lets a connection use what those of an endpoint have in common.
func (c *ConnectionCore) share(d *sealedDoor) {
	s, ok := c.machine.(*sealedConn)
	if !ok {
		return
	}
	s.workWith(&d.work)
	c.in.pool, s.store.pool = &d.pool, &d.pool
	s.share = &d.pacer
	s.joinBudget(&d.budget)
	s.mtu.mayProbe = s.mtu.mayProbe && d.probes
	s.mtu.relayed = synthetic(s.path.peer.Addr())
}
