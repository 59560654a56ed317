package tests

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	netmsg "github.com/partyline-go/partyline/net"
)

// A ledger is the account of what goes one way: what was sent, and what must
// therefore be heard. The data of each message and value follows from its
// number, so that nothing needs to be kept to compare.
type ledger struct {
	s         *soak
	way       uint64 // tells the ledgers of one run apart
	maxData   int    // of a message
	maxValue  int
	sent      int // messages accepted by the sender
	heard     int // messages delivered: always the first so many of those sent
	set, last map[uint16]uint32
}

func newLedger(s *soak, way uint64, maxData, maxValue int) *ledger {
	return &ledger{s: s, way: way, maxData: maxData, maxValue: maxValue,
		set: map[uint16]uint32{}, last: map[uint16]uint32{}}
}

// fill gives the n-th data of a kind: mostly short, now and then as long as
// can be, and for a message sometimes nothing.
func (l *ledger) fill(kind, n uint64, shortest, longest int) []byte {
	dice := rand.New(rand.NewPCG(l.s.seed<<8^l.way, kind<<32|n))
	size := shortest + dice.IntN(40)
	switch dice.IntN(20) {
	case 0:
		size = shortest
	case 1:
		size = longest
	case 2:
		size = shortest + dice.IntN(longest-shortest+1)
	}
	data := make([]byte, min(size, longest))
	for i := range data {
		data[i] = byte(dice.Uint32())
	}
	return data
}

// message gives the next message; the sender then says whether it took it.
func (l *ledger) message(n int) []byte { return l.fill(1<<16, uint64(n), 0, l.maxData) }

// value gives a value: its number, then bytes that follow from it.
func (l *ledger) value(stream uint16, n uint32) []byte {
	data := l.fill(uint64(stream), uint64(n), 4, l.maxValue)
	binary.LittleEndian.PutUint32(data, n)
	return data
}

// nextValue gives the next value of a stream.
func (l *ledger) nextValue(stream uint16) []byte {
	l.set[stream]++
	return l.value(stream, l.set[stream])
}

// hearMessage: what is heard is always a prefix of what was sent.
func (l *ledger) hearMessage(data []byte) {
	l.s.t.Helper()
	if l.heard == l.sent {
		l.s.failf("way %d: a message of %d bytes is heard after all %d that were sent", l.way, len(data), l.sent)
	}
	if want := l.message(l.heard); !bytes.Equal(data, want) {
		for n := range l.sent {
			if bytes.Equal(data, l.message(n)) {
				l.s.failf("way %d: message %d is heard where %d is due", l.way, n, l.heard)
			}
		}
		l.s.failf("way %d: message %d is heard as %.20x (%d bytes), want %.20x (%d bytes)",
			l.way, l.heard, data, len(data), want, len(want))
	}
	l.heard++
}

// hearValue: the values of a stream only rise, and each is one that was set.
func (l *ledger) hearValue(stream uint16, data []byte) {
	l.s.t.Helper()
	if len(data) < 4 {
		l.s.failf("way %d: a value of %d bytes is heard on stream %d", l.way, len(data), stream)
	}
	n := binary.LittleEndian.Uint32(data)
	if n <= l.last[stream] || n > l.set[stream] {
		l.s.failf("way %d: value %d of stream %d is heard after %d; %d were set",
			l.way, n, stream, l.last[stream], l.set[stream])
	}
	if want := l.value(stream, n); !bytes.Equal(data, want) {
		l.s.failf("way %d: value %d of stream %d is heard as %.20x (%d bytes), want %.20x (%d bytes)",
			l.way, n, stream, data, len(data), want, len(want))
	}
	l.last[stream] = n
}

// A listener hears the events of one end of a connection, in their order.
type listener struct {
	*soak
	who    int
	in     *ledger // of what the other end sends
	joined bool
	left   netmsg.CloseReason
}

// hear: Joined comes first and once, Left last and once, and what is in
// between is in the ledger.
func (l *listener) hear(e netmsg.Event) {
	l.t.Helper()
	l.note('e', l.who, fmt.Appendf(nil, "%v %v %d %x", e.Kind, e.Reason, e.Stream, e.Data))
	if l.left != 0 {
		l.failf("side %d hears %v after Left(%v)", l.who, e.Kind, l.left)
	}
	if joins := e.Kind == netmsg.Joined; joins == l.joined {
		l.failf("side %d hears %v, and Joined before it: %v", l.who, e.Kind, l.joined)
	}
	switch e.Kind {
	case netmsg.Joined:
		l.joined = true
	case netmsg.Message:
		l.in.hearMessage(e.Data)
	case netmsg.Update:
		l.in.hearValue(e.Stream, e.Data)
	case netmsg.Left:
		l.left = e.Reason
	default:
		l.failf("side %d hears %v", l.who, e.Kind)
	}
}
