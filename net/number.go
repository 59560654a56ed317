package netmsg

// A packet carries the low 16 bits of its 64-bit number. The receiver takes
// the number nearest to the one it expects, so 16 bits do while the sender
// stays within maxNumberAhead of the newest number acknowledged.
const (
	maxNumberAhead  = 16384     // probes, ACK, PATH and CLOSE
	maxTickAhead    = 15360     // ticks stop here, so that the rest is left
	maxBulkAhead    = 12288     // bulk stops here
	endOfNumbers    = 1 << 48   // the first number that is never sent
	packetsPerEpoch = 1 << 16   // packets that one key seals
	numberHalfRange = 1 << 15   // half of what 16 bits tell apart
	numberRange     = 1 << 16   // what 16 bits tell apart
	lowNumberBits   = 1<<16 - 1 // the bits on the wire
)

// extendNumber gives the full number whose low 16 bits are low and which is
// nearest to expected, the largest number verified and one more (0 before the
// first). Of two equally near it is the lower; it is never negative.
func extendNumber(expected uint64, low uint16) uint64 {
	c := expected&^lowNumberBits | uint64(low)
	switch {
	case c+numberHalfRange <= expected:
		return c + numberRange
	case c > expected+numberHalfRange && c >= numberRange:
		return c - numberRange
	}
	return c
}

// numberBelow gives the greatest number below next whose low 16 bits are low:
// how a sender reads the numbers in an ACK. False if there is none.
func numberBelow(next uint64, low uint16) (number uint64, ok bool) {
	behind := (next - 1 - uint64(low)) & lowNumberBits
	if next == 0 || behind > next-1 {
		return 0, false
	}
	return next - 1 - behind, true
}
