package party

import (
	"net/netip"
	"strconv"
	"time"
)

// When a host is gone its members find the next one by the order of the roster
// that they all have. In this file is what a member knows of that; follower.go
// and heir.go are the two things that it can do about it.

const (
	// seekTime is how long a member seeks a host, or waits as host for the first
	// other member, before it gives up.
	seekTime = 30 * time.Second

	// secondAfter, restAfter: when a seeker also asks the second in order, and
	// all the others.
	secondAfter = 3 * time.Second
	restAfter   = 6 * time.Second

	// secondOpens, anyOpens: when the second in order, and any member, stops
	// seeking and opens.
	secondOpens = 5 * time.Second
	anyOpens    = 10 * time.Second

	// redialAfter is the time between two attempts to reach the same member.
	redialAfter = time.Second
)

// A phase is how far a succession has come.
type phase uint8

const (
	phaseCalm  phase = iota // there is a host and it is heard
	phaseWatch              // it has been silent for half of SilenceTimeout
	phaseSeek               // it is gone: another is sought
	phaseOpen               // this member is the heir, and waits for the first other
)

// A succession is how a member goes from one host to the next.
type succession struct {
	phase   phase
	highest uint32        // the highest epoch heard of
	named   PID           // the heir, if somebody said
	cause   Why           // how the host ended
	lost    int           // reliable messages that it had not acknowledged
	began   time.Duration // seeking, or opening
	until   time.Duration // and when that ends
	manual  bool          // by Follow
	oldHost netip.AddrPort
	tries   []try

	heirEpoch uint32        // opening: the epoch to host
	claimed   time.Duration // opening: since when

	awaitBy time.Duration // hosting: until when members that have not come are kept; 0: none are
	missing []rosterMember
	askBy   time.Duration // hosting, all guests fell silent: until when they are asked
}

// A try says when a member may be dialled again.
type try struct {
	pid PID
	at  time.Duration
}

// succeed moves the succession on.
func (p *Party) succeed() {
	switch {
	case p.state == StateHosting:
		p.awaitMembers()
		p.askMembers()
	case p.state != StateJoined || p.cfg.NoHandOff && !p.manual:
	case p.phase == phaseCalm || p.phase == phaseWatch:
		p.watch()
	case p.phase == phaseSeek:
		p.seekOn()
	case p.phase == phaseOpen:
		p.openOn()
	}
}

// heirs are the members that could be host now, this one included, in order:
// the named one first, the old host not among them.
func (p *Party) heirs() []PID {
	p.heirList = p.heirList[:0]
	if m := p.place.roster.member(p.named); m != nil && m.flags&isHost == 0 {
		p.heirList = append(p.heirList, p.named)
	}
	for _, m := range p.place.roster.members {
		if m.flags&isHost == 0 && m.pid != p.named {
			p.heirList = append(p.heirList, m.pid)
		}
	}
	return p.heirList
}

// alone says that nobody but this member is left without the host.
func (p *Party) alone() bool { return len(p.heirs()) < 2 }

// hostLeft takes the end of the host's connection.
func (p *Party) hostLeft(r *Peer, why Why, text string) {
	if r.why == WhyNone && why == WhyReplaced {
		why = WhySilent // it heard nobody any more, and asks anew from the same place
	}
	h, named := parseMoved(text)
	switch {
	case why == WhyMoved && named:
		p.toldHeir(h, WhyMoved)
	case p.cfg.NoHandOff || p.alone() || !mayOutlive(r, why):
		p.down(why, text)
	default:
		p.seek(why, 0)
	}
}

// mayOutlive says whether the party goes on after its host ended so: it does
// unless the host, or this side, meant this member.
func mayOutlive(r *Peer, why Why) bool {
	if r.why != WhyNone {
		return r.why == WhyStalled
	}
	return why == WhySilent || why == WhyClosed
}

// toldHeir takes the host's word for who is next.
func (p *Party) toldHeir(h handOff, cause Why) {
	if h.epoch <= p.place.roster.epoch {
		return
	}
	p.highest = max(p.highest, h.epoch)
	switch {
	case p.cfg.NoHandOff:
		p.down(cause, "")
	case p.alone() && h.heir == p.place.pid:
		p.cause = cause
		p.takeOver(p.random32())
	case p.alone():
		p.down(cause, "")
	default:
		p.seek(cause, h.heir)
	}
}

// seek leaves the host, whose end has come, and goes for the next.
func (p *Party) seek(cause Why, named PID) {
	p.leaveHost()
	p.phase, p.cause, p.named = phaseSeek, cause, named
	p.began, p.until = p.now, p.now+seekTime
	if p.heirs()[0] == p.place.pid {
		p.open()
		return
	}
	p.seekOn()
}

// leaveHost ends the connection to the host and counts what it had not
// acknowledged.
func (p *Party) leaveHost() {
	if p.host == nil {
		return
	}
	p.oldHost = p.host.Addr()
	p.lost = p.host.unheard()
	if p.phase == phaseWatch {
		p.sendOff(p.host, codeStalled, "") // once it runs again, it has to ask who is host
	} else {
		p.host.close()
	}
	p.host = nil
}

// newHost tells who is host now.
func (p *Party) newHost(peer *Peer, pid PID) {
	p.tell(Fact{Kind: NewHost, Peer: peer, PID: pid, Why: p.cause, Text: strconv.Itoa(p.lost)})
}

// tryMember dials a member, unless that is being done or was just in vain.
func (p *Party) tryMember(pid PID) {
	if pid == p.place.pid || p.dialling(pid) {
		return
	}
	for _, t := range p.tries {
		if t.pid == pid && p.now < t.at {
			return
		}
	}
	p.dialMember(pid)
}

// dialling says whether a member is being reached, by its addresses or through
// the room. Two connections to one host would be taken for a member that came
// back, and its ghost.
func (p *Party) dialling(pid PID) bool {
	if w := p.meeting; w != nil && w.role == pid && w.busy() {
		return true
	}
	for _, r := range p.peers {
		if r.role == roleDial && r.goal == pid {
			return true
		}
	}
	return false
}

// dialMember dials a member of the roster.
func (p *Party) dialMember(pid PID) {
	m := p.place.roster.member(pid)
	if m == nil {
		return // it has left since it asked
	}
	p.laterTry(pid)
	if r, err := p.dial(p.addressesOf(pid), p.seeker(), trust{key: &m.key}); err == nil {
		r.goal = pid
	}
}

// laterTry keeps a member from being dialled again at once.
func (p *Party) laterTry(pid PID) {
	at := p.now + redialAfter
	for i := range p.tries {
		if p.tries[i].pid == pid {
			p.tries[i].at = at
			return
		}
	}
	p.tries = append(p.tries, try{pid, at})
}

// addressesOf are the addresses of a member: the host's is where it was heard.
func (p *Party) addressesOf(pid PID) []netip.AddrPort {
	m := p.place.roster.member(pid)
	if m.flags&isHost != 0 && p.oldHost.IsValid() {
		return addresses(p.oldHost)
	}
	return m.addresses()
}

// seeker is what a member says first to another.
func (p *Party) seeker() early {
	e := p.early()
	e.followed = p.place.roster.epoch
	if p.phase == phaseOpen {
		e.opening = p.heirEpoch
	}
	return e
}

// endDialsTo ends the connections that were on their way to a member. False: one
// is open already.
func (p *Party) endDialsTo(pid PID) bool {
	for _, r := range p.peers {
		if r.role == roleDial && r.goal == pid && r.open {
			return false
		}
	}
	for _, r := range p.peers {
		if r.role == roleDial && r.goal == pid {
			r.close()
		}
	}
	return true
}

// endDials ends the connections that were on their way out.
func (p *Party) endDials(but *Peer) {
	for _, r := range p.peers {
		if r.role == roleDial && r != but {
			r.close()
		}
	}
}

// dialFailed takes the end of a connection that was on its way out.
func (p *Party) dialFailed(r *Peer, why Why, text string) {
	h, moved := parseMoved(text)
	moved = moved && why == WhyMoved
	switch {
	case p.state == StateJoining:
		p.down(why, text)
	case p.state == StateHosting && moved && h.epoch > p.place.roster.epoch:
		p.down(WhyReplaced, "")
	case p.state == StateJoined && p.manual && r.goal == 0:
		p.down(why, text)
	case p.state == StateJoined && moved && p.phase >= phaseSeek:
		p.pointed(h)
	}
}
