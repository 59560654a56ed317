package netmsg

import (
	"bytes"
	"strings"
	"testing"
)

// readFrames gives the frames of a packet, and false if it is malformed.
func readFrames(number uint64, packet []byte) (frames []frame, ok bool) {
	r := frameReader{rest: packet, number: number}
	var f frame
	for r.next(&f) {
		frames = append(frames, f)
	}
	return frames, !r.bad
}

func appendFrames(b []byte, frames []frame) []byte {
	for i := range frames {
		b = appendFrame(b, &frames[i])
	}
	return b
}

// unspace drops the spaces of a hex text.
func unspace(s string) string { return strings.ReplaceAll(s, " ", "") }

func TestVectorFrames(t *testing.T) {
	long := strings.Repeat("ab", 1200)
	for _, v := range []struct {
		packet string
		want   []frame
	}{
		{"01", []frame{{kind: framePing}}},
		{"02 1234 000a", []frame{{kind: frameAckAll, largest: 0x1234, delay: 10}}},
		{"03 1234 000a 04 ffffff7f", []frame{{kind: frameAckBits, largest: 0x1234, delay: 10, count: 4, data: []byte{0xff, 0xff, 0xff, 0x7f}}}},
		{"04 1234 000a 01 05 00 02", []frame{{kind: frameAckRanges, largest: 0x1234, delay: 10, count: 1, data: []byte{5, 0, 2}}}},
		{"49 0007 68656c6c6f", []frame{{kind: frameReliable, channel: 1, numbered: true, id: 7, total: 5, data: []byte("hello")}}},
		{"59 0007 05 68656c6c6f 51 02 6f6b", []frame{
			{kind: frameReliable, channel: 1, numbered: true, sized: true, id: 7, total: 5, data: []byte("hello")},
			{kind: frameReliable, channel: 1, sized: true, id: 8, total: 2, data: []byte("ok")},
		}},
		{"6b 0009 8000ffff 44b0" + long, []frame{{kind: frameReliable, channel: 3, numbered: true, fragment: true, id: 9, total: 65535, offset: 1200, data: bytes.Repeat([]byte{0xab}, 1200)}}},
		{"80 05" + long, []frame{{kind: frameLatest, stream: 5, data: bytes.Repeat([]byte{0xab}, 1200)}}},
		{"90 05 03 010203", []frame{{kind: frameLatest, sized: true, stream: 5, data: []byte{1, 2, 3}}}},
		{"a0 05 02 01 03 ff", []frame{{kind: frameLatest, fragment: true, stream: 5, back: 2, index: 1, count: 3, data: []byte{0xff}}}},
		{"0a 01 0100 80040000", []frame{{kind: frameCredit, channel: 1, floor: 256, window: 262144}}},
		{"0b 07 03 627965", []frame{{kind: frameClose, code: 7, data: []byte("bye")}}},
	} {
		packet := fromHex(t, unspace(v.packet))
		got, ok := readFrames(100, packet)
		if !ok {
			t.Errorf("%.40s: malformed", v.packet)
		}
		wantFrames(t, v.packet, got, v.want)
		if b := appendFrames(nil, v.want); !bytes.Equal(b, packet) {
			t.Errorf("%.40s is written as %x", v.packet, b)
		}
	}
}

func wantFrames(t *testing.T, packet string, got, want []frame) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%.40s: %d frames, want %d", packet, len(got), len(want))
		return
	}
	for i := range got {
		g, w := got[i], want[i]
		sameData := bytes.Equal(g.data, w.data)
		g.data, w.data = nil, nil
		if !sameData || !equalFrames(g, w) {
			t.Errorf("%.40s: frame %d is %+v, want %+v (data the same: %v)", packet, i, g, w, sameData)
		}
	}
}

func equalFrames(a, b frame) bool {
	return bytes.Equal(appendFrame(nil, &a), appendFrame(nil, &b)) && a.total == b.total && a.id == b.id
}

func TestMalformedPacketsAreRefusedWhole(t *testing.T) {
	for name, packet := range map[string]string{
		"unknown type 0x0c":                  "0c",
		"unknown type 0x1f":                  "1f",
		"unknown type 0x22":                  "22",
		"unknown type 0xc0":                  "c0",
		"after a good frame":                 "01 0c",
		"ACK_ALL runs past the end":          "02 1234 00",
		"ACK_BITS of no bytes":               "03 1234 000a 00",
		"ACK_BITS of 65 bytes":               "03 1234 000a 41" + strings.Repeat("ff", 65),
		"ACK_BITS runs past the end":         "03 1234 000a 04 ffffff",
		"ACK_RANGES of 65 pairs":             "04 1234 000a 41 00" + strings.Repeat("0000", 65),
		"ACK_RANGES runs past the end":       "04 1234 000a 01 05 00",
		"ACK_RANGES without first":           "04 1234 000a 00",
		"two ACK_ALL":                        "02 1234 000a 02 1234 000a",
		"two ACK frames of two kinds":        "02 1234 000a 04 1234 000a 00 00",
		"two TIME_PING":                      "05 0000000000000001 05 0000000000000001",
		"two TIME_PONG":                      strings.Repeat("06 0000000000000001 0000000000000001 00000001", 2),
		"two MTU_PROBE":                      "07 04b0 07 04b0",
		"two PATH_CHALLENGE":                 strings.Repeat("08 0000000000000001", 2),
		"two PATH_RESPONSE":                  strings.Repeat("09 0000000000000001", 2),
		"two CLOSE":                          "0b 07 00 0b 07 00",
		"a frame after CLOSE":                "0b 07 00 01",
		"TIME_PING runs past the end":        "05 00000000000000",
		"TIME_PONG runs past the end":        "06 0000000000000001 0000000000000001 000000",
		"MTU_PROBE runs past the end":        "07 04",
		"PATH_CHALLENGE runs past the end":   "08 00000000000000",
		"CREDIT for channel 4":               "0a 04 0100 80040000",
		"CREDIT over 67,108,864":             "0a 01 0100 84000001",
		"CREDIT runs past the end":           "0a 01 0100",
		"CLOSE with 201 bytes of text":       "0b 07 40c9" + strings.Repeat("61", 201),
		"CLOSE text runs past the end":       "0b 07 03 6162",
		"varint of form 11":                  "0b c0000007 00",
		"varint not shortest, 2 bytes":       "0b 4007 00",
		"varint not shortest, 4 bytes":       "0b 80000007 00",
		"UNRELIABLE length past the end":     "21 03 6162",
		"RELIABLE reserved bit":              "4d 0007 00",
		"RELIABLE without the id it needs":   "41 61",
		"RELIABLE id of another channel":     "59 0007 00 42 61",
		"RELIABLE length past the end":       "59 0007 05 68656c6c",
		"RELIABLE cut in the id":             "49 00",
		"fragment without id":                "59 0007 00 71 0a 00 01 61",
		"fragment of no bytes":               "69 0007 0a 05",
		"fragment of no bytes, sized":        "79 0007 0a 05 00",
		"fragment of total 0":                "69 0007 00 00",
		"fragment of total 0 with data":      "69 0007 00 00 61",
		"fragment beyond its total":          "69 0007 03 02 6162",
		"fragment offset beyond its total":   "69 0007 03 04 61",
		"fragment whose sum overflows":       "69 0007 bfffffff bfffffff 6162",
		"LATEST reserved bit 8":              "88 05 61",
		"LATEST reserved bit 1":              "81 05 61",
		"LATEST stream 65,536":               "80 80010000 61",
		"LATEST count 1":                     "a0 05 00 00 01 61",
		"LATEST count 33":                    "a0 05 00 00 21 61",
		"LATEST index is count":              "a0 05 02 03 03 61",
		"LATEST back 1,025":                  "a0 05 4401 01 03 61",
		"LATEST back over the packet number": "a0 05 4101 01 03 61",
		"LATEST length past the end":         "90 05 03 0102",
		"LATEST cut in the fragment":         "a0 05 02 01",
	} {
		number := uint64(256)
		if name == "LATEST back 1,025" {
			number = 1 << 20
		}
		if frames, ok := readFrames(number, fromHex(t, unspace(packet))); ok {
			t.Errorf("%s: taken as %+v", name, frames)
		}
		if _, ok := scanFrames(number, fromHex(t, unspace(packet))); ok {
			t.Errorf("%s: the scan takes it", name)
		}
	}
}

func TestPacketsAtTheLimitsAreTaken(t *testing.T) {
	for name, packet := range map[string]string{
		"padding alone":             "000000",
		"padding after CLOSE":       "0b 07 00 0000",
		"many PING":                 "010101",
		"ACK_BITS of 64 bytes":      "03 1234 000a 40" + strings.Repeat("ff", 64),
		"ACK_RANGES of 64 pairs":    "04 1234 000a 40 00" + strings.Repeat("0000", 64),
		"ACK_RANGES of no pairs":    "04 1234 000a 00 05",
		"CREDIT of 67,108,864":      "0a 03 0100 84000000",
		"two CREDIT":                "0a 01 0100 00 0a 01 0200 00",
		"CLOSE with 200 bytes":      "0b 07 40c8" + strings.Repeat("61", 200),
		"empty UNRELIABLE":          "20",
		"empty whole RELIABLE":      "49 0007",
		"id 0 after id 65,535":      "59 ffff 00 51 00",
		"whole after its fragment":  "79 0007 03 00 01 61 41 62",
		"fragment that ends total":  "69 0007 03 02 61",
		"LATEST stream 65,535":      "80 8000ffff",
		"LATEST fragment 31 of 32":  "a0 05 4100 1f 20",
		"LATEST fragment, no bytes": "b0 05 02 01 03 00",
	} {
		b := fromHex(t, unspace(packet))
		frames, ok := readFrames(256, b)
		if !ok {
			t.Errorf("%s: refused", name)
		}
		if again := appendFrames(nil, frames); !bytes.Equal(again, b) {
			t.Errorf("%s: %x is written as %x", name, b, again)
		}
	}
}

func TestWhatAsksForAnAck(t *testing.T) {
	for _, v := range []struct {
		packet string
		want   packetFacts
	}{
		{"00", packetFacts{}},
		{"02 1234 000a", packetFacts{}},
		{"0b 07 00", packetFacts{moves: true}},
		{"01", packetFacts{eliciting: true, moves: true}},
		{"0a 01 0100 00", packetFacts{eliciting: true, moves: true}},
		{"20", packetFacts{eliciting: true, moves: true}},
		{"80 05", packetFacts{eliciting: true, moves: true}},
		{"05 0000000000000001", packetFacts{eliciting: true, moves: true}},
		{"49 0007", packetFacts{eliciting: true, pressing: true, moves: true}},
		{"07 04b0", packetFacts{eliciting: true, pressing: true, urgent: true, moves: true}},
		{"02 1234 000a 08 0000000000000001 00", packetFacts{eliciting: true, pressing: true, urgent: true}},
		{"09 0000000000000001", packetFacts{eliciting: true, pressing: true}},
	} {
		if got, ok := scanFrames(1, fromHex(t, unspace(v.packet))); !ok || got != v.want {
			t.Errorf("%s: %+v %v, want %+v", v.packet, got, ok, v.want)
		}
	}
}

func FuzzFrames(f *testing.F) {
	for _, seed := range []string{"01", "021234000a", "031234000a04ffffff7f", "041234000a01050002", "59000705 68656c6c6f51026f6b", "0a01010080040000 0b0703627965", "a00502010361"} {
		f.Add(uint64(100), fromHex(f, unspace(seed)))
	}
	f.Fuzz(func(t *testing.T, number uint64, packet []byte) {
		frames, ok := readFrames(number, packet)
		if _, scanned := scanFrames(number, packet); scanned != ok {
			t.Fatalf("the scan says %v, reading %v", scanned, ok)
		}
		if !ok {
			return
		}
		if again := appendFrames(nil, frames); !bytes.Equal(again, packet) {
			t.Fatalf("%x is written as %x", packet, again)
		}
	})
}
