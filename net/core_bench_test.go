package netmsg

import (
	"encoding/binary"
	"testing"
	"time"
)

// BenchmarkPlainReceiveAndAcknowledge takes in one packet with a value of 32
// bytes, and sends what acknowledges them when that is due.
func BenchmarkPlainReceiveAndAcknowledge(b *testing.B) {
	c := NewConnectionCore(nil, Session{ID: testSession}, 0)
	wire := appendPlainHeader(nil, testSession, 0, 0xffff, 0)
	at := len(wire)
	wire = appendPlainValue(wire, 1, 0, make([]byte, 32))
	setPlainCounts(wire, 0, 1)
	sequence := wire[plainShortLen:]
	version := wire[at+2:]
	answer := make([]byte, 1200)
	now := time.Duration(0)
	b.ReportAllocs()
	for n := uint16(0); b.Loop(); n++ {
		binary.BigEndian.PutUint16(sequence, n)
		binary.BigEndian.PutUint16(version, n)
		if !c.Receive(now, wire) {
			b.Fatal("the packet is not taken")
		}
		if n%plainUnreported == 0 {
			now += 100 * ms
			c.Transmit(now, answer)
		}
	}
	if s := c.Stats(); s.ValuesReceived < uint64(b.N) || s.PacketsSent < uint64(b.N/plainUnreported) {
		b.Fatalf("of %d packets: %+v", b.N, s)
	}
}

// sealedStock is packets of 1,200 bytes with one value each, as a peer seals
// them.
type sealedStock struct {
	cfg     *Config
	session Session
	packets [][]byte
}

func newSealedStock(n int) *sealedStock {
	s := &sealedStock{cfg: (&Config{Random: newSimRandom(1)}).settle()}
	sender, receiver := simSessions(s.cfg, 1)
	s.session = receiver
	key := newSealer(sender.secure.keys.send)
	value := make([]byte, 1200-sealedExtra-2)
	for i := range n {
		var w packetWriter
		w.begin(make([]byte, 1200), 1200, receiver.secure.ownCID, uint64(i))
		w.latest(&frame{kind: frameLatest, stream: 1, data: value})
		w.finish()
		s.packets = append(s.packets, key.seal(w.b, w.number))
	}
	return s
}

// BenchmarkSealed1200ReceiveAndAcknowledge takes in one sealed packet of 1,200
// bytes, and sends what acknowledges them when that is due.
func BenchmarkSealed1200ReceiveAndAcknowledge(b *testing.B) {
	stock := newSealedStock(2048)
	if n := len(stock.packets[0]); n != 1200 {
		b.Fatalf("packets of %d bytes", n)
	}
	answer := make([]byte, 1500)
	var c *ConnectionCore
	next := len(stock.packets)
	b.ReportAllocs()
	for b.Loop() {
		if next == len(stock.packets) { // a number is taken once
			b.StopTimer()
			c, next = NewConnectionCore(stock.cfg, stock.session, 0), 0
			b.StartTimer()
		}
		if !c.Receive(0, stock.packets[next]) {
			b.Fatal("the packet is not taken")
		}
		if next++; next%ackEvery == 0 && c.Transmit(0, answer) == 0 {
			b.Fatal("nothing is acknowledged")
		}
	}
}

// BenchmarkSealed1200BothSides is a packet of nearly 1,200 bytes from the value
// that is set to the one that waits to be heard, and an eighth of what
// acknowledges it.
func BenchmarkSealed1200BothSides(b *testing.B) {
	l := newSealedLane()
	l.a.conn().mtu.mayProbe = false
	value := make([]byte, valueRoom(mtuFloor))
	b.ReportAllocs()
	for b.Loop() {
		l.now += time.Millisecond
		if err := l.a.SendLatest(1, value); err != nil {
			b.Fatal(err)
		}
		n := l.a.Transmit(l.now, l.buf)
		if n < len(value) || !l.b.Receive(l.now, l.buf[:n]) {
			b.Fatalf("a packet of %d bytes", n)
		}
		for n := l.b.Transmit(l.now, l.buf); n > 0; n = l.b.Transmit(l.now, l.buf) {
			l.a.Receive(l.now, l.buf[:n])
		}
	}
}
