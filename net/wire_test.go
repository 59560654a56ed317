package netmsg

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

func TestNumbersAreWrittenMostSignificantByteFirst(t *testing.T) {
	b := PutU64(PutU32(PutU16(nil, 0x0102), 0x03040506), 0x0708090a0b0c0d0e)

	want := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	if !bytes.Equal(b, want) {
		t.Errorf("got % x, want % x", b, want)
	}
	if U16(b) != 0x0102 || U32(b[2:]) != 0x03040506 || U64(b[6:]) != 0x0708090a0b0c0d0e {
		t.Errorf("read %x %x %x", U16(b), U32(b[2:]), U64(b[6:]))
	}
}

func TestReadingPastTheEndGivesZerosAndIsRemembered(t *testing.T) {
	r := NewPacketReader([]byte{1, 2, 3})

	if got := r.U16(); got != 0x0102 || !r.OK() {
		t.Fatalf("got %x, OK %v", got, r.OK())
	}
	if got := r.U32(); got != 0 {
		t.Errorf("past the end: got %x, want 0", got)
	}
	if r.OK() || r.End() || r.Len() != 0 || r.U8() != 0 || r.Bytes(0) != nil && len(r.Bytes(0)) != 0 {
		t.Errorf("after it: OK %v, End %v, Len %d", r.OK(), r.End(), r.Len())
	}
}

func TestWhatIsReadIsAPartOfTheDatagramAndCannotGrowIntoTheRest(t *testing.T) {
	datagram := []byte("abcdef")
	r := NewPacketReader(datagram)

	part := r.Bytes(3)
	part[0] = 'X'
	_ = append(part, 'Y')

	if string(datagram) != "Xbcdef" {
		t.Errorf("got %q, want %q", datagram, "Xbcdef")
	}
	if string(r.Bytes(3)) != "def" || !r.End() {
		t.Error("the rest was not read to its end")
	}
}

func TestTheZeroReaderHasNothingToRead(t *testing.T) {
	var r PacketReader
	if r.Len() != 0 || !r.End() || r.U64() != 0 || r.OK() {
		t.Errorf("got Len %d, OK %v", r.Len(), r.OK())
	}
}

func TestABytesCountBelowZeroIsPastTheEnd(t *testing.T) {
	r := NewPacketReader([]byte{1})
	if r.Bytes(-1) != nil || r.OK() {
		t.Error("a negative count was read")
	}
}

// readBoth reads the same with a PacketReader and from the bytes themselves.
func readBoth(t interface{ Fatalf(string, ...any) }, data []byte, sizes []byte) {
	r, at, past := NewPacketReader(data), 0, false
	for _, s := range sizes {
		n := []int{1, 2, 4, 8, int(s) / 5}[s%5]
		var want [8]byte
		if past = past || at+n > len(data); !past {
			if n <= 8 {
				copy(want[8-n:], data[at:])
			}
			at += n
		}
		var got uint64
		switch s % 5 {
		case 0:
			got = uint64(r.U8())
		case 1:
			got = uint64(r.U16())
		case 2:
			got = uint64(r.U32())
		case 3:
			got = r.U64()
		case 4:
			if b := r.Bytes(n); !past && !bytes.Equal(b, data[at-n:at]) {
				t.Fatalf("Bytes(%d) at %d: got % x", n, at-n, b)
			}
			continue
		}
		if got != binary.BigEndian.Uint64(want[:]) {
			t.Fatalf("%d bytes at %d: got %x, want % x", n, at, got, want)
		}
	}
	if r.OK() == past || !past && r.Len() != len(data)-at {
		t.Fatalf("at the end: OK %v, Len %d; past the end %v, at %d of %d", r.OK(), r.Len(), past, at, len(data))
	}
}

func TestAReaderReadsWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "data")
		readBoth(t, data, rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "sizes"))
	})
}

func FuzzPacketReader(f *testing.F) {
	f.Add([]byte("NMS1 and more bytes"), []byte{0, 1, 2, 3, 4, 24})
	f.Fuzz(func(t *testing.T, data, sizes []byte) { readBoth(t, data, sizes) })
}
