package netmsg

import "time"

// plainConn is one side of an NMS1 connection: the machine behind a
// ConnectionCore.
type plainConn struct {
	cfg     *Config
	in      *inbox
	session uint64
	stats   Stats

	heard time.Duration // a packet of the peer's came last
	spoke time.Duration // a Payload went last

	// What goes.
	out    plainOutbox
	latest latestValues
	sent   plainSent
	rtt    rttEstimator
	loss   lossAverage
	rate   tickRate
	bucket bucket

	// What comes.
	came  seqWindow
	early plainEarly
	owes  bool          // packets are to be acknowledged,
	oweAt time.Duration // by then

	unreported int // packets that came since a Payload went

	// The end.
	ended      bool
	farewell   bool          // what is queued still goes, ahead of the Disconnects,
	farewellAt time.Duration // from then on
	rush       bool          // the Disconnects do not wait for ticks
	closes     int           // Disconnects still to be sent
	closeAt    time.Duration // the next one is due then
}

// plainMaxReliable is the largest message that fits a packet alone.
func plainMaxReliable(settled *Config) int {
	return min(settled.MaxPacket-plainHeaderLen-plainMessageHeaderLen, plainMaxItem)
}

// plainMaxLatest is the largest value that fits a packet alone.
func plainMaxLatest(settled *Config) int {
	return min(settled.MaxPacket-plainHeaderLen-plainValueHeaderLen, plainMaxItem)
}

func newPlainConn(cfg *Config, session uint64, in *inbox, now time.Duration) *plainConn {
	return &plainConn{
		cfg:     cfg,
		in:      in,
		session: session,
		heard:   now,
		spoke:   now,
		rate:    newTickRate(cfg.BadRTT, now),
	}
}

func (c *plainConn) sendReliable(now time.Duration, ch Channel, data []byte) error {
	switch limit := plainMaxReliable(c.cfg); {
	case ch != Ordered1:
		return ErrNotInPlain
	case c.ended:
		return ErrClosed
	case len(data) > limit:
		return refuse(c.in, RefusedError{Reliable: true, Why: TooLarge, Size: len(data), Limit: limit})
	case c.out.full():
		c.end(now, Overflow, true)
		return errOverflow
	}
	c.out.add(c.in.pool.copyOf(data))
	return nil
}

func (c *plainConn) sendUnreliable(time.Duration, []byte) error { return ErrNotInPlain }

func (c *plainConn) sendLatest(_ time.Duration, stream uint16, data []byte) error {
	switch limit := plainMaxLatest(c.cfg); {
	case c.ended:
		return ErrClosed
	case len(data) > limit:
		return refuse(c.in, RefusedError{Stream: stream, Why: TooLarge, Size: len(data), Limit: limit})
	case !c.latest.set(stream, data, c.cfg.MaxStreams):
		return refuse(c.in, RefusedError{Stream: stream, Why: TooManyStreams, Size: len(data), Limit: c.cfg.MaxStreams})
	}
	return nil
}

func (c *plainConn) setStreamWeight(stream uint16, weight int) error {
	if c.ended {
		return ErrClosed
	}
	v := c.latest.stream(stream, c.cfg.MaxStreams)
	if v == nil {
		return &RefusedError{Stream: stream, Why: TooManyStreams, Limit: c.cfg.MaxStreams}
	}
	v.weight = int32(weight)
	return nil
}

// flush: a tick is due now, so an acknowledgement waits no longer. All else is
// always due at once, as far as the bucket lets it.
func (c *plainConn) flush(now time.Duration) { c.oweAt = min(c.oweAt, now) }

// expire ends a connection that has heard nothing for too long.
func (c *plainConn) expire(now time.Duration) {
	if now >= c.expiry() {
		c.end(now, TimedOut, false)
	}
}

// expiry is when expire ends the connection.
func (c *plainConn) expiry() time.Duration {
	if c.ended || c.cfg.Timeout < 0 {
		return never
	}
	return c.heard + c.cfg.Timeout
}

// close ends the connection on this side: what is queued goes once more, then
// the Disconnects.
func (c *plainConn) close(now time.Duration, _ uint16, _ string) {
	if !c.ended {
		c.end(now, Local, true)
		c.farewell, c.farewellAt = true, now
	}
}

func (c *plainConn) end(now time.Duration, reason CloseReason, tell bool) {
	if c.ended {
		return
	}
	c.ended = true
	c.in.leave(Event{Reason: reason})
	if tell {
		c.closes, c.closeAt = plainDisconnects, now
	}
}

func (c *plainConn) hurry(now time.Duration) {
	c.close(now, 0, "")
	c.rush, c.closeAt = true, now
}

// quiet says that nothing remains to be sent, now or later.
func (c *plainConn) quiet() bool { return c.ended && c.closes == 0 }

func (c *plainConn) deadline() time.Duration {
	return min(c.payloadAt(), c.disconnectAt(), c.expiry())
}

// packetRate is how many packets a second go at present.
func (c *plainConn) packetRate() int {
	if c.rate.bad {
		return c.cfg.BadRate
	}
	return c.cfg.GoodRate
}

// resendDelay is how long a message waits for its acknowledgement before it is
// due again.
func (c *plainConn) resendDelay() time.Duration {
	delay := plainFirstResend
	if c.rtt.measured {
		delay = c.rtt.smoothed + 4*c.rtt.deviation
	}
	return max(delay, c.cfg.ResendMin)
}

func (c *plainConn) statistics() Stats {
	s := c.stats
	s.RTT, s.RTTVar = c.rtt.smoothed, c.rtt.deviation
	s.Loss = c.loss.share
	s.Good = !c.rate.bad
	s.Unacked = c.out.len()
	return s
}
