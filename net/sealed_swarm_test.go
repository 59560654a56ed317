package netmsg

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var swarmSeeds = flag.Int("swarm", 0, "seeds of the swarm of sealed connections; 0: 100, and 10 under the race detector")

// TestSwarmOfSealedConnectionsKeepsItsPromises runs pairs over links drawn from
// the seed, and checks what must hold whatever a link does. More of them:
// go test ./net -run TestSwarm -swarm 10000.
func TestSwarmOfSealedConnectionsKeepsItsPromises(t *testing.T) {
	seeds := *swarmSeeds
	switch {
	case seeds > 0:
	case raceOn:
		seeds = 10
	default:
		seeds = 100
	}
	for seed := range uint64(seeds) {
		s := newSwarm(t, seed)
		s.play()
		s.finish()
		if t.Failed() {
			t.Fatalf("seed %d: links %+v and %+v, first number %d", seed, s.there, s.back, s.first)
		}
	}
}

// A swarm is one pair and all that its sides have sent and heard.
type swarm struct {
	*SimPair
	t           *testing.T
	rng         *rand.Rand
	there, back LinkConfig
	first       uint64
	sides       [2]*swarmSide
	down        time.Duration // until when the link is cut
}

type swarmSide struct {
	core    *ConnectionCore
	conn    *sealedConn
	name    string
	sent    [4][][]byte
	heard   [4]int
	free    map[string]int // channel 0: sent and not heard
	set     uint32         // the last value set, of each stream in turn
	newest  [8]uint32
	loose   map[string]bool
	numbers uint64 // one more than the newest seen on the wire
	left    bool
}

func newSwarm(t *testing.T, seed uint64) *swarm {
	s := &swarm{t: t, rng: rand.New(rand.NewPCG(seed, 5))}
	s.there, s.back = s.link(), s.link()
	s.SimPair = NewSimPair(&Config{GoodRate: 60}, s.there, s.back, seed)
	s.first = []uint64{0, 0, 65_500, 3<<16 - 3, 1<<32 - 5}[s.rng.IntN(5)]
	for i, core := range []*ConnectionCore{s.A, s.B} {
		s.sides[i] = &swarmSide{core: core, conn: core.machine.(*sealedConn), name: string(rune('A' + i)), free: map[string]int{}, loose: map[string]bool{}}
	}
	s.sides[0].conn.startAt(s.first, s.sides[1].conn)
	s.sides[1].conn.startAt(s.first, s.sides[0].conn)
	s.Tap = s.check
	return s
}

// startAt begins with another number than 0, as if the packets before had been
// sent and received.
func (c *sealedConn) startAt(number uint64, peer *sealedConn) {
	c.recovery.log.base, c.recovery.log.next = number, number
	if number == 0 {
		return
	}
	c.recovery.any, c.recovery.largestAcked = true, number-1
	peer.acks.came.next = number
	for peer.opener.epoch < epochOf(number) {
		peer.opener.chain = peer.opener.chain.next()
		peer.opener.epoch++
	}
	peer.opener.key = newPacketKey(&peer.opener.chain)
}

func (s *swarm) link() LinkConfig {
	pick := func(from ...time.Duration) time.Duration { return from[s.rng.IntN(len(from))] }
	chance := func(from ...float64) float64 { return from[s.rng.IntN(len(from))] }
	l := LinkConfig{
		Loss: chance(0, 0, 0.01, 0.05, 0.2, 0.4), Duplicate: chance(0, 0, 0.05, 0.2),
		Reorder: chance(0, 0, 0.1), ReorderDelay: pick(10*ms, 80*ms),
		Latency: pick(0, 1*ms, 20*ms, 100*ms, 300*ms), Jitter: pick(0, 0, 10*ms, 100*ms),
	}
	if s.rng.IntN(3) == 0 {
		l.Rate, l.Buffer = 30_000<<s.rng.IntN(8), pick(20*ms, 100*ms, 500*ms)
	}
	if s.rng.IntN(3) == 0 {
		l.MTU = 1200 + s.rng.IntN(300)
	}
	return l
}

// check looks at every packet as it is put on the link, and cuts the link in an
// outage.
func (s *swarm) check(now time.Duration, fromA bool, datagram []byte) bool {
	side := s.sides[1]
	if fromA {
		side = s.sides[0]
	}
	_, low, _ := parseSealedHeader(datagram)
	number := extendNumber(side.numbers, low)
	if side.numbers == 0 {
		number = extendNumber(s.first, low)
	}
	r := &side.conn.recovery
	if number < side.numbers || number != r.log.next-1 {
		s.t.Errorf("I5: %s sends number %d after %d, its next is %d", side.name, number, side.numbers, r.log.next)
	}
	side.numbers = number + 1
	if r.any && number-r.largestAcked > maxNumberAhead {
		s.t.Errorf("I6: %s is %d numbers ahead", side.name, number-r.largestAcked)
	}
	if len(datagram) > side.conn.mtu.size && r.log.record(number).flags&sentMTUProbe == 0 {
		s.t.Errorf("I16: %s sends %d bytes on a path of %d", side.name, len(datagram), side.conn.mtu.size)
	}
	return now >= s.down
}

// play sends for a few seconds.
func (s *swarm) play() {
	for range 60 + s.rng.IntN(120) {
		for _, side := range s.sides {
			s.speak(side)
		}
		if s.rng.IntN(100) == 0 {
			s.down = s.Now() + time.Duration(s.rng.IntN(5000))*ms
		}
		s.Advance(time.Duration(s.rng.IntN(50)) * ms)
		if s.rng.IntN(4) > 0 {
			s.hear()
		}
	}
}

func (s *swarm) speak(side *swarmSide) {
	for range s.rng.IntN(4) {
		ch := Channel(s.rng.IntN(4))
		n := s.rng.IntN(80)
		if s.rng.IntN(8) == 0 {
			n = s.rng.IntN(20_000)
		}
		b := PutU32(nil, uint32(len(side.sent[ch])))
		b = append(b, noiseBytes(n, s.rng.Uint64())...)
		if side.core.SendOn(ch, b) == nil {
			side.sent[ch] = append(side.sent[ch], b)
			if ch == Unordered {
				side.free[string(b)]++
			}
		}
	}
	if s.rng.IntN(2) == 0 {
		side.set++
		v := append(PutU32(nil, side.set), make([]byte, s.rng.IntN(60)*s.rng.IntN(60))...)
		if err := side.core.SendLatest(uint16(side.set%8), v); err != nil {
			s.t.Errorf("%s: a value is refused: %v", side.name, err)
		}
	}
	if s.rng.IntN(4) == 0 {
		b := PutU64(nil, s.rng.Uint64())
		if side.core.SendUnreliable(b) == nil {
			side.loose[string(b)] = true
		}
	}
}

func (s *swarm) hear() {
	for i, side := range s.sides {
		for e := range side.core.Events() {
			s.heard(side, s.sides[1-i], e)
		}
		s.checkSide(side)
	}
}

func (s *swarm) heard(side, peer *swarmSide, e Event) {
	if side.left {
		s.t.Errorf("I14: %s hears %v after Left", side.name, e.Kind)
	}
	switch e.Kind {
	case Left:
		side.left = true
		if e.Reason == Protocol || e.Reason == Remote && e.Code >= closeProtocol && e.Code <= closeFalseAck {
			s.t.Errorf("I9: %s left for %v, code %d", side.name, e.Reason, e.Code)
		}
	case Update:
		n, stream := U32(e.Data), U32(e.Data)%8
		if uint32(e.Stream) != stream || n <= side.newest[stream] || n > peer.set {
			s.t.Errorf("I3: %s hears value %d of stream %d after %d", side.name, n, e.Stream, side.newest[stream])
		}
		side.newest[stream] = n
	case Message:
		s.heardMessage(side, peer, e)
	}
}

func (s *swarm) heardMessage(side, peer *swarmSide, e Event) {
	switch e.Channel {
	case Unreliable:
		if !peer.loose[string(e.Data)] {
			s.t.Errorf("I4: %s hears an unreliable message twice, or one that was not sent", side.name)
		}
		delete(peer.loose, string(e.Data))
	case Unordered:
		if peer.free[string(e.Data)]--; peer.free[string(e.Data)] < 0 {
			s.t.Errorf("I2: %s hears a message twice, or one that was not sent", side.name)
		}
		side.heard[Unordered]++
	default:
		at := side.heard[e.Channel]
		if at >= len(peer.sent[e.Channel]) || !bytes.Equal(e.Data, peer.sent[e.Channel][at]) {
			s.t.Errorf("I1: %s hears something else than message %d of channel %d", side.name, at, e.Channel)
		}
		side.heard[e.Channel]++
	}
}

// checkSide looks at the limits of a side, and at its deadline.
func (s *swarm) checkSide(side *swarmSide) {
	c := side.conn
	for ch, in := range c.inc {
		if in != nil && in.held > in.window {
			s.t.Errorf("I7: %s holds %d bytes of channel %d, the window is %d", side.name, in.held, ch, in.window)
		}
	}
	if len(c.path.answers) > pathAnswers || c.join.bytes > maxPartialBytes || len(c.recovery.log.records) > maxRecords {
		s.t.Errorf("I7: %s has %d answers, %d bytes of values, %d records", side.name, len(c.path.answers), c.join.bytes, len(c.recovery.log.records))
	}
}

// finish lets the link live until everything has arrived, then closes.
func (s *swarm) finish() {
	for until := s.Now() + 10*time.Minute; !s.done() && s.Now() < until && !s.t.Failed(); {
		s.Advance(50 * ms)
		s.hear()
	}
	if !s.sides[0].left && !s.sides[1].left && !s.done() {
		s.t.Errorf("I10: not everything has arrived: A heard %v, B %v", s.sides[0].heard, s.sides[1].heard)
	}
	s.A.CloseWith(77, "bye")
	for range 400 {
		s.Advance(50 * ms)
		s.hear()
	}
	for _, side := range s.sides {
		if !side.left || !side.core.done() {
			s.t.Errorf("I14: %s has left: %v, and is done: %v", side.name, side.left, side.core.done())
		}
	}
}

func (s *swarm) done() bool {
	for i, side := range s.sides {
		for ch, n := range side.heard {
			if n < len(s.sides[1-i].sent[ch]) {
				return s.sides[0].left || s.sides[1].left
			}
		}
	}
	return true
}
