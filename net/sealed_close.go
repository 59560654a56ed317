package netmsg

import (
	"math"
	"time"
)

// The codes of CLOSE. Those from 64 to 16,383 are the application's own.
const (
	closeApplication uint16 = 0 // closed by the application
	closeShutdown    uint16 = 1 // the endpoint shuts down
	closeProtocol    uint16 = 2 // protocol violation
	closeLimit       uint16 = 3 // flow control or size limit
	closeFalseAck    uint16 = 4
	closeOverflow    uint16 = 5 // the peer did not keep up
	closeReplaced    uint16 = 6 // by a newer connection of the same token or identity
	closeNumbers     uint16 = 9 // a cryptographic limit
)

// How a side that closes says so.
const (
	closeCopies     = 5 // packets with CLOSE
	closeAtOnce     = 2 // of them
	closeGap        = 20 * time.Millisecond
	closeLinger     = time.Second // in which packets of the peer are answered with CLOSE
	farewellPackets = 32          // with what is queued, ahead of CLOSE
)

// An ending is the last part of a connection's life: what is queued goes once
// more, then CLOSE, and for a while packets of the peer are answered with it.
type ending struct {
	ended    bool
	rush     bool // the copies do not wait for each other
	copies   int8 // still to be sent
	code     uint16
	farewell uint16        // packets left for what is queued
	answers  uint32        // packets of the peer that came since
	next     time.Duration // when the next copy goes
	linger   time.Duration // until when packets are answered; 0: they are not
	text     string
}

// close ends the connection on this side.
func (c *sealedConn) close(now time.Duration, code uint16, text string) {
	if c.ending.ended {
		return
	}
	c.finish(now, Event{Reason: Local}, code, text)
	c.ending.farewell = farewellPackets
}

// end ends the connection at once.
func (c *sealedConn) end(now time.Duration, reason CloseReason, tell bool) {
	code, text := closeApplication, ""
	switch reason {
	case Overflow:
		code = closeOverflow
	case Stalled:
		code, text = closeOverflow, "stalled"
	case Replaced:
		code = closeReplaced
	}
	c.finish(now, Event{Reason: reason}, code, text)
	if !tell {
		c.ending.copies, c.ending.linger = 0, 0
	}
}

// violate ends a connection whose peer has broken the rules.
func (c *sealedConn) violate(now time.Duration, code uint16) {
	c.finish(now, Event{Reason: Protocol}, code, "")
}

// closedByPeer ends the connection because the peer says so: nothing is sent.
func (c *sealedConn) closedByPeer(now time.Duration, f *frame) {
	reason := Remote
	code := uint16(min(f.code, 1<<16-1))
	if code == closeReplaced {
		reason = Replaced
	}
	c.finish(now, Event{Reason: reason, Code: code, Text: string(f.data)}, 0, "")
	c.ending = ending{ended: true}
}

// finish ends the connection, if it has not ended, for what left says.
func (c *sealedConn) finish(now time.Duration, left Event, code uint16, text string) {
	if c.ending.ended {
		return
	}
	if c.heldBack { // all of it comes before the end is told
		c.in.limit = math.MaxInt
		c.handHeld()
	}
	c.in.leave(left)
	c.ending = ending{
		ended: true, code: code, text: clip(text),
		copies: closeCopies, next: now,
		linger: now + max(closeLinger, 3*c.recovery.pto()),
	}
	if c.bulk != nil {
		c.bulk.rest(now)
	}
	c.settleBudget(0)
}

// hurry: the endpoint shuts down.
func (c *sealedConn) hurry(now time.Duration) {
	c.close(now, closeShutdown, "")
	c.ending.rush = true
	c.ending.linger = 0
}

// quiet says that nothing remains to be sent, now or later.
func (c *sealedConn) quiet() bool {
	return c.ending.ended && c.ending.copies == 0 && c.ending.linger == 0
}

// endingAt is when an ended connection has something to do.
func (c *sealedConn) endingAt() time.Duration {
	e := &c.ending
	switch {
	case e.copies > 0:
		return e.next
	case e.linger > 0:
		return e.linger
	}
	return never
}

// lastWords writes what an ended connection still says.
func (c *sealedConn) lastWords(now time.Duration, buf []byte) int {
	e := &c.ending
	if e.copies == 0 {
		if now >= e.linger {
			e.linger = 0
		}
		return 0
	}
	if e.farewell > 0 && c.hasNews() {
		e.farewell--
		if n := c.pack(now, buf, packReliable|packValues|packUnreliable); n > 0 {
			return n
		}
		e.farewell = 0
	}
	if now < e.next {
		return 0
	}
	e.copies--
	if e.copies <= closeCopies-closeAtOnce && !e.rush {
		e.next = now + max(closeGap, c.recovery.pto()/2)
	}
	return c.pack(now, buf, packClose)
}

// answerClosed lets a packet of the peer, which has verified after the end, be
// answered with CLOSE: the first, second, fourth, eighth and so on.
func (c *sealedConn) answerClosed(now time.Duration) {
	e := &c.ending
	if e.linger == 0 || now >= e.linger {
		return
	}
	e.answers++
	if e.answers&(e.answers-1) == 0 && e.copies == 0 {
		e.copies, e.next = 1, now
	}
}
