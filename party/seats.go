package party

// A guest gets a seat when it is accepted: a secret by which it is known when
// it comes back.

// dropGhost ends the guest that has the seat that a stranger shows, or its key:
// it is the same player over a newer connection.
func (p *Party) dropGhost(stranger *Peer) {
	seat := stranger.early.seat
	seated := seat != ([seatSize]byte{})
	for _, r := range p.peers {
		if r.role == roleGuest && (r.key == stranger.key || seated && r.seat == seat) {
			p.sendOff(r, codeReplaced, "")
			p.gone(r, WhyReplaced, "")
			return
		}
	}
}

// expected is the member that a new host waits for and whose key this is; nil:
// none. It waits also for one that came, and has not answered: that may be
// another way which the member has given up.
func (p *Party) expected(key [keySize]byte) *rosterMember {
	m := p.place.roster.byKey(key)
	if m == nil || m.pid == p.place.pid {
		return nil
	}
	if g := p.PeerOf(m.pid); g != nil && (p.awaitBy == 0 || g.confirmed) {
		return nil
	}
	return m
}

// seatAgain gives a member that came to its new host its own place.
func (p *Party) seatAgain(r *Peer, m rosterMember) {
	if g := p.PeerOf(m.pid); g != nil {
		p.sendOff(g, codeReplaced, "")
	}
	r.seat = r.early.seat
	p.seatGuest(r, m)
}
