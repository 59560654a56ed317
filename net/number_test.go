package netmsg

import (
	"math/rand/v2"
	"testing"
)

func TestVectorPacketNumbersAreReadAsTheNearest(t *testing.T) {
	for _, v := range []struct {
		expected uint64
		low      uint16
		want     uint64
	}{
		{0, 0x0000, 0},
		{0, 0x4000, 16384},
		{65535, 0xffff, 65535},
		{65536, 0x0000, 65536},
		{65536, 0xffff, 65535},
		{70000, 0xc000, 49152},
		{70000, 0x5170, 86384},
		{4294967373, 0xfffe, 4294967294},
	} {
		if got := extendNumber(v.expected, v.low); got != v.want {
			t.Errorf("expecting %d, low bits %#04x: got %d, want %d", v.expected, v.low, got, v.want)
		}
	}
}

func TestANumberWithinReachIsAlwaysReadRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		expected := rng.Uint64N(1 << (1 + rng.UintN(48)))
		number := expected + rng.Uint64N(maxNumberAhead+1)
		if back := rng.Uint64N(replayWindowSize); rng.IntN(2) == 0 && back <= expected {
			number = expected - back
		}

		if got := extendNumber(expected, uint16(number)); got != number {
			t.Fatalf("expecting %d: number %d was read as %d", expected, number, got)
		}
	}
}

func TestAnAckNamesTheGreatestNumberBelowTheNext(t *testing.T) {
	for _, v := range []struct {
		next uint64
		low  uint16
		want uint64
		ok   bool
	}{
		{0, 0, 0, false},
		{1, 0, 0, true},
		{1, 1, 0, false},
		{65536, 0xffff, 65535, true},
		{65536, 0, 0, true},
		{65537, 0, 65536, true},
		{65537, 1, 1, true},
		{100, 100, 0, false},
		{1 << 40, 7, 1<<40 - 65536 + 7, true},
	} {
		got, ok := numberBelow(v.next, v.low)
		if got != v.want || ok != v.ok {
			t.Errorf("next %d, low bits %d: got %d %v, want %d %v", v.next, v.low, got, ok, v.want, v.ok)
		}
	}
}
