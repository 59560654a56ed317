package party

import (
	"net/netip"
	"slices"

	"github.com/partyline-go/partyline/matchmaker"
)

// The addresses at which this side may be reached, as the matchmaker is told
// them.

const (
	maxLocals = 4 // addresses of this machine

	// Of the other side's addresses so many are dialled; what is left of a
	// dial's eight is for those that are learned later.
	dialLocals  = 3
	dialPublics = 2
	dialRelayed = 2
)

// candidates lists this side's addresses: none when it must not be known.
func (p *Party) candidates() (list []matchmaker.Candidate) {
	if p.cfg.ForceRelay && p.state != StateHosting && p.phase != phaseOpen {
		return nil
	}
	add := func(kind matchmaker.CandidateKind, at netip.AddrPort) {
		known := slices.ContainsFunc(list, func(c matchmaker.Candidate) bool { return c.Addr == at })
		if at.IsValid() && at.Port() != 0 && !known {
			list = append(list, matchmaker.Candidate{Kind: kind, Addr: at})
		}
	}
	for _, a := range p.out.asks {
		add(matchmaker.PublicCandidate, a.seen) // without a router it is a local one as well
	}
	locals := p.localAddrs()
	for _, a := range locals[:min(maxLocals, len(locals))] {
		add(matchmaker.LocalCandidate, netip.AddrPortFrom(a, p.ep.Addr().Port()))
	}
	return list
}

// localAddrs are the addresses of this machine that its socket has, the best
// first.
func (p *Party) localAddrs() []netip.Addr {
	if a := p.ep.Addr().Addr(); a.IsValid() && !a.IsUnspecified() {
		return []netip.Addr{a}
	}
	if p.cfg.Network.LocalAddrs != nil {
		return p.cfg.Network.LocalAddrs()
	}
	return usableAddrs(localAddrs(), routeAddr())
}

// candidatesChanged tells the matchmaker, and who is being met, of new
// addresses.
func (p *Party) candidatesChanged() {
	if p.room.line == nil {
		return
	}
	if p.room.held {
		p.room.line.Send(matchmaker.Message{T: matchmaker.Cands, Cands: p.candidates()})
	}
	for _, w := range []*meeting{p.meeting, p.mending} {
		if w != nil {
			w.tell(p)
		}
	}
	for i := range p.pairs {
		p.room.line.Send(matchmaker.Message{T: matchmaker.Cands, To: p.pairs[i].text, Cands: p.candidates()})
	}
}

// dialOrder lists the addresses to dial of a candidate list: those of one's
// own network first.
func dialOrder(cands []matchmaker.Candidate) (to []netip.AddrPort) {
	to = pick(to, cands, matchmaker.LocalCandidate, dialLocals)
	return pick(to, cands, matchmaker.PublicCandidate, dialPublics)
}

// relayOrder lists the addresses to reach over a relay: the public ones first.
func relayOrder(cands []matchmaker.Candidate) (to []netip.AddrPort) {
	to = pick(to, cands, matchmaker.PublicCandidate, dialRelayed)
	return pick(to, cands, matchmaker.LocalCandidate, dialRelayed-len(to))
}

// pick appends up to n addresses of a kind.
func pick(to []netip.AddrPort, cands []matchmaker.Candidate, kind matchmaker.CandidateKind, n int) []netip.AddrPort {
	for _, c := range cands {
		at := netip.AddrPortFrom(c.Addr.Addr().Unmap(), c.Addr.Port())
		if c.Kind == kind && n > 0 && !slices.Contains(to, at) {
			to = append(to, at)
			n--
		}
	}
	return to
}
