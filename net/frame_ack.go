package netmsg

import "encoding/binary"

// Limits of ACK frames.
const (
	maxAckBits   = 64 // bytes of bits: 512 packets
	maxAckRanges = 64 // pairs of gap and run

	ackDelayUnit  = 16 // microseconds
	noAckDelay    = 65535
	ackAllSize    = 5
	ackHeadSize   = 6  // of ACK_BITS and ACK_RANGES, n included
	ackAllCovers  = 33 // numbers that ACK_ALL tells of
	ackBitsSmall  = 4  // bytes of bits for those same numbers
	smallAckFrame = ackHeadSize + ackBitsSmall
)

// ACK_ALL: type, largest u16, delay u16. Largest and the 32 before it have come.

func appendAckAll(b []byte, largest, delay uint16) []byte {
	b = append(b, byte(frameAckAll))
	b = binary.BigEndian.AppendUint16(b, largest)
	return binary.BigEndian.AppendUint16(b, delay)
}

// ACK_BITS: type, largest u16, delay u16, n u8, n bytes: bit k, from the least
// significant of the first byte, tells of largest-1-k.
// ACK_RANGES: the same head, first varint, n pairs of gap varint and run varint:
// first more have come directly below largest, then each pair says that gap+1
// have not and run+1 have.

func appendAckHead(b []byte, kind frameKind, largest, delay uint16, n uint8) []byte {
	b = append(b, byte(kind))
	b = binary.BigEndian.AppendUint16(b, largest)
	b = binary.BigEndian.AppendUint16(b, delay)
	return append(b, n)
}

func (r *frameReader) ack(f *frame) {
	f.largest, f.delay = r.u16(), r.u16()
	switch f.kind {
	case frameAckBits:
		f.count = r.u8()
		if f.count == 0 || f.count > maxAckBits {
			r.bad = true
			return
		}
		f.data = r.take(int(f.count))
	case frameAckRanges:
		f.count = r.u8()
		if f.count > maxAckRanges {
			r.bad = true
			return
		}
		f.data = r.ranges(int(f.count))
	}
}

// ranges reads first and n pairs, and gives their bytes.
func (r *frameReader) ranges(n int) []byte {
	start := r.rest
	for range 1 + 2*n {
		r.varint(maxVarint)
	}
	return start[:len(start)-len(r.rest)]
}
