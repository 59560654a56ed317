package netmsg

// SeqNewer says whether a is newer than b, where both count upwards and wrap
// at 65,536: a is ahead by fewer than 32,768 steps. A number is not newer than
// itself, nor than the one exactly half the circle away.
func SeqNewer(a, b uint16) bool {
	ahead := a - b
	return ahead != 0 && ahead < 1<<15
}

// widen gives the number nearest to near whose low 16 bits are low. A counter
// that wraps on the wire goes on counting in memory.
func widen(near uint64, low uint16) uint64 {
	return near + uint64(int16(low-uint16(near)))
}

// ackReach is how many packets before the newest an acknowledgement names.
const ackReach = 32

// A seqWindow remembers which of the newest 33 sequences have come. The zero
// value has seen none.
type seqWindow struct {
	any    bool
	newest uint16
	before uint32 // bit i: newest-1-i has come
}

// fresh says whether seq may still be taken: it has not come before, and is at
// most ackReach behind the newest, so that it can be acknowledged.
func (w *seqWindow) fresh(seq uint16) bool {
	if !w.any || SeqNewer(seq, w.newest) {
		return true
	}
	behind := w.newest - seq
	return behind != 0 && behind <= ackReach && w.before&(1<<(behind-1)) == 0
}

// take notes that seq, a fresh one, has come.
func (w *seqWindow) take(seq uint16) {
	switch {
	case !w.any:
		w.any, w.newest = true, seq
	case SeqNewer(seq, w.newest):
		// A shift by more than 31 leaves nothing, as it should.
		ahead := seq - w.newest
		w.before = w.before<<ahead | 1<<(ahead-1)
		w.newest = seq
	default:
		w.before |= 1 << (w.newest - seq - 1)
	}
}

// ack gives the fields that acknowledge what has come: the newest, and a bit
// for each of the 32 before it, the lowest bit for newest-1. Before anything
// has come they are 0xFFFF and 0.
func (w *seqWindow) ack() (newest uint16, bits uint32) {
	if !w.any {
		return 0xFFFF, 0
	}
	return w.newest, w.before
}
