package netmsg

import "time"

// Loss and probe timeouts. PROTOCOL.md, Loss.
const (
	reorderPackets  = 3  // numbers below the largest acknowledged, until reordering is seen
	reorderParts    = 8  // the reorder window is counted in eighths of a round trip
	reorderCalm     = 16 // round trips without a loss taken back, and the window shrinks
	minReorder      = time.Millisecond
	minPTOVariation = time.Millisecond
	maxPTO          = 2 * time.Second
	ptoProbes       = 2 // packets at a probe timeout

	// pressingDelay is how long a peer may take to acknowledge reliable data:
	// twice what it should, for it may turn by frames.
	pressingDelay = 2 * ackPressing

	guessedRTT   = 200 * time.Millisecond // before anything is measured
	oldAckPacket = 64                     // an ACK in a packet this far behind the newest that had one is not read
	maxAckBehind = 32768                  // numbers; an ACK further behind the next lies
)

// fates hears what becomes of the packets sent.
type fates interface {
	acked(now time.Duration, number uint64, r *sentPacket)
	lost(now time.Duration, number uint64, r *sentPacket)
}

// ackResult says what an ACK frame was worth.
type ackResult uint8

const (
	ackTaken   ackResult = iota + 1
	ackIgnored           // it came too late to be read safely
	ackFalse             // it acknowledges what was never sent
	ackBroken            // it is malformed
)

// A recovery is the sender's side of acknowledgement: it reads ACK frames,
// measures the round trip, finds out what is lost and when to probe.
// newRecovery makes one.
type recovery struct {
	log sentLog

	rtt       rttEstimator
	guess     time.Duration // the round trip before one is measured
	smallest  time.Duration // raw sample; 0: none
	latest    time.Duration // sample
	sample    time.Duration // of the ACK frame being read; 0: it gave none
	peerDelay time.Duration // longest that the peer holds an acknowledgement

	largestAcked uint64 // of the numbers acknowledged
	ackCarrier   uint64 // the newest packet that brought an ACK frame

	any       bool          // something has been acknowledged
	reordered bool          // a loss was taken back: the rule of three is put aside
	reorder   int8          // eighths of a round trip that packets may be late
	ptos      int32         // probe timeouts in a row
	reorderAt time.Duration // when reorder was last changed
	lossAt    time.Duration // when the next packet is lost if nothing is heard

	ptoFrom   time.Duration // since when nothing has been acknowledged
	pressFrom time.Duration // since when packets with reliable data are outstanding
}

func newRecovery(guess, peerDelay time.Duration) recovery {
	if guess == 0 {
		guess = guessedRTT
	}
	return recovery{guess: guess, peerDelay: peerDelay, reorder: 1, lossAt: never}
}

// sent makes the record of a packet.
func (c *recovery) sent(now time.Duration, size int, flags sentFlags) (number uint64) {
	if flags&sentEliciting != 0 && c.log.eliciting == 0 {
		c.ptoFrom = now
	}
	if flags&sentReliable != 0 && c.log.reliable == 0 {
		c.pressFrom = now
	}
	return c.log.add(now, size, flags)
}

// ahead is how far the next number is past the newest acknowledged one. Before
// any acknowledgement, number 0 counts as one past it.
func (c *recovery) ahead() uint64 {
	if !c.any {
		return c.log.next + 1
	}
	return c.log.next - c.largestAcked
}

// srtt is the smoothed round trip, or the guess before one is measured.
func (c *recovery) srtt() time.Duration {
	if !c.rtt.measured {
		return c.guess
	}
	return c.rtt.smoothed
}

// pto is the probe timeout of what the peer acknowledges without waiting for
// long, not doubled.
func (c *recovery) pto() time.Duration {
	return c.ptoWith(min(c.peerDelay, pressingDelay))
}

// ptoWith is the probe timeout where the peer may hold an acknowledgement for
// delay.
func (c *recovery) ptoWith(delay time.Duration) time.Duration {
	variation := c.guess / 2
	if c.rtt.measured {
		variation = c.rtt.deviation
	}
	return c.srtt() + max(4*variation, minPTOVariation) + delay
}

// ack reads an ACK frame that packet carrier brought.
func (c *recovery) ack(now time.Duration, carrier uint64, f *frame, h fates) ackResult {
	if carrier+oldAckPacket < c.ackCarrier {
		return ackIgnored
	}
	c.ackCarrier = max(c.ackCarrier, carrier)
	largest, ok := numberBelow(c.log.next, f.largest)
	if !ok || c.log.next-largest > maxAckBehind {
		return ackFalse
	}
	c.sample = 0
	newly := false
	spans := spansOf(f, largest)
	for low, high, ok := spans.next(); ok; low, high, ok = spans.next() {
		for number, ok := c.log.acked(low, high); ok; number, ok = c.log.acked(low, high) {
			if !c.take(now, number, number == largest, f.delay, h) {
				return ackFalse
			}
			newly = true
			if number == 0 {
				break
			}
			high = number - 1
		}
	}
	if spans.bad {
		return ackBroken
	}
	if newly {
		c.ptoFrom, c.ptos = now, 0
		c.largestAcked = max(c.largestAcked, largest)
		c.any = true
	}
	c.detect(now, h)
	return ackTaken
}

// take settles one acknowledged packet. It is false for a number that was
// skipped.
func (c *recovery) take(now time.Duration, number uint64, isLargest bool, delay uint16, h fates) bool {
	r := c.log.settle(number)
	if r.flags&sentSkipped != 0 {
		return false
	}
	if isLargest && r.flags&sentEliciting != 0 && delay != noAckDelay {
		c.measure(now-r.at, time.Duration(delay)*ackDelayUnit*time.Microsecond)
	}
	if r.flags&sentLost != 0 {
		c.lossTakenBack(now)
	}
	h.acked(now, number, r)
	return true
}

// measure takes a round-trip sample, less the peer's wait unless that would be
// less than any round trip took.
func (c *recovery) measure(raw, wait time.Duration) {
	if c.smallest == 0 || raw < c.smallest {
		c.smallest = raw
	}
	wait = min(wait, c.peerDelay)
	if raw-wait >= c.smallest {
		raw -= wait
	}
	c.latest, c.sample = raw, raw
	c.rtt.sample(raw)
}

// lossTakenBack lets packets be later than so far.
func (c *recovery) lossTakenBack(now time.Duration) {
	if !c.reordered || now-c.reorderAt >= c.srtt() {
		c.reorder = min(c.reorder+1, reorderParts)
		c.reorderAt = now
	}
	c.reordered = true
}

// lossDelay is how long after its sending a packet is lost, once a later one is
// acknowledged.
func (c *recovery) lossDelay() time.Duration {
	srtt := c.srtt()
	return max(srtt, c.latest) + max(srtt*time.Duration(c.reorder)/reorderParts, minReorder)
}

// detect finds the packets that are lost by now.
func (c *recovery) detect(now time.Duration, h fates) {
	if calm := c.srtt() * reorderCalm; c.reorder > 1 && now-c.reorderAt >= calm {
		c.reorder--
		c.reorderAt = now
	}
	c.lossAt = never
	delay := c.lossDelay()
	number, ok := c.log.oldest(0)
	for ; ok && number < c.largestAcked; number, ok = c.log.oldest(number + 1) {
		r := c.log.record(number)
		behind := !c.reordered && number+reorderPackets <= c.largestAcked
		if !behind && r.at+delay > now {
			c.lossAt = r.at + delay
			break
		}
		h.lost(now, number, c.log.lose(number))
	}
	c.log.retire(c.largestAcked, now-3*c.pto())
}

// makeRoom gives up the oldest packet if the log has no room for the next.
func (c *recovery) makeRoom(now time.Duration, h fates) {
	if !c.log.full() {
		return
	}
	if oldest, ok := c.log.oldest(0); ok && oldest == c.log.base {
		h.lost(now, oldest, c.log.lose(oldest))
	}
	c.log.retire(c.log.next, never)
}

// ptoAt is when to probe, never while nothing is outstanding that asks for an
// acknowledgement.
func (c *recovery) ptoAt() time.Duration {
	if c.log.eliciting == 0 {
		return never
	}
	from, pto := c.ptoFrom, c.ptoWith(c.peerDelay)
	if c.log.reliable > 0 {
		from, pto = max(from, c.pressFrom), c.pto()
	}
	return from + min(pto<<min(c.ptos, 20), max(pto, maxPTO))
}

// probed notes that a probe timeout has passed.
func (c *recovery) probed(now time.Duration) {
	c.ptos++
	c.ptoFrom = now
}

// silent says that nothing has been acknowledged for a probe timeout.
func (c *recovery) silent() bool { return c.ptos > 0 }

// forgetPath starts the measures again: the connection has moved to another
// path.
func (c *recovery) forgetPath() {
	c.rtt, c.smallest, c.latest = rttEstimator{}, 0, 0
	c.guess = guessedRTT
	c.reorder = 1
}
