package netmsg

import "encoding/binary"

const (
	maxCloseText = 200      // bytes of a CLOSE's text
	maxWindow    = 67108864 // bytes of a channel's window

	timePingSize = 9
	timePongSize = 21
	pathSize     = 9
	maxCredit    = 8 // bytes of a CREDIT, at most
)

// PADDING: type; any number in a row.

func appendPadding(b []byte, n int) []byte {
	for range n {
		b = append(b, byte(framePadding))
	}
	return b
}

// PING: type.

func appendPing(b []byte) []byte { return append(b, byte(framePing)) }

// TIME_PING: type, t1 u64. TIME_PONG: type, t1 u64, t2 u64, hold u32. All in
// microseconds.

func appendTimePing(b []byte, t1 uint64) []byte {
	b = append(b, byte(frameTimePing))
	return binary.BigEndian.AppendUint64(b, t1)
}

func appendTimePong(b []byte, t1, t2 uint64, hold uint32) []byte {
	b = append(b, byte(frameTimePong))
	b = binary.BigEndian.AppendUint64(b, t1)
	b = binary.BigEndian.AppendUint64(b, t2)
	return binary.BigEndian.AppendUint32(b, hold)
}

func (r *frameReader) time(f *frame) {
	f.t1 = r.u64()
	if f.kind == frameTimePong {
		f.t2, f.hold = r.u64(), r.u32()
	}
}

// MTU_PROBE: type, size u16, of the whole datagram.

func appendMTUProbe(b []byte, size uint16) []byte {
	return binary.BigEndian.AppendUint16(append(b, byte(frameMTUProbe)), size)
}

// PATH_CHALLENGE, PATH_RESPONSE: type, 8 bytes.

func appendPath(b []byte, kind frameKind, token pathData) []byte {
	return append(append(b, byte(kind)), token[:]...)
}

// CREDIT: type, channel u8, floor u16, window varint.

func appendCredit(b []byte, channel Channel, floor uint16, window uint32) []byte {
	b = append(b, byte(frameCredit), byte(channel))
	b = binary.BigEndian.AppendUint16(b, floor)
	return appendVarint(b, window)
}

func (r *frameReader) credit(f *frame) {
	f.channel = Channel(r.u8())
	f.floor = r.u16()
	f.window = r.varint(maxWindow)
	if f.channel > Ordered3 {
		r.bad = true
	}
}

// CLOSE: type, code varint, length varint, text.

func appendClose(b []byte, code uint32, text []byte) []byte {
	b = append(b, byte(frameClose))
	b = appendVarint(b, code)
	b = appendVarint(b, uint32(len(text)))
	return append(b, text...)
}

func (r *frameReader) close(f *frame) {
	f.code = r.varint(maxVarint)
	f.data = r.take(int(r.varint(maxCloseText)))
}
