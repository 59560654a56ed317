package netmsg

import "encoding/binary"

// PutU16 appends v to b, most significant byte first, as every number of both
// protocols is written, and returns the longer slice.
func PutU16(b []byte, v uint16) []byte { return binary.BigEndian.AppendUint16(b, v) }

// PutU32 appends v to b, most significant byte first.
func PutU32(b []byte, v uint32) []byte { return binary.BigEndian.AppendUint32(b, v) }

// PutU64 appends v to b, most significant byte first.
func PutU64(b []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(b, v) }

// U16 reads the first two bytes of b, which must be there.
func U16(b []byte) uint16 { return binary.BigEndian.Uint16(b) }

// U32 reads the first four bytes of b, which must be there.
func U32(b []byte) uint32 { return binary.BigEndian.Uint32(b) }

// U64 reads the first eight bytes of b, which must be there.
func U64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// A PacketReader reads a datagram from its beginning. Reading past the end
// gives zeros, uses up what is left, and is remembered: a parser reads
// everything it needs and asks OK once. The zero PacketReader has nothing to
// read.
type PacketReader struct {
	rest []byte
	past bool
}

// NewPacketReader gives a reader of b, which it does not copy.
func NewPacketReader(b []byte) PacketReader { return PacketReader{rest: b} }

// U8 reads one byte.
func (r *PacketReader) U8() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// U16 reads two bytes, most significant first.
func (r *PacketReader) U16() uint16 {
	if b := r.Bytes(2); b != nil {
		return U16(b)
	}
	return 0
}

// U32 reads four bytes, most significant first.
func (r *PacketReader) U32() uint32 {
	if b := r.Bytes(4); b != nil {
		return U32(b)
	}
	return 0
}

// U64 reads eight bytes, most significant first.
func (r *PacketReader) U64() uint64 {
	if b := r.Bytes(8); b != nil {
		return U64(b)
	}
	return 0
}

// Bytes reads n bytes and gives a part of the datagram, not a copy. It is nil
// when fewer are left or n is negative; then nothing more can be read.
func (r *PacketReader) Bytes(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.rest, r.past = nil, true
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// Len is the number of bytes left.
func (r *PacketReader) Len() int { return len(r.rest) }

// OK says that nothing was read past the end so far.
func (r *PacketReader) OK() bool { return !r.past }

// End says that everything was read, and nothing past the end.
func (r *PacketReader) End() bool { return !r.past && len(r.rest) == 0 }
