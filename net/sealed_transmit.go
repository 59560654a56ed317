package netmsg

import (
	"cmp"
	"net/netip"
	"time"
)

func (c *sealedConn) transmit(now time.Duration, buf []byte) int {
	n, _ := c.transmitTo(now, buf)
	return n
}

// transmitTo writes the next packet that is due, and says where it goes.
func (c *sealedConn) transmitTo(now time.Duration, buf []byte) (n int, to netip.AddrPort) {
	if len(buf) < minSealedPacket {
		return 0, to
	}
	c.expire(now)
	c.pulled(now)
	c.runTimers(now)
	if !c.mayTalk() {
		return 0, to
	}
	if c.ending.ended {
		return c.lastWords(now, buf), c.path.peer
	}
	if n, to := c.pathPacket(now, buf); n > 0 {
		return n, to
	}
	return c.next(now, buf), c.path.peer
}

// runTimers does what time alone brings about.
func (c *sealedConn) runTimers(now time.Duration) {
	if c.ending.ended {
		return
	}
	c.rate.update(now, c.recovery.rtt.smoothed)
	c.loose.expire(now, c.in.pool)
	if c.pinger != nil && c.pinger.turn(now) {
		c.clock.forget()
	}
	if now >= c.recovery.lossAt {
		c.recovery.detect(now, c)
	}
	if now >= c.recovery.ptoAt() {
		c.probeTimeout(now)
	}
	if c.recovery.log.next >= endOfNumbers-lastNumbers {
		c.violate(now, closeNumbers)
	}
}

// probeTimeout: nothing has been acknowledged for a while.
func (c *sealedConn) probeTimeout(now time.Duration) {
	c.recovery.probed(now)
	if c.probes = ptoProbes; c.probeAt == nil {
		c.probeAt = new([4]probePlace)
	}
	*c.probeAt = [4]probePlace{}
	c.mtu.onPTO(now, int(c.recovery.ptos))
	if c.bulk != nil {
		c.bulk.onPTO(int(c.recovery.ptos))
	}
}

// mayTalk says whether a packet may go at all: a server says nothing before its
// client has proven that it is there, and numbers may not run too far ahead.
func (c *sealedConn) mayTalk() bool {
	return (c.confirmed || !c.session.server) && c.recovery.ahead() <= maxNumberAhead
}

// next writes the packet that comes first: probes, then ticks, then what is
// paced, then what waits for nothing else to go.
func (c *sealedConn) next(now time.Duration, buf []byte) int {
	if c.probes > 0 {
		c.probes--
		if n := c.pack(now, buf, packProbe|packPing); n > 0 {
			return n
		}
	}
	if n := c.tick(now, buf); n > 0 {
		return n
	}
	if n := c.paced(now, buf); n > 0 {
		return n
	}
	if n := c.repeatTail(now, buf); n > 0 {
		return n
	}
	if n := c.mtuProbe(now, buf); n > 0 {
		return n
	}
	return c.alone(now, buf)
}

// tick writes the next packet of a tick, of which one begins when there is
// something for it and the rate allows.
func (c *sealedConn) tick(now time.Duration, buf []byte) int {
	if c.tickLeft == 0 {
		if c.tickAt() > now {
			return 0
		}
		c.bucket.take(now, c.packetRate())
		c.tickLeft = tickPackets
		c.bulking = c.bulking || c.unsent > tickPackets*c.size(len(buf))
	}
	first := c.tickLeft == tickPackets && c.packetRate() > 0
	for c.hasNews() && c.tickLeft > 0 && (first || !c.windowFull(now)) {
		c.tickLeft--
		unsent := c.unsent
		if n := c.pack(now, buf, c.tickContent()); n > 0 {
			if c.tail != nil && c.unsent < unsent {
				c.tail.ours = c.bulking
			}
			return n
		}
	}
	c.tickLeft = 0
	if c.reliableReady() {
		c.bulking = true
	}
	return 0
}

// tickContent is what a packet of a tick holds. While there is bulk, what is
// reliable takes what is left.
func (c *sealedConn) tickContent() packContent {
	if c.bulking {
		return packReliableLast | packValues | packRepeats | packUnreliable
	}
	return packReliable | packValues | packRepeats | packUnreliable
}

// tickAt is when the next tick begins.
func (c *sealedConn) tickAt() time.Duration {
	if !c.hasNews() || c.recovery.ahead() > maxTickAhead {
		return never
	}
	return c.bucket.nextOf(c.packetRate(), tickBurst)
}

// packetRate is how many ticks a second there are at present.
func (c *sealedConn) packetRate() int {
	if c.rate.bad {
		return c.cfg.BadRate
	}
	return c.cfg.GoodRate
}

// hasNews says whether something waits for a tick. Bulk does not.
func (c *sealedConn) hasNews() bool {
	return c.loose.messages.len() > 0 ||
		c.latest.waits > 0 && c.latest.nextBeside(&c.split, valueRoom(c.mtu.size)) != nil ||
		!c.bulking && c.reliableReady()
}

// reliableReady says whether reliable data may go: it never went or was lost,
// and the peer has room for it.
func (c *sealedConn) reliableReady() bool {
	for _, out := range c.out {
		if out == nil {
			continue
		}
		if _, ok := out.ready(); ok {
			return true
		}
	}
	return false
}

// windowFull says that a tick's further packets have to wait. Held back, the
// window may grow.
func (c *sealedConn) windowFull(now time.Duration) bool {
	if c.bulk == nil && c.recovery.log.inFlight < bulkFirstWindow {
		return false // as a new one would have it
	}
	if !c.control().windowFull(now, c.recovery.log.inFlight) {
		return false
	}
	c.bulk.maySend(now, c.recovery.log.inFlight)
	return true
}

// control gives bulk control, made when it is first needed.
func (c *sealedConn) control() *bulkControl {
	if c.bulk == nil {
		b := newBulkControl(c.share, c.recovery.srtt())
		if c.share.idle() {
			b.window = firstWindowOf(cmp.Or(c.recovery.smallest, c.session.rtt))
		}
		c.bulk, c.tail = &b, new(bulkTail)
	}
	return c.bulk
}

// paced writes a packet of what goes between ticks: a value in fragments, or
// bulk.
func (c *sealedConn) paced(now time.Duration, buf []byte) int {
	if !c.pacedWaits() {
		c.restBulk(now)
		return 0
	}
	c.mtu.bulkWaits(now)
	b := c.control()
	if !b.maySend(now, c.recovery.log.inFlight) {
		return 0
	}
	if tick := c.tickAt(); tick > now && tick-now < b.packetTime(now) {
		return 0
	}
	content := packReliable
	if c.split.active() {
		content = packFragment
	}
	unsent := c.unsent
	n := c.pack(now, buf, content|packPaced)
	if n > 0 {
		c.holdTail(now, c.unsent < unsent)
	}
	return n
}

// pacedWaits says whether anything waits to go between ticks.
func (c *sealedConn) pacedWaits() bool {
	return (c.split.active() || c.bulking && c.reliableReady()) && c.recovery.ahead() <= maxBulkAhead
}

// restBulk ends bulk when nothing of it waits any more.
func (c *sealedConn) restBulk(now time.Duration) {
	if c.bulking && !c.reliableReady() {
		c.bulking = false
	}
	if c.bulk != nil && !c.bulking {
		c.bulk.rest(now)
	}
}

// pacedAt is when the next paced packet goes: not if a tick is due before it
// would have left.
func (c *sealedConn) pacedAt(now time.Duration) time.Duration {
	b := c.control()
	at := max(b.nextSend(now, c.recovery.log.inFlight), now)
	if tick := c.tickAt(); tick >= at && tick-at < b.packetTime(now) {
		return tick
	}
	return at
}

// mtuProbe writes a packet that tries a larger size.
func (c *sealedConn) mtuProbe(now time.Duration, buf []byte) int {
	size := c.mtu.probe(now)
	if size > len(buf) {
		c.mtu.onTooLong(now, size)
		return 0
	}
	if size == 0 {
		return 0
	}
	c.mtu.onProbeSent(now, c.recovery.srtt())
	return c.packMTUProbe(now, buf, size)
}

// alone writes what goes even if nothing else does: an acknowledgement, credit,
// time, a keep-alive.
func (c *sealedConn) alone(now time.Duration, buf []byte) int {
	ping := packContent(0)
	if now >= c.keepAliveAt() || c.greet || now >= c.doubt.pingAt() {
		ping = packPing
	}
	if ping == 0 && now < c.aloneAt() {
		return 0
	}
	return c.pack(now, buf, ping)
}

// aloneAt is when something is due that need not be asked to go.
func (c *sealedConn) aloneAt() time.Duration {
	at := min(c.ackAt(), c.ponger.by())
	if c.pinger != nil {
		at = min(at, c.pinger.by())
	}
	for _, in := range c.inc {
		if in != nil && in.creditDue {
			at = 0
		}
	}
	return at
}

// ackAt is when an acknowledgement goes even if nothing else does. Where frames
// drive the endpoint, one of reliable data that falls due shortly after a frame
// would wait for the next, so it goes with this one.
func (c *sealedConn) ackAt() time.Duration {
	if c.cfg.Driven && c.acks.press > 0 && c.acks.due != never {
		return c.acks.due - ackAlone
	}
	return c.acks.due
}

// keepAliveAt is when the silence of this side has lasted long enough.
func (c *sealedConn) keepAliveAt() time.Duration {
	every := c.cfg.KeepAlive
	if every < 0 {
		return never
	}
	if c.now-c.used >= activeFor {
		idle := min(idleKeepAlive, c.session.peer.idleTimeout/4, c.session.own.idleTimeout/4)
		every = max(every, idle)
	}
	return c.spoke + every
}

// deadline is when transmit has something to do.
func (c *sealedConn) deadline() time.Duration {
	c.pulled(c.now)
	if c.ending.ended {
		return c.endingAt()
	}
	at := min(c.expiry(), c.doubt.ends(), c.recovery.lossAt, c.recovery.ptoAt())
	if !c.mayTalk() {
		return at
	}
	if c.probes > 0 || c.greet || c.tickLeft > 0 {
		return c.now
	}
	at = min(at, c.pathAt(), c.tickAt(), c.mtu.probeTime(), c.aloneAt(), c.keepAliveAt(), c.doubt.pingAt())
	if c.pacedWaits() {
		at = min(at, c.pacedAt(c.now))
	}
	return min(at, c.tailAt(c.now))
}
