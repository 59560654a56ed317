package party

import (
	"errors"
	"math"
	"testing"
)

// looped reads the message that was written.
func looped(p *Party, f func(m *Message)) {
	p.Begin(frame)
	p.writer.Loopback()
	for m := range p.Inbox() {
		f(m)
	}
}

func TestEverythingWrittenIsReadBack(t *testing.T) {
	p := New(Config{})
	w := p.Write(kindA)
	w.Int(math.MinInt32)
	w.Int(math.MaxInt32)
	w.Byte(255)
	w.Uint16(65535)
	w.Uint32(math.MaxUint32)
	w.Float32(-0.1)
	w.Float32(float32(math.Inf(1)))
	w.Bool(true)
	w.Bool(false)
	w.Str("")
	w.Str("grüße")
	w.Text("a text", 10)
	if w.Len() != 4+4+1+2+4+4+4+1+1+1+8+8 {
		t.Errorf("Len is %d", w.Len())
	}
	w.Bytes([]byte{1, 2, 3})

	n := 0
	looped(p, func(m *Message) {
		n++
		if m.Int() != math.MinInt32 || m.Int() != math.MaxInt32 || m.Byte() != 255 || m.Uint16() != 65535 || m.Uint32() != math.MaxUint32 {
			t.Error("a number is another")
		}
		if m.Float32() != -0.1 || !math.IsInf(float64(m.Float32()), 1) || !m.Bool() || m.Bool() {
			t.Error("a float or bool is another")
		}
		if m.Str() != "" || m.Str() != "grüße" || m.Text() != "a text" {
			t.Error("a string is another")
		}
		if m.Len() != 3 || string(m.Bytes()) != "\x01\x02\x03" || m.Len() != 0 || m.Err() != nil {
			t.Errorf("the rest: %d, %v", m.Len(), m.Err())
		}
	})
	if n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestReadingPastTheEndGivesZerosAndAnError(t *testing.T) {
	p := New(Config{})
	w := p.Write(kindA)
	w.Bytes([]byte{1, 2, 3})

	looped(p, func(m *Message) {
		if m.Err() != nil {
			t.Error("an error before reading")
		}
		if f, i := m.Float32(), m.Int(); f != 0 || i != 0 {
			t.Errorf("%v, %v", f, i)
		}
		if m.Byte() != 0 || m.Str() != "" || m.Text() != "" || m.Bool() || len(m.Bytes()) != 0 || m.Uint16() != 0 || m.Len() != 0 {
			t.Error("something was read after the end")
		}
		if err := m.Err(); !errors.Is(err, ErrShort) {
			t.Errorf("%v", err)
		}
	})
}

func TestStringCutShortIsNoString(t *testing.T) {
	for _, b := range [][]byte{{5, 'a', 'b'}, {200}} {
		r := Reader{rest: b}
		if s := r.Str(); s != "" || r.Err() == nil {
			t.Errorf("Str of % x is %q, %v", b, s, r.Err())
		}
	}
	r := Reader{rest: []byte{3, 0, 'a', 'b'}}
	if s := r.Text(); s != "" || r.Err() == nil {
		t.Errorf("Text is %q, %v", s, r.Err())
	}
}

func TestStringsHaveTheirLimits(t *testing.T) {
	w := newWorld(t, 1)
	h, _ := w.party(1)
	for _, c := range []struct {
		name  string
		write func(*Writer)
		want  *SizeError
	}{
		{"Str of 200", func(w *Writer) { w.Str(text(200)) }, nil},
		{"Str of 201", func(w *Writer) { w.Str(text(201)) }, &SizeError{"string", 201, 200}},
		{"Text at its limit", func(w *Writer) { w.Text(text(500), 500) }, nil},
		{"Text over its limit", func(w *Writer) { w.Text(text(501), 500) }, &SizeError{"text", 501, 500}},
		{"Text over every limit", func(w *Writer) { w.Text(text(70000), 1<<20) }, &SizeError{"text", 70000, 65535}},
	} {
		wr := h.Write(kindA)
		c.write(wr)
		wr.Byte(1) // what follows does not hide it
		err := wr.SendAll(Reliable)
		var size *SizeError
		switch {
		case c.want == nil && err != nil, c.want != nil && !errors.As(err, &size):
			t.Errorf("%s: %v", c.name, err)
		case c.want != nil && *size != *c.want:
			t.Errorf("%s: %v, want %v", c.name, size, c.want)
		}
	}
	if err := h.Write(kindA).SendAll(Reliable); err != nil {
		t.Errorf("the next message: %v", err)
	}
}

func TestByteHelpersStayInsideTheSlice(t *testing.T) {
	b := make([]byte, 8)
	for at := -5; at <= 9; at++ {
		if in, ok := at >= 0 && at < 8, Put8(b, at, 0xAB); ok != in {
			t.Errorf("Put8 at %d: %v", at, ok)
		} else if v, got := Get8(b, at); got != in || in && v != 0xAB {
			t.Errorf("Get8 at %d: %x, %v", at, v, got)
		}
		if in, ok := at >= 0 && at <= 4, Put32(b, at, 0x01020304); ok != in {
			t.Errorf("Put32 at %d: %v", at, ok)
		} else if v, got := Get32(b, at); got != in || in && (v != 0x01020304 || b[at] != 4) {
			t.Errorf("Get32 at %d: %x, %v", at, v, got)
		}
	}
	dst, src := make([]byte, 4), []byte{1, 2, 3, 4, 5}
	for _, c := range []struct {
		at, from, n int
		ok          bool
		want        string
	}{
		{0, 1, 4, true, "\x02\x03\x04\x05"},
		{0, 2, 4, false, "\x02\x03\x04\x05"},
		{1, 0, 4, false, "\x02\x03\x04\x05"},
		{3, 0, 1, true, "\x02\x03\x04\x01"},
		{4, 5, 0, true, "\x02\x03\x04\x01"},
		{-1, 0, 1, false, "\x02\x03\x04\x01"},
		{0, -1, 1, false, "\x02\x03\x04\x01"},
		{0, 0, -1, false, "\x02\x03\x04\x01"},
	} {
		if ok := Copy(dst, c.at, src, c.from, c.n); ok != c.ok || string(dst) != c.want {
			t.Errorf("Copy(%d, %d, %d): %v, % x", c.at, c.from, c.n, ok, dst)
		}
	}
	if !Copy(b, 1, b, 0, 7) { // overlapping
		t.Error("overlapping")
	}
}
