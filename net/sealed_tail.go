package netmsg

import "time"

// A bulkTail repeats the last of bulk. When nothing more waits, what is on its
// way has the path to itself, and some of it is lost; to find that out takes a
// round trip, and as long again for what of the rest is lost. So whatever is not
// acknowledged goes once more in every round trip, in time that nobody else
// needs: half a round trip after the last where much is lost, else when all that
// was not lost must have been acknowledged.
type bulkTail struct {
	at    [4]probePlace // how far the present pass has come
	began time.Duration // when it did
	count int           // packets of it
	next  time.Duration // when a pass may begin, where none was yet
	ours  bool          // bulk was the last that was new: what is not acknowledged is its
}

// tailSlack is how much longer than it should take an acknowledgement is waited
// for before what it is for goes again.
const tailSlack = 5 * time.Millisecond

// tailPasses is how many passes a round trip may see of a tail so short that it
// takes nothing from anybody: it is what holds up all that has come behind it.
const tailPasses = 4

// after is when the next pass may begin: a round trip after the last, or sooner
// if that was only of a packet or two.
func (t *bulkTail) after(srtt time.Duration) time.Duration {
	if t.count == 0 {
		return t.next
	}
	return t.began + srtt*time.Duration(min(t.count, tailPasses))/tailPasses
}

// tailing says whether the tail may be repeated: what is lost is not by this
// side's doing, something is heard of the peer, and nothing else waits.
func (c *sealedConn) tailing() bool {
	return c.bulk != nil && c.bytes > maxRepeated &&
		(c.tail.ours || c.loss.share > repeatLossy) &&
		!c.bulk.overloads() && !c.recovery.silent() && c.recovery.ahead() <= maxBulkAhead && !c.reliableReady()
}

// tailAt is when the next packet of the tail goes.
func (c *sealedConn) tailAt(now time.Duration) time.Duration {
	if !c.tailing() {
		return never
	}
	at := max(now, c.bulk.nextSend(now, c.recovery.log.inFlight))
	if !c.inPass() {
		at = max(at, c.tail.after(c.recovery.srtt()))
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
		*c.tail = bulkTail{began: now, ours: c.tail.ours}
	}
	c.tail.count++
	n := c.pack(now, buf, packTail|packPaced)
	if n == 0 { // what comes next does not fit this buffer
		c.endPass()
	}
	return n
}

// holdTail lets the tail wait while there is bulk, and for a while after it; news
// says that a packet of it held what none had held before.
func (c *sealedConn) holdTail(now time.Duration, news bool) {
	c.endPass()
	c.tail.count = 0
	c.tail.ours = c.tail.ours || news
	switch srtt := c.recovery.srtt(); {
	case c.loss.share > repeatLossy:
		c.tail.next = now + srtt/2
	case news:
		c.tail.next = now + srtt + max(srtt/4, ackPressing+tailSlack)
	}
}

// endPass leaves the rest to the next one.
func (c *sealedConn) endPass() {
	for ch, out := range c.out {
		if out != nil {
			c.tail.at[ch] = probePlace{number: out.next}
		}
	}
}
