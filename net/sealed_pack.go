package netmsg

import "time"

// packContent says what a packet may hold, beside the acknowledgement and the
// control frames that every packet holds when they are due.
type packContent uint16

const (
	packReliable     packContent = 1 << iota // reliable data that is due
	packReliableLast                         // the same, after all else
	packValues                               // latest values, by priority
	packFragment                             // the next fragment of a value
	packRepeats                              // small messages that are not acknowledged yet
	packUnreliable                           // unreliable messages
	packProbe                                // the oldest reliable data that is not acknowledged
	packTail                                 // the same, from where the tail's pass is
	packPing                                 // PING, if nothing else asks for an acknowledgement
	packClose                                // CLOSE
	packPaced                                // nothing: bulk control has been asked for the packet
)

// pack writes a packet into buf and gives its length; 0 if there is nothing to
// put into it.
func (c *sealedConn) pack(now time.Duration, buf []byte, content packContent) int {
	w := c.begin(now, buf, c.size(len(buf)))
	fragment, hasFragment := c.nextFragment(content)
	c.addAck(now, content, &fragment)
	c.addControl(now)
	if content&packProbe != 0 {
		c.addUnacked(c.probeAt)
	}
	if content&packTail != 0 {
		c.addUnacked(&c.tail.at)
	}
	if content&packReliable != 0 {
		c.addReliable()
	}
	if hasFragment {
		c.addFragment(&fragment)
	}
	if content&packValues != 0 {
		c.addValues()
	}
	if content&packRepeats != 0 {
		c.addRepeats()
	}
	if content&packUnreliable != 0 {
		c.addUnreliable()
	}
	if content&packReliableLast != 0 {
		c.addReliable()
	}
	c.addPing(now, content)
	if content&packClose != 0 {
		w.wrote(appendClose(w.b, uint32(c.ending.code), []byte(c.ending.text)), 0)
	}
	return c.seal(now, w, content&packPaced != 0)
}

// begin starts a packet with the next number, which is not one to skip.
func (c *sealedConn) begin(now time.Duration, buf []byte, size int) *packetWriter {
	log := &c.recovery.log
	c.recovery.makeRoom(now, c)
	if c.skipAfter == 0 {
		log.add(now, 0, sentSkipped)
		c.drawSkip()
		c.recovery.makeRoom(now, c)
	}
	c.packet.begin(buf, size, c.session.peerCID, log.next)
	return c.packet
}

// seal finishes a packet, makes its record, and gives its length; a packet
// without frames is not sent.
func (c *sealedConn) seal(now time.Duration, w *packetWriter, paced bool) int {
	if w.empty() {
		return 0
	}
	w.finish()
	datagram := c.sealer.seal(w.b, w.number)
	c.recovery.sent(now, len(datagram), w.flags)
	c.skipAfter--
	c.spoke, c.greet = now, false
	c.stats.PacketsSent++
	c.stats.BytesSent += uint64(len(datagram))
	if w.flags&sentInFlight != 0 {
		c.mtu.onSent(now, len(datagram))
		c.acks.talkedAt = now
		if c.bulk != nil {
			c.bulk.onSent(now, paced)
		}
	}
	return len(datagram)
}

// addAck writes an ACK frame, if one should ride. What has to fit beside it
// comes first.
func (c *sealedConn) addAck(now time.Duration, content packContent, beside *frame) {
	if !c.acks.rides(now) {
		return
	}
	w := c.packet
	room := w.room()
	if content&packFragment != 0 {
		room -= valueFragmentHead + len(beside.data)
	}
	w.wrote(c.acks.append(w.b, now, room), 0)
}

// addControl writes CREDIT, and asks and tells the time.
func (c *sealedConn) addControl(now time.Duration) {
	w := c.packet
	const asks = sentEliciting | sentInFlight
	for ch, in := range c.inc {
		if in != nil && (in.creditDue || in.creditMore > 0) && w.room() >= maxCredit {
			floor, window := in.credit()
			w.wrote(appendCredit(w.b, Channel(ch), floor, window), asks|creditFlag(Channel(ch)))
		}
	}
	if c.ponger.may(now) && w.room() >= timePongSize {
		t1, t2, hold := c.ponger.pong(now)
		w.wrote(appendTimePong(w.b, t1, t2, hold), asks)
	}
	if c.pinger != nil && c.pinger.may(now) && w.room() >= timePingSize {
		idle := now-c.used >= activeFor
		w.wrote(appendTimePing(w.b, c.pinger.ping(now, idle)), asks)
	}
}

// addPing writes PING where it was asked for and nothing else asks for an
// acknowledgement, or where the peer is in doubt.
func (c *sealedConn) addPing(now time.Duration, content packContent) {
	w := c.packet
	if w.room() == 0 {
		return
	}
	if now >= c.doubt.pingAt() {
		w.wrote(appendPing(w.b), sentEliciting|sentInFlight|sentDoubt)
		c.doubt.pinged(now)
	} else if content&packPing != 0 && w.flags&sentEliciting == 0 {
		w.wrote(appendPing(w.b), sentEliciting|sentInFlight)
	}
}

// packPath writes a packet of one path frame.
func (c *sealedConn) packPath(now time.Duration, buf []byte, kind frameKind, data pathData) int {
	w := c.begin(now, buf, c.size(len(buf)))
	w.wrote(appendPath(w.b, kind, data), sentOffPath)
	return c.seal(now, w, false)
}

// packMTUProbe writes a packet of exactly size bytes.
func (c *sealedConn) packMTUProbe(now time.Duration, buf []byte, size int) int {
	w := c.begin(now, buf, size)
	b := appendMTUProbe(w.b, uint16(size))
	w.wrote(appendPadding(b, w.limit-len(b)), sentMTUProbe)
	return c.seal(now, w, false)
}
