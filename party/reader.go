package party

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrShort is what Reader.Err gives when more was read than the message holds.
var ErrShort = errors.New("party: the message is shorter than what was read from it")

// A Reader reads a message, in the order in which it was written. Numbers are
// little-endian and a float is its bits. Reading past the end gives zeros, then
// and from then on, and Err says so: look once, after the last read. The zero
// Reader is an empty message.
type Reader struct {
	rest  []byte
	short bool
}

// take gives the next n bytes; nil when there are fewer.
func (r *Reader) take(n int) []byte {
	if n > len(r.rest) {
		r.rest, r.short = nil, true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// Int reads what Writer.Int wrote.
func (r *Reader) Int() int32 { return int32(r.Uint32()) }

// Byte reads what Writer.Byte wrote.
func (r *Reader) Byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint16 reads what Writer.Uint16 wrote.
func (r *Reader) Uint16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// Uint32 reads what Writer.Uint32 wrote.
func (r *Reader) Uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Float32 reads what Writer.Float32 wrote.
func (r *Reader) Float32() float32 { return math.Float32frombits(r.Uint32()) }

// Bool reads what Writer.Bool wrote; any byte but 0 is true.
func (r *Reader) Bool() bool { return r.Byte() != 0 }

// Str reads what Writer.Str wrote. It allocates, as strings do.
func (r *Reader) Str() string { return string(r.take(int(r.Byte()))) }

// Text reads what Writer.Text wrote. It allocates, as strings do.
func (r *Reader) Text() string { return string(r.take(int(r.Uint16()))) }

// Bytes reads all that is left. It is borrowed until the next Begin.
func (r *Reader) Bytes() []byte { return r.take(len(r.rest)) }

// Len is the number of bytes left.
func (r *Reader) Len() int { return len(r.rest) }

// Err is ErrShort if anything was read past the end, else nil.
func (r *Reader) Err() error {
	if r.short {
		return ErrShort
	}
	return nil
}
