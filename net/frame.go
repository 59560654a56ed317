package netmsg

import "encoding/binary"

// A frameKind is the type of a frame, as its first byte says it. The three
// kinds that carry messages have flags in the low bits of that byte.
// PROTOCOL.md, Frames.
type frameKind uint8

const (
	framePadding       frameKind = 0x00
	framePing          frameKind = 0x01
	frameAckAll        frameKind = 0x02
	frameAckBits       frameKind = 0x03
	frameAckRanges     frameKind = 0x04
	frameTimePing      frameKind = 0x05
	frameTimePong      frameKind = 0x06
	frameMTUProbe      frameKind = 0x07
	framePathChallenge frameKind = 0x08
	framePathResponse  frameKind = 0x09
	frameCredit        frameKind = 0x0A
	frameClose         frameKind = 0x0B
	frameUnreliable    frameKind = 0x20 // and 0x21
	frameReliable      frameKind = 0x40 // to 0x7F
	frameLatest        frameKind = 0x80 // to 0xBF
)

// A frame is one frame of a packet, as read or to be written. Which fields
// mean something depends on its kind. Its data is a part of the packet.
type frame struct {
	kind frameKind

	fragment bool    // RELIABLE, LATEST: data is a part of the message or value
	sized    bool    // RELIABLE, LATEST, UNRELIABLE: a length is written; else data ends the packet
	numbered bool    // RELIABLE: the id is written; else it is one more than the one before
	channel  Channel // RELIABLE, CREDIT
	id       uint16  // RELIABLE: low bits of the message's number
	total    uint32  // RELIABLE: bytes of the whole message
	offset   uint32  // RELIABLE: where data belongs in it

	stream       uint16 // LATEST
	back         uint16 // LATEST: packets since the one with fragment 0
	index, count uint8  // LATEST: which fragment, of how many; count is also ACK's n

	largest, delay uint16   // ACK
	t1, t2         uint64   // TIME_PING, TIME_PONG: microseconds
	hold           uint32   // TIME_PONG: microseconds
	size           uint16   // MTU_PROBE
	path           pathData // PATH_CHALLENGE, PATH_RESPONSE
	floor          uint16   // CREDIT
	window         uint32   // CREDIT: bytes
	code           uint32   // CLOSE

	run  int    // PADDING: how many in a row
	data []byte // message or value bytes, CLOSE's text, what follows n in an ACK
}

// A frameReader reads the frames of one packet. A packet is read twice: once
// to know that all of it is well-formed, once to act on it. So nothing acts on
// a malformed packet, and no list of frames has to be kept for it.
type frameReader struct {
	rest   []byte
	number uint64    // of the packet
	bad    bool      // the packet is malformed
	once   uint16    // limited kinds that have come, a bit each
	ids    [4]uint16 // RELIABLE: the last id of each channel
	hasID  uint8     // RELIABLE: channels that have one, a bit each
}

// next reads the next frame into f. It is false at the end of the packet and
// where it is malformed, which r.bad then says.
func (r *frameReader) next(f *frame) bool {
	if len(r.rest) == 0 {
		return false
	}
	first := r.u8()
	*f = frame{kind: kindOf(first)}
	if !r.allowed(f.kind) {
		r.bad = true
		return false
	}
	switch f.kind {
	case framePadding:
		r.padding(f)
	case framePing:
	case frameAckAll, frameAckBits, frameAckRanges:
		r.ack(f)
	case frameTimePing, frameTimePong:
		r.time(f)
	case frameMTUProbe:
		f.size = r.u16()
	case framePathChallenge, framePathResponse:
		copy(f.path[:], r.take(len(f.path)))
	case frameCredit:
		r.credit(f)
	case frameClose:
		r.close(f)
	case frameUnreliable:
		r.unreliable(f, first)
	case frameReliable:
		r.reliable(f, first)
	case frameLatest:
		r.latest(f, first)
	default:
		r.bad = true
	}
	return !r.bad
}

// kindOf takes the flags off the first byte of a frame.
func kindOf(first byte) frameKind {
	switch {
	case first>>6 == 1:
		return frameReliable
	case first>>6 == 2:
		return frameLatest
	case first>>1 == 0x10:
		return frameUnreliable
	}
	return frameKind(first)
}

// allowed says that a frame of this kind may follow what has come before: some
// come once in a packet, and after CLOSE comes padding alone.
func (r *frameReader) allowed(k frameKind) bool {
	const closed = 1 << frameClose
	if r.once&closed != 0 && k != framePadding {
		return false
	}
	var bit uint16
	switch k {
	case frameAckAll, frameAckBits, frameAckRanges:
		bit = 1 << frameAckAll // one of the three
	case frameTimePing, frameTimePong, frameMTUProbe, framePathChallenge, framePathResponse, frameClose:
		bit = 1 << k
	}
	if r.once&bit != 0 {
		return false
	}
	r.once |= bit
	return true
}

// The methods below read a field each. Past the end they give zero and mark
// the packet bad.

func (r *frameReader) take(n int) []byte {
	if n > len(r.rest) {
		r.bad, r.rest = true, nil
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *frameReader) u8() uint8 {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *frameReader) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (r *frameReader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *frameReader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// varint reads a varint of at most limit.
func (r *frameReader) varint(limit uint32) uint32 {
	v, n := parseVarint(r.rest)
	if n == 0 || v > limit {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// sizedData reads the data of a message or value: a length and as many bytes,
// or the rest of the packet.
func (r *frameReader) sizedData(sized bool) []byte {
	if !sized {
		return r.take(len(r.rest))
	}
	return r.take(int(r.varint(maxVarint)))
}

// padding reads the rest of a row of padding, of which one byte is read.
func (r *frameReader) padding(f *frame) {
	f.run = 1
	for len(r.rest) > 0 && r.rest[0] == byte(framePadding) {
		r.rest = r.rest[1:]
		f.run++
	}
}

// appendFrame writes any frame, as it was read.
func appendFrame(b []byte, f *frame) []byte {
	switch f.kind {
	case framePadding:
		return appendPadding(b, f.run)
	case framePing:
		return appendPing(b)
	case frameAckAll:
		return appendAckAll(b, f.largest, f.delay)
	case frameAckBits, frameAckRanges:
		return append(appendAckHead(b, f.kind, f.largest, f.delay, f.count), f.data...)
	case frameTimePing:
		return appendTimePing(b, f.t1)
	case frameTimePong:
		return appendTimePong(b, f.t1, f.t2, f.hold)
	case frameMTUProbe:
		return appendMTUProbe(b, f.size)
	case framePathChallenge, framePathResponse:
		return appendPath(b, f.kind, f.path)
	case frameCredit:
		return appendCredit(b, f.channel, f.floor, f.window)
	case frameClose:
		return appendClose(b, f.code, f.data)
	case frameUnreliable:
		return appendUnreliable(b, f.sized, f.data)
	case frameReliable:
		return appendReliable(b, f)
	default:
		return appendLatest(b, f)
	}
}

// packetFacts is what has to be known of a packet before its frames are acted
// on.
type packetFacts struct {
	eliciting bool // it asks for an acknowledgement
	pressing  bool // which should not wait for a tick
	urgent    bool // nor for anything else
	moves     bool // coming from another address, it says that the peer has moved

	fragments int // of reliable messages
}

// scanFrames reads a whole packet. It is false if the packet is malformed.
func scanFrames(number uint64, frames []byte) (facts packetFacts, ok bool) {
	r := frameReader{rest: frames, number: number}
	var f frame
	for r.next(&f) {
		facts.note(f.kind)
		if f.kind == frameReliable && f.fragment {
			facts.fragments++
		}
	}
	return facts, !r.bad
}

func (p *packetFacts) note(k frameKind) {
	switch k {
	case framePadding, frameAckAll, frameAckBits, frameAckRanges:
	case frameClose:
		p.moves = true
	case framePathChallenge:
		p.eliciting, p.pressing, p.urgent = true, true, true
	case framePathResponse:
		p.eliciting, p.pressing = true, true
	case frameMTUProbe:
		p.eliciting, p.pressing, p.urgent, p.moves = true, true, true, true
	case frameReliable:
		p.eliciting, p.pressing, p.moves = true, true, true
	default: // PING, TIME, CREDIT, UNRELIABLE, LATEST
		p.eliciting, p.moves = true, true
	}
}
