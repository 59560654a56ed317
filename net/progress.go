package netmsg

// How far large messages are, for a progress bar. NMS1 has none that are larger
// than a packet, so all of it is zero there.

// Receiving says how far the oldest message of a channel is that has come in
// part: so many bytes of total. Zeros: there is none.
func (c *ConnectionCore) Receiving(ch Channel) (got, total int) {
	s, ok := c.machine.(*sealedConn)
	if !ok || ch > Ordered3 || s.inc[ch] == nil {
		return 0, 0
	}
	return s.inc[ch].progress()
}

// Sending says how far the oldest message of a channel is that the peer has not
// acknowledged whole: so many bytes of total are. Zeros: there is none.
func (c *ConnectionCore) Sending(ch Channel) (acked, total int) {
	s, ok := c.machine.(*sealedConn)
	if !ok || ch > Ordered3 || s.out[ch] == nil {
		return 0, 0
	}
	return s.out[ch].progress()
}

// progress is that of the oldest message in parts.
func (c *receiveChannel) progress() (got, total int) {
	for n := c.floor; n < c.end; n++ {
		if s := c.slot(n); s.state == slotPartial && s.parts != nil {
			return s.parts.got, int(s.total)
		}
	}
	return 0, 0
}

// progress is that of the oldest message that is not acknowledged.
func (c *sendChannel) progress() (acked, total int) {
	for i := range c.messages.len() {
		m := c.messages.at(i)
		if m.done {
			continue
		}
		if m.split != nil {
			for _, p := range m.split.acked {
				acked += int(p.to - p.from)
			}
		}
		return acked, int(m.size)
	}
	return 0, 0
}

// Receiving says how far the oldest message of a channel is that has come in
// part: so many bytes of total. Zeros: there is none. Callable from any
// goroutine.
func (c *Conn) Receiving(ch Channel) (got, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if core, ok := c.line.(*ConnectionCore); ok {
		return core.Receiving(ch)
	}
	return 0, 0
}

// Sending says how far the oldest message of a channel is that the peer has not
// acknowledged whole: so many bytes of total are. Zeros: there is none. Callable
// from any goroutine.
func (c *Conn) Sending(ch Channel) (acked, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if core, ok := c.line.(*ConnectionCore); ok {
		return core.Sending(ch)
	}
	return 0, 0
}
