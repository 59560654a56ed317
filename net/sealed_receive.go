package netmsg

import (
	"net/netip"
	"time"
)

// receive acts on one datagram from the validated address.
func (c *sealedConn) receive(now time.Duration, datagram []byte) bool {
	return c.receiveFrom(now, c.path.peer, datagram)
}

// receiveFrom acts on one datagram. It is opened beside itself, and read whole
// before anything of it counts. False: it did not verify, or came before.
func (c *sealedConn) receiveFrom(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	c.now = now
	number, frames, ok := c.openPacket(datagram)
	if !ok {
		c.stats.Rejected++
		if c.opener.exhausted() {
			c.violate(now, closeNumbers)
		}
		return false
	}
	c.pulled(now)
	facts, ok := scanFrames(number, frames)
	if ok && !c.ending.ended && c.mustForget(number, frames, facts.fragments) {
		return true
	}
	newest := number >= c.acks.came.next
	c.acks.receive(now, number, facts)
	c.heard, c.confirmed = now, true
	c.stats.PacketsReceived++
	c.stats.BytesReceived += uint64(len(datagram))
	if !ok {
		c.violate(now, closeProtocol)
		return true
	}
	if c.ending.ended {
		c.afterTheEnd(now, number, frames)
		return true
	}
	if c.path.onPacket(now, from, newest, !facts.moves) {
		c.beginMove(now, from)
	}
	c.act(now, from, number, frames, len(datagram))
	c.settleBudget(c.heldBytes())
	return true
}

// openPacket gives the number and the frames of a datagram that is a packet of
// this connection, not seen before and genuine.
func (c *sealedConn) openPacket(datagram []byte) (number uint64, frames []byte, ok bool) {
	cid, low, ok := parseSealedHeader(datagram)
	if !ok || cid != c.session.ownCID || len(datagram) > c.session.own.maxDatagram {
		return 0, nil, false
	}
	number = extendNumber(c.acks.came.next, low)
	if number >= endOfNumbers || !c.acks.came.fresh(number) {
		return 0, nil, false
	}
	frames, ok = c.opener.open(c.work.opened[:0], datagram, number)
	if ok {
		c.work.opened = frames
	}
	return number, frames, ok
}

// mustForget says that a packet is to be taken as lost: a message in it would
// be in too many pieces, or there is no memory for it. fragments is how many it
// has of reliable messages.
func (c *sealedConn) mustForget(packet uint64, frames []byte, fragments int) bool {
	over := c.budget != nil && c.budget.over(c.held)
	if fragments == 0 && !over {
		return false
	}
	heavy, atFloor := false, false
	r, f := frameReader{rest: frames, number: packet}, frame{}
	for r.next(&f) {
		if f.kind != frameReliable {
			continue
		}
		in := c.receiving(f.channel)
		if f.fragment && in.refuses(&f, fragments) {
			return true
		}
		heavy = heavy || len(f.data) > 0
		atFloor = atFloor || f.id == uint16(in.floor)
	}
	return over && heavy && !atFloor
}

// afterTheEnd reads a packet of an ended connection: a CLOSE in it ends even
// this side's answers.
func (c *sealedConn) afterTheEnd(now time.Duration, packet uint64, frames []byte) {
	r, f := frameReader{rest: frames, number: packet}, frame{}
	for r.next(&f) {
		if f.kind == frameClose {
			c.ending.copies, c.ending.linger = 0, 0
		}
	}
	c.answerClosed(now)
}

// act acts on the frames of a packet, in order.
func (c *sealedConn) act(now time.Duration, from netip.AddrPort, packet uint64, frames []byte, size int) {
	r, f := frameReader{rest: frames, number: packet}, frame{}
	for !c.ending.ended && r.next(&f) {
		switch f.kind {
		case frameAckAll, frameAckBits, frameAckRanges:
			c.takeAck(now, packet, &f)
		case frameTimePing:
			c.ponger.onPing(now, f.t1)
		case frameTimePong:
			c.takePong(now, &f)
		case framePathChallenge:
			c.path.onChallenge(from, f.path, size)
		case framePathResponse:
			c.takePathResponse(now, f.path)
		case frameCredit:
			c.takeCredit(now, packet, &f)
		case frameClose:
			c.closedByPeer(now, &f)
		case frameUnreliable:
			c.takeUnreliable(now, f.data)
		case frameReliable:
			c.takeReliable(now, packet, &f)
		case frameLatest:
			c.takeLatest(now, packet, &f)
		}
	}
}

func (c *sealedConn) takeAck(now time.Duration, packet uint64, f *frame) {
	switch c.recovery.ack(now, packet, f, c) {
	case ackFalse:
		c.violate(now, closeFalseAck)
	case ackBroken:
		c.violate(now, closeProtocol)
	case ackTaken:
		if c.bulk != nil {
			c.bulk.onAck(now, c.recovery.sample, c.recovery.srtt())
		}
		c.rate.update(now, c.recovery.rtt.smoothed)
	}
}

func (c *sealedConn) takePong(now time.Duration, f *frame) {
	if c.pinger == nil {
		return
	}
	if sample, ok := c.pinger.pong(now, f.t1, f.t2, f.hold); ok && c.clock.onSample(sample) {
		c.pinger.again(now)
	}
}

func (c *sealedConn) takeCredit(now time.Duration, packet uint64, f *frame) {
	out := c.sending(f.channel)
	floor, ok := out.credit(packet, f.floor, int(f.window))
	if !ok {
		c.violate(now, closeLimit)
		return
	}
	for out.floor < floor {
		if !out.at(out.floor).done {
			c.finishMessage(out, out.floor)
		}
		out.drop()
	}
}

func (c *sealedConn) takeUnreliable(now time.Duration, data []byte) {
	held := &c.in.held[Unreliable]
	if int(held.bytes)+len(data) > unreliableHeld || held.messages >= unreliableCount || !c.in.room() {
		return
	}
	c.in.message(Unreliable, c.in.pool.copyOf(data))
	c.used = now
}

func (c *sealedConn) takeReliable(now time.Duration, packet uint64, f *frame) {
	in := c.receiving(f.channel)
	if in.old(packet) {
		return
	}
	number, known, _ := in.resolve(f.id)
	switch in.take(f, &c.store) {
	case takeBroken:
		c.violate(now, closeProtocol)
		return
	case takeOver:
		c.violate(now, closeLimit)
		return
	}
	if !known {
		return
	}
	if in.stuck() {
		c.raiseWindow(now, in)
	}
	if !c.heldBack {
		c.hand(f.channel, number)
	}
	c.used = now
}

func (c *sealedConn) takeLatest(now time.Duration, packet uint64, f *frame) {
	version := packet - uint64(f.back)
	last, known := c.in.values.version(f.stream)
	streams := c.session.own.maxStreams
	switch {
	case !known && len(c.in.values.ids) >= streams:
		c.violate(now, closeLimit)
		return
	case known && version <= last:
		return
	case !f.fragment && len(f.data) > c.session.own.maxLatest:
		c.violate(now, closeLimit)
		return
	case !f.fragment:
		c.join.supersede(f.stream, version, c.in.pool)
		c.tell(now, f.stream, version, f.data)
		return
	}
	whole, result := c.join.add(f, version, c.session.own.maxLatest, c.in.pool)
	switch {
	case result == takeBroken:
		c.violate(now, closeProtocol)
	case result == takeOver:
		c.violate(now, closeLimit)
	case whole != nil:
		c.tell(now, f.stream, version, whole)
		c.in.pool.put(whole)
	}
}

// tell hands a latest value over.
func (c *sealedConn) tell(now time.Duration, stream uint16, version uint64, data []byte) {
	c.in.value(stream, version, data, c.session.own.maxStreams)
	c.stats.ValuesReceived++
	c.used = now
}

// pulled follows what the application has pulled since: floors move, and with
// them the peer's credit.
func (c *sealedConn) pulled(now time.Duration) {
	for ch, in := range c.inc {
		if in == nil || in.taken == c.in.taken[ch] {
			continue
		}
		in.pull(c.in.taken[ch], c.acks.came.largest())
		c.raiseWindow(now, in)
		c.settleBudget(c.heldBytes())
	}
	if c.heldBack && c.in.messages.len() == 0 {
		c.handHeld()
	}
}

// hand hands over what is ready on a channel, from number on, as far as the
// inbox has room. What it has no room for waits in the channel, and with it the
// peer's credit, until all that was handed over has been pulled.
func (c *sealedConn) hand(ch Channel, number uint64) {
	in := c.inc[ch]
	for n, ok := in.ready(number); ok; n, ok = in.ready(number) {
		if !c.in.room() {
			c.heldBack = true
			return
		}
		c.in.message(ch, in.handOver(n))
		c.stats.MessagesReceived++
	}
}

// handHeld hands over what waits in the channels, each beginning in its turn.
func (c *sealedConn) handHeld() {
	c.heldBack = false
	for i := 0; i < len(c.inc) && !c.heldBack; i++ {
		c.handFrom = (c.handFrom + 1) % uint8(len(c.inc))
		in := c.inc[c.handFrom]
		if in == nil {
			continue
		}
		first := in.next
		if in.unordered {
			first = in.floor
		}
		for n := first; n < in.end && !c.heldBack; n++ {
			c.hand(Channel(c.handFrom), n)
		}
	}
}

// raiseWindow raises a channel's window where that is what holds the peer back.
func (c *sealedConn) raiseWindow(now time.Duration, in *receiveChannel) {
	if c.budget == nil || !c.budget.tight() {
		in.raise(now, c.recovery.srtt(), max(maxAutoWindow, c.session.own.window))
	}
}

// heldBytes is what the channels hold for the application.
func (c *sealedConn) heldBytes() (n int) {
	for _, in := range c.inc {
		if in != nil {
			n += in.held
		}
	}
	return n
}
