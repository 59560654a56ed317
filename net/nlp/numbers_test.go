package nlp

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRowsZ6Z7AckFieldsMeetTheVectors(t *testing.T) {
	inARow := []uint16{}
	for n := range uint16(17) {
		inARow = append(inARow, n)
	}
	for name, got := range map[string][]uint16{
		"ack.wiki.104":     {100, 101, 103, 104},
		"ack.wiki.105":     {100, 101, 103, 104, 105},
		"ack.wiki.late102": {100, 101, 103, 104, 105, 102},
		"ack.wrap":         {65533, 65534, 0, 1, 2},
		"ack.17inarow":     inARow,
	} {
		var r Received
		for _, n := range got {
			r.Take(n)
		}
		want, _ := Parse(vectors(t)[name])
		ack, bits := r.Ack()
		// Bit 15 is read, and never written.
		if ack != want.Ack || bits != want.Bits&0x7FFF {
			t.Errorf("%s: ack %d bits %04x, want %d %04x", name, ack, bits, want.Ack, want.Bits&0x7FFF)
		}
	}
}

func TestBitsTellTheTruthAboutSpacedNumbers(t *testing.T) {
	var r Received
	for n := uint16(0); n <= 51; n += 3 {
		r.Take(n)
	}
	if _, bits := r.Ack(); bits != 0x4924 {
		t.Fatalf("bits %04x, want 4924", bits)
	}
}

func TestRowZ9NothingReceivedIsAckFFFFWithoutBits(t *testing.T) {
	var r Received
	if ack, bits := r.Ack(); ack != 0xFFFF || bits != 0 {
		t.Fatalf("ack %04x bits %04x", ack, bits)
	}
}

func TestNewerAtExactlyHalfATurnIsTheGreater(t *testing.T) {
	for _, c := range []struct {
		a, b uint16
		want bool
	}{
		{1, 0, true}, {0, 1, false}, {32768, 0, true}, {0, 32768, false}, {32769, 0, false}, {0, 32769, true},
		{65535, 0, false}, {0, 65535, true}, {40000, 7232, true}, {7232, 40000, false}, {0, 0, false},
	} {
		if got := Newer(c.a, c.b); got != c.want {
			t.Errorf("Newer(%d, %d) = %v", c.a, c.b, got)
		}
	}
}

func TestRowZ8AcksReadsAllSixteenBits(t *testing.T) {
	for n := range uint16(17) {
		if !Acks(16, 0xFFFF, n) {
			t.Errorf("ack 16 bits ffff does not name %d", n)
		}
	}
	for _, n := range []uint16{17, 18, 32, 48, 65535} {
		if Acks(16, 0xFFFF, n) {
			t.Errorf("ack 16 bits ffff names %d", n)
		}
	}
	for _, n := range []uint16{0, 17, 18} {
		if Acks(16, 0x7FFF, n) {
			t.Errorf("ack 16 bits 7fff names %d", n)
		}
	}
	if Acks(0xFFFF, 0, 0) {
		t.Error("ack ffff of a peer that has nothing names 0")
	}
}

// Whatever came, in whatever order within 200 numbers, is fresh once, and the
// fields name nothing that did not come.
func TestReceivedAgainstASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Uint16().Draw(t, "start")
		var r Received
		came := map[uint16]bool{}
		newest := start
		for i, d := range rapid.SliceOfN(rapid.IntRange(-100, 100), 1, 300).Draw(t, "steps") {
			n := newest + uint16(d)
			if i == 0 {
				n = start
			}
			if fresh := r.Take(n); fresh == came[n] {
				t.Fatalf("number %d: fresh %v, came before %v", n, fresh, came[n])
			}
			came[n] = true
			if i == 0 || Newer(n, newest) {
				newest = n
			}
		}
		ack, bits := r.Ack()
		if ack != newest {
			t.Fatalf("ack %d, want %d", ack, newest)
		}
		for k := range uint16(15) {
			if bits>>k&1 == 1 != came[ack-1-k] {
				t.Fatalf("ack %d bits %04x, came %v", ack, bits, slices.Sorted(mapKeys(came)))
			}
		}
	})
}

func mapKeys(m map[uint16]bool) func(func(uint16) bool) {
	return func(yield func(uint16) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
