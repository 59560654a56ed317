package netmsg

import "time"

// acked hears that a packet has arrived.
func (c *sealedConn) acked(now time.Duration, number uint64, r *sentPacket) {
	switch {
	case r.flags&sentMTUProbe != 0:
		c.mtu.onProbeAcked(now, r.at, int(r.size))
		return
	case r.flags&sentOffPath != 0:
		return
	case r.flags&sentDoubt != 0:
		c.doubt.answered()
	}
	if r.flags&sentLost == 0 {
		c.loss.delivered()
	}
	if r.flags&sentInFlight != 0 {
		c.mtu.onAcked(r.at, int(r.size))
		c.tellBulk(r, true)
	}
	for i := range int(r.parts) {
		p := c.recovery.log.partOf(r, i)
		out := c.out[p.channel]
		if number, all := out.acked(p.number, span{p.from, p.to}); all {
			c.finishMessage(out, number)
		}
	}
}

// lost hears that a packet is called lost. What was reliable in it is due
// again.
func (c *sealedConn) lost(now time.Duration, number uint64, r *sentPacket) {
	switch {
	case r.flags&sentMTUProbe != 0:
		c.mtu.onProbeLost(now, r.at)
		return
	case r.flags&sentOffPath != 0:
		return
	}
	c.stats.PacketsLost++
	c.loss.lost()
	if r.flags&sentInFlight != 0 {
		c.mtu.onLost(now, r.at, int(r.size), c.loss.share)
		c.tellBulk(r, false)
	}
	for ch, in := range c.inc {
		if in != nil && r.flags&creditFlag(Channel(ch)) != 0 {
			in.creditDue = true
		}
	}
	for i := range int(r.parts) {
		p := c.recovery.log.partOf(r, i)
		fragment := c.out[p.channel].lost(p.number, span{p.from, p.to}, number)
		c.bulking = c.bulking || fragment && c.bulk != nil // it was bulk, and does not wait for a tick
	}
}

// tellBulk tells bulk control what became of a packet that it counts.
func (c *sealedConn) tellBulk(r *sentPacket, arrived bool) {
	switch {
	case c.bulk == nil:
	case !arrived:
		c.bulk.onLost(r.at)
	case r.flags&sentLost != 0:
		c.bulk.onSpurious(r.at)
	default:
		c.bulk.onAcked(r.at)
	}
}

// finishMessage lets a message go that has arrived whole.
func (c *sealedConn) finishMessage(out *sendChannel, number uint64) {
	m := out.at(number)
	c.queued--
	c.bytes -= int(m.size)
	data, split := out.forget(number)
	c.in.pool.put(data)
	c.store.dropSplit(split)
}
