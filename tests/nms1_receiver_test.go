package tests

import "bytes"

// An nms1Receiver is what a side that keeps to net/PROTOCOL.md makes of the
// Payloads that arrive: which sequences it acknowledges, which messages and
// values are heard.
type nms1Receiver struct {
	arrivals map[uint16]bool // of the newest 33
	any      bool
	newest   uint16

	next    uint16 // id of the next message in order
	early   map[uint16][]byte
	untaken int // heard by the rules, and not yet taken by the application

	streams map[uint16]uint16 // number of the last value heard
	heard   []nms1Heard       // what is to be heard, and has not been
}

// An nms1Heard is one thing that the application is told: a message, or a
// value of a stream.
type nms1Heard struct {
	message bool
	stream  uint16
	data    []byte
}

func newNMS1Receiver() *nms1Receiver {
	return &nms1Receiver{arrivals: map[uint16]bool{}, early: map[uint16][]byte{}, streams: map[uint16]uint16{}}
}

const (
	nms1Window   = 1024 // messages that a receiver holds, that a sender keeps (7)
	nms1AckReach = 32   // packets before the newest that are named (5)
	nms1Streams  = 64   // streams of a side (8)
)

// takes says whether a Payload counts at all: steps 2 and 3 of section 4.
func (r *nms1Receiver) takes(d nms1Datagram) bool {
	if r.any && !nms1Newer(d.sequence, r.newest) {
		if r.arrivals[d.sequence] || r.newest-d.sequence > nms1AckReach {
			return false
		}
	}
	for _, m := range d.messages {
		if ahead := m.id - r.next; ahead >= nms1Window && ahead < 32768 {
			return false
		}
	}
	return true
}

// take takes what a Payload carries, and notes its sequence if all of it could
// be kept: steps 4 and 5.
func (r *nms1Receiver) take(d nms1Datagram) (kept bool) {
	kept = true
	for _, m := range d.messages {
		kept = r.message(m) && kept
	}
	for _, v := range d.values {
		r.value(v)
	}
	if kept {
		r.arrived(d.sequence)
	}
	return kept
}

func (r *nms1Receiver) arrived(sequence uint16) {
	if !r.any || nms1Newer(sequence, r.newest) {
		r.any, r.newest = true, sequence
	}
	r.arrivals[sequence] = true
	for old := range r.arrivals {
		if r.newest-old > nms1AckReach {
			delete(r.arrivals, old)
		}
	}
}

// message takes one message (7); false: there is no room for it.
func (r *nms1Receiver) message(m nms1Message) bool {
	ahead := m.id - r.next
	if ahead >= 32768 {
		return true // heard before
	}
	if r.untaken+int(ahead) >= nms1Window {
		return false
	}
	if _, again := r.early[m.id]; !again {
		r.early[m.id] = bytes.Clone(m.data)
	}
	for {
		data, ok := r.early[r.next]
		if !ok {
			return true
		}
		delete(r.early, r.next)
		r.next++
		r.untaken++
		r.heard = append(r.heard, nms1Heard{message: true, data: data})
	}
}

// value takes one value (8).
func (r *nms1Receiver) value(v nms1Value) {
	last, known := r.streams[v.stream]
	if !known && len(r.streams) == nms1Streams || known && !nms1Newer(v.number, last) {
		return
	}
	r.streams[v.stream] = v.number
	// A value that the application has not taken yet gives way to the newer.
	for i, h := range r.heard {
		if !h.message && h.stream == v.stream {
			r.heard = append(r.heard[:i], r.heard[i+1:]...)
			break
		}
	}
	r.heard = append(r.heard, nms1Heard{stream: v.stream, data: bytes.Clone(v.data)})
}

// taken: the application is told the next thing.
func (r *nms1Receiver) taken() (h nms1Heard, ok bool) {
	if len(r.heard) == 0 {
		return h, false
	}
	h, r.heard = r.heard[0], r.heard[1:]
	if h.message {
		r.untaken--
	}
	return h, true
}

// ack is what the next Payload acknowledges (5).
func (r *nms1Receiver) ack() (newest uint16, bits uint32) {
	if !r.any {
		return 65535, 0
	}
	for k := range uint16(32) {
		if r.arrivals[r.newest-1-k] {
			bits |= 1 << k
		}
	}
	return r.newest, bits
}
