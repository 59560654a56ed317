package tests

import (
	"encoding/binary"
	"fmt"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// soakSimPair runs a SimPair over links as bad as they come, which never heal:
// in the end everything has arrived all the same.
func soakSimPair(s *soak) {
	cfg := netmsg.Config{Plain: true, GoodRate: pick(s, 0, 60, 240), MaxPacket: pick(s, 0, 300)}
	aToB, bToA := s.pickLink(), s.pickLink()
	s.script = fmt.Sprintf("a SimPair, packets of %d bytes at %d a second, links %+v and %+v", cfg.MaxPacket, cfg.GoodRate, aToB, bToA)
	p := netmsg.NewSimPair(&cfg, aToB, bToA, s.seed)
	out := [2]*ledger{}
	for i := range out {
		out[i] = newLedger(s, uint64(i), 250, 250)
	}
	ends := [2]listener{{soak: s, who: 0, in: out[1]}, {soak: s, who: 1, in: out[0]}}
	cores := [2]*netmsg.ConnectionCore{p.A, p.B}
	step := func(d time.Duration) {
		p.Advance(d)
		s.now = p.Now()
		for e := range p.EventsA() {
			ends[0].hear(e)
		}
		for e := range p.EventsB() {
			ends[1].hear(e)
		}
	}

	for range 100 + s.dice.IntN(200) {
		i := s.dice.IntN(2)
		if err := cores[i].SendReliable(out[i].message(out[i].sent)); err != nil {
			s.failf("side %d: SendReliable: %v", i, err)
		}
		out[i].sent++
		if err := cores[1-i].SendLatest(3, out[1-i].nextValue(3)); err != nil {
			s.failf("side %d: SendLatest: %v", 1-i, err)
		}
		step(s.upTo(20 * time.Millisecond))
	}
	for s.now < 10*time.Minute && (out[0].heard < out[0].sent || out[1].heard < out[1].sent) && ends[0].left == 0 {
		step(50 * time.Millisecond)
	}
	if out[0].heard < out[0].sent || out[1].heard < out[1].sent {
		s.failf("%d of %d and %d of %d messages were heard; the ends have left: %v, %v",
			out[0].heard, out[0].sent, out[1].heard, out[1].sent, ends[0].left, ends[1].left)
	}

	cores[0].Close()
	for range 100 {
		step(time.Second / 5)
	}
	if ends[0].left != netmsg.Local || ends[1].left != netmsg.Remote && ends[1].left != netmsg.TimedOut {
		s.failf("after Close the ends have left: %v, %v", ends[0].left, ends[1].left)
	}
	s.note('t', 0, binary.LittleEndian.AppendUint64(nil, p.Trace()))
}
