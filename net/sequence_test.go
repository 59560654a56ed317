package netmsg

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNewerMeansAheadByLessThanHalfTheCircle(t *testing.T) {
	for _, c := range []struct {
		a, b uint16
		want bool
	}{
		{1, 0, true}, {0, 65535, true}, {32767, 0, true}, {0, 32769, true},
		{0, 0, false}, {0, 1, false}, {65535, 0, false}, {32768, 0, false}, {0, 32768, false},
	} {
		if got := SeqNewer(c.a, c.b); got != c.want {
			t.Errorf("SeqNewer(%d, %d): got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestOfTwoSequencesAtMostOneIsNewer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint16().Draw(t, "a"), rapid.Uint16().Draw(t, "b")
		if SeqNewer(a, b) && SeqNewer(b, a) {
			t.Fatalf("%d and %d are each newer than the other", a, b)
		}
		if a != b && a-b != 1<<15 && !SeqNewer(a, b) && !SeqNewer(b, a) {
			t.Fatalf("neither of %d and %d is newer", a, b)
		}
	})
}

func TestWideningFindsTheNearestNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.Uint64Range(1<<16, 1<<50).Draw(t, "near")
		want := near + uint64(rapid.Int64Range(-32768, 32767).Draw(t, "off"))
		if got := widen(near, uint16(want)); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}

func TestAcknowledgementNamesTheNewestAndThe32BeforeIt(t *testing.T) {
	var w seqWindow
	want := func(newest uint16, bits uint32) {
		t.Helper()
		if n, b := w.ack(); n != newest || b != bits {
			t.Errorf("got ack %04x bits %08x, want %04x %08x", n, b, newest, bits)
		}
	}
	want(0xffff, 0)

	for _, seq := range []uint16{0, 1, 3} {
		w.take(seq)
	}
	want(3, 0b110)
	w.take(2)
	want(3, 0b111)
	w.take(35)
	want(35, 0x8000_0000)
	w.take(36)
	want(36, 1)
	w.take(5000)
	want(5000, 0)
}

func TestAWindowTakesEachSequenceOnceAndNoneItCannotAcknowledge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w seqWindow
		taken := map[uint64]bool{}
		newest, some := rapid.Uint64Range(100, 1<<17).Draw(t, "first"), false

		for range 200 {
			n := newest + uint64(rapid.Int64Range(-40, 45).Draw(t, "step"))
			want := !some || n > newest || newest-n <= ackReach && !taken[n]
			if got := w.fresh(uint16(n)); got != want {
				t.Fatalf("%d, newest %d: fresh %v, want %v", n, newest, got, want)
			}
			if !want {
				continue
			}
			w.take(uint16(n))
			taken[n] = true
			if !some || n > newest {
				newest, some = n, true
			}
			ack, bits := w.ack()
			for back := uint64(1); back <= ackReach; back++ {
				if taken[newest-back] != (bits&(1<<(back-1)) != 0) {
					t.Fatalf("bits %032b, newest %d: wrong for %d", bits, newest, newest-back)
				}
			}
			if ack != uint16(newest) {
				t.Fatalf("ack %d, newest %d", ack, newest)
			}
		}
	})
}
