package netmsg

import (
	"fmt"
	"testing"
	"time"
)

func TestATransferGoesOnWhenThePathShrinks(t *testing.T) {
	p := newSealedPair(t, nil, LinkConfig{Latency: 20 * ms, Rate: 1_000_000, Buffer: 100 * ms}, 1)
	narrow := 9000
	p.Tap = func(_ time.Duration, _ bool, datagram []byte) bool { return len(datagram) <= narrow }
	feed := func(d time.Duration) (got int) {
		before := len(messagesOn(p.heardB, Ordered1))
		for end := p.Now() + d; p.Now() < end; {
			for p.A.Stats().Unacked < 20 {
				p.A.SendReliable(make([]byte, 10_000))
			}
			p.frame()
		}
		return len(messagesOn(p.heardB, Ordered1)) - before
	}

	wide := feed(3 * time.Second)
	if p.a.mtu.size != 1472 {
		t.Errorf("packets of %d bytes, want 1,472", p.a.mtu.size)
	}
	narrow = 1250
	feed(5 * time.Second)
	after := feed(3 * time.Second)

	p.wantOpen()
	if p.a.mtu.size > 1250 {
		t.Errorf("packets of %d bytes on a path of 1,250", p.a.mtu.size)
	}
	if after < wide*7/10 {
		t.Errorf("%d messages in three seconds after the path shrank, %d before", after, wide)
	}
}

func TestSeventyThousandPacketsPassTheEpoch(t *testing.T) {
	l := newSealedLane()
	data := make([]byte, 40)
	for l.a.Stats().PacketsSent < 70_000 {
		l.a.SendLatest(1, data)
		l.turn()
	}
	if a, b := l.a.Stats(), l.b.Stats(); b.PacketsReceived != a.PacketsSent || b.Rejected != 0 {
		t.Errorf("%d packets received of %d, %d rejected", b.PacketsReceived, a.PacketsSent, b.Rejected)
	}
	if epoch := l.a.conn().sealer.epoch; epoch != 1 {
		t.Errorf("epoch %d, want 1", epoch)
	}
}

func TestTheEndOfNumbersEndsTheConnection(t *testing.T) {
	l := newSealedLane()
	first := uint64(endOfNumbers - lastNumbers - 10)
	// Only the epoch's place counts: the chain itself would take 2^32 steps.
	for _, c := range []*sealedConn{l.a.conn(), l.b.conn()} {
		c.recovery.log.base, c.recovery.log.next = first, first
		c.recovery.any, c.recovery.largestAcked = true, first-1
		c.acks.came.next = first
		c.sealer.epoch, c.opener.epoch = epochOf(first), epochOf(first)
	}
	var reasons [2]*Event
	for range 200 {
		l.a.SendLatest(1, []byte("on"))
		l.now += time.Second / 60
		for _, way := range [2][2]*ConnectionCore{{l.a, l.b}, {l.b, l.a}} {
			for n := way[0].Transmit(l.now, l.buf); n > 0; n = way[0].Transmit(l.now, l.buf) {
				way[1].Receive(l.now, l.buf[:n])
			}
		}
		for i, c := range []*ConnectionCore{l.a, l.b} {
			for e := range c.Events() {
				if e.Kind == Left {
					reasons[i] = &e
				}
			}
		}
	}
	if reasons[0] == nil || reasons[0].Reason != Protocol || reasons[1] == nil || reasons[1].Code != closeNumbers {
		t.Errorf("A left %+v, B left %+v; want Protocol, and code 9", reasons[0], reasons[1])
	}
	if next := l.a.conn().recovery.log.next; next > endOfNumbers {
		t.Errorf("number %d was used", next-1)
	}
}

func TestPlainAndSealedDeliverTheSame(t *testing.T) {
	var heard [2][]string
	for i, plain := range []bool{true, false} {
		p := NewSimPair(&Config{Plain: plain}, Lossy(0.1, 30*ms, 10*ms), Lossy(0.1, 30*ms, 10*ms), 3)
		for n := range 200 {
			p.A.SendReliable(fmt.Appendf(nil, "message %d", n))
			p.Advance(20 * ms)
			for e := range p.EventsB() {
				if e.Kind == Message {
					heard[i] = append(heard[i], string(e.Data))
				}
			}
		}
		for range 200 {
			p.Advance(20 * ms)
			for e := range p.EventsB() {
				if e.Kind == Message {
					heard[i] = append(heard[i], string(e.Data))
				}
			}
		}
	}
	if len(heard[0]) != 200 || len(heard[1]) != 200 {
		t.Fatalf("%d and %d messages, want 200", len(heard[0]), len(heard[1]))
	}
	for n := range heard[0] {
		if heard[0][n] != heard[1][n] {
			t.Errorf("message %d is %q and %q", n, heard[0][n], heard[1][n])
		}
	}
}
