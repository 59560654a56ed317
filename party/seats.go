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
// none.
func (p *Party) expected(key [keySize]byte) *rosterMember {
	m := p.place.roster.byKey(key)
	if m == nil || m.pid == p.place.pid || p.PeerOf(m.pid) != nil {
		return nil
	}
	return m
}

// seatAgain gives a member that came to its new host its own place.
func (p *Party) seatAgain(r *Peer, m rosterMember) {
	r.seat = r.early.seat
	p.seatGuest(r, m)
}
