package netmsg

// The datagrams of the NMS2 handshake. Each begins with "NMS2" and its kind;
// each has one size or a range of sizes, and anything else is malformed, as is
// a reserved byte that is not zero. Padding is sent as zeros and not read.
// PROTOCOL.md, NMS2: handshake datagrams.

const helloMagic = "NMS2"

const (
	helloRequest   = 0
	helloChallenge = 1
	helloResponse  = 2
	helloAccept    = 3
	helloDenied    = 6
	helloPunch     = 7
)

const (
	paddedHello   = 1200 // Request and Response: more than any answer, so that nobody is flooded by proxy
	challengeSize = 56
	minAcceptSize = acceptHeader + minNoise2 // 69
	maxAcceptSize = 1200
	deniedSize    = 16
	punchSize     = 16

	responseHeader = 48 // before the token
	acceptHeader   = 16 // before Noise message 2
)

// revision is the one revision of NMS2 that there is.
const revision = 1

// chooseRevision is the highest revision in a client's range that this side
// speaks; 0: none.
func chooseRevision(low, high byte) byte {
	if low <= revision && revision <= high {
		return revision
	}
	return 0
}

// helloKind is the kind of a handshake datagram; ok is false for anything else.
func helloKind(b []byte) (kind byte, ok bool) {
	if len(b) < 5 || string(b[:4]) != helloMagic {
		return 0, false
	}
	return b[4], true
}

func appendHello(b []byte, kind byte) []byte {
	b = append(b, helloMagic...)
	return append(b, kind)
}

// pad appends zeros up to size.
func pad(b []byte, size int) []byte { return append(b, make([]byte, size-len(b))...) }

// A helloCore is what a Request says, repeated in the Response and covered by
// the cookie.
type helloCore struct {
	low, high byte // revisions that the client speaks
	salt      [8]byte
	app       [8]byte
	hint      [8]byte // of the server key that the client expects; zeros: any
}

const helloCoreSize = 27

func appendHelloCore(b []byte, c *helloCore) []byte {
	b = append(b, c.low, c.high, 0)
	b = append(b, c.salt[:]...)
	b = append(b, c.app[:]...)
	return append(b, c.hint[:]...)
}

func parseHelloCore(b []byte) (c helloCore, ok bool) {
	c = helloCore{low: b[0], high: b[1], salt: [8]byte(b[3:]), app: [8]byte(b[11:]), hint: [8]byte(b[19:])}
	return c, b[2] == 0 && c.low <= c.high
}

func appendRequest(b []byte, c *helloCore) []byte {
	start := len(b)
	b = appendHelloCore(appendHello(b, helloRequest), c)
	return pad(b, start+paddedHello)
}

func parseRequest(b []byte) (c helloCore, ok bool) {
	if kind, ok := helloKind(b); !ok || kind != helloRequest || len(b) != paddedHello {
		return c, false
	}
	return parseHelloCore(b[5:])
}
