package netmsg

import (
	"bytes"
	"slices"
	"testing"
)

func someHello() helloCore {
	return helloCore{low: 1, high: 2, salt: [8]byte(filled(8, 1)), app: [8]byte(filled(8, 11)), hint: [8]byte(filled(8, 21))}
}

// someResponse is a Response of pattern IK with a token and a Noise message of
// these sizes.
func someResponse(token, noise int) []byte {
	r := response{
		hello: someHello(), cookie: 5, pattern: patternIK, token: filled(token, 3),
		demands: demands{revision: 1, patterns: patternIK.bit(), token: token > 0},
	}
	return appendResponse(nil, appendResponseHeader(nil, &r, noise), filled(noise, 4))
}

// everyHello has one good datagram of each kind.
func everyHello() map[string][]byte {
	hello := someHello()
	c := challenge{demands: demands{revision: 1, patterns: allPatterns, token: true}, salt: hello.salt, cookie: 1 << 60, key: [32]byte{9}}
	return map[string][]byte{
		"request":             appendRequest(nil, &hello),
		"challenge":           appendChallenge(nil, &c),
		"response":            someResponse(0, 100),
		"response with token": someResponse(439, 1200-48-439),
		"accept":              append(appendAcceptHeader(nil, hello.salt), make([]byte, 53)...),
		"denied":              appendDenied(nil, deniedShutdown, hello.salt),
		"punch":               appendPunch(nil, hello.salt),
	}
}

// parses says whether any of the parsers takes b.
func parses(b []byte) bool {
	_, request := parseRequest(b)
	_, challenge := parseChallenge(b)
	_, response := parseResponse(b)
	_, _, accept := parseAccept(b)
	_, _, denied := parseDenied(b)
	_, punch := parsePunch(b)
	return request || challenge || response || accept || denied || punch
}

func TestHandshakeDatagramsOfAnotherSizeAreMalformed(t *testing.T) {
	for name, b := range everyHello() {
		if !parses(b) {
			t.Errorf("%s: malformed at %d bytes", name, len(b))
		}
		if name != "accept" && parses(append(slices.Clone(b), 0)) {
			t.Errorf("%s: read with a byte more", name)
		}
		for n := range b {
			if parses(b[:n]) {
				t.Errorf("%s: read at %d bytes", name, n)
			}
		}
	}
	if accept := everyHello()["accept"]; parses(append(accept, make([]byte, 1200-len(accept)+1)...)) {
		t.Error("an accept of 1,201 bytes is read")
	}
}

func TestReservedBytesMustBeZero(t *testing.T) {
	for _, c := range []struct {
		name string
		at   int
		bits byte
	}{
		{"request", 7, 0xFF}, {"response", 7, 0xFF},
		{"challenge", 7, 0xFE}, {"response", 42, 0xFE},
		{"challenge", 6, 0xE1}, {"response", 41, 0xE1},
		{"accept", 6, 0xFF}, {"accept", 7, 0xFF},
		{"punch", 5, 0xFF}, {"punch", 6, 0xFF}, {"punch", 7, 0xFF},
	} {
		for bit := byte(1); bit != 0; bit <<= 1 {
			b := everyHello()[c.name]
			if b[c.at] |= bit; bit&c.bits != 0 && parses(b) {
				t.Errorf("%s: read with byte %d = %#x", c.name, c.at, b[c.at])
			}
		}
	}
}

func TestOtherMagicsAndKindsAreMalformed(t *testing.T) {
	for name, b := range everyHello() {
		for i := range 4 {
			b[i]++
			if parses(b) {
				t.Errorf("%s: read as %q", name, b[:4])
			}
			b[i]--
		}
		for kind := 0; kind < 256; kind++ {
			if own := b[4]; byte(kind) != own {
				b[4] = byte(kind)
				if (kind == 4 || kind == 5 || kind > 7) && parses(b) {
					t.Errorf("%s: read as kind %d", name, kind)
				}
				b[4] = own
			}
		}
	}
}

func TestPaddingIsNotRead(t *testing.T) {
	request, response := everyHello()["request"], everyHello()["response"]
	wantRequest, _ := parseRequest(request)
	wantResponse, _ := parseResponse(response)
	used := len(wantResponse.header) + len(wantResponse.noise)
	wantResponse.header, wantResponse.noise = slices.Clone(wantResponse.header), slices.Clone(wantResponse.noise)
	for i := 32; i < 1200; i++ {
		request[i] ^= 0xFF
		if got, ok := parseRequest(request); !ok || got != wantRequest {
			t.Errorf("request, byte %d: %+v, %v", i, got, ok)
		}
	}
	for i := used; i < 1200; i++ {
		response[i] ^= 0xFF
		got, ok := parseResponse(response)
		if !ok || !bytes.Equal(got.header, wantResponse.header) || !bytes.Equal(got.noise, wantResponse.noise) {
			t.Errorf("response, byte %d: %+v, %v", i, got, ok)
		}
	}
}

func TestResponsesWithLengthsOutOfBoundsAreMalformed(t *testing.T) {
	for _, c := range []struct {
		token, noise int
		pattern      byte
		want         bool
	}{
		{0, 52, 1, true}, {0, 51, 1, false}, {0, 52, 2, true}, {0, 51, 2, false},
		{0, 100, 3, true}, {0, 99, 3, false}, {0, 100, 4, true}, {0, 99, 4, false},
		{0, 1152, 1, true}, {0, 1153, 1, false}, {0, 65535, 1, false},
		{119, 52, 1, true}, {118, 52, 1, false}, {1, 52, 1, false}, {439, 713, 1, true}, {439, 714, 1, false}, {440, 52, 1, false}, {65535, 52, 1, false},
		{0, 100, 0, false}, {0, 100, 5, false}, {0, 100, 255, false},
	} {
		b := someResponse(0, 100)
		copy(b[43:], []byte{c.pattern, byte(c.token >> 8), byte(c.token), byte(c.noise >> 8), byte(c.noise)})
		r, ok := parseResponse(b)
		if ok != c.want || ok && (len(r.token) != c.token || len(r.noise) != c.noise) {
			t.Errorf("token %d, noise %d, pattern %d: %v, %d and %d", c.token, c.noise, c.pattern, ok, len(r.token), len(r.noise))
		}
	}
}

func TestRevisionRangesThatAreNoneAreMalformed(t *testing.T) {
	hello := someHello()
	hello.low, hello.high = 3, 2
	if parses(appendRequest(nil, &hello)) {
		t.Error("lowest 3, highest 2 is read")
	}
	accept, denied := everyHello()["accept"], everyHello()["denied"]
	accept[5], denied[5] = 2, 2
	if parses(accept) || parses(denied) {
		t.Error("an Accept of revision 2, or a Denied of revisions 2 to 1, is read")
	}
	for _, c := range []struct{ low, high, want byte }{{0, 0, 0}, {0, 1, 1}, {1, 1, 1}, {1, 9, 1}, {2, 9, 0}} {
		if got := chooseRevision(c.low, c.high); got != c.want {
			t.Errorf("%d to %d: chose %d, want %d", c.low, c.high, got, c.want)
		}
	}
}

func TestVerdictsCarryACIDOrAReasonNotBoth(t *testing.T) {
	for _, c := range []struct {
		status uint8
		cid    uint32
		want   bool
	}{{0, cidBit | 5, true}, {0, 5, false}, {0, 0, false}, {1, 0, true}, {1, cidBit | 5, false}, {255, 0, true}} {
		if _, _, _, ok := parseVerdict(appendVerdict(nil, c.status, c.cid, &defaultParams)); ok != c.want {
			t.Errorf("status %d, cid %x: %v, want %v", c.status, c.cid, ok, c.want)
		}
	}
	if _, _, ok := parseClientHello(appendClientHello(nil, 5, &defaultParams)); ok {
		t.Error("a client's cid without its top bit is taken")
	}
	for n := range 5 {
		_, _, hello := parseClientHello(make([]byte, n)[:min(n, 3)])
		_, _, _, verdict := parseVerdict(make([]byte, n))
		if hello || verdict {
			t.Errorf("a payload of %d bytes is taken", n)
		}
	}
}

// FuzzHello: what parses is written back as the same bytes, padding apart.
func FuzzHello(f *testing.F) {
	for _, b := range everyHello() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		same := func(kind string, again []byte, used int) {
			if len(again) != len(b) || !bytes.Equal(again[:used], b[:used]) {
				t.Errorf("%s: %x is written back as %x", kind, b, again)
			}
		}
		if c, ok := parseRequest(b); ok {
			same("request", appendRequest(nil, &c), 32)
		}
		if c, ok := parseChallenge(b); ok {
			same("challenge", appendChallenge(nil, &c), challengeSize)
		}
		if r, ok := parseResponse(b); ok {
			header := appendResponseHeader(nil, &r, len(r.noise))
			same("response", appendResponse(nil, header, r.noise), len(r.header)+len(r.noise))
		}
		if salt, noise, ok := parseAccept(b); ok {
			same("accept", append(appendAcceptHeader(nil, salt), noise...), len(b))
		}
		if why, salt, ok := parseDenied(b); ok {
			again := appendDenied(nil, why, salt)
			copy(again[5:7], b[5:7]) // another server's revisions
			same("denied", again, deniedSize)
		}
		if id, ok := parsePunch(b); ok {
			same("punch", appendPunch(nil, id), punchSize)
		}
	})
}
