package netmsg

import "math/bits"

const replayWindowSize = 2048 // numbers, up to the largest verified

// A replayWindow remembers which packet numbers have been verified: the
// largest, and a bit for each of the 2,048 numbers up to it. It serves twice:
// against replay, and to say in ACK frames what has come. Its zero value has
// seen none.
type replayWindow struct {
	next uint64 // one more than the largest verified; 0: none yet
	seen [replayWindowSize / 64]uint64
}

// fresh says that number may be opened: it is not too old and has not been
// verified before. It changes nothing, so that a forged packet cannot.
func (w *replayWindow) fresh(number uint64) bool {
	if number >= w.next {
		return true
	}
	return w.next-number <= replayWindowSize && !w.has(number)
}

// mark notes that the packet of this number, which is fresh, has verified.
func (w *replayWindow) mark(number uint64) {
	if number >= w.next {
		w.forget(w.next, number)
		w.next = number + 1
	}
	w.seen[number/64%(replayWindowSize/64)] |= 1 << (number % 64)
}

// forget clears the bits of the numbers from first up to and with last: their
// places still show the numbers 2,048 before.
func (w *replayWindow) forget(first, last uint64) {
	if last-first >= replayWindowSize {
		clear(w.seen[:])
		return
	}
	for n := first; n <= last; n = n&^63 + 64 {
		mask := ^uint64(0) << (n % 64)
		if n|63 > last {
			mask &= ^uint64(0) >> (63 - last%64)
		}
		w.seen[n/64%(replayWindowSize/64)] &^= mask
	}
}

// largest is the largest number verified; there must be one.
func (w *replayWindow) largest() uint64 { return w.next - 1 }

// oldest is the lowest number that the window still tells of.
func (w *replayWindow) oldest() uint64 {
	if w.next <= replayWindowSize {
		return 0
	}
	return w.next - replayWindowSize
}

// has says whether number, one of those from oldest to largest, has come.
func (w *replayWindow) has(number uint64) bool {
	return w.seen[number/64%(replayWindowSize/64)]>>(number%64)&1 != 0
}

// runDown gives how many numbers in a row, from number downwards, not past
// limit, have come (or have not, if present is false).
func (w *replayWindow) runDown(number, limit uint64, present bool) uint64 {
	run := uint64(0)
	for {
		word := w.seen[number/64%(replayWindowSize/64)]
		if present {
			word = ^word
		}
		in := number%64 + 1                                 // numbers of this word, from number downwards
		n := uint64(bits.LeadingZeros64(word << (64 - in))) // of them until the first of the other kind
		n = min(n, in, number-limit+1)
		run += n
		if n < in || number-limit+1 == n {
			return run
		}
		number -= n
	}
}

// before64 gives the bits of the 64 numbers below number as an ACK writes
// them: bit k tells of number-1-k. Numbers below 0 and older than the window
// show 0.
func (w *replayWindow) before64(number uint64) uint64 {
	if number == 0 {
		return 0
	}
	newest := number - 1
	word := w.seen[newest/64%(replayWindowSize/64)] << (63 - newest%64) // bit 63: newest
	if newest%64 != 63 && newest >= 64 {
		word |= w.seen[(newest/64-1)%(replayWindowSize/64)] >> (newest%64 + 1)
	}
	word = bits.Reverse64(word)
	if oldest := w.oldest(); newest-oldest < 63 {
		word &= 1<<(newest-oldest+1) - 1
	}
	return word
}
