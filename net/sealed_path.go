package netmsg

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// Where the peer is, and whether it can be reached elsewhere. Packets that ask
// or answer that hold nothing else.

// beginMove asks whether the peer has moved to the address a packet came from.
func (c *sealedConn) beginMove(now time.Duration, to netip.AddrPort) {
	c.path.beginMove(now, to, c.drawPath())
}

// probePath asks whether to would do as a path. The connection moves there when
// it answers.
func (c *sealedConn) probePath(now time.Duration, to netip.AddrPort) {
	c.path.beginProbe(now, to, c.drawPath())
}

func (c *sealedConn) drawPath() (data pathData) {
	binary.BigEndian.PutUint64(data[:], c.draw())
	return data
}

func (c *sealedConn) takePathResponse(now time.Duration, data pathData) {
	move := c.path.onResponse(data)
	if move == pathProbed {
		move = c.path.useProbed()
	}
	c.onMove(now, move)
}

// onMove starts again what was known of the path that was left. A peer whose
// port alone has changed is behind the same one.
func (c *sealedConn) onMove(now time.Duration, move pathMove) {
	if move != pathOther {
		return
	}
	c.recovery.forgetPath()
	c.mtu.restart(now)
	c.mtu.relayed = synthetic(c.path.peer.Addr())
	if c.bulk != nil {
		c.bulk.restart()
	}
}

// pathPacket writes a PATH_RESPONSE or PATH_CHALLENGE that is due, alone in its
// packet, and says where it goes.
func (c *sealedConn) pathPacket(now time.Duration, buf []byte) (n int, to netip.AddrPort) {
	if a, ok := c.path.answer(); ok {
		return c.packPath(now, buf, framePathResponse, a.data), a.to
	}
	if to, data, ok := c.path.challenge(now, c.recovery.pto()); ok {
		return c.packPath(now, buf, framePathChallenge, data), to
	}
	return 0, to
}

// pathAt is when a path packet is due.
func (c *sealedConn) pathAt() time.Duration {
	if len(c.path.answers) > 0 {
		return c.now
	}
	return c.path.deadline()
}
