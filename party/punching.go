package party

import (
	"encoding/hex"
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// What the holder of a room does for who joins by its code: it expects them, and
// opens its own router towards them. A matchmaker can be lied to, so a host sends
// few and small datagrams to addresses that nobody vouches for.

const (
	punchEvery   = 300 * time.Millisecond
	punches      = 10 // to an address that the matchmaker vouches for
	punchesOther = 3  // to any other
	pairTargets  = matchmaker.MaxCandidates
	maxPairs     = 64
	pairLife     = 60 * time.Second

	// crossing is how long an address that is told to the matchmaker and an
	// introduction by it may cross each other: who joins then has not heard of it.
	crossing = 2 * time.Second
)

// A pair is this holder and one who joins.
type pair struct {
	id      [8]byte
	text    string // the id as the matchmaker writes it
	key     [keySize]byte
	until   time.Duration
	targets []punchTarget
}

// A punchTarget is an address of who joins.
type punchTarget struct {
	matchmaker.Candidate
	left int
	next time.Duration
}

// introduced: somebody joins by the room's code.
func (p *Party) introduced(m matchmaker.Message) {
	id, ok := pairID(m.ID)
	if !ok || p.ep.Expect(id, m.PSK) != nil {
		return
	}
	p.forgetPairs()
	if len(p.pairs) == maxPairs {
		p.pairs = p.pairs[:copy(p.pairs, p.pairs[1:])]
	}
	w := pair{id: id, text: m.ID, until: p.now + pairLife}
	copy(w.key[:], m.Key)
	p.pairs = append(p.pairs, w)
	p.aim(&p.pairs[len(p.pairs)-1], m.Cands, time.Duration(m.DelayMS)*time.Millisecond)
	if p.out.learned && p.now-p.out.learnedAt < crossing {
		p.room.line.Send(matchmaker.Message{T: matchmaker.Cands, To: m.ID, Cands: p.candidates()})
	}
}

// pairID reads a pair's id: 8 bytes in hex.
func pairID(text string) (id [8]byte, ok bool) {
	n, err := hex.Decode(id[:], []byte(text[:min(len(text), 2*len(id))]))
	return id, err == nil && n == len(id) && len(text) == 2*len(id)
}

// aim adds addresses to punch.
func (p *Party) aim(w *pair, cands []matchmaker.Candidate, delay time.Duration) {
	for _, c := range cands {
		c.Addr = netip.AddrPortFrom(c.Addr.Addr().Unmap(), c.Addr.Port())
		if t := w.target(c.Addr); t != nil {
			t.Kind = c.Kind
			continue
		}
		if len(w.targets) == pairTargets || p.cfg.ForceRelay && c.Kind != matchmaker.RelayCandidate {
			continue
		}
		left := punchesOther
		if c.Own {
			left = punches
		}
		w.targets = append(w.targets, punchTarget{c, left, p.now + delay})
	}
}

func (w *pair) target(at netip.AddrPort) *punchTarget {
	for i := range w.targets {
		if w.targets[i].Addr == at {
			return &w.targets[i]
		}
	}
	return nil
}

// punch sends what is due.
func (p *Party) punch() {
	for i := range p.pairs {
		for j := range p.pairs[i].targets {
			if t := &p.pairs[i].targets[j]; t.left > 0 && p.now >= t.next {
				t.left, t.next = t.left-1, p.now+punchEvery
				p.ep.Punch(t.Addr, p.pairs[i].id)
			}
		}
	}
}

// forgetPairs drops those who must have come by now.
func (p *Party) forgetPairs() {
	kept := p.pairs[:0]
	for _, w := range p.pairs {
		if p.now < w.until {
			kept = append(kept, w)
		}
	}
	p.pairs = kept
}

// moreCandidates takes addresses that the other side of a pair has found since.
func (p *Party) moreCandidates(m matchmaker.Message) {
	for i := range p.pairs {
		if p.pairs[i].text == m.ID {
			p.aim(&p.pairs[i], m.Cands, 0)
			for _, r := range p.peers {
				if r.key == p.pairs[i].key {
					p.recall(r)
				}
			}
			return
		}
	}
	for _, w := range []*meeting{p.meeting, p.mending} {
		if w != nil && w.text == m.ID {
			w.learn(p, m.Cands)
		}
	}
}

// recall gives a peer the addresses that it told the matchmaker when it joined by
// the room's code; it is known by its key.
func (p *Party) recall(r *Peer) {
	for i := range p.pairs {
		if w := &p.pairs[i]; w.key == r.key && w.key != ([keySize]byte{}) {
			r.cands, r.relays = nil, nil
			for _, t := range w.targets {
				r.cands = append(r.cands, t.Candidate)
				if t.Kind == matchmaker.RelayCandidate {
					r.relays = append(r.relays, t.Addr)
				}
			}
		}
	}
}
