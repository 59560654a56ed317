package tests

import (
	"bytes"
	"fmt"
)

// A second decoder of NMS1, written from net/PROTOCOL.md alone. The numbers in
// comments are that page's sections.

// The kinds of datagram (2).
const (
	nms1Request    = 0
	nms1Challenge  = 1
	nms1Response   = 2
	nms1Accept     = 3
	nms1Payload    = 4
	nms1Disconnect = 5
	nms1Denied     = 6
)

// An nms1Datagram is what one datagram says. Fields that its kind has not are
// zero.
type nms1Datagram struct {
	kind     byte
	salt     uint64
	cookie   uint64
	session  uint64
	sequence uint16
	ack      uint16
	ackBits  uint32
	messages []nms1Message
	values   []nms1Value
}

type nms1Message struct {
	id   uint16
	data []byte
}

type nms1Value struct {
	stream, number uint16
	data           []byte
}

var nms1Magic = []byte{0x4e, 0x4d, 0x53, 0x31}

// nms1Sizes are the exact sizes of the kinds that have one (2).
var nms1Sizes = map[byte]int{
	nms1Request: 1200, nms1Challenge: 21, nms1Response: 1200, nms1Accept: 13, nms1Disconnect: 13, nms1Denied: 13,
}

// decodeNMS1 reads a datagram as a receiver with the given packet size does
// (2, 4), and says why it is malformed.
func decodeNMS1(b []byte, packetSize int) (d nms1Datagram, err error) {
	if len(b) < 5 || !bytes.Equal(b[:4], nms1Magic) {
		return d, fmt.Errorf("it does not begin as NMS1: %.8x", b)
	}
	d.kind = b[4]
	if size, ok := nms1Sizes[d.kind]; ok && len(b) != size {
		return d, fmt.Errorf("kind %d has %d bytes, not %d", d.kind, size, len(b))
	}
	rest := reading{b[5:]}
	switch d.kind {
	case nms1Request, nms1Denied:
		d.salt = rest.number(8)
	case nms1Challenge, nms1Response:
		d.salt, d.cookie = rest.number(8), rest.number(8)
	case nms1Accept, nms1Disconnect:
		d.session = rest.number(8)
	case nms1Payload:
		return decodePayload(d, rest, len(b), packetSize)
	default:
		return d, fmt.Errorf("there is no kind %d", d.kind)
	}
	return d, nil
}

// decodePayload reads what follows the kind of a Payload (4).
func decodePayload(d nms1Datagram, rest reading, size, packetSize int) (nms1Datagram, error) {
	if size < 23 || size > max(1200, packetSize) {
		return d, fmt.Errorf("a Payload has 23 to %d bytes, not %d", max(1200, packetSize), size)
	}
	d.session = rest.number(8)
	d.sequence = uint16(rest.number(2))
	d.ack = uint16(rest.number(2))
	d.ackBits = uint32(rest.number(4))
	messages, values := rest.number(1), rest.number(1)
	for range messages {
		if len(rest.b) < 4 {
			return d, fmt.Errorf("the count of messages reaches past the end")
		}
		m := nms1Message{id: uint16(rest.number(2))}
		var err error
		if m.data, err = rest.data(); err != nil {
			return d, err
		}
		d.messages = append(d.messages, m)
	}
	for range values {
		if len(rest.b) < 6 {
			return d, fmt.Errorf("the count of values reaches past the end")
		}
		v := nms1Value{stream: uint16(rest.number(2)), number: uint16(rest.number(2))}
		var err error
		if v.data, err = rest.data(); err != nil {
			return d, err
		}
		d.values = append(d.values, v)
	}
	if len(rest.b) > 0 {
		return d, fmt.Errorf("%d bytes are left over", len(rest.b))
	}
	return d, nil
}

// A reading is what is left of a datagram.
type reading struct{ b []byte }

// number reads n bytes, the most significant first (1).
func (r *reading) number(n int) (v uint64) {
	for _, c := range r.b[:n] {
		v = v<<8 | uint64(c)
	}
	r.b = r.b[n:]
	return v
}

// data reads a length and as many bytes (4).
func (r *reading) data() ([]byte, error) {
	n := int(r.number(2))
	if n > 16383 {
		return nil, fmt.Errorf("the length %04x has a reserved bit", n)
	}
	if n > len(r.b) {
		return nil, fmt.Errorf("the length %d reaches past the end", n)
	}
	data := r.b[:n:n]
	r.b = r.b[n:]
	return data, nil
}

// nms1Newer says whether a is newer than b (1).
func nms1Newer(a, b uint16) bool {
	ahead := (int(a) - int(b) + 65536) % 65536
	return ahead >= 1 && ahead <= 32767
}

// encodeNMS1 writes a datagram, whatever is wrong with it (2, 4).
func encodeNMS1(d nms1Datagram) []byte {
	b := append(bytes.Clone(nms1Magic), d.kind)
	number := func(v uint64, n int) {
		for n--; n >= 0; n-- {
			b = append(b, byte(v>>(8*n)))
		}
	}
	data := func(data []byte) {
		number(uint64(len(data)), 2)
		b = append(b, data...)
	}
	switch d.kind {
	case nms1Request, nms1Denied:
		number(d.salt, 8)
	case nms1Challenge, nms1Response:
		number(d.salt, 8)
		number(d.cookie, 8)
	case nms1Accept, nms1Disconnect:
		number(d.session, 8)
	case nms1Payload:
		number(d.session, 8)
		number(uint64(d.sequence), 2)
		number(uint64(d.ack), 2)
		number(uint64(d.ackBits), 4)
		number(uint64(len(d.messages)), 1)
		number(uint64(len(d.values)), 1)
		for _, m := range d.messages {
			number(uint64(m.id), 2)
			data(m.data)
		}
		for _, v := range d.values {
			number(uint64(v.stream), 2)
			number(uint64(v.number), 2)
			data(v.data)
		}
	}
	if d.kind == nms1Request || d.kind == nms1Response {
		b = append(b, make([]byte, 1200-len(b))...)
	}
	return b
}
