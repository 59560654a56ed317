package netmsg

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// unhex reads bytes from hexadecimal with blanks anywhere.
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryKindOfDatagramIsWrittenAsThePageSays(t *testing.T) {
	const salt, cookie = 0x0102030405060708, 0x1112131415161718
	payload := appendPlainHeader(nil, 0x1010101010101010, 7, 0xffff, 0)
	payload = appendPlainMessage(payload, 0, []byte("hi"))
	payload = appendPlainValue(payload, 5, 1, []byte("z"))
	setPlainCounts(payload, 1, 1)

	for _, c := range []struct {
		name    string
		got     []byte
		want    string
		padding int
	}{
		{"Request", appendPlainRequest(nil, salt), "4e4d5331 00 0102030405060708", 1187},
		{"Challenge", appendPlainChallenge(nil, salt, cookie), "4e4d5331 01 0102030405060708 1112131415161718", 0},
		{"Response", appendPlainResponse(nil, salt, cookie), "4e4d5331 02 0102030405060708 1112131415161718", 1179},
		{"Accept", appendPlainShort(nil, plainAccept, plainSession(salt, cookie)), "4e4d5331 03 1010101010101010", 0},
		{"Payload", payload, "4e4d5331 04 1010101010101010 0007 ffff 00000000 01 01  0000 0002 6869  0005 0001 0001 7a", 0},
		{"Disconnect", appendPlainShort(nil, plainDisconnect, plainSession(salt, cookie)), "4e4d5331 05 1010101010101010", 0},
		{"Denied", appendPlainShort(nil, plainDenied, salt), "4e4d5331 06 0102030405060708", 0},
	} {
		want := append(unhex(t, c.want), make([]byte, c.padding)...)
		if !bytes.Equal(c.got, want) {
			t.Errorf("%s: got %x, want %x", c.name, c.got, want)
		}
	}
}

func TestThePaddingOfAPlainDatagramIsNotRead(t *testing.T) {
	request, response := appendPlainRequest(nil, 7), appendPlainResponse(nil, 7, 8)
	for i := 13; i < len(request); i++ {
		request[i] = 0xaa
	}
	for i := 21; i < len(response); i++ {
		response[i] = 0xaa
	}

	if salt, ok := parsePlainRequest(request); !ok || salt != 7 {
		t.Errorf("Request: got %d %v", salt, ok)
	}
	if salt, cookie, ok := parsePlainResponse(response); !ok || salt != 7 || cookie != 8 {
		t.Errorf("Response: got %d %d %v", salt, cookie, ok)
	}
}

func TestADatagramOfAnotherSizeKindOrMagicIsNotTaken(t *testing.T) {
	parsers := map[string]struct {
		good  []byte
		parse func([]byte) bool
	}{
		"Request":    {appendPlainRequest(nil, 1), func(b []byte) bool { _, ok := parsePlainRequest(b); return ok }},
		"Challenge":  {appendPlainChallenge(nil, 1, 2), func(b []byte) bool { _, _, ok := parsePlainChallenge(b); return ok }},
		"Response":   {appendPlainResponse(nil, 1, 2), func(b []byte) bool { _, _, ok := parsePlainResponse(b); return ok }},
		"Accept":     {appendPlainShort(nil, plainAccept, 1), func(b []byte) bool { _, ok := parsePlainShort(b, plainAccept); return ok }},
		"Disconnect": {appendPlainShort(nil, plainDisconnect, 1), func(b []byte) bool { _, ok := parsePlainShort(b, plainDisconnect); return ok }},
		"Denied":     {appendPlainShort(nil, plainDenied, 1), func(b []byte) bool { _, ok := parsePlainShort(b, plainDenied); return ok }},
		"Payload":    {appendPlainHeader(nil, 1, 2, 3, 4), func(b []byte) bool { _, ok := parsePlainPayload(b); return ok }},
	}
	for name, p := range parsers {
		if !p.parse(p.good) {
			t.Errorf("%s: a good one is not taken", name)
		}
		if p.parse(append(bytes.Clone(p.good), 0)) {
			t.Errorf("%s: one byte more is taken", name)
		}
		for n := range p.good {
			if p.parse(p.good[:n]) {
				t.Errorf("%s: %d of %d bytes are taken", name, n, len(p.good))
			}
		}
		for i := range plainKindLen {
			bad := bytes.Clone(p.good)
			bad[i] ^= 0x40
			if p.parse(bad) {
				t.Errorf("%s: taken with another byte %d", name, i)
			}
		}
	}
}

// payloadFaults are Payloads that are wrong in one way each.
var payloadFaults = map[string]string{
	"first reserved bit of a message":  "01 00 0000 8002 6869",
	"second reserved bit of a message": "01 00 0000 4002 6869",
	"reserved bit of a value":          "00 01 0005 0001 8001 7a",
	"message past the end":             "01 00 0000 0003 6869",
	"value past the end":               "00 01 0005 0001 0002 7a",
	"count of messages past the end":   "02 00 0000 0002 6869",
	"count of values past the end":     "00 02 0005 0001 0001 7a",
	"a byte left over":                 "01 00 0000 0002 6869 00",
	"a value counted as a message":     "01 00 0005 0001 0001 7a",
	"a message's header cut":           "01 00 0000 00",
	"a value's header cut":             "00 01 0005 0001",
}

const payloadStart = "4e4d5331 04 1010101010101010 0007 ffff 00000000 "

func TestAFaultAnywhereMakesThePayloadMalformed(t *testing.T) {
	for name, fault := range payloadFaults {
		if _, ok := parsePlainPayload(unhex(t, payloadStart+fault)); ok {
			t.Errorf("%s: taken", name)
		}
	}
	if _, ok := parsePlainPayload(unhex(t, payloadStart+"01 01 0000 0002 6869 0005 0001 0001 7a")); !ok {
		t.Error("the good one is not taken")
	}
}

func TestAReservedBitIsAFaultEvenWhereTheBytesAreThere(t *testing.T) {
	for length, want := range map[uint16]bool{0x3fff: true, 0x4000: false, 0x8000: false, 0xc001: false} {
		b := appendPlainHeader(nil, 1, 2, 3, 4)
		b = append(PutU16(PutU16(b, 0), length), make([]byte, length)...)
		setPlainCounts(b, 1, 0)
		if _, ok := parsePlainPayload(b); ok != want {
			t.Errorf("length %04x: taken %v, want %v", length, ok, want)
		}
	}
}

// encoded writes a parsed packet again, from what its parts say.
func (p plainPacket) encoded() []byte {
	b := appendPlainHeader(nil, p.session, p.seq, p.ack, p.bits)
	r := p.items
	for range p.messages {
		id, data := nextPlainMessage(&r)
		b = appendPlainMessage(b, id, data)
	}
	for range p.values {
		stream, number, data := nextPlainValue(&r)
		b = appendPlainValue(b, stream, number, data)
	}
	setPlainCounts(b, p.messages, p.values)
	return b
}

func TestAPayloadReadsBackAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := appendPlainHeader(nil, rapid.Uint64().Draw(t, "session"), rapid.Uint16().Draw(t, "seq"), rapid.Uint16().Draw(t, "ack"), rapid.Uint32().Draw(t, "bits"))
		messages := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 40), 0, 20).Draw(t, "messages")
		values := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 40), 0, 20).Draw(t, "values")
		for i, m := range messages {
			b = appendPlainMessage(b, uint16(i), m)
		}
		for i, v := range values {
			b = appendPlainValue(b, uint16(i), uint16(i*7), v)
		}
		setPlainCounts(b, len(messages), len(values))

		p, ok := parsePlainPayload(b)
		if !ok || p.messages != len(messages) || p.values != len(values) || !bytes.Equal(p.encoded(), b) {
			t.Fatalf("%x: ok %v, read back as %x", b, ok, p.encoded())
		}
	})
}

func FuzzPlainPacket(f *testing.F) {
	f.Add(unhex(f, payloadStart+"01 01 0000 0002 6869 0005 0001 0001 7a"))
	for _, fault := range payloadFaults {
		f.Add(unhex(f, payloadStart+fault))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := parsePlainPayload(b)
		if !ok {
			return
		}
		if again := p.encoded(); !bytes.Equal(again, b) {
			t.Errorf("%x is written again as %x", b, again)
		}
	})
}
