package netmsg

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"time"
	"unicode/utf8"
)

// Limits of a sealed connection. PROTOCOL.md, Rate and Closing.
const (
	tickPackets = 4 // packets a tick, at most
	tickBurst   = 2 // ticks that may come at once

	idleKeepAlive = time.Second     // between keep-alives while the application is quiet
	activeFor     = 5 * time.Second // since its last message or value

	skipLeast = 128  // packets between two skipped numbers
	skipMost  = 2047 // uniform between the two

	lastNumbers     = 64  // before the end of numbers the connection ends
	minSealedPacket = 256 // smallest that packets may be limited to, bytes
)

// sealedConn is one side of an NMS2 connection: the machine behind a
// ConnectionCore. What comes in is in sealed_receive.go, what goes out and when
// in sealed_transmit.go, what a packet holds in sealed_pack.go, what becomes of
// it in sealed_fates.go.
//
// Fields of a byte stand together: a server has thousands of these.
type sealedConn struct {
	cfg     *Config
	in      *inbox
	session *secureSession
	stats   Stats
	now     time.Duration // of the newest call

	sealer sealer
	opener opener
	work   *sealedWork // one for all connections of an endpoint
	packet *packetWriter

	acks      ackState
	recovery  recovery
	loss      lossAverage
	skipAfter int32 // packets until a number is skipped
	tickLeft  int8  // packets of the tick that is going on
	probes    int8  // packets to send for a probe timeout
	bulking   bool
	confirmed bool // a packet of the peer's has verified
	greet     bool // a client's first packet is due

	heldBack bool  // something waits in a channel because the inbox was full
	handFrom uint8 // the channel of which that was handed over last

	out    [4]*sendChannel // made when they are used
	inc    [4]*receiveChannel
	store  messageStore
	queued int     // reliable messages not acknowledged
	bytes  int     // of those
	unsent int     // of those, never in a packet
	turn   float64 // what the channel that went last has spent

	latest latestValues
	split  latestSplit
	join   latestJoin
	loose  unreliableQueue

	rate   tickRate
	bucket bucket
	bulk   *bulkControl // made when there is bulk
	tail   *bulkTail    // the same
	share  *pacer       // the endpoint's; nil: none
	budget *heldBudget  // the endpoint's; nil: none
	held   int          // what of the budget is this connection's

	mtu    mtuSearch
	path   pathState
	pinger *clockPinger // a client's
	ponger clockPonger
	clock  *sharedClock // a client's

	heard   time.Duration  // a packet of the peer's verified last
	spoke   time.Duration  // a packet went last
	used    time.Duration  // the application sent or received last
	probeAt *[4]probePlace // where the next probe goes on; nil: there was none yet

	doubt  doubt
	ending ending
}

// A sealedWork is what a connection needs while it is at work and not between:
// the connections of an endpoint, of which one is at work at a time, share one.
type sealedWork struct {
	opened []byte       // the frames of the packet that is read
	packet packetWriter // the packet that is written
	random [8]byte      // here, so that reading it allocates nothing
}

// workWith lets the connection use w.
func (c *sealedConn) workWith(w *sealedWork) { c.work, c.packet = w, &w.packet }

// A probePlace is how far probes have repeated what a channel sent.
type probePlace struct {
	number uint64
	from   uint32
}

// newSealedConn makes one side of the connection that handshake s agreed.
func newSealedConn(cfg *Config, s *secureSession, in *inbox, now time.Duration) *sealedConn {
	agreed := *s
	agreed.keys = nil
	c := &sealedConn{
		cfg:      cfg,
		in:       in,
		session:  &agreed,
		now:      now,
		sealer:   newSealer(s.keys.send),
		opener:   newOpener(s.keys.receive),
		acks:     newAckState(s.own.maxAckDelay),
		recovery: newRecovery(s.rtt, s.peer.maxAckDelay),
		store:    messageStore{pool: in.pool},
		rate:     newTickRate(cfg.BadRTT, now),
		path:     newPathState(s.addr, s.peer.moves),
		heard:    now,
		spoke:    now,
		used:     now,

		confirmed: s.confirmed,
	}
	c.workWith(new(sealedWork))
	largest := packetLimit(cfg)
	c.mtu = newMTUSearch(now, min(mtuFloor, largest), min(largest, s.peer.maxDatagram), true)
	c.drawSkip()
	if !s.server {
		c.greet = !s.confirmed
		pinger := newClockPinger(now)
		c.pinger, c.clock = &pinger, new(sharedClock)
		if s.peer.hasClock {
			c.clock.guess(now, s.peer.clock, s.rtt)
		}
	}
	return c
}

// packetLimit is the largest packet that a sealed connection may send, if the
// path and the peer take it.
func packetLimit(cfg *Config) int {
	if cfg.freePacket {
		return usualMaxDatagram
	}
	return max(cfg.MaxPacket, minSealedPacket)
}

// drawSkip decides when the next number is skipped.
func (c *sealedConn) drawSkip() {
	c.skipAfter = skipLeast + int32(c.draw()%(skipMost-skipLeast+1))
}

// draw gives 64 random bits. A source that fails gives what it has: the numbers
// drawn here guard against lies, and no key depends on them.
func (c *sealedConn) draw() uint64 {
	_, _ = c.cfg.Random.Read(c.work.random[:])
	return binary.LittleEndian.Uint64(c.work.random[:])
}

// size is the largest packet that goes now, into a buffer of room bytes.
func (c *sealedConn) size(room int) int { return min(c.mtu.size, room) }

// maxLoose is the largest unreliable message that fits a packet.
func (c *sealedConn) maxLoose() int { return c.mtu.size - sealedExtra - smallAckFrame - 1 }

// maxValue is the largest latest value that the peer takes and that fragments
// can carry, whatever the path.
func (c *sealedConn) maxValue() int {
	return min(c.session.peer.maxLatest, largestValue(c.mtu.base))
}

// largestValue is how large a latest value packets of size bytes can carry.
func largestValue(size int) int { return maxLatestFragments * valueRoom(size) }

// valueRoom is how much of a latest value a fragment in a packet of size bytes
// has.
func valueRoom(size int) int { return size - sealedExtra - smallAckFrame - valueFragmentHead }

func (c *sealedConn) sendReliable(now time.Duration, ch Channel, data []byte) error {
	c.now = now
	switch limit := c.session.peer.maxMessage; {
	case ch == Unreliable:
		return c.sendUnreliable(now, data)
	case ch > Ordered3:
		return ErrNoChannel
	case c.ending.ended:
		return ErrClosed
	case len(data) > limit:
		return refuse(c.in, RefusedError{Reliable: true, Why: TooLarge, Size: len(data), Limit: limit})
	}
	if why := c.queueFull(len(data)); why != nil {
		if c.cfg.OverflowEnds {
			c.end(now, Overflow, true)
			return errors.Join(ErrClosed, why)
		}
		return refuse(c.in, *why)
	}
	out := c.sending(ch)
	if _, ready := out.ready(); !ready {
		out.spent = max(out.spent, c.turn) // what it did not use is gone
	}
	out.queue(c.in.pool.copyOf(data))
	c.queued++
	c.bytes += len(data)
	c.unsent += len(data)
	c.used = now
	return nil
}

// queueFull says why a message of n bytes cannot wait; nil: it can. One message
// can, however small Config.MaxQueued is.
func (c *sealedConn) queueFull(n int) *RefusedError {
	switch limit := c.cfg.MaxQueued; {
	case c.cfg.MaxWaiting >= 0 && c.queued >= c.cfg.MaxWaiting:
		return &RefusedError{Reliable: true, Why: QueueFull, Size: c.queued + 1, Limit: c.cfg.MaxWaiting}
	case limit >= 0 && c.queued > 0 && c.bytes+n > limit:
		return &RefusedError{Reliable: true, Why: QueueFull, Size: c.bytes + n, Limit: limit}
	}
	return nil
}

// sending gives the sending side of a channel, made when first used.
func (c *sealedConn) sending(ch Channel) *sendChannel {
	if c.out[ch] == nil {
		c.out[ch] = newSendChannel(c.session.peer.window)
	}
	return c.out[ch]
}

// receiving gives the receiving side of a channel, made when first used.
func (c *sealedConn) receiving(ch Channel) *receiveChannel {
	if c.inc[ch] == nil {
		c.inc[ch] = newReceiveChannel(ch == Unordered, c.session.own.maxMessage, c.session.own.window)
	}
	return c.inc[ch]
}

func (c *sealedConn) sendUnreliable(now time.Duration, data []byte) error {
	c.now = now
	switch limit := c.maxLoose(); {
	case c.ending.ended:
		return ErrClosed
	case len(data) > limit:
		return refuse(c.in, RefusedError{Why: TooLarge, Size: len(data), Limit: limit, Unreliable: true})
	}
	c.loose.queue(now, c.in.pool.copyOf(data), c.in.pool)
	c.used = now
	return nil
}

func (c *sealedConn) sendLatest(now time.Duration, stream uint16, data []byte) error {
	c.now = now
	streams := c.session.peer.maxStreams
	switch limit := c.maxValue(); {
	case c.ending.ended:
		return ErrClosed
	case len(data) > limit:
		return refuse(c.in, RefusedError{Stream: stream, Why: TooLarge, Size: len(data), Limit: limit})
	case !c.latest.set(stream, data, streams):
		return refuse(c.in, RefusedError{Stream: stream, Why: TooManyStreams, Size: len(data), Limit: streams})
	}
	c.used = now
	return nil
}

func (c *sealedConn) setStreamWeight(stream uint16, weight int) error {
	if c.ending.ended {
		return ErrClosed
	}
	streams := c.session.peer.maxStreams
	v := c.latest.stream(stream, streams)
	if v == nil {
		return &RefusedError{Stream: stream, Why: TooManyStreams, Limit: streams}
	}
	v.weight = int32(weight)
	return nil
}

// setChannel sets a channel's priority and weight.
func (c *sealedConn) setChannel(ch Channel, priority, weight int) error {
	if ch > Ordered3 {
		return ErrNoChannel
	}
	out := c.sending(ch)
	out.priority, out.weight = priority, weight
	return nil
}

// flush: a tick is always due at once, as far as the bucket lets it, so nothing
// remains to be hurried.
func (c *sealedConn) flush(time.Duration) {}

// expire ends a connection of which nothing was heard for too long, or whose
// peer has not answered while it was in doubt.
func (c *sealedConn) expire(now time.Duration) {
	c.now = now
	if now >= c.expiry() {
		c.end(now, TimedOut, false)
	}
	c.judgeDoubt(now)
}

// expiry is when the silence has lasted too long.
func (c *sealedConn) expiry() time.Duration {
	if c.ending.ended || c.cfg.Timeout < 0 {
		return never
	}
	return c.heard + min(c.session.own.idleTimeout, c.session.peer.idleTimeout)
}

// clockNow gives the clock that both sides share: a server's own.
func (c *sealedConn) clockNow(now time.Duration) (t, uncertainty time.Duration, state ClockState) {
	if c.clock == nil {
		return now, 0, ClockGood
	}
	return c.clock.at(now)
}

func (c *sealedConn) statistics() Stats {
	s := c.stats
	s.RTT, s.RTTVar = c.recovery.rtt.smoothed, c.recovery.rtt.deviation
	s.Loss = c.loss.share
	s.Good = !c.rate.bad
	s.Unacked = c.queued
	return s
}

// clip cuts a text for a CLOSE to what one holds, between two characters.
func clip(text string) string {
	if len(text) <= maxCloseText {
		return text
	}
	n := maxCloseText
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// verifies says whether a datagram is a packet of this session's peer, for a
// gate that waits for the first one. It changes nothing.
func (s *secureSession) verifies(datagram []byte) bool {
	cid, low, ok := parseSealedHeader(datagram)
	if !ok || cid != s.ownCID {
		return false
	}
	o := newOpener(s.keys.receive)
	_, ok = o.open(nil, datagram, extendNumber(0, low))
	return ok
}

// peerAddr is the validated address of the peer.
func (c *sealedConn) peerAddr() netip.AddrPort { return c.path.peer }
