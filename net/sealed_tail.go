package netmsg

import "time"

// A bulkTail repeats the last of bulk on a path that loses much. When nothing
// more waits, what is on its way has the path to itself, and some of it is lost;
// to find that out takes a round trip, and as long again for what of the rest is
// lost. So whatever is not acknowledged goes once more in every round trip, in
// time that nobody else needs.
type bulkTail struct {
	at   [4]probePlace // how far the present pass has come
	next time.Duration // when the next pass may begin
}

// tailing says whether the tail may be repeated: much is lost and not by this
// side's doing, something is heard of the peer, and nothing else waits.
func (c *sealedConn) tailing() bool {
	return c.bulk != nil && c.bytes > maxRepeated &&
		c.loss.share > repeatLossy && !c.bulk.overloads() &&
		!c.recovery.silent() && c.recovery.ahead() <= maxBulkAhead && !c.reliableReady()
}

// tailAt is when the next packet of the tail goes.
func (c *sealedConn) tailAt(now time.Duration) time.Duration {
	if !c.tailing() {
		return never
	}
	at := max(now, c.bulk.nextSend(now, c.recovery.log.inFlight))
	if !c.inPass() {
		at = max(at, c.tail.next)
	}
	return at
}

// inPass says whether the present pass has something left to repeat.
func (c *sealedConn) inPass() bool {
	for ch, out := range c.out {
		if out == nil {
			continue
		}
		if _, _, ok := out.unacked(c.tail.at[ch].number, c.tail.at[ch].from); ok {
			return true
		}
	}
	return false
}

// repeatTail writes a packet of the tail, at bulk's pace and within its window.
func (c *sealedConn) repeatTail(now time.Duration, buf []byte) int {
	if c.tailAt(now) > now || !c.bulk.maySend(now, c.recovery.log.inFlight) {
		return 0
	}
	if !c.inPass() {
		*c.tail = bulkTail{next: now + c.recovery.srtt()}
	}
	n := c.pack(now, buf, packTail|packPaced)
	if n == 0 { // what comes next does not fit this buffer
		c.endPass()
	}
	return n
}

// holdTail lets the tail wait while there is bulk, and for half a round trip
// after it: most of what is on its way is acknowledged in time to come.
func (c *sealedConn) holdTail(now time.Duration) {
	c.endPass()
	c.tail.next = now + c.recovery.srtt()/2
}

// endPass leaves the rest to the next one.
func (c *sealedConn) endPass() {
	for ch, out := range c.out {
		if out != nil {
			c.tail.at[ch] = probePlace{number: out.next}
		}
	}
}
