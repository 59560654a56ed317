package party

import "time"

// Host opens a socket on port (0: the system chooses; with Config.Socket, its
// own) and takes guests. token is an id of the session, for the game to use;
// guests learn it. Where Config.SignalURL is set a room is opened too, which
// RoomOpen or RoomFailed tells. The error wraps WhyPortInUse, WhySocket or
// ErrBusy.
func (p *Party) Host(port uint16, token uint32) error {
	if err := p.begin(); err != nil {
		return err
	}
	if err := p.openSocket(port, true); err != nil {
		return err
	}
	p.state = StateHosting
	p.place.pid = hostPID
	p.fillRandom(p.place.seat[:])
	p.place.seated = true
	p.place.roster = roster{version: 1, epoch: 1, token: token, last: hostPID}
	p.place.roster.add(rosterMember{pid: hostPID, flags: isHost, key: p.key})
	p.tellDoor()
	p.startOutside()
	p.hold()
	return nil
}

// Accept lets a stranger in and gives its pid; the guest can be sent to from
// now on. It is 0 for a peer that has gone
// already, or when all seats are taken, which the peer is then told. A guest
// that is in keeps its pid.
func (p *Party) Accept(peer *Peer) PID {
	switch {
	case !p.has(peer):
		return 0
	case peer.role == roleGuest:
		return peer.pid
	case peer.role != roleStranger || p.state != StateHosting:
		return 0
	}
	slot := p.place.roster.freeSlot()
	if slot < 0 || p.place.roster.last == ^PID(0) {
		p.sendOff(peer, codeFull, "")
		return 0
	}
	p.place.roster.last++
	p.fillRandom(peer.seat[:])
	p.seatGuest(peer, rosterMember{pid: p.place.roster.last, slot: uint8(slot), key: peer.key})
	return peer.pid
}

// seatGuest makes a stranger the member m of the party.
func (p *Party) seatGuest(r *Peer, m rosterMember) {
	r.role, r.pid, r.slot = roleGuest, m.pid, int(m.slot)
	m.flags &^= isHost
	p.locate(r, &m)
	p.place.roster.remove(m.pid)
	p.place.roster.add(m)
	p.rosterChanged()
	p.found()
	r.say(opAccept, appendAccept(p.scratch(), accept{m.pid, p.place.roster.token, r.seat}))
	p.sayRoster(r) // the guest is in with it: whatever the game says next has to come after
}

// rosterChanged lets the guests hear of it at the frame's end.
func (p *Party) rosterChanged() {
	p.place.roster.version++
	p.rosterDue = true
}

// sendRoster sends the roster to every guest that does not know it.
func (p *Party) sendRoster() {
	if !p.rosterDue {
		return
	}
	p.rosterDue = false
	for _, r := range p.peers {
		if r.role == roleGuest && r.knows != p.place.roster.version {
			p.sayRoster(r)
		}
	}
}

func (p *Party) sayRoster(r *Peer) {
	r.knows = p.place.roster.version
	r.say(opRoster, appendRoster(p.scratch(), &p.place.roster))
}

// Refuse sends a stranger away with a text of the game's, of at most 200 bytes:
// it hears Down(WhyRefused) and the text. A longer text is not sent at all, and
// the log says so. A guest is let go as ClosePeer does.
func (p *Party) Refuse(peer *Peer, text string) {
	if p.has(peer) && peer.role != roleHost {
		p.ClosePeer(peer, text)
	}
}

// ClosePeer lets a guest go at once: it hears Down(WhyKicked) and the text, of
// at most 200 bytes (a longer one is not sent, as in Refuse). Its seat is free,
// and nothing more of it is in the inbox; what was queued for it may be lost:
// CloseWhenSent waits for that. Facts tell Closed. A stranger is let go as Refuse
// does; a guest that closes its host leaves.
func (p *Party) ClosePeer(peer *Peer, text string) {
	if !p.has(peer) {
		return
	}
	switch peer.role {
	case roleStranger:
		p.sendOff(peer, codeRefused, text)
	case roleGuest:
		p.kick(peer, text)
	case roleHost:
		p.Leave()
	}
}

func (p *Party) kick(r *Peer, text string) {
	p.sendOff(r, codeKicked, text)
	p.unseat(r)
	p.room.renew = p.room.held // who was let go has the old key to the room
	p.tell(Fact{Kind: Closed, Peer: r, PID: r.pid, Why: WhyKicked, Text: text})
}

// unseat takes a guest out of the party.
func (p *Party) unseat(r *Peer) {
	p.place.roster.remove(r.pid)
	p.rosterChanged()
}

// CloseWhenSent lets a guest go once it has taken all that was queued for it, or
// after the time given, whichever is first: then Facts tell Closed, and the
// guest hears Down(WhyKicked). Until then it is in the party, and what is queued
// for it meanwhile is waited for as well.
func (p *Party) CloseWhenSent(peer *Peer, within time.Duration) {
	if p.has(peer) && peer.role == roleGuest {
		peer.closing, peer.closeBy = true, p.clock.now()+within
	}
}

// letGo ends what was to end when something was sent.
func (p *Party) letGo() {
	for i := 0; i < len(p.peers); i++ {
		r := p.peers[i]
		if r.role == roleGuest && r.closing && (r.unacked() == 0 || p.now >= r.closeBy) {
			p.kick(r, "")
		}
	}
}

// gone ends a guest that the network, its own will or its own double ended.
func (p *Party) gone(r *Peer, why Why, text string) {
	m := p.place.roster.member(r.pid)
	if p.comesAgain(r, why) {
		return
	}
	if (why == WhySilent || why == WhyStalled) && m != nil {
		defer p.missed(*m)
	}
	p.unseat(r)
	if p.handing.on {
		return // it goes where it was told to
	}
	p.tell(Fact{Kind: Gone, Peer: r, PID: r.pid, Why: why, Text: text})
}

// overflow ends a connection whose peer does not keep up.
func (p *Party) overflow(r *Peer) {
	switch r.role {
	case roleGuest:
		p.sendOff(r, codeOverflow, "")
		p.gone(r, WhyOverflow, "")
	case roleHost, roleDial:
		p.down(WhyOverflow, "")
	default:
		r.close()
	}
}
