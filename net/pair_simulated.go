package netmsg

import "time"

// simStep is how often a simulated pair looks at what has arrived.
const simStep = time.Millisecond

// PairSimulated joins two connections by the real protocol over two simulated
// links: packets, acknowledgements, resends and the rate are as on UDP, and
// aToB and bToA say what the links do to the packets. Delays are real time: a
// goroutine steps the links every millisecond until Stop. Both are open at
// once; idA and idB are the IDs that a's and b's events carry. The same seed
// draws the same fates, though real time makes no two runs alike: for those
// use [NewSimPair]. A nil cfg is all defaults.
func PairSimulated(cfg *Config, aToB, bToA LinkConfig, seed uint64, a, b Handler, idA, idB ConnID) *Pair {
	sim := NewSimPair(cfg, aToB, bToA, seed)
	p := newPair(a, b, idA, idB)
	p.A.line, p.B.line = sim.A, sim.B
	for _, end := range p.ends {
		if most := end.conn.out.limit(); most > 0 {
			end.conn.line.(*ConnectionCore).setInboxLimit(most)
		}
	}
	epoch := time.Now()
	p.clock = sim.Now
	p.work = func() { sim.Advance(time.Since(epoch) - sim.Now()) }
	ticker := time.NewTicker(simStep)
	go func() {
		defer ticker.Stop()
		p.run(ticker.C)
	}()
	return p
}
