package netmsg

import (
	"math/bits"
	"time"
)

// maxRecords is how many packets a side keeps a record of. A side never sends
// that far past the newest acknowledged one, so what is dropped to make room
// was lost long ago.
const maxRecords = maxNumberAhead

const (
	fewRecords  = 4  // that a connection begins with: what an idle one needs
	moreThanFew = 8  // what one needs while it opens
	someRecords = 32 // what a game's needs
)

// skipRemembered is for how many numbers past it a skipped number is kept, so
// that an ACK of it is found out.
const skipRemembered = 64

type sentFlags uint16

const (
	sentEliciting sentFlags = 1 << iota // it asks for an acknowledgement
	sentInFlight                        // bulk control counts it
	sentReliable                        // it carries reliable data, which is acknowledged sooner
	sentSkipped                         // the number was never sent
	sentLost                            // it has been called lost
	sentMTUProbe                        // its loss says nothing but of its size
	sentOffPath                         // it asks about or answers on another path: the same
	sentDoubt                           // it asks whether the peer is there
	sentCredit0                         // it carries the CREDIT of channel 0; those of 1 to 3 follow
	sentCredit1
	sentCredit2
	sentCredit3
)

func creditFlag(ch Channel) sentFlags { return sentCredit0 << ch }

// A sentPacket is the record of a packet: what is needed when it is
// acknowledged or lost.
type sentPacket struct {
	at    time.Duration
	first uint32 // its parts are those from first on
	parts uint16
	size  uint16 // bytes of the datagram
	flags sentFlags
}

// A sentPart is a part of a reliable message that a packet carried: the bytes
// from from to to of the message whose number ends in these bits.
type sentPart struct {
	number   uint32
	from, to uint32
	channel  Channel
}

// A sentLog keeps the records of the packets sent, from the oldest whose fate
// matters to the newest. Records and parts are in rings that double as they
// need to; which packets still wait for their fate is a bit each. Its zero
// value has sent nothing.
type sentLog struct {
	base, next uint64 // records are kept of the numbers from base, below next
	records    []sentPacket
	unacked    []uint64 // kept and not acknowledged: outstanding, lost or skipped
	waiting    []uint64 // of those, the outstanding ones

	parts    []sentPart
	partBase uint32 // of the record at base
	partMark uint32 // of the next record
	partNext uint32

	eliciting int32 // outstanding packets that ask for an acknowledgement
	reliable  int32 // of those, the ones with reliable data
	inFlight  int   // outstanding packets that bulk control counts
}

// record gives the record of number, which is kept.
func (l *sentLog) record(number uint64) *sentPacket {
	return &l.records[number&uint64(len(l.records)-1)]
}

// bit gives the word and the mask of number in unacked and waiting.
func (l *sentLog) bit(number uint64) (word, mask uint64) {
	return number / 64 & uint64(len(l.unacked)-1), 1 << (number % 64)
}

// add makes the record of the next number, with the parts added since the
// last; the log is not full.
func (l *sentLog) add(now time.Duration, size int, flags sentFlags) (number uint64) {
	if int(l.next-l.base) == len(l.records) {
		l.makeRoom()
	}
	number = l.next
	l.next++
	*l.record(number) = sentPacket{
		at: now, size: uint16(size), flags: flags,
		first: l.partMark, parts: uint16(l.partNext - l.partMark),
	}
	l.partMark = l.partNext
	word, mask := l.bit(number)
	l.unacked[word] |= mask
	if flags&sentSkipped != 0 {
		return number
	}
	l.waiting[word] |= mask
	l.count(flags, 1)
	return number
}

func (l *sentLog) count(flags sentFlags, by int32) {
	if flags&sentEliciting != 0 {
		l.eliciting += by
	}
	if flags&sentReliable != 0 {
		l.reliable += by
	}
	if flags&sentInFlight != 0 {
		l.inFlight += int(by)
	}
}

// part adds a part to the record that is made next.
func (l *sentLog) part(p sentPart) {
	if int(l.partNext-l.partBase) == len(l.parts) {
		l.growParts()
	}
	l.parts[l.partNext&uint32(len(l.parts)-1)] = p
	l.partNext++
}

// partOf gives the ith part of a record.
func (l *sentLog) partOf(r *sentPacket, i int) sentPart {
	return l.parts[(r.first+uint32(i))&uint32(len(l.parts)-1)]
}

func (l *sentLog) growParts() {
	parts := make([]sentPart, moreRecords(len(l.parts)))
	for i := l.partBase; i != l.partNext; i++ {
		parts[i&uint32(len(parts)-1)] = l.parts[i&uint32(len(l.parts)-1)]
	}
	l.parts = parts
}

// full says that there is no room for one more record, and no more can be made.
func (l *sentLog) full() bool { return l.next-l.base == maxRecords }

func (l *sentLog) makeRoom() {
	records := make([]sentPacket, moreRecords(len(l.records)))
	for n := l.base; n != l.next; n++ {
		records[n&uint64(len(records)-1)] = *l.record(n)
	}
	if words := max(1, len(records)/64); words > len(l.unacked) {
		l.unacked, l.waiting = l.spread(l.unacked, words), l.spread(l.waiting, words)
	}
	l.records = records
}

// moreRecords is what a ring of n grows to: to a busy connection's size in few
// steps.
func moreRecords(n int) int {
	switch {
	case n == 0:
		return fewRecords
	case n < moreThanFew:
		return moreThanFew
	case n < someRecords:
		return someRecords
	}
	return 2 * n
}

// spread gives the bits of the numbers kept in a ring of more words.
func (l *sentLog) spread(old []uint64, words int) []uint64 {
	wide := make([]uint64, words)
	for n := l.base; n != l.next; n++ {
		from, mask := l.bit(n)
		wide[n/64&uint64(words-1)] |= old[from] & mask
	}
	return wide
}

// settle takes a packet that is acknowledged out, and says what it was.
func (l *sentLog) settle(number uint64) *sentPacket {
	word, mask := l.bit(number)
	r := l.record(number)
	if l.waiting[word]&mask != 0 {
		l.count(r.flags, -1)
	}
	l.unacked[word] &^= mask
	l.waiting[word] &^= mask
	return r
}

// lose notes that an outstanding packet is called lost. Its record stays, for
// it may be acknowledged yet.
func (l *sentLog) lose(number uint64) *sentPacket {
	word, mask := l.bit(number)
	l.waiting[word] &^= mask
	r := l.record(number)
	l.count(r.flags, -1)
	r.flags |= sentLost
	return r
}

// acked gives the highest number from low to high that is kept and not
// acknowledged yet, skipped ones included; false if there is none.
func (l *sentLog) acked(low, high uint64) (number uint64, ok bool) {
	low = max(low, l.base)
	for low <= high && l.base != l.next {
		word, _ := l.bit(high)
		w := l.unacked[word] << (63 - high%64)
		if w != 0 {
			number = high - uint64(bits.LeadingZeros64(w))
			return number, number >= low
		}
		if high < 64 {
			break
		}
		high = high&^63 - 1
	}
	return 0, false
}

// oldest gives the lowest outstanding number at or above from; false if there
// is none.
func (l *sentLog) oldest(from uint64) (number uint64, ok bool) {
	for n := max(from, l.base); n < l.next; n = n&^63 + 64 {
		word, _ := l.bit(n)
		if w := l.waiting[word] >> (n % 64); w != 0 {
			number = n + uint64(bits.TrailingZeros64(w))
			return number, number < l.next
		}
	}
	return 0, false
}

// retire drops the records at the old end whose fate is known: acknowledged
// ones, skipped ones that the peer has passed by, and lost ones sent before
// forget, which are no longer expected.
func (l *sentLog) retire(largestAcked uint64, forget time.Duration) {
	for l.base < l.next {
		word, mask := l.bit(l.base)
		r := l.record(l.base)
		if l.unacked[word]&mask != 0 {
			past := r.flags&sentLost != 0 && r.at < forget ||
				r.flags&sentSkipped != 0 && largestAcked >= l.base+skipRemembered
			if !past {
				break
			}
			l.unacked[word] &^= mask
		}
		l.partBase += uint32(r.parts)
		l.base++
	}
}
