package netmsg

import "encoding/binary"

// A response is the client's second datagram: what was said so far, a token
// and Noise message 1.
type response struct {
	core    []byte // as in the Request, which the cookie covers
	hello   helloCore
	cookie  uint64
	demands demands // as in the Challenge
	pattern pattern
	token   []byte
	noise   []byte
	header  []byte // the header and the token: what the prologue covers
}

// appendResponseHeader appends all of a Response before Noise message 1 of
// size noiseSize.
func appendResponseHeader(b []byte, r *response, noiseSize int) []byte {
	b = appendHelloCore(appendHello(b, helloResponse), &r.hello)
	b = binary.BigEndian.AppendUint64(b, r.cookie)
	b = append(appendDemands(b, r.demands), byte(r.pattern))
	b = binary.BigEndian.AppendUint16(b, uint16(len(r.token)))
	b = binary.BigEndian.AppendUint16(b, uint16(noiseSize))
	return append(b, r.token...)
}

// appendResponse appends a Response with the header that appendResponseHeader
// made.
func appendResponse(b, header, noise []byte) []byte {
	start := len(b)
	b = append(b, header...)
	b = append(b, noise...)
	return pad(b, start+paddedHello)
}

// parseResponse reads a Response. Its slices are slices of b.
func parseResponse(b []byte) (r response, ok bool) {
	if kind, ok := helloKind(b); !ok || kind != helloResponse || len(b) != paddedHello {
		return r, false
	}
	r.core = b[5 : 5+helloCoreSize]
	hello, coreOK := parseHelloCore(r.core)
	demands, demandsOK := parseDemands(b[40:])
	r.hello, r.demands = hello, demands
	r.cookie = binary.BigEndian.Uint64(b[32:])
	r.pattern = pattern(b[43])
	if !coreOK || !demandsOK || !r.pattern.valid() {
		return r, false
	}
	tokenSize, noiseSize := int(binary.BigEndian.Uint16(b[44:])), int(binary.BigEndian.Uint16(b[46:]))
	if tokenSize != 0 && (tokenSize < minTokenSize || tokenSize > maxTokenSize) ||
		noiseSize < r.pattern.minNoise1() || responseHeader+tokenSize+noiseSize > paddedHello {
		return r, false
	}
	r.header = b[:responseHeader+tokenSize]
	r.token = r.header[responseHeader:]
	r.noise = b[len(r.header):][:noiseSize]
	return r, true
}

// appendPrologue appends what Noise mixes in first: everything negotiated
// before, so that a change to any of it by a third party makes message 1 fail.
func appendPrologue(b, header []byte) []byte {
	return append(append(b, "NMS2 prologue v1"...), header...)
}
