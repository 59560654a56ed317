package netmsg

// addValues writes latest values by priority until the next does not fit. One
// that is too large for a packet goes on its own, in fragments.
func (c *sealedConn) addValues() {
	w := c.packet
	c.latest.gather()
	for {
		v := c.latest.nextBeside(&c.split, valueRoom(c.mtu.size))
		if v == nil {
			return
		}
		f := frame{kind: frameLatest, stream: v.stream, data: v.data}
		if !w.latest(&f) {
			if len(v.data) <= valueRoom(c.size(w.limit+sealedTag)) {
				return // it goes with the next packet
			}
			// One that no number of fragments can carry is given up.
			c.split.begin(v, valueRoom(c.size(w.limit+sealedTag)))
		} else {
			c.stats.ValuesSent++
		}
		c.latest.gone(v)
	}
}

// nextFragment prepares the next fragment of a value, if content asks for one.
func (c *sealedConn) nextFragment(content packContent) (f frame, ok bool) {
	if content&packFragment == 0 || !c.split.active() {
		return f, false
	}
	return f, c.split.fragment(c.packet.number, &f)
}

// addFragment writes it; a path that has become too small for it ends the
// value.
func (c *sealedConn) addFragment(f *frame) {
	switch {
	case !c.packet.latest(f):
		c.split.count = 0
	case c.split.sent():
		c.stats.ValuesSent++
	}
}

// addUnreliable writes unreliable messages, oldest first while they fit.
func (c *sealedConn) addUnreliable() {
	for c.loose.messages.len() > 0 {
		data := c.loose.first()
		if !c.packet.unreliable(data) {
			if len(data) > c.maxLoose() {
				c.loose.drop(c.in.pool) // the path has become too small for it
				continue
			}
			return
		}
		c.loose.drop(c.in.pool)
	}
}
