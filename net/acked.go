package netmsg

import (
	"encoding/binary"
	"math"
	"math/bits"
	"time"
)

// When a side acknowledges. PROTOCOL.md, Acknowledgement.
const (
	ackEvery       = 8                     // ack-eliciting packets that are not reported longer
	ackPressing    = 20 * time.Millisecond // longest wait of a packet with reliable data
	ackAlone       = 5 * time.Millisecond  // the same while this side has nothing else to say
	ackTalking     = 50 * time.Millisecond // since it last had
	ackAgain       = 5 * time.Millisecond  // an ACK frame that says nothing new is not sent sooner
	ackSoon        = 40 * time.Millisecond // since this side's last packet: the next is likely to go as soon
	ackHeld        = 95 * time.Millisecond // longest that packets go without what nobody waits for
	ackPressed     = 2                     // ACK frames that reliable data is reported in without waiting
	reportedEnough = 3                     // ACK frames that a number is reported in
)

// never is a deadline that does not come.
const never = time.Duration(math.MaxInt64)

// nothingToReport is a number past all that can be received.
const nothingToReport = uint64(math.MaxUint64)

// An ackState is the receiver's side of acknowledgement: which packets have
// come, and when and how to say so. newAckState makes one.
type ackState struct {
	came     replayWindow
	cameAt   time.Duration // when the largest came
	maxDelay time.Duration // how long this side may hold an acknowledgement

	// need[k] is the lowest number that has been in only k ACK frames. That is
	// less than a count for each number and never says too little: what a frame
	// covers moves on to the next k as a whole.
	need [reportedEnough]uint64

	due     time.Duration // when a packet with an ACK alone must go
	asked   int32         // ack-eliciting packets not reported
	press   int8          // ACK frames that still are to go without waiting
	fresh   bool          // a packet came since the last ACK frame
	freshAt time.Duration // when the first of those came
	sentAt  time.Duration // of the last ACK frame

	talkedAt time.Duration // this side sent a packet that asks for an acknowledgement
}

func newAckState(maxDelay time.Duration) ackState {
	return ackState{
		maxDelay: maxDelay,
		talkedAt: -ackTalking,
		need:     [reportedEnough]uint64{nothingToReport, nothingToReport, nothingToReport},
		due:      never,
	}
}

// receive notes a packet that has verified.
func (a *ackState) receive(now time.Duration, number uint64, facts packetFacts) {
	first := a.came.next == 0
	if number >= a.came.next {
		a.cameAt = now
	}
	a.came.mark(number)
	a.need[0] = min(a.need[0], number)
	if !a.fresh {
		a.fresh, a.freshAt = true, now
	}
	if !facts.eliciting {
		return
	}
	a.asked++
	wait := a.maxDelay
	if facts.pressing {
		wait = min(wait, a.pressingWait(now))
		a.press = ackPressed
	}
	if first || facts.urgent || a.asked >= ackEvery {
		wait = 0
	}
	a.due = min(a.due, now+wait)
}

// pressingWait is how long an acknowledgement of reliable data waits for a
// packet to ride in. Where none is likely to go soon it does not wait long: the
// sooner the peer knows, the less it repeats.
func (a *ackState) pressingWait(now time.Duration) time.Duration {
	if now-a.talkedAt < ackTalking {
		return ackPressing
	}
	return ackAlone
}

// rides says whether a packet that goes at now should carry an ACK frame. What
// nobody waits for, of values above all, goes with one packet of several where
// the next is likely to go soon.
func (a *ackState) rides(now time.Duration) bool {
	switch {
	case a.came.next == 0:
		return false
	case now >= a.due:
		return true
	case a.press > 0:
		return a.fresh || now-a.sentAt >= ackAgain
	case a.fresh:
		return now-a.talkedAt >= ackSoon || now-a.freshAt >= ackHeld
	}
	return now-a.sentAt >= ackHeld && a.untold()
}

// untold says whether a number has been in too few ACK frames.
func (a *ackState) untold() bool {
	for _, low := range a.need {
		if low != nothingToReport {
			return true
		}
	}
	return false
}

// append writes an ACK frame of at most room bytes, or nothing if there is no
// room for one or nothing has come.
func (a *ackState) append(b []byte, now time.Duration, room int) []byte {
	if a.came.next == 0 || room < smallAckFrame {
		return b
	}
	largest := a.came.largest()
	low := a.oldestNeeded()
	delay := ackDelay(now - a.cameAt)

	near := uint64(0) // the lowest number that ACK_ALL and small ACK_BITS tell of
	if largest >= ackAllCovers {
		near = largest - (ackAllCovers - 1)
	}
	covered := near
	switch {
	case low >= near && a.came.runDown(largest, near, true) == largest-near+1:
		b = appendAckAll(b, uint16(largest), delay)
	case low >= near:
		b = a.appendBits(b, delay, ackBitsSmall)
	default:
		b, covered = a.appendLong(b, delay, low, room)
	}
	a.reported(now, covered)
	return b
}

// oldestNeeded is the lowest number that has to be reported, which the window
// must still tell of.
func (a *ackState) oldestNeeded() uint64 {
	low, oldest := nothingToReport, a.came.oldest()
	for k := range a.need {
		a.need[k] = max(a.need[k], oldest)
		low = min(low, a.need[k])
	}
	return low
}

// ackDelay is a wait as an ACK frame carries it.
func ackDelay(wait time.Duration) uint16 {
	return uint16(min(max(wait/time.Microsecond/ackDelayUnit, 0), noAckDelay))
}

// appendBits writes an ACK_BITS of n bytes.
func (a *ackState) appendBits(b []byte, delay uint16, n int) []byte {
	largest := a.came.largest()
	b = appendAckHead(b, frameAckBits, uint16(largest), delay, uint8(n))
	for n > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], a.came.before64(largest))
		b = append(b, word[:min(n, 8)]...)
		n -= 8
		largest -= min(largest, 64)
	}
	return b
}

// appendLong writes the shorter of ACK_BITS and ACK_RANGES that reaches down to
// low, or the one that reaches furthest, and gives the number it reaches.
func (a *ackState) appendLong(b []byte, delay uint16, low uint64, room int) (out []byte, covered uint64) {
	start := len(b)
	b, covered = a.appendRanges(b, delay, low, room)

	largest := a.came.largest()
	n := min(int(largest-low+7)/8, maxAckBits, room-ackHeadSize)
	reach := largest - min(largest, uint64(n)*8)
	better := reach < covered
	if covered <= low {
		better = reach <= low && ackHeadSize+n < len(b)-start
	}
	if better {
		return a.appendBits(b[:start], delay, n), reach
	}
	return b, covered
}

// appendRanges writes an ACK_RANGES down to low, or as far as pairs and room go.
func (a *ackState) appendRanges(b []byte, delay uint16, low uint64, room int) (out []byte, covered uint64) {
	end := len(b) + room
	n := len(b) + ackHeadSize - 1
	at := a.came.largest()
	run := a.came.runDown(at, low, true)
	b = appendAckHead(b, frameAckRanges, uint16(at), delay, 0)
	b = appendVarint(b, uint32(run-1))
	covered = at - (run - 1)
	for covered > low && b[n] < maxAckRanges {
		at = covered - 1
		gap := a.came.runDown(at, low, false)
		if gap > at-low { // nothing more has come
			return b, low
		}
		at -= gap
		run = a.came.runDown(at, low, true)
		if len(b)+varintLen(uint32(gap-1))+varintLen(uint32(run-1)) > end {
			break
		}
		b = appendVarint(b, uint32(gap-1))
		b = appendVarint(b, uint32(run-1))
		b[n]++
		covered = at - (run - 1)
	}
	return b, covered
}

// reported notes an ACK frame that told of the numbers from covered up.
func (a *ackState) reported(now time.Duration, covered uint64) {
	for k := reportedEnough - 1; k >= 0; k-- {
		if a.need[k] < covered {
			continue // told in part: it stays where it is
		}
		if k+1 < reportedEnough {
			a.need[k+1] = min(a.need[k+1], a.need[k])
		}
		a.need[k] = nothingToReport
	}
	a.fresh, a.asked, a.due, a.sentAt = false, 0, never, now
	a.press = max(a.press-1, 0)
}

// ackSpans reads the runs of numbers that an ACK frame says have come, newest
// first.
type ackSpans struct {
	kind    frameKind
	data    []byte
	at      uint64 // ACK_ALL: the largest; ACK_RANGES: the number above the next gap
	begun   bool
	bit     uint64 // ACK_BITS: the next to look at
	largest uint64
	bad     bool // it goes below number 0
}

func spansOf(f *frame, largest uint64) ackSpans {
	return ackSpans{kind: f.kind, data: f.data, largest: largest}
}

// next gives the next run, from low to high. It is false at the end and where
// the frame goes below number 0, which s.bad then says.
func (s *ackSpans) next() (low, high uint64, ok bool) {
	switch {
	case s.kind == frameAckBits && s.begun:
		return s.nextBits()
	case s.kind == frameAckRanges:
		return s.nextRange()
	case s.begun:
		return 0, 0, false
	}
	s.begun = true
	if s.kind == frameAckBits {
		return s.largest, s.largest, true
	}
	return s.largest - min(s.largest, ackAllCovers-1), s.largest, true
}

func (s *ackSpans) nextBits() (low, high uint64, ok bool) {
	end := uint64(len(s.data)) * 8
	from := s.findBit(s.bit, end, true)
	if from == end {
		return 0, 0, false
	}
	s.bit = s.findBit(from, end, false)
	if s.bit > s.largest {
		s.bad = true
		return 0, 0, false
	}
	return s.largest - s.bit, s.largest - 1 - from, true
}

// findBit gives the first bit from k on that is set (or clear), or end.
func (s *ackSpans) findBit(k, end uint64, set bool) uint64 {
	for k < end {
		word := s.word(k / 64)
		if !set {
			word = ^word
		}
		if word >>= k % 64; word != 0 {
			return min(k+uint64(bits.TrailingZeros64(word)), end)
		}
		k = k&^63 + 64
	}
	return end
}

func (s *ackSpans) word(i uint64) uint64 {
	rest := s.data[i*8:]
	if len(rest) >= 8 {
		return binary.LittleEndian.Uint64(rest)
	}
	var b [8]byte
	copy(b[:], rest)
	return binary.LittleEndian.Uint64(b[:])
}

func (s *ackSpans) nextRange() (low, high uint64, ok bool) {
	if len(s.data) == 0 {
		return 0, 0, false
	}
	high = s.largest
	if s.begun {
		gap := s.varint() + 1
		if gap >= s.at {
			s.bad = true
			return 0, 0, false
		}
		high = s.at - 1 - gap
	}
	s.begun = true
	run := s.varint()
	if run > high {
		s.bad = true
		return 0, 0, false
	}
	s.at = high - run
	return s.at, high, true
}

// varint reads one of the frame's own varints, which the parser has checked.
func (s *ackSpans) varint() uint64 {
	v, n := parseVarint(s.data)
	s.data = s.data[n:]
	return uint64(v)
}
