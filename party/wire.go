package party

import "encoding/binary"

// The library's own messages are kind 0, then an op, then big-endian fields.
const (
	opAccept    = 1 // host: pid 2, token 4, seat 16
	opRoster    = 2 // host: see roster
	opRosterAck = 3 // guest: version 4
	opHandOff   = 4 // host: epoch 4, heir 2
	opTicket    = 7 // host: room code 8, ticket 16
)

// A wireReader reads a library message. Reading past the end gives zeros.
type wireReader struct{ rest []byte }

// spoiled is the rest of a message in which something was wrong.
var spoiled = []byte(nil)

func (w *wireReader) take(n int) []byte {
	if w.rest == nil || n > len(w.rest) {
		w.rest = spoiled
		return make([]byte, n)
	}
	b := w.rest[:n]
	w.rest = w.rest[n:]
	return b
}

func (w *wireReader) uint8() uint8   { return w.take(1)[0] }
func (w *wireReader) uint16() uint16 { return binary.BigEndian.Uint16(w.take(2)) }
func (w *wireReader) uint32() uint32 { return binary.BigEndian.Uint32(w.take(4)) }

// spoil says that a field had no right value.
func (w *wireReader) spoil() { w.rest = spoiled }

// bad says that something was wrong so far.
func (w *wireReader) bad() bool { return w.rest == nil }

// done says that nothing was wrong and nothing is left.
func (w *wireReader) done() bool { return w.rest != nil && len(w.rest) == 0 }

// An accept lets a guest in.
type accept struct {
	pid   PID
	token uint32
	seat  [seatSize]byte
}

func appendAccept(b []byte, a accept) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(a.pid))
	b = binary.BigEndian.AppendUint32(b, a.token)
	return append(b, a.seat[:]...)
}

func parseAccept(b []byte) (a accept, ok bool) {
	w := wireReader{b}
	a.pid, a.token = PID(w.uint16()), w.uint32()
	copy(a.seat[:], w.take(seatSize))
	return a, w.done() && a.pid != 0
}

// A handOff names the next host, or the one there is.
type handOff struct {
	epoch uint32
	heir  PID
}

func appendHandOff(b []byte, h handOff) []byte {
	b = binary.BigEndian.AppendUint32(b, h.epoch)
	return binary.BigEndian.AppendUint16(b, uint16(h.heir))
}

func parseHandOff(b []byte) (h handOff, ok bool) {
	w := wireReader{b}
	h.epoch, h.heir = w.uint32(), PID(w.uint16())
	return h, w.done() && h.heir != 0 && h.epoch <= maxEpoch
}

// maxEpoch is the highest epoch that is believed, so that none wraps.
const maxEpoch = 1 << 30

// partyVersion is the version of all that this package says on the wire.
const partyVersion = 1

// early is what a connection's opener says inside its handshake. It may be a
// replay of earlier words until the connection is open.
type early struct {
	version  uint8
	proto    uint16
	seat     [seatSize]byte // zeros: a newcomer
	followed uint32         // the epoch of the party that the seat is in; 0: none
	opening  uint32         // the epoch that this side would host; 0: it seeks a host
}

func appendEarly(b []byte, e early) []byte {
	b = append(b, e.version)
	b = binary.BigEndian.AppendUint16(b, e.proto)
	b = append(b, e.seat[:]...)
	b = binary.BigEndian.AppendUint32(b, e.followed)
	return binary.BigEndian.AppendUint32(b, e.opening)
}

// hosting says that a host asks: its guests have all fallen silent, and it
// wants to know whether they have another.
func (e *early) hosting() bool { return e.opening != 0 && e.opening == e.followed }

// parseEarly reads early data. Of another version only that is read.
func parseEarly(b []byte) (e early, ok bool) {
	w := wireReader{b}
	e.version = w.uint8()
	if e.version != partyVersion {
		return e, !w.bad()
	}
	e.proto = w.uint16()
	copy(e.seat[:], w.take(seatSize))
	e.followed, e.opening = w.uint32(), w.uint32()
	return e, w.done() && e.followed <= maxEpoch && e.opening <= maxEpoch
}
