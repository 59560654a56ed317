package tests

import (
	"encoding/binary"
	"fmt"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

const (
	maxMessageInSoak = 40_000 // bytes of a message, so that fragments are common
	maxValueInSoak   = 6_000
	mostHeldInSoak   = 16 << 20 // bytes queued or not acknowledged
)

// A sealedSide is one end of an NMS2 connection, with the account of what it
// sends on each channel.
type sealedSide struct {
	*soak
	who      int
	core     *netmsg.ConnectionCore
	ordered  [3]*ledger // Ordered1 to Ordered3, and the values in the first
	loose    *bag       // Unordered: everything once, in the end
	fleeting *bag       // Unreliable: at most once
	other    *sealedSide
	joined   bool
	left     *netmsg.Event
	talk     time.Duration // longest time between two sends
	next     time.Duration
}

// A bag is the account of what may be heard in any order, at most once each.
type bag struct {
	l     *ledger
	sent  int
	heard map[int]bool
}

func newBag(s *soak, way uint64, most int) *bag {
	return &bag{l: newLedger(s, way, most, most), heard: map[int]bool{}}
}

// message gives the n-th message: its number, then bytes that follow from it.
func (b *bag) message(n int) []byte { return b.l.value(0, uint32(n)) }

func (b *bag) hear(data []byte) {
	b.l.s.t.Helper()
	if len(data) < 4 {
		b.l.s.failf("way %d: %d bytes are heard", b.l.way, len(data))
	}
	n := int(binary.LittleEndian.Uint32(data))
	if n >= b.sent || b.heard[n] || string(b.message(n)) != string(data) {
		b.l.s.failf("way %d: message %d of %d is heard, before: %v", b.l.way, n, b.sent, b.heard[n])
	}
	b.heard[n] = true
}

// soakSealed runs two NMS2 cores over links that lose, repeat, hold back and
// narrow, with cuts, and every kind of message both ways; then the links heal,
// everything arrives, and one side closes.
func soakSealed(s *soak) {
	cfg := netmsg.Config{GoodRate: pick(s, 0, 0, 60), KeepAlive: pick(s, 0, 0, 300*time.Millisecond), MaxMessage: maxMessageInSoak}
	links := [2]netmsg.LinkConfig{s.pickLink(), s.pickLink()}
	for i := range links {
		links[i].MTU = pick(s, 0, 0, 1228, 1300, 1500, 9000)
		if links[i].Rate > 0 {
			links[i].Rate = max(links[i].Rate, 16_000) // keep-alives and repeats need some of it
		}
		links[i].Loss = min(links[i].Loss, 0.4)
	}
	run := time.Duration(2+s.dice.IntN(12)) * time.Second
	var cuts [2][]span
	for i := range cuts {
		cuts[i] = s.pickSpans(1, run, time.Second, 3*time.Second, 5*time.Second) // with 40 % loss, longer ones may rightly end it
	}
	s.script = fmt.Sprintf("two sealed cores at %d a second, links %+v for %v, cuts %v", cfg.GoodRate, links, run, cuts)
	p := netmsg.NewSimPair(&cfg, links[0], links[1], s.seed)
	p.Tap = func(now time.Duration, fromA bool, _ []byte) bool {
		if fromA {
			return !anyHas(cuts[0], now)
		}
		return !anyHas(cuts[1], now)
	}
	sides := [2]*sealedSide{newSealedSide(s, 0, p.A), newSealedSide(s, 1, p.B)}
	sides[0].other, sides[1].other = sides[1], sides[0]

	step := func(d time.Duration) {
		p.Advance(d)
		s.now = p.Now()
		for _, side := range sides {
			side.check()
		}
		for i, side := range sides {
			events := p.EventsA()
			if i == 1 {
				events = p.EventsB()
			}
			for e := range events {
				side.hear(e)
			}
		}
	}
	for s.now < run {
		for _, side := range sides {
			side.say()
		}
		step(time.Second / 60)
	}
	for end := s.now + 10*time.Minute; s.now < end && !(sides[0].settled() && sides[1].settled()); {
		step(100 * time.Millisecond)
	}
	for _, side := range sides {
		side.wantSettled()
	}

	p.A.CloseWith(77, "enough")
	for end := s.now + 15*time.Second; s.now < end && (sides[0].left == nil || sides[1].left == nil); {
		step(100 * time.Millisecond)
	}
	sides[0].wantLeft(netmsg.Local, 0)
	if l := sides[1].left; l == nil || l.Reason != netmsg.TimedOut {
		sides[1].wantLeft(netmsg.Remote, 77)
	}
	s.note('t', 0, binary.LittleEndian.AppendUint64(nil, p.Trace()))
}

func newSealedSide(s *soak, who int, core *netmsg.ConnectionCore) *sealedSide {
	side := &sealedSide{soak: s, who: who, core: core, talk: pick(s, 20*time.Millisecond, 60*time.Millisecond, 500*time.Millisecond)}
	for i := range side.ordered {
		side.ordered[i] = newLedger(s, uint64(who*8+i), maxMessageInSoak, maxValueInSoak)
	}
	side.loose = newBag(s, uint64(who*8+4), 3000)
	side.fleeting = newBag(s, uint64(who*8+5), 1000)
	return side
}

// say sends something, if it is time.
func (d *sealedSide) say() {
	if d.now < d.next {
		return
	}
	d.next = d.now + d.upTo(d.talk)
	var err error
	switch n := d.dice.IntN(10); {
	case n < 4:
		i := d.dice.IntN(len(d.ordered))
		l := d.ordered[i]
		if err = d.core.SendOn(netmsg.Ordered1+netmsg.Channel(i), l.message(l.sent)); err == nil {
			l.sent++
		}
	case n < 6:
		if err = d.core.SendOn(netmsg.Unordered, d.loose.message(d.loose.sent)); err == nil {
			d.loose.sent++
		}
	case n < 7:
		if err = d.core.SendUnreliable(d.fleeting.message(d.fleeting.sent)); err == nil {
			d.fleeting.sent++
		}
	default:
		stream := uint16(d.dice.IntN(4))
		err = d.core.SendLatest(stream, d.ordered[0].nextValue(stream))
	}
	if err != nil && d.left == nil {
		d.failf("side %d: %v", d.who, err)
	}
}

// hear: what comes is on the account of the other side, and nothing comes
// before Joined or after Left.
func (d *sealedSide) hear(e netmsg.Event) {
	d.t.Helper()
	d.note('e', d.who, fmt.Appendf(nil, "%v %v %d %d %x", e.Kind, e.Reason, e.Channel, e.Stream, e.Data))
	if d.left != nil {
		d.failf("side %d hears %v after Left(%v)", d.who, e.Kind, d.left.Reason)
	}
	if joins := e.Kind == netmsg.Joined; joins == d.joined {
		d.failf("side %d hears %v, and Joined before it: %v", d.who, e.Kind, d.joined)
	}
	switch {
	case e.Kind == netmsg.Joined:
		d.joined = true
	case e.Kind == netmsg.Left:
		d.left = &e
	case e.Kind == netmsg.Update:
		d.other.ordered[0].hearValue(e.Stream, e.Data)
	case e.Kind != netmsg.Message:
		d.failf("side %d hears %v", d.who, e.Kind)
	case e.Channel == netmsg.Unordered:
		d.other.loose.hear(e.Data)
	case e.Channel == netmsg.Unreliable:
		d.other.fleeting.hear(e.Data)
	default:
		d.other.ordered[e.Channel-netmsg.Ordered1].hearMessage(e.Data)
	}
}

// check holds after every turn: nothing is left to be done at once.
func (d *sealedSide) check() {
	d.t.Helper()
	if at := d.core.Deadline(); at <= d.now {
		d.failf("side %d: the deadline %v is past", d.who, at)
	}
	if n := d.core.Stats().Unacked; n*4 > mostHeldInSoak {
		d.failf("side %d: %d messages wait", d.who, n)
	}
	if d.left != nil && d.left.Reason == netmsg.Protocol {
		d.failf("side %d: an honest connection ended as Protocol, code %d", d.who, d.left.Code)
	}
}

// settled says that all that has to arrive has arrived.
func (d *sealedSide) settled() bool {
	for _, l := range d.ordered {
		if l.heard < l.sent {
			return false
		}
	}
	return len(d.loose.heard) == d.loose.sent
}

func (d *sealedSide) wantSettled() {
	d.t.Helper()
	if !d.settled() {
		d.failf("of what side %d sent were heard %d of %d, %d of %d, %d of %d in order, %d of %d without; left: %v", d.who,
			d.ordered[0].heard, d.ordered[0].sent, d.ordered[1].heard, d.ordered[1].sent, d.ordered[2].heard, d.ordered[2].sent,
			len(d.loose.heard), d.loose.sent, d.left)
	}
}

func (d *sealedSide) wantLeft(why netmsg.CloseReason, code uint16) {
	d.t.Helper()
	if d.left == nil || d.left.Reason != why || d.left.Code != code {
		d.failf("side %d has left: %+v, want %v with code %d", d.who, d.left, why, code)
	}
}
