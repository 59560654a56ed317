package netmsg

import (
	"hash"
	"hash/fnv"
	"iter"
	"time"
)

// A SimPair is two cores and a simulated link each way, on a clock that starts
// at 0 and that the caller moves. Nothing in it depends on anything but its
// arguments and the calls made: the same seed gives the same run, bit for bit.
type SimPair struct {
	A, B *ConnectionCore

	// Tap, if set, is shown each datagram before it is put on the link, which
	// it is if Tap lets it pass. Tap must not keep or change it.
	Tap func(now time.Duration, fromA bool, datagram []byte) (pass bool)

	now        time.Duration
	aToB, bToA *LinkSim
	buf        []byte
	trace      hash.Hash64
}

// NewSimPair gives two cores that have just joined, as after a handshake. A
// nil cfg is all defaults.
func NewSimPair(cfg *Config, aToB, bToA LinkConfig, seed uint64) *SimPair {
	if cfg == nil || cfg.Random == nil {
		seeded := Config{}
		if cfg != nil {
			seeded = *cfg
		}
		seeded.Random = newSimRandom(seed)
		cfg = &seeded
	}
	cfg = cfg.settle()
	a, b := simSessions(cfg, seed)
	if !cfg.Plain { // the handshake has measured the round trip
		a.secure.rtt = meanDelay(aToB) + meanDelay(bToA)
		b.secure.rtt = a.secure.rtt
	}
	return &SimPair{
		A:     NewConnectionCore(cfg, a, 0),
		B:     NewConnectionCore(cfg, b, 0),
		aToB:  NewLinkSim(aToB, seed),
		bToA:  NewLinkSim(bToA, ^seed),
		buf:   make([]byte, max(cfg.MaxPacket, usualMaxDatagram)),
		trace: fnv.New64a(),
	}
}

// Now is the pair's time.
func (p *SimPair) Now() time.Duration { return p.now }

// Advance moves the clock by d, and on the way does everything at the very
// time it is due: datagrams arrive, cores transmit.
func (p *SimPair) Advance(d time.Duration) {
	end := p.now + max(d, 0)
	for {
		p.turn()
		next := p.deadline()
		if next > end {
			break
		}
		p.now = next
	}
	p.now = end
}

// EventsA pulls what A has to tell; see [ConnectionCore.Events]. Data is
// borrowed until the next Advance.
func (p *SimPair) EventsA() iter.Seq[Event] { return p.A.Events() }

// EventsB pulls what B has to tell.
func (p *SimPair) EventsB() iter.Seq[Event] { return p.B.Events() }

// Trace is a hash of every datagram that was transmitted so far: when, from
// which side, and its bytes. Two runs that are alike have the same.
func (p *SimPair) Trace() uint64 { return p.trace.Sum64() }

func (p *SimPair) deadline() time.Duration {
	return min(p.aToB.Deadline(), p.bToA.Deadline(), p.A.Deadline(), p.B.Deadline())
}

// turn does what is due now. What arrives comes first.
func (p *SimPair) turn() {
	p.deliver(p.aToB, p.B)
	p.deliver(p.bToA, p.A)
	p.transmit(p.A, p.aToB)
	p.transmit(p.B, p.bToA)
}

func (p *SimPair) deliver(link *LinkSim, to *ConnectionCore) {
	for {
		n, ok := link.Deliver(p.now, p.buf)
		if !ok {
			return
		}
		to.Receive(p.now, p.buf[:n])
	}
}

func (p *SimPair) transmit(from *ConnectionCore, link *LinkSim) {
	for {
		n := from.Transmit(p.now, p.buf)
		if n == 0 {
			return
		}
		fromA := from == p.A
		p.note(fromA, p.buf[:n])
		if p.Tap == nil || p.Tap(p.now, fromA, p.buf[:n]) {
			link.Send(p.now, p.buf[:n])
		}
	}
}

// note adds a datagram to the trace.
func (p *SimPair) note(fromA bool, datagram []byte) {
	var head [9]byte
	PutU64(head[:0], uint64(p.now))
	if fromA {
		head[8] = 1
	}
	p.trace.Write(head[:])
	p.trace.Write(datagram)
}

// meanDelay is how long a small datagram is under way, on the average.
func meanDelay(link LinkConfig) time.Duration { return link.Latency + link.Jitter/2 }
