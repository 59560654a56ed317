package netmsg

import "time"

// transmit writes the next datagram that is due.
func (c *plainConn) transmit(now time.Duration, buf []byte) int {
	if len(buf) < c.cfg.MaxPacket {
		return 0
	}
	c.expire(now)
	switch {
	case c.payloadAt() <= now:
		return c.payload(now, buf)
	case c.disconnectAt() <= now:
		return c.disconnect(now, buf)
	}
	return 0
}

// payloadAt is when the next Payload is due: when there is something to say,
// or the silence has lasted long enough, and the bucket has a place.
func (c *plainConn) payloadAt() time.Duration {
	if c.ended {
		if c.farewell && c.hasNews() {
			return c.farewellAt
		}
		return never
	}
	return max(c.speakAt(), c.bucket.next(c.packetRate()))
}

// hasNews says whether something waits that was never sent.
func (c *plainConn) hasNews() bool { return c.out.unsent > 0 || c.latest.waits > 0 }

// speakAt is when there is something to say.
func (c *plainConn) speakAt() time.Duration {
	if c.hasNews() {
		return 0
	}
	at := c.out.resendAt(c.resendDelay())
	if c.owes {
		at = min(at, c.oweAt)
	}
	if c.cfg.KeepAlive > 0 {
		at = min(at, c.spoke+c.cfg.KeepAlive)
	}
	return at
}

// payload writes a Payload: what is due of the messages, oldest first while
// they fit, then values by priority until the next does not fit. It carries
// acknowledgements in any case.
func (c *plainConn) payload(now time.Duration, buf []byte) int {
	c.sent.begin(now)
	ack, bits := c.came.ack()
	b := appendPlainHeader(buf[:0], c.session, c.sent.next-1, ack, bits)
	b, messages := c.addMessages(b, now)
	b, values := c.addValues(b)
	setPlainCounts(b, messages, values)

	if c.ended && !c.rush {
		// A tick apart, so that jitter does not bring the end before the words.
		c.closeAt = now + interval(c.packetRate())
	}
	c.owes, c.unreported = false, 0
	c.spoke = now
	c.bucket.take(now, c.packetRate())
	c.stats.PacketsSent++
	c.stats.BytesSent += uint64(len(b))
	return len(b)
}

func (c *plainConn) addMessages(b []byte, now time.Duration) (longer []byte, count int) {
	delay := c.resendDelay()
	for i := c.out.first(now, delay); i < c.out.len() && count < plainMaxCount; i++ {
		if !c.out.isDue(i, now, delay) {
			continue
		}
		data := c.out.messages.at(i).data
		if len(b)+plainMessageHeaderLen+len(data) > c.cfg.MaxPacket {
			break
		}
		if c.out.isUnsent(i) {
			c.stats.MessagesSent++
		} else {
			c.stats.MessagesResent++
		}
		id := c.out.oldest + uint16(i)
		b = appendPlainMessage(b, id, data)
		c.sent.carry(id)
		c.out.sent(i, now, delay)
		count++
	}
	return b, count
}

func (c *plainConn) addValues(b []byte) (longer []byte, count int) {
	c.latest.gather()
	for count < plainMaxCount {
		v := c.latest.highest()
		if v == nil || len(b)+plainValueHeaderLen+len(v.data) > c.cfg.MaxPacket {
			break
		}
		b = appendPlainValue(b, v.stream, uint16(v.version), v.data)
		v.version++
		c.latest.gone(v)
		count++
	}
	c.stats.ValuesSent += uint64(count)
	return b, count
}

// disconnectAt is when the next Disconnect is due, after what is queued.
func (c *plainConn) disconnectAt() time.Duration {
	if c.closes == 0 {
		return never
	}
	return c.closeAt
}

// disconnect writes one of the Disconnects: the first goes at once if nothing
// was queued, the others a tick apart, all of them at once in a rush.
func (c *plainConn) disconnect(now time.Duration, buf []byte) int {
	c.closes--
	if !c.rush {
		c.closeAt = now + interval(c.packetRate())
	}
	c.stats.PacketsSent++
	c.stats.BytesSent += uint64(plainShortLen)
	return len(appendPlainShort(buf[:0], plainDisconnect, c.session))
}
