package tests

import (
	"errors"
	"fmt"
	"math"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// Limits that hold on every run of a pair.
const (
	timeoutInSoak = 10 * time.Second        // Config's default
	lateRepeat    = time.Second             // a repeated datagram is heard so late, and is no sign of life
	mostUnacked   = 1024                    // NMS1: messages queued or unacknowledged
	mostBacklog   = 512                     // datagrams that a socket keeps for a program that stalls
	mostTurns     = 4000                    // turns of one pair in one second of its time: more is a busy loop
	healedWithin  = 180 * time.Second       // after the links heal, all that was sent is heard
	toldWithin    = 1500 * time.Millisecond // over a healed link an end is heard by the other side
	streamsInSoak = 5
)

// A pair is two cores, the two links between them, and what goes wrong.
type pair struct {
	*soak
	cfg   netmsg.Config
	sides [2]*side
	run   time.Duration
	cuts  [2][]span // by sender: nothing gets through
}

// A side is one core with its link out, its ledger of what it sends, and the
// program that drives it.
type side struct {
	core    *netmsg.ConnectionCore
	link    *netmsg.LinkSim // what it sends
	out     *ledger
	witness *nms1Witness // of the protocol's page
	stalls  []span       // nobody drives it
	deaf    []span       // nobody takes its events
	late    bool         // its events were taken late, once at least
	backlog [][]byte     // came while it stalled
	ticks   []time.Duration
	talk    time.Duration // longest time between two sends of the script
	next    time.Duration // of them
	heard   time.Duration // when the other was last heard
	quiet   time.Duration // longest time in which it was not
	closing bool
	listener
}

// soakPair runs two cores over two links until the script ends, lets the links
// heal, sees everything arrive, and closes.
func soakPair(s *soak) {
	p := newPair(s)
	p.until(p.run, nil)

	p.heal()
	p.until(p.now+healedWithin, p.settled)
	if !p.settled() {
		p.failf("the links have healed, and the sides have heard %d of %d and %d of %d messages",
			p.sides[1].out.heard, p.sides[0].out.sent, p.sides[0].out.heard, p.sides[1].out.sent)
	}

	p.close()
}

func newPair(s *soak) *pair {
	run := time.Duration(3+s.dice.IntN(25)) * time.Second
	cfg := netmsg.Config{
		Plain:     true,
		MaxPacket: pick(s, 0, 0, 600, 1200),
		GoodRate:  pick(s, 0, 0, 60, 240),
		KeepAlive: pick(s, 0, 0, 300*time.Millisecond),
	}
	p := makePair(s, cfg, [2]netmsg.LinkConfig{s.pickLink(), s.pickLink()})
	p.run = run
	for i, side := range p.sides {
		p.cuts[i] = s.pickSpans(2, run, time.Second, 5*time.Second, 9*time.Second, 11*time.Second)
		side.stalls = s.pickSpans(1, run, 500*time.Millisecond, 3*time.Second, 8*time.Second, 12*time.Second)
		side.deaf = s.pickSpans(1, run, 2*time.Second, 6*time.Second)
		side.talk = pick(s, 5*time.Millisecond, 30*time.Millisecond, 300*time.Millisecond, 3*time.Second)
		side.next = 0
	}
	s.script += fmt.Sprintf(" for %v, cuts %v, stalls %v and %v, deaf %v and %v", run, p.cuts,
		p.sides[0].stalls, p.sides[1].stalls, p.sides[0].deaf, p.sides[1].deaf)
	return p
}

// makePair gives two cores that have just joined. Nothing goes wrong but on
// the links, and nobody says anything by itself.
func makePair(s *soak, cfg netmsg.Config, links [2]netmsg.LinkConfig) *pair {
	p := &pair{soak: s, cfg: cfg}
	session := netmsg.Session{ID: s.dice.Uint64()}
	for i := range p.sides {
		p.sides[i] = &side{
			core:    netmsg.NewConnectionCore(&p.cfg, session, 0),
			link:    netmsg.NewLinkSim(links[i], s.dice.Uint64()),
			out:     newLedger(s, uint64(i), p.cfg.MaxReliable(), p.cfg.MaxLatest()),
			witness: newNMS1Witness(p.cfg, session.ID, 0),
			next:    math.MaxInt64,
		}
	}
	for i, side := range p.sides {
		side.listener = listener{soak: s, who: i, in: p.sides[1-i].out}
	}
	s.script = fmt.Sprintf("a pair, packets of %d bytes at %d a second, keep-alive %v, links %+v",
		cfg.MaxPacket, cfg.GoodRate, cfg.KeepAlive, links)
	return p
}

// until turns the pair from one thing due to the next, up to the time end, or
// until enough says so.
func (p *pair) until(end time.Duration, enough func() bool) {
	second, turns := p.now/time.Second, 0
	for p.now < end && (enough == nil || !enough()) {
		p.now = min(max(p.now, p.due()), end)
		for i := range p.sides {
			p.deliver(i)
		}
		for i := range p.sides {
			p.talk(i)
			p.turn(i)
		}
		if turns++; p.now/time.Second != second {
			second, turns = p.now/time.Second, 0
		} else if turns > mostTurns {
			p.failf("%d turns within one second: a busy loop", turns)
		}
	}
}

// due is the earliest time at which something happens.
func (p *pair) due() time.Duration {
	at := time.Duration(math.MaxInt64)
	for _, s := range p.sides {
		at = min(at, s.link.Deadline(), s.next)
		if !anyHas(s.stalls, p.now) {
			at = min(at, s.core.Deadline())
		}
		for _, spans := range [][]span{s.stalls, s.deaf} {
			for _, span := range spans {
				if span.to > p.now {
					at = min(at, span.to)
				}
			}
		}
	}
	return at
}

// deliver takes what has crossed side i's link out to the other side.
func (p *pair) deliver(i int) {
	to := p.sides[1-i]
	for {
		var buf [2048]byte
		n, ok := p.sides[i].link.Deliver(p.now, buf[:])
		if !ok {
			return
		}
		if anyHas(to.stalls, p.now) {
			if len(to.backlog) < mostBacklog {
				to.backlog = append(to.backlog, buf[:n])
			}
			continue
		}
		p.receive(1-i, buf[:n])
	}
}

func (p *pair) receive(i int, datagram []byte) {
	s := p.sides[i]
	p.testify(i, s.witness.arrived(datagram, p.now))
	if s.core.Receive(p.now, datagram) {
		s.quiet = max(s.quiet, p.now-s.heard)
		s.heard = p.now
	} else if s.left == 0 {
		p.failf("side %d refuses what the other sent: %.40x", i, datagram)
	}
}

// testify fails if a witness says that something is wrong.
func (p *pair) testify(i int, err error) {
	p.t.Helper()
	if err != nil {
		p.failf("side %d, by PROTOCOL.md: %v", i, err)
	}
}

// talk sends what the script has side i say.
func (p *pair) talk(i int) {
	s := p.sides[i]
	if p.now < s.next {
		return
	}
	s.next = p.now + time.Millisecond + p.upTo(s.talk)
	if p.now >= p.run {
		s.next = math.MaxInt64
		return
	}
	if anyHas(s.stalls, p.now) || s.left != 0 {
		return
	}
	if stats := s.core.Stats(); p.dice.IntN(2) == 0 && stats.Unacked < mostUnacked-100 {
		p.send(i, 1+p.dice.IntN(4))
	}
	for range p.dice.IntN(3) {
		stream := uint16(p.dice.IntN(streamsInSoak)) * 13_000
		data := s.out.nextValue(stream)
		switch err := s.core.SendLatest(stream, data); {
		case err == nil:
			s.witness.out.set(stream, data)
		case !p.ended(i, err):
			p.failf("side %d: SendLatest: %v", i, err)
		}
	}
	if stream, weight := uint16(p.dice.IntN(streamsInSoak))*13_000, 1+p.dice.IntN(5); weight > 3 {
		if err := s.core.SetStreamWeight(stream, weight); err != nil && !p.ended(i, err) {
			p.failf("side %d: SetStreamWeight: %v", i, err)
		}
		s.witness.out.stream(stream).weight = weight
	}
	if p.dice.IntN(10) == 0 {
		s.core.Flush()
		s.witness.out.flush(p.now)
	}
}

func (p *pair) send(i, n int) {
	s := p.sides[i]
	for range n {
		data := s.out.message(s.out.sent)
		switch err := s.core.SendReliable(data); {
		case err == nil:
			s.witness.out.queue(data)
			s.out.sent++
		case !p.ended(i, err):
			p.failf("side %d: SendReliable: %v", i, err)
		}
	}
}

// turn drives side i, as an endpoint does: all that came is received, then
// all that is due is sent.
func (p *pair) turn(i int) {
	s := p.sides[i]
	if anyHas(s.stalls, p.now) {
		return
	}
	for _, datagram := range s.backlog {
		p.receive(i, datagram)
	}
	s.backlog = nil

	var buf [2048]byte
	for n := s.core.Transmit(p.now, buf[:]); n > 0; n = s.core.Transmit(p.now, buf[:]) {
		p.sent(i, buf[:n])
	}
	p.testify(i, s.witness.turned(p.now))
	if at := s.core.Deadline(); at <= p.now {
		p.failf("side %d: after a turn its deadline is %v", i, at)
	}
	stats := s.core.Stats()
	p.testify(i, s.witness.measures(stats))
	if stats.Unacked > mostUnacked {
		p.failf("side %d: %d messages unacknowledged, the limit is %d", i, stats.Unacked, mostUnacked)
	}
	if anyHas(s.deaf, p.now) {
		s.late = true
		return
	}
	p.hear(i)
}

// sent looks at a datagram and puts it on the link.
func (p *pair) sent(i int, datagram []byte) {
	s := p.sides[i]
	p.note('s', i, datagram)
	p.testify(i, s.witness.sent(datagram, p.now))
	if limit := orDefault(p.cfg.MaxPacket, 1200); len(datagram) > limit {
		p.failf("side %d sends %d bytes, the limit is %d", i, len(datagram), limit)
	}
	if payload := datagram[4] == 4; payload && !s.closing { // a close is not held up
		p.checkRate(i)
	}
	if !anyHas(p.cuts[i], p.now) {
		s.link.Send(p.now, datagram)
	}
}

// checkRate: in any second at most the rate, and a burst of a sixtieth of it.
func (p *pair) checkRate(i int) {
	s, rate := p.sides[i], orDefault(p.cfg.GoodRate, 30)
	most := rate + max(1, rate/60)
	s.ticks = append(s.ticks, p.now)
	if len(s.ticks) <= most {
		return
	}
	if first := s.ticks[len(s.ticks)-1-most]; p.now-first < time.Second {
		p.failf("side %d: %d packets in %v", i, most+1, p.now-first)
	}
	s.ticks = s.ticks[1:]
}

// hear takes side i's events.
func (p *pair) hear(i int) {
	s := p.sides[i]
	for e := range s.core.Events() {
		s.listener.hear(e)
		p.testify(i, s.witness.heard(e))
		if e.Kind == netmsg.Left {
			p.checkLeft(i, e.Reason)
		}
	}
}

// checkLeft: before anyone closes, only ten seconds of silence end a
// connection, and they do so at once, if there is anyone to notice.
func (p *pair) checkLeft(i int, why netmsg.CloseReason) {
	s, other := p.sides[i], p.sides[1-i]
	silence := p.now - s.heard
	if s.late { // it may have ended some time ago
		silence = max(silence, s.quiet)
	}
	switch {
	case why == netmsg.TimedOut && silence >= timeoutInSoak-lateRepeat:
	case why == netmsg.Local && s.closing:
	case why == netmsg.Remote && (other.closing || other.left == netmsg.TimedOut):
	default:
		p.failf("side %d is left: %v, after a silence of %v", i, why, silence)
	}
}

// ended: a send that fails so is right when the connection has ended, even if
// nobody has taken its events yet.
func (p *pair) ended(i int, err error) bool {
	s := p.sides[i]
	return errors.Is(err, netmsg.ErrClosed) && anyHas(s.deaf, p.now)
}

// heal ends all that goes wrong.
func (p *pair) heal() {
	p.cuts = [2][]span{}
	for _, s := range p.sides {
		s.link = netmsg.NewLinkSim(netmsg.LinkConfig{Latency: 20 * time.Millisecond}, 1)
		s.stalls, s.deaf = nil, nil
	}
}

// settled: both sides have heard everything, or the connection has ended.
func (p *pair) settled() bool {
	a, b := p.sides[0], p.sides[1]
	if a.left != 0 || b.left != 0 {
		return a.left != 0 && b.left != 0
	}
	return a.out.heard == a.out.sent && b.out.heard == b.out.sent &&
		a.core.Stats().Unacked == 0 && b.core.Stats().Unacked == 0
}

// close ends the connection from one side, and sees both hear it, once.
func (p *pair) close() {
	over := func() bool { return p.sides[0].left != 0 && p.sides[1].left != 0 }
	if over() {
		return
	}
	s := p.sides[p.dice.IntN(2)]
	s.core.Close()
	s.witness.close(p.now)
	s.closing = true
	p.until(p.now+toldWithin, over)
	if !over() {
		p.failf("one side has closed; they have heard %v and %v", p.sides[0].left, p.sides[1].left)
	}
	p.until(p.now+3*time.Second, nil)
}
