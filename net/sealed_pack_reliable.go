package netmsg

// addReliable writes reliable data that is due, while it fits: among the
// channels by priority, then by what each has had, and in a channel the oldest
// first.
func (c *sealedConn) addReliable() {
	var passed [4]bool // channels whose next does not fit
	for {
		ch, number := c.pick(&passed)
		if ch < 0 {
			return
		}
		out := c.out[ch]
		before := len(c.packet.b)
		if !c.addMessage(Channel(ch), out, number) {
			passed[ch] = true
			continue
		}
		out.spent += float64(len(c.packet.b)-before) / float64(out.weight)
		c.turn = out.spent
	}
}

// pick gives the channel that comes next and its oldest message that is due; -1
// if there is none.
func (c *sealedConn) pick(passed *[4]bool) (best int, number uint64) {
	best = -1
	for ch, out := range c.out {
		if out == nil || passed[ch] {
			continue
		}
		n, ok := out.ready()
		if ok && (best < 0 || out.before(c.out[best])) {
			best, number = ch, n
		}
	}
	return best, number
}

func (c *sendChannel) before(d *sendChannel) bool {
	if c.priority != d.priority {
		return c.priority < d.priority
	}
	return c.spent < d.spent
}

// addMessage writes a message, or a fragment of it: one that would fit the next
// packet whole waits for that, unless it is bulk's. False: nothing was written.
func (c *sealedConn) addMessage(ch Channel, out *sendChannel, number uint64) bool {
	w := c.packet
	m := out.at(number)
	news := number == out.next
	if m.split == nil {
		if c.writeWhole(ch, number, m) {
			out.sentWhole(number, w.number)
			c.countMessage(m, news)
			return true
		}
		if w.flags&sentInFlight != 0 && int(m.size) <= c.wholeRoom() && !c.fills(m, news) {
			return false
		}
	}
	if w.room() < minFragment {
		return false
	}
	if m.split == nil {
		m.split = c.store.newSplit()
	}
	p := m.split.part(m.size)
	fresh := p.from >= m.split.sent
	p, ok := c.writePart(ch, number, m, p)
	if !ok {
		return false
	}
	out.sentPart(number, p)
	c.countPart(m, news, fresh, int(p.to-p.from))
	return true
}

// fillPace is up to how many packets a second bulk fills packets. On a faster
// path putting parts together takes the receiver longer than the bytes saved.
const fillPace = 10_000

// fills says whether a message is to fill what is left of a packet with a first
// part of itself. Packets of bulk go full; what may be repeated stays whole, and
// so does what has gone whole before.
func (c *sealedConn) fills(m *outMessage, news bool) bool {
	return c.bulking && news && m.size > maxRepeated && c.control().pace(c.now) < fillPace
}

// wholeRoom is how large a message is at most that is sent whole in a packet of
// its own.
func (c *sealedConn) wholeRoom() int { return c.packet.limit - sealedHeader - smallAckFrame - 3 }

// writeWhole writes a whole message; false if it does not fit.
func (c *sealedConn) writeWhole(ch Channel, number uint64, m *outMessage) bool {
	f := frame{kind: frameReliable, channel: ch, id: uint16(number), total: m.size, data: m.data}
	if !c.packet.reliable(&f) {
		return false
	}
	c.recovery.log.part(sentPart{channel: ch, number: uint32(number), to: m.size})
	return true
}

// writePart writes as much of p as fits, unless that would be a fragment of
// under 64 bytes that is not the last.
func (c *sealedConn) writePart(ch Channel, number uint64, m *outMessage, p span) (written span, ok bool) {
	w := c.packet
	f := frame{kind: frameReliable, channel: ch, id: uint16(number), fragment: true, total: m.size, offset: p.from}
	room := w.room() - w.reliableHead(&f)
	n := int(p.to - p.from)
	if n > room {
		n = cutPart(n, room, p.to == m.size)
	}
	if n <= 0 {
		return p, false
	}
	p.to = p.from + uint32(n)
	f.data = m.data[p.from:p.to]
	if !w.reliable(&f) {
		return p, false
	}
	c.recovery.log.part(sentPart{channel: ch, number: uint32(number), from: p.from, to: p.to})
	return p, true
}

// cutPart says how much of n bytes goes into room; the rest is not to be too
// small for a fragment, but where it ends the message.
func cutPart(n, room int, last bool) int {
	if room < minFragment {
		return 0
	}
	if rest := n - room; rest < minFragment && !last && n >= 2*minFragment {
		return n - minFragment
	}
	return room
}

// countMessage counts a whole message that goes, for the first time or again.
func (c *sealedConn) countMessage(m *outMessage, news bool) {
	if news {
		c.stats.MessagesSent++
		c.unsent -= int(m.size)
	} else {
		c.countAgain(m, int(m.size))
	}
}

// countPart counts a fragment of n bytes that goes: news begins its message,
// fresh bytes have never gone.
func (c *sealedConn) countPart(m *outMessage, news, fresh bool, n int) {
	if news {
		c.stats.MessagesSent++
	}
	if fresh {
		c.unsent -= n
	} else {
		c.countAgain(m, n)
	}
}

// countAgain counts n bytes of a message that go again.
func (c *sealedConn) countAgain(m *outMessage, n int) {
	c.stats.MessagesResent++
	if c.cfg.Resent != nil {
		c.cfg.Resent(m.data, n)
	}
}

// addUnacked repeats the oldest reliable data that is not acknowledged, from
// the places to which it has come before.
func (c *sealedConn) addUnacked(places *[4]probePlace) {
	for ch, out := range c.out {
		if out == nil {
			continue
		}
		at := &places[ch]
		for {
			number, p, ok := out.unacked(at.number, at.from)
			if !ok || !c.addProbe(Channel(ch), out, number, p, at) {
				break
			}
		}
	}
}

func (c *sealedConn) addProbe(ch Channel, out *sendChannel, number uint64, p span, at *probePlace) bool {
	m := out.at(number)
	if m.split == nil {
		if !c.writeWhole(ch, number, m) {
			return false
		}
		m.last = c.packet.number
		*at = probePlace{number: number + 1}
		c.countAgain(m, int(m.size))
		return true
	}
	p, ok := c.writePart(ch, number, m, p)
	if ok {
		*at = probePlace{number: number, from: p.to}
		c.countAgain(m, int(p.to-p.from))
	}
	return ok
}

// addRepeats lets small messages ride again that are not acknowledged, so that
// a loss need not be noticed first.
func (c *sealedConn) addRepeats() {
	if c.recovery.silent() || c.bulk != nil && c.bulk.overloads() {
		return
	}
	gaps := repeatGaps[:]
	if c.loss.share > repeatLossy {
		gaps = repeatGapsLossy[:]
	}
	w := c.packet
	most := len(w.b) + maxRepeatBytes
	for ch, out := range c.out {
		if out == nil {
			continue
		}
		number, ok := out.repeatable(out.floor, w.number, gaps)
		for ; ok; number, ok = out.repeatable(number+1, w.number, gaps) {
			m := out.at(number)
			if len(w.b)+int(m.size)+5 > most || !c.writeWhole(Channel(ch), number, m) {
				return
			}
			out.repeated(number, w.number)
			c.countAgain(m, int(m.size))
		}
	}
}
