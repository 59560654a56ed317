package netmsg

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

const testSession = 0x1010101010101010

// A rawPeer speaks to a core byte by byte, on a clock of its own.
type rawPeer struct {
	t    testing.TB
	core *ConnectionCore
	now  time.Duration
	seq  uint16 // of its next packet
}

func newRawPeer(t testing.TB, cfg *Config) *rawPeer {
	return &rawPeer{t: t, core: NewConnectionCore(plainly(cfg), Session{ID: testSession}, 0)}
}

// A rawPacket is a datagram of the core's, taken apart.
type rawPacket struct {
	at       time.Duration
	kind     byte
	size     int
	seq, ack uint16
	bits     uint32
	ids      []uint16
	messages []string
	values   []string // "stream#number=data"
}

func (p rawPacket) String() string {
	return fmt.Sprintf("{%v kind %d seq %d ack %04x %08x ids %d values %.40q}", p.at, p.kind, p.seq, p.ack, p.bits, p.ids, p.values)
}

func takeApart(t testing.TB, at time.Duration, datagram []byte) rawPacket {
	t.Helper()
	kind, ok := plainKindOf(datagram)
	out := rawPacket{at: at, kind: kind, size: len(datagram)}
	if kind != plainPayload {
		if _, short := parsePlainShort(datagram, kind); !ok || !short {
			t.Fatalf("the core sent %x", datagram)
		}
		return out
	}
	p, ok := parsePlainPayload(datagram)
	if !ok {
		t.Fatalf("the core sent %x", datagram)
	}
	out.seq, out.ack, out.bits = p.seq, p.ack, p.bits
	r := p.items
	for range p.messages {
		id, data := nextPlainMessage(&r)
		out.ids = append(out.ids, id)
		out.messages = append(out.messages, string(data))
	}
	for range p.values {
		stream, number, data := nextPlainValue(&r)
		out.values = append(out.values, fmt.Sprintf("%d#%d=%s", stream, number, data))
	}
	return out
}

// run lets time pass and gives what the core sends meanwhile.
func (r *rawPeer) run(d time.Duration) (sent []rawPacket) {
	r.t.Helper()
	buf := make([]byte, 65507)
	end := r.now + d
	for {
		for n := r.core.Transmit(r.now, buf); n > 0; n = r.core.Transmit(r.now, buf) {
			sent = append(sent, takeApart(r.t, r.now, buf[:n]))
		}
		next := r.core.Deadline()
		if next <= r.now {
			r.t.Fatalf("the deadline %v is not after the turn at %v", next, r.now)
		}
		if next > end {
			r.now = end
			return sent
		}
		r.now = next
	}
}

// An item is a message or a value of a packet.
type item []byte

func msg(id uint16, data string) item { return appendPlainMessage(nil, id, []byte(data)) }
func val(stream, number uint16, data string) item {
	return appendPlainValue([]byte(nil), stream, number, []byte(data))
}

// packet writes a Payload; messages come before values.
func (r *rawPeer) packet(seq, ack uint16, bits uint32, messages, values []item) []byte {
	b := appendPlainHeader(nil, testSession, seq, ack, bits)
	for _, i := range messages {
		b = append(b, i...)
	}
	for _, i := range values {
		b = append(b, i...)
	}
	setPlainCounts(b, len(messages), len(values))
	return b
}

// give gives the core a packet with the next sequence and no acknowledgement.
func (r *rawPeer) give(messages, values []item) bool {
	r.seq++
	return r.core.Receive(r.now, r.packet(r.seq-1, 0xffff, 0, messages, values))
}

// acknowledge gives the core a packet that acknowledges.
func (r *rawPeer) acknowledge(ack uint16, bits uint32) {
	r.t.Helper()
	r.seq++
	if !r.core.Receive(r.now, r.packet(r.seq-1, ack, bits, nil, nil)) {
		r.t.Fatalf("an acknowledgement was refused")
	}
}

// events pulls all events of a core as text.
func events(c *ConnectionCore) string {
	var all []string
	for e := range c.Events() {
		all = append(all, eventText(e))
	}
	return strings.Join(all, " ")
}

func eventText(e Event) string {
	switch e.Kind {
	case Left:
		return "Left:" + e.Reason.String()
	case Message:
		return string(e.Data)
	case Update:
		return fmt.Sprintf("%d=%s", e.Stream, e.Data)
	case Refused:
		return fmt.Sprintf("Refused:%v,%d,%v,%d/%d", e.Reliable, e.Stream, e.Why, e.Size, e.Limit)
	}
	return e.Kind.String()
}

// wantEvents checks what a core has to tell.
func wantEvents(t testing.TB, c *ConnectionCore, want string) {
	t.Helper()
	if got := events(c); got != want {
		t.Errorf("events: got %q, want %q", got, want)
	}
}

// patterned gives n bytes that tell where they are.
func patterned(n int) []byte {
	b := bytes.Repeat([]byte{0}, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}
