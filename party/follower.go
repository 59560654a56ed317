package party

// What a member does that follows another.

// watch looks whether the host is heard. When it has been silent for half of
// SilenceTimeout the first in order is asked, just in case; that is taken back
// when the host is heard again. The first in order takes nobody before the whole
// of SilenceTimeout, however many ask it: a host may be without a frame for so
// long and come back (a stepped one has nothing that keeps it alive meanwhile).
func (p *Party) watch() {
	half := p.cfg.SilenceTimeout / 2
	if half < 0 {
		return
	}
	switch silent := p.host.LastHeard() >= half; {
	case !silent && p.phase == phaseCalm:
		return
	case !silent:
		p.calm()
		return
	case p.alone():
		return
	}
	if p.phase == phaseCalm && p.place.room.code != "" {
		p.openLine() // so that it is there when it is needed
	}
	p.phase, p.cause = phaseWatch, WhySilent
	if first := p.heirs()[0]; first != p.place.pid {
		p.tryMember(first)
	}
}

// calm takes back what was done because the host was silent.
func (p *Party) calm() {
	p.phase = phaseCalm
	p.errandDone()
	p.endDials(nil)
	p.pointAskers()
}

// seekOn asks the members in order, later ones later, and opens when that takes
// too long.
func (p *Party) seekOn() {
	sought := p.now - p.began
	if p.now >= p.until {
		p.givenUp()
		return
	}
	if p.manual {
		return
	}
	heirs := p.heirs()
	if (sought >= anyOpens || sought >= secondOpens && heirs[1] == p.place.pid) && !p.holderAlive() {
		p.open()
		return
	}
	if sought >= restAfter {
		p.seekByRoom()
	}
	p.tryMember(heirs[0])
	if sought >= secondAfter {
		p.tryMember(heirs[1])
	}
	if sought >= restAfter {
		for i := range heirs[2:] {
			p.tryMember(heirs[2+i])
		}
	}
}

// givenUp ends a search in vain.
func (p *Party) givenUp() {
	why := WhySilent
	if p.manual {
		why = WhyNoAnswer
	}
	p.down(why, "")
}

// pointed takes another member's word for who is host. That one is dialled
// once. An epoch that was not heard of before gives the search its time anew.
func (p *Party) pointed(h handOff) {
	if h.epoch > p.highest {
		p.highest = h.epoch
		p.until = p.now + seekTime
	}
	if h.heir != p.place.pid && p.place.roster.member(h.heir) != nil && !p.dialling(h.heir) {
		p.dialMember(h.heir)
	}
}

// mayFollow takes the roster of another host, which has let this member in. It
// is followed if its epoch is later than the one followed so far, if it is the
// very host this member had, or if Follow said so.
func (p *Party) mayFollow(r *Peer, t roster) {
	own := &p.place.roster
	same := t.epoch == own.epoch && t.host().key == own.host().key
	if p.phase == phaseCalm || !(t.epoch > own.epoch || same || r.goal == 0) {
		r.close()
		return
	}
	p.leaveHost()
	p.endDials(r)
	s := p.succession
	p.settle(r, t)
	p.cause, p.lost = s.cause, s.lost
	p.pointAskers()
	if same {
		p.tell(Fact{Kind: Joined, Peer: r, PID: p.place.pid})
		return
	}
	p.newHost(r, r.pid)
}

// pointAskers tells the members that asked this one who is host.
func (p *Party) pointAskers() {
	for _, r := range p.peers {
		if r.role == roleAsker && r.early != nil {
			p.point(r)
		}
	}
}

// point tells a member who is host.
func (p *Party) point(r *Peer) {
	p.sendOff(r, codeMoved, movedText(handOff{p.place.roster.epoch, p.place.roster.host().pid}))
}
