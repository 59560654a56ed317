package netmsg

import (
	"iter"
	"math"
	"time"
)

// Session is what a handshake agreed.
type Session struct {
	ID uint64 // NMS1: salt xor cookie

	secure *secureSession // NMS2: what the handshake agreed
}

// A ConnectionCore is one connection's half, without a socket, clock,
// goroutine or lock. Whoever drives it gives it each datagram (Receive), takes
// what is due out of it until there is none (Transmit), comes back at the time
// it names (Deadline), and pulls what it has to tell (Events). Any order of
// calls is right; only one may run at a time.
//
// Times are since an epoch of the caller's. A time before the last one given
// is taken as the last one.
//
// The core is also the bounded mailbox of its connection: what is not pulled
// stays in it. Of each stream only the newest value waits, reliable messages
// make the peer wait when 1,024 are not pulled (NMS1), and of refusals at most
// 64 wait. In steady state nothing is allocated.
type ConnectionCore struct {
	machine machine
	now     time.Duration
	in      inbox
}

// A machine is a protocol behind a ConnectionCore. It fills the core's inbox;
// times never go back.
type machine interface {
	receive(now time.Duration, datagram []byte) bool
	transmit(now time.Duration, buf []byte) int
	deadline() time.Duration // may be in the past: at once
	expire(now time.Duration)

	sendReliable(now time.Duration, ch Channel, data []byte) error
	sendUnreliable(now time.Duration, data []byte) error
	sendLatest(now time.Duration, stream uint16, data []byte) error
	setStreamWeight(stream uint16, weight int) error // weight is at least 1

	flush(now time.Duration)
	close(now time.Duration, code uint16, text string)
	end(now time.Duration, reason CloseReason, tell bool)
	hurry(now time.Duration)
	quiet() bool // it has ended and nothing remains to be sent
	statistics() Stats
}

// NewConnectionCore gives one half of the connection that the handshake s
// opened at now. Its first event is Joined. A nil cfg is all defaults.
func NewConnectionCore(cfg *Config, s Session, now time.Duration) *ConnectionCore {
	c := &ConnectionCore{now: now}
	c.in.pool = new(buffers)
	c.in.limit = plainWindow
	c.in.joined = true
	cfg = cfg.settle()
	if s.secure != nil {
		c.in.limit = math.MaxInt // the window bounds it
		c.machine = newSealedConn(cfg, s.secure, &c.in, now)
	} else {
		c.machine = newPlainConn(cfg, s.ID, &c.in, now)
	}
	return c
}

// tick moves the core's time on, never back, and gives it.
func (c *ConnectionCore) tick(now time.Duration) time.Duration {
	c.now = max(c.now, now)
	return c.now
}

// Receive acts on one datagram, which it does not keep. False: it is
// malformed, or not of this connection; it changed nothing but a count of
// Stats. Data of events pulled before is no longer valid.
func (c *ConnectionCore) Receive(now time.Duration, datagram []byte) bool {
	c.in.settle()
	return c.machine.receive(c.tick(now), datagram)
}

// Transmit writes the next datagram that is due at now into buf and gives its
// length, 0 if none is. buf must have room for Config.MaxPacket bytes; in a
// smaller one nothing is written. Call it until it gives 0: then the Deadline
// is after now. It is Transmit, and not Receive, that ends a connection of
// which nothing was heard for Config.Timeout: whoever comes late first
// receives what has arrived meanwhile.
func (c *ConnectionCore) Transmit(now time.Duration, buf []byte) int {
	return c.machine.transmit(c.tick(now), buf)
}

// Deadline is the earliest time at which Transmit would do something;
// math.MaxInt64 means that only a datagram or a send changes that. A send or
// Flush may bring it forward, but never before the last time given.
func (c *ConnectionCore) Deadline() time.Duration {
	return max(c.now, c.machine.deadline())
}

// Events pulls what there is to tell: Joined first, then messages, values and
// refusals in the order they happened, then Left, last and once. A break
// leaves the rest for the next time. Data is borrowed until the next call of
// Receive or Events. In the loop everything else may be called.
func (c *ConnectionCore) Events() iter.Seq[Event] {
	// A literal, so that it is inlined and ranging allocates nothing.
	return func(yield func(Event) bool) { c.drain(yield) }
}

func (c *ConnectionCore) drain(yield func(Event) bool) {
	var e Event
	for c.in.next(&e) {
		if !yield(e) {
			return
		}
	}
}

// SendReliable queues a message that arrives once and in order, of at most
// Config.MaxReliable bytes; it copies data. A refusal is a *RefusedError, and
// a Refused event. After the end it is ErrClosed. In NMS1 the 1,025th message
// that is not acknowledged ends the connection as Overflow.
func (c *ConnectionCore) SendReliable(data []byte) error { return c.SendOn(Ordered1, data) }

// SendOn is SendReliable on another channel than Ordered1. NMS1 has no other
// and returns ErrNotInPlain.
func (c *ConnectionCore) SendOn(ch Channel, data []byte) error {
	return c.machine.sendReliable(c.now, ch, data)
}

// SendUnreliable queues a message that may be lost (NMS2). NMS1 has none and
// returns ErrNotInPlain.
func (c *ConnectionCore) SendUnreliable(data []byte) error {
	return c.machine.sendUnreliable(c.now, data)
}

// SendLatest sets the value of a stream, at most Config.MaxLatest bytes, in
// the place of one that has not gone yet; it copies data. Up to
// Config.MaxStreams different streams may be used. A refusal is a
// *RefusedError, and a Refused event. After the end it is ErrClosed.
func (c *ConnectionCore) SendLatest(stream uint16, data []byte) error {
	return c.machine.sendLatest(c.now, stream, data)
}

// SetStreamWeight sets by how much a waiting value of the stream gains with
// each packet it waits through: 1 if never set, at most 1,000,000. A weight
// under 1 is ErrWeight. The stream counts as used from now on.
func (c *ConnectionCore) SetStreamWeight(stream uint16, weight int) error {
	if weight < 1 {
		return ErrWeight
	}
	return c.machine.setStreamWeight(stream, min(weight, maxWeight))
}

// Flush makes a tick due now, within the rate.
func (c *ConnectionCore) Flush() { c.machine.flush(c.now) }

// Stats counts what the connection has done so far.
func (c *ConnectionCore) Stats() Stats { return c.machine.statistics() }

// Close ends the connection as Local. What was queued and never sent still
// goes, once, then the peer is told; Transmit and Deadline do that as always.
// Sends return ErrClosed from now on.
func (c *ConnectionCore) Close() { c.CloseWith(0, "") }

// CloseWith is Close with a code and a text for the peer (NMS2; NMS1 has no
// room for them).
func (c *ConnectionCore) CloseWith(code uint16, text string) {
	c.machine.close(c.now, code, text)
}

// end ends the connection at once with reason, as TimedOut does: Left is the
// last event, and what is queued is dropped. tell: the peer is sent the close
// datagrams.
func (c *ConnectionCore) end(now time.Duration, reason CloseReason, tell bool) {
	c.machine.end(c.tick(now), reason, tell)
}

// expire judges time-outs without sending anything, for a frame that has
// drained the socket and will send when it ends.
func (c *ConnectionCore) expire(now time.Duration) { c.machine.expire(c.tick(now)) }

// hurry: an endpoint shuts down. The connection ends as Local if it has not
// ended yet, and what is queued and all the close datagrams are due now.
func (c *ConnectionCore) hurry(now time.Duration) { c.machine.hurry(c.tick(now)) }

// pending says whether Events would yield something.
func (c *ConnectionCore) pending() bool { return c.in.pending() }

// done says that the connection has ended, Left was taken, and nothing remains
// to be sent.
func (c *ConnectionCore) done() bool { return c.in.told() && c.machine.quiet() }

// setInboxLimit sets how many messages may wait to be pulled, at least one.
// Values have a place of their own per stream, and Joined and Left always have
// room. What comes beyond stays with the peer in NMS1; in NMS2 it waits in its
// channel, whose credit does not move meanwhile.
func (c *ConnectionCore) setInboxLimit(n int) { c.in.limit = max(n, 1) }

// refuse returns a refusal, and lets the inbox tell it too.
func refuse(in *inbox, what RefusedError) error {
	in.refuse(what)
	return &what
}
