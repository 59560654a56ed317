package netmsg

import "encoding/binary"

// The payloads of the two Noise messages begin with a connection id: the one
// that the other side is to put in front of its packets.

const (
	minClientHello = 4 // cid; then the client's parameters
	minVerdict     = 5 // status and cid; then the server's parameters
)

func appendClientHello(b []byte, cid uint32, p *params) []byte {
	return appendParams(binary.BigEndian.AppendUint32(b, cid), p)
}

func parseClientHello(b []byte) (cid uint32, p params, ok bool) {
	if len(b) < minClientHello {
		return 0, p, false
	}
	cid = binary.BigEndian.Uint32(b)
	p, ok = parseParams(b[minClientHello:])
	return cid, p, ok && cid&cidBit != 0
}

func appendVerdict(b []byte, status uint8, cid uint32, p *params) []byte {
	b = binary.BigEndian.AppendUint32(append(b, status), cid)
	return appendParams(b, p)
}

// parseVerdict reads the payload of message 2: a cid with status 0, none with
// any other.
func parseVerdict(b []byte) (status uint8, cid uint32, p params, ok bool) {
	if len(b) < minVerdict {
		return 0, 0, p, false
	}
	status, cid = b[0], binary.BigEndian.Uint32(b[1:])
	p, ok = parseParams(b[minVerdict:])
	if status == 0 {
		return status, cid, p, ok && cid&cidBit != 0
	}
	return status, cid, p, ok && cid == 0
}
