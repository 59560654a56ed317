package party

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Writer writes one message and sends it, as often and to whom the game
// likes. There is one in a party; Party.Write begins a new message in it.
// Numbers are little-endian and a float goes as its bits.
//
// What is too large is refused by the send, with its size and the limit;
// nothing is ever cut.
type Writer struct {
	party *Party
	kind  Kind
	buf   []byte // headerRoom bytes, then the message
	err   error  // the first thing that was wrong
}

// Write begins a message of a kind in the party's one writer. A message begun
// before is forgotten.
func (p *Party) Write(kind Kind) *Writer {
	w := &p.writer
	w.kind, w.buf, w.err = kind, w.buf[:headerRoom], nil
	if kind == kindLibrary {
		w.err = fmt.Errorf("party: kind 0 is the library's own: kinds are 2 to 255, and 1 for the hello")
	}
	return w
}

// data is the message without a header.
func (w *Writer) data() []byte { return w.buf[headerRoom:] }

// Int writes a number in 4 bytes.
func (w *Writer) Int(v int32) { w.Uint32(uint32(v)) }

// Byte writes a byte.
func (w *Writer) Byte(v byte) { w.buf = append(w.buf, v) }

// Uint16 writes a number in 2 bytes.
func (w *Writer) Uint16(v uint16) { w.buf = binary.LittleEndian.AppendUint16(w.buf, v) }

// Uint32 writes a number in 4 bytes.
func (w *Writer) Uint32(v uint32) { w.buf = binary.LittleEndian.AppendUint32(w.buf, v) }

// Float32 writes a number as its IEEE 754 bits, 4 bytes.
func (w *Writer) Float32(v float32) { w.Uint32(math.Float32bits(v)) }

// Bool writes a byte, 1 or 0.
func (w *Writer) Bool(v bool) {
	if v {
		w.Byte(1)
	} else {
		w.Byte(0)
	}
}

// Str writes a string of at most MaxString bytes: its length in a byte, then
// its bytes.
func (w *Writer) Str(s string) {
	if len(s) > MaxString {
		w.fail(&SizeError{"string", len(s), MaxString})
		return
	}
	w.Byte(byte(len(s)))
	w.buf = append(w.buf, s...)
}

// Text writes a string of at most limit bytes: its length in two bytes, then
// its bytes. A limit over 65,535 is 65,535.
func (w *Writer) Text(s string, limit int) {
	limit = min(limit, math.MaxUint16)
	if len(s) > limit {
		w.fail(&SizeError{"text", len(s), limit})
		return
	}
	w.Uint16(uint16(len(s)))
	w.buf = append(w.buf, s...)
}

// Bytes writes bytes as they are, without their length: Reader.Bytes reads
// them as the rest of the message.
func (w *Writer) Bytes(b []byte) { w.buf = append(w.buf, b...) }

// Len is the number of bytes written so far.
func (w *Writer) Len() int { return len(w.buf) - headerRoom }

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// checkSize says that a message of n bytes is too large for mode m.
func (p *Party) checkSize(m Mode, n int) error {
	limit := p.limit(m)
	switch {
	case n <= limit:
		return nil
	case m.how() == modeLatest:
		return &SizeError{"latest value", n, limit}
	case m.how() == modeLoose:
		return &SizeError{"unreliable message", n, limit}
	}
	return &SizeError{"message", n, limit}
}

// check says why the message cannot be sent in mode m.
func (w *Writer) check(m Mode) error {
	if w.err != nil {
		return w.err
	}
	if err := m.check(); err != nil {
		return err
	}
	return w.party.checkSize(m, w.Len())
}
