package netmsg

import "time"

// receive acts on one datagram. It is read whole before anything of it counts.
func (c *plainConn) receive(now time.Duration, datagram []byte) bool {
	ok := c.receiveAny(now, datagram)
	if !ok {
		c.stats.Rejected++
	}
	return ok
}

func (c *plainConn) receiveAny(now time.Duration, datagram []byte) bool {
	kind, ok := plainKindOf(datagram)
	switch {
	case !ok:
		return false
	case kind == plainPayload:
		return c.receivePayload(now, datagram)
	case kind == plainDisconnect:
		session, ok := parsePlainShort(datagram, kind)
		if !ok || session != c.session {
			return false
		}
		c.end(now, Remote, false)
		return true
	case kind == plainAccept: // of the handshake, repeated by the server or the link
		session, ok := parsePlainShort(datagram, kind)
		return ok && session == c.session
	}
	return false
}

func (c *plainConn) receivePayload(now time.Duration, datagram []byte) bool {
	p, ok := parsePlainPayload(datagram)
	switch {
	case !ok || p.session != c.session || len(datagram) > max(c.cfg.MaxPacket, defaultMaxPacket):
		return false
	case c.ended:
		return true
	case !c.came.fresh(p.seq):
		c.stats.Rejected++ // a repeat, or too old to be acknowledged
		return true
	case !c.plausible(p):
		return false
	}
	c.heard = now
	c.stats.PacketsReceived++
	c.stats.BytesReceived += uint64(len(datagram))

	c.takeAcks(now, p.ack, p.bits)
	r := p.items
	if c.takeMessages(&r, p.messages) {
		c.came.take(p.seq)
		c.unreported++
		if p.messages > 0 || c.unreported >= plainUnreported {
			c.owe(now)
		}
	}
	c.takeValues(&r, p.values)
	return true
}

// plausible says whether an honest peer can have sent the packet's messages by
// now; see plainEarly.
func (c *plainConn) plausible(p plainPacket) bool {
	r := p.items
	for range p.messages {
		if id, _ := nextPlainMessage(&r); !c.early.plausible(id) {
			return false
		}
	}
	return true
}

// takeAcks settles the fate of packets: those that ack and bits name have
// arrived, oldest first, and those too far behind the newest are lost.
func (c *plainConn) takeAcks(now time.Duration, ack uint16, bits uint32) {
	news := false
	for back := uint16(ackReach); back > 0; back-- {
		if bits&(1<<(back-1)) != 0 {
			news = c.delivered(now, ack-back) || news
		}
	}
	news = c.delivered(now, ack) || news
	for {
		lost, decided := c.sent.decide()
		if !decided {
			break
		}
		if lost {
			c.loss.lost()
			c.stats.PacketsLost++
		}
	}
	if news {
		c.out.progress()
		c.rate.update(now, c.rtt.smoothed)
	}
}

// delivered notes that the peer has the packet seq, and says whether that is
// news.
func (c *plainConn) delivered(now time.Duration, seq uint16) bool {
	p := c.sent.find(seq)
	if p == nil || p.acked {
		return false
	}
	p.acked = true
	c.sent.seen(seq)
	c.loss.delivered()
	c.rtt.sample(now - p.at)
	for i := range int(p.count) {
		c.out.acked(c.sent.id(p, i), c.in.pool)
	}
	return true
}

// takeMessages keeps a packet's messages. False: one could not be kept, so the
// packet must not be acknowledged; the others are kept all the same, so that
// what is missing most comes through however little room there is.
func (c *plainConn) takeMessages(r *PacketReader, count int) (all bool) {
	all = true
	room := min(plainWindow, c.in.limit)
	for range count {
		id, data := nextPlainMessage(r)
		next := c.early.next
		if !c.early.take(id, data, c.in, room) {
			all = false
		}
		c.stats.MessagesReceived += uint64(c.early.next - next)
	}
	return all
}

// owe lets an acknowledgement go within half a tick, with whatever goes by
// then: an answer of the application's, or the values of its frame.
func (c *plainConn) owe(now time.Duration) {
	if !c.owes {
		c.owes, c.oweAt = true, now+interval(c.packetRate())/2
	}
}

func (c *plainConn) takeValues(r *PacketReader, count int) {
	for range count {
		stream, number, data := nextPlainValue(r)
		if c.in.value(stream, c.valueVersion(stream, number), data, c.cfg.MaxStreams) {
			c.stats.ValuesReceived++
		}
	}
}

// valueVersion widens a value's number by the last one of its stream. The
// first may be any, and starts high enough that older ones are under it.
func (c *plainConn) valueVersion(stream, number uint16) uint64 {
	last, known := c.in.values.version(stream)
	if !known {
		return 1<<16 + uint64(number)
	}
	return widen(last, number)
}
