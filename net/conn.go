package netmsg

import (
	"errors"
	"net/netip"
	"sync"
	"time"
)

// ErrConnecting is what a send returns on a dialled connection that is not
// open yet. Send when the handler has heard Joined.
var ErrConnecting = errors.New("netmsg: the connection is not open yet")

// Conn is one connection: an endpoint's, or an end of a Pair. Its methods may
// be called from any goroutine and from a handler, and none of them waits:
// sends only queue. What a method is given it copies.
type Conn struct {
	id    ConnID
	addr  netip.AddrPort // where the peer is; none: not there yet, or in process
	out   outlet
	owner owner

	mu     *sync.Mutex // the owner's; guards what follows, and addr
	line   line
	queued bool // in out's queue, and nowhere else
	told   bool // Left has been taken

	watcher chan<- struct{} // stirred when there is news; nil: nobody watches
}

// A line is what a Conn sends through: a core, a dial in progress, or the end
// of an in-process pair. It is used under the Conn's lock.
type line interface {
	SendReliable(data []byte) error
	SendOn(ch Channel, data []byte) error
	SendUnreliable(data []byte) error
	SendLatest(stream uint16, data []byte) error
	SetStreamWeight(stream uint16, weight int) error
	Flush()
	Stats() Stats
	CloseWith(code uint16, text string)

	ended() bool                 // it has, though Left may not have been taken
	pending() bool               // next would give something
	next(e *Event) bool          // the oldest event; its Data is borrowed until the next use of the line
	hasValue(stream uint16) bool // an Update of stream is pending
}

// An owner runs a Conn's line. It is told, under the lock, when the Conn has
// used it.
type owner interface {
	touched() // the line was sent through or closed, or an event was taken

	flush()             // the Conn wants to be sent for now
	now() time.Duration // the time of the line
}

// ID is the connection's number, the one that its events carry.
func (c *Conn) ID() ConnID { return c.id }

// Addr is the peer's address. It is not valid while a dial of several
// addresses has no answer yet, and never for a pair without sockets.
func (c *Conn) Addr() netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.addr
}

// Stats tells what the connection has done so far. It may be asked after the
// end too. All of it is zero on a dial in progress and in process.
func (c *Conn) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line.Stats()
}

// SendReliable queues a message for the peer, which hears it once, after all
// those sent before it, on channel Ordered1. At most Config.MaxReliable bytes;
// none at all is a message too. It returns a *RefusedError if the message is
// too large or too many wait, and the handler hears Refused; ErrClosed once
// the connection has ended; ErrConnecting before it is open. On a plain
// connection the 1,025th message that is not acknowledged ends it as Overflow,
// and returns an error that wraps ErrClosed; Config.OverflowEnds makes it so on
// the others.
func (c *Conn) SendReliable(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.line.SendReliable(data)
	c.owner.touched()
	return err
}

// SendOn queues a message on one of the channels, which do not wait for each
// other: Unordered, Ordered1, Ordered2 or Ordered3. Unreliable is
// SendUnreliable; beyond that it is ErrNoChannel. Plain connections have
// Ordered1 alone and return ErrNotInPlain for the others. Otherwise it is as
// SendReliable.
func (c *Conn) SendOn(ch Channel, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.line.SendOn(ch, data)
	c.owner.touched()
	return err
}

// SendUnreliable queues a message that goes once: the peer hears it at most
// once, in no order, on channel Unreliable. It must fit one datagram: 1,167
// bytes always do, and more where the path takes more. A larger one is a
// *RefusedError, and the handler hears Refused. Plain connections return
// ErrNotInPlain; ErrClosed and ErrConnecting are as SendReliable's.
func (c *Conn) SendUnreliable(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.line.SendUnreliable(data)
	c.owner.touched()
	return err
}

// SendLatest sets the value of a stream, at most Config.MaxLatest bytes. It
// goes once and replaces one that has not gone yet; the peer never hears an
// older value after a newer one. A connection carries Config.MaxStreams
// streams of any numbers. Errors are as SendReliable's.
func (c *Conn) SendLatest(stream uint16, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.line.SendLatest(stream, data)
	c.owner.touched()
	return err
}

// SetStreamWeight says how fast a waiting value of stream gains priority over
// those of other streams when they do not all fit: 1 unless it is set, at most
// 1,000,000. Under 1 is ErrWeight. The stream counts as used from then on, and
// one too many is a *RefusedError, which the handler does not hear; ErrClosed
// and ErrConnecting are as SendReliable's.
func (c *Conn) SetStreamWeight(stream uint16, weight int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.line.SetStreamWeight(stream, weight)
	c.owner.touched()
	return err
}

// Flush sends what is queued now rather than at the next tick, as far as the
// rate allows it. On an endpoint that frames drive it sends at once, for this
// connection alone, and without waiting.
func (c *Conn) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.Flush()
	c.owner.touched()
	c.owner.flush()
}

// Close ends the connection. The peer is told, and this side's handler hears
// Left with Local. Messages still queued may be lost. It returns at once; more
// calls do nothing.
func (c *Conn) Close() { c.CloseWith(0, "") }

// CloseWith closes as Close does and gives the peer a code, from 64 to 16,383,
// and a text, cut to at most 200 bytes, which it hears in Left. Plain
// connections carry neither.
func (c *Conn) CloseWith(code uint16, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.line.CloseWith(code, text)
	c.owner.touched()
}

// offer puts the connection in its outlet's queue if it has something to tell
// and is not there yet. The lock is held.
func (c *Conn) offer() {
	if !c.line.pending() {
		return
	}
	if !c.queued {
		c.queued = true
		c.out.ready(c)
	}
	if c.watcher != nil {
		stir(c.watcher)
	}
}

// take takes the oldest event, and says whether there is more. The event's
// Data is copied to the end of *buf, because the line goes on as soon as the
// lock is free. The Conn has just left its outlet's queue; if there is more it
// stays queued, and the caller puts it back.
func (c *Conn) take(e *Event, buf *[]byte) (ok, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queued = true // keeps touched from queueing it a second time
	if ok = c.line.next(e); ok {
		e.ID, e.Conn = c.id, c
		if e.Data != nil {
			at := len(*buf)
			*buf = append(*buf, e.Data...)
			e.Data = (*buf)[at:len(*buf):len(*buf)]
		}
		c.told = c.told || e.Kind == Left
	}
	more = c.line.pending()
	c.queued = more
	c.owner.touched()
	return ok, more
}
