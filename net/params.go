package netmsg

import (
	"encoding/binary"
	"time"
)

// Both sides announce in the handshake what they take. A parameter is a varint
// id, a varint length and that many bytes; ids ascend, unknown ones are
// skipped, and one left out has its default.

const (
	paramMaxDatagram = 1 + iota
	paramMaxMessage
	paramWindow
	paramIdleTimeout
	paramMaxAckDelay
	paramMaxStreams
	paramFeatures
	paramServerClock
	paramAppData
	paramText
	paramMaxLatest
)

const (
	maxAppData = 512 // bytes of a hello or a welcome
	maxText    = 200 // bytes of a refusal's reason

	minMaxMessage, maxMaxMessage   = 1_024, 16_777_216
	minMaxDatagram, maxMaxDatagram = 1_200, 65_507
	minMaxLatest, maxMaxLatest     = 1_024, 65_535
	maxMaxStreams                  = 4_096
	minIdleTimeout, maxIdleTimeout = time.Second, 120 * time.Second
	maxMaxAckDelay                 = 250 * time.Millisecond
)

// params are one side's parameters. The zero value announces nothing sensible;
// defaultParams is what an empty announcement means.
type params struct {
	maxDatagram int           // largest datagram it takes, bytes of UDP payload
	maxMessage  int           // largest reliable message it takes
	window      int           // bytes of reliable messages it holds per channel
	idleTimeout time.Duration // silence after which it gives up; whole milliseconds
	maxAckDelay time.Duration // longest it holds an acknowledgement; whole milliseconds
	maxStreams  int           // latest-value streams it takes
	maxLatest   int           // largest latest value it takes
	moves       bool          // its address may change: follow it

	hasClock bool
	clock    uint64 // a server's game clock when it wrote its Accept, microseconds

	appData []byte // the hello or the welcome
	text    []byte // why a server refuses
}

// defaultParams is what a side that announces nothing has announced.
var defaultParams = params{
	maxDatagram: 1_200,
	maxMessage:  65_535,
	window:      262_144,
	idleTimeout: 10 * time.Second,
	maxAckDelay: 40 * time.Millisecond,
	maxStreams:  64,
	maxLatest:   16_384,
}

// inRange says whether every number is one that may be announced.
func (p *params) inRange() bool {
	within := func(v, low, high int) bool { return low <= v && v <= high }
	return within(p.maxDatagram, minMaxDatagram, maxMaxDatagram) &&
		within(p.maxMessage, minMaxMessage, maxMaxMessage) &&
		within(p.window, 2*p.maxMessage, maxWindow) &&
		minIdleTimeout <= p.idleTimeout && p.idleTimeout <= maxIdleTimeout &&
		0 <= p.maxAckDelay && p.maxAckDelay <= maxMaxAckDelay &&
		within(p.maxStreams, 1, maxMaxStreams) &&
		within(p.maxLatest, minMaxLatest, maxMaxLatest) &&
		len(p.appData) <= maxAppData && len(p.text) <= maxText
}

// appendParams appends those of p that differ from their defaults.
func appendParams(b []byte, p *params) []byte {
	d := &defaultParams
	b = appendNumber(b, paramMaxDatagram, p.maxDatagram, d.maxDatagram)
	b = appendNumber(b, paramMaxMessage, p.maxMessage, d.maxMessage)
	b = appendNumber(b, paramWindow, p.window, d.window)
	b = appendNumber(b, paramIdleTimeout, int(p.idleTimeout.Milliseconds()), int(d.idleTimeout.Milliseconds()))
	b = appendNumber(b, paramMaxAckDelay, int(p.maxAckDelay.Milliseconds()), int(d.maxAckDelay.Milliseconds()))
	b = appendNumber(b, paramMaxStreams, p.maxStreams, d.maxStreams)
	if p.moves {
		b = appendNumber(b, paramFeatures, featureMoves, 0)
	}
	if p.hasClock {
		b = append(b, paramServerClock, 8)
		b = binary.BigEndian.AppendUint64(b, p.clock)
	}
	b = appendBytes(b, paramAppData, p.appData)
	b = appendBytes(b, paramText, p.text)
	return appendNumber(b, paramMaxLatest, p.maxLatest, d.maxLatest)
}

const featureMoves = 1 // bit 0 of features; the others are not read

func appendNumber(b []byte, id byte, v, unless int) []byte {
	if v == unless {
		return b
	}
	b = append(b, id, byte(varintLen(uint32(v))))
	return appendVarint(b, uint32(v))
}

func appendBytes(b []byte, id byte, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	b = append(b, id)
	b = appendVarint(b, uint32(len(v)))
	return append(b, v...)
}

// parseParams reads all of b. It is false for anything malformed and for any
// number out of range. appData and text are slices of b.
func parseParams(b []byte) (params, bool) {
	p := defaultParams
	for last := -1; len(b) > 0; {
		id, n := parseVarint(b)
		size, m := parseVarint(b[n:])
		b = b[n+m:]
		if n == 0 || m == 0 || int(id) <= last || int(size) > len(b) {
			return params{}, false
		}
		if !p.set(id, b[:size]) {
			return params{}, false
		}
		last, b = int(id), b[size:]
	}
	return p, p.inRange()
}

// set takes the parameter id; ranges are checked when all are known. Bits of
// features that this revision does not know are not read.
func (p *params) set(id uint32, v []byte) bool {
	switch {
	case id == 0 || id > paramMaxLatest:
		return true // of a later revision
	case id == paramServerClock:
		return p.setClock(v)
	case id == paramAppData:
		p.appData = v
		return true
	case id == paramText:
		p.text = v
		return true
	}
	n, size := parseVarint(v)
	p.setNumber(id, int(n))
	return size != 0 && size == len(v)
}

func (p *params) setClock(v []byte) bool {
	if len(v) != 8 {
		return false
	}
	p.clock, p.hasClock = binary.BigEndian.Uint64(v), true
	return true
}

func (p *params) setNumber(id uint32, n int) {
	switch id {
	case paramMaxDatagram:
		p.maxDatagram = n
	case paramMaxMessage:
		p.maxMessage = n
	case paramWindow:
		p.window = n
	case paramIdleTimeout:
		p.idleTimeout = time.Duration(n) * time.Millisecond
	case paramMaxAckDelay:
		p.maxAckDelay = time.Duration(n) * time.Millisecond
	case paramMaxStreams:
		p.maxStreams = n
	case paramFeatures:
		p.moves = n&featureMoves != 0
	case paramMaxLatest:
		p.maxLatest = n
	}
}
