package netmsg

import (
	"bytes"
	"encoding/hex"
	"testing"
)

func TestVectorVarints(t *testing.T) {
	for want, v := range map[string]uint32{
		"00": 0, "3f": 63, "4040": 64, "7fff": 16383, "80004000": 16384, "bfffffff": 1073741823,
	} {
		got := appendVarint(nil, v)
		if hex.EncodeToString(got) != want || varintLen(v) != len(got) {
			t.Errorf("%d: got % x of %d bytes, want %s", v, got, varintLen(v), want)
		}
		if back, n := parseVarint(append(got, 0xEE)); back != v || n != len(got) {
			t.Errorf("%s: read %d of %d bytes, want %d", want, back, n, v)
		}
	}
}

func TestVarintNotShortestOrCutShortIsMalformed(t *testing.T) {
	for _, b := range [][]byte{
		{}, {0x40}, {0x80, 0, 0x40}, {0xC0}, {0xC0, 0, 0, 0, 0, 0, 0, 0}, {0xFF, 0xFF, 0xFF, 0xFF},
		{0x40, 0x3F}, {0x80, 0, 0, 5}, {0x80, 0, 0x3F, 0xFF},
	} {
		if v, n := parseVarint(b); n != 0 {
			t.Errorf("% x: read as %d, %d bytes", b, v, n)
		}
	}
}

func TestVarintOverItsRangePanicsInsteadOfWritingAnother(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("2^30 was written")
		}
	}()
	appendVarint(nil, maxVarint+1)
}

func FuzzVarint(f *testing.F) {
	f.Add([]byte{0x3F})
	f.Add([]byte{0x7F, 0xFF})
	f.Add([]byte{0xBF, 0xFF, 0xFF, 0xFF})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n := parseVarint(b)
		if n != 0 && !bytes.Equal(appendVarint(nil, v), b[:n]) {
			t.Errorf("% x reads as %d, which is written % x", b[:n], v, appendVarint(nil, v))
		}
	})
}
