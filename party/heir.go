package party

import (
	"fmt"
	"slices"
	"time"

	"github.com/partyline-go/partyline/codes"
)

// What a member does that becomes host.

// open makes this member the heir: it takes other members, and is host in fact
// when the first has come.
func (p *Party) open() {
	if p.holderAlive() {
		p.seekByRoom()
		return
	}
	p.phase, p.heirEpoch, p.claimed = phaseOpen, p.highest+1, p.now
	if p.named == p.place.pid {
		p.heirEpoch = p.highest // the one that it was named for
	}
	p.endDials(nil)
	p.tries = p.tries[:0]
	p.claimRoom()
	p.takeAskers()
	p.openOn()
}

// openOn looks for others that may be host: the members, and the old host
// unless that has said that it goes.
func (p *Party) openOn() {
	if p.phase != phaseOpen {
		return
	}
	if p.now >= p.until {
		p.givenUp()
		return
	}
	for _, m := range p.place.roster.members {
		if m.flags&isHost == 0 || !p.hostWent() {
			p.tryMember(m.pid)
		}
	}
	p.takeAskers() // those who came before the matchmaker's answer
}

// hostWent says that the old host ended its session itself. Whatever it hosts now
// is another party.
func (p *Party) hostWent() bool { return p.cause == WhyMoved || p.cause == WhyClosed }

// askerSaid takes what a member says that asks this guest: its hello.
func (p *Party) askerSaid(r *Peer, data []byte) {
	switch {
	case len(data) < 2:
		p.sendOff(r, codeProtocol, "")
	case Kind(data[0]) == Hello && r.hello == nil:
		r.hello = append([]byte{}, data[2:]...)
		p.asked(r)
	}
}

// recognise looks who asks. To those who are not members a guest says at most
// who is host.
func (p *Party) recognise(r *Peer, e early) {
	m := p.place.roster.byKey(r.key)
	switch {
	case m == nil && e.followed != 0 && p.phase == phaseCalm:
		p.point(r) // the host counts it as gone, but it may come back
		return
	case m == nil || m.pid == p.place.pid || p.state != StateJoined:
		p.sendOff(r, codeRefused, "")
		return
	}
	r.early, r.pid = &e, m.pid
	p.highest = max(p.highest, e.followed)
}

// asked answers a member that asks this one to be its host.
func (p *Party) asked(r *Peer) {
	switch {
	case p.phase == phaseCalm:
		p.point(r)
	case r.early.hosting():
		p.tryMember(r.pid) // the old host: it lives after all
	case p.phase == phaseSeek && !p.manual && r.early.opening == 0 && p.before(p.place.pid, r.pid):
		p.open()
	case p.phase == phaseOpen:
		p.takeAskers()
	}
}

// before says which of two members is earlier in the order of heirs.
func (p *Party) before(a, b PID) bool {
	if a == p.named || b == p.named {
		return a == p.named
	}
	return p.place.roster.rank(a) < p.place.roster.rank(b)
}

// takeAskers makes this heir the host in fact, if a member asks that it may
// take. One that seeks a host lifts the heir's epoch above its own.
func (p *Party) takeAskers() {
	if p.phase != phaseOpen || !p.claimAnswered() {
		return
	}
	for _, r := range p.peers {
		if p.asks(r) && r.early.opening == 0 {
			p.heirEpoch = max(p.heirEpoch, r.early.followed+1)
		}
	}
	for _, r := range p.peers {
		if p.mayTake(r) {
			p.takeOver(p.random32())
			return
		}
	}
}

// asks says whether a peer is a member that has asked, and is no host itself.
func (p *Party) asks(r *Peer) bool {
	return r.role == roleAsker && r.hello != nil && !r.early.hosting() && p.place.roster.member(r.pid) != nil
}

// mayTake says whether a member that asks may be this heir's guest. Of two
// heirs the one of the later epoch is host, and of the same epoch the earlier
// in order.
func (p *Party) mayTake(r *Peer) bool {
	if !p.asks(r) || r.early.followed >= p.heirEpoch {
		return false
	}
	rival := r.early.opening
	return p.heirEpoch > rival || p.heirEpoch == rival && p.before(p.place.pid, r.pid)
}

// takeOver makes this member the host in fact, with the others as they come.
func (p *Party) takeOver(token uint32) {
	p.heirEpoch = max(p.heirEpoch, p.highest, p.place.roster.epoch+1)
	p.leaveHost()
	p.endDials(nil)
	cause, lost, epoch := p.cause, p.lost, p.heirEpoch
	members := slices.Clone(p.place.roster.members) // rule drops the old host, which may be one that asks
	var taken []*Peer
	for _, r := range p.peers {
		if p.mayTake(r) {
			taken = append(taken, r)
		}
	}

	p.rule(token, epoch)
	p.awaitBy = p.now + seekTime
	p.cause, p.lost = cause, lost
	p.newHost(p.me(), p.place.pid)
	for _, r := range taken {
		i := slices.IndexFunc(members, func(m rosterMember) bool { return m.pid == r.pid })
		p.welcome(r, members[i])
	}
	p.refuseAskers()
}

// rule makes this side the host of the members in its roster.
func (p *Party) rule(token, epoch uint32) {
	t := &p.place.roster
	if old := t.host(); old != nil {
		t.remove(old.pid)
	}
	t.member(p.place.pid).flags |= isHost
	t.epoch, t.token, t.version = epoch, token, 0
	p.state = StateHosting
	p.succession = succession{highest: epoch}
	p.rosterChanged()
	p.ep.SetAccepting(true)
	p.hold()
}

// welcome takes the member m, which asked. Its hello is for the game, which has
// not heard it before.
func (p *Party) welcome(r *Peer, m rosterMember) {
	p.seatGuest(r, m)
	p.inbox.add(Message{From: r, By: r.pid, Kind: Hello, data: r.hello, slot: r.slot})
	r.hello, r.greeted = nil, true
}

// refuseAskers ends those that asked and were not taken.
func (p *Party) refuseAskers() {
	for _, r := range p.peers {
		if r.role == roleAsker {
			p.sendOff(r, codeRefused, "")
		}
	}
}

// comesAgain says that a member is still waited for that came to its new host
// and went before it had answered: it tries several ways, and takes back all
// but one.
func (p *Party) comesAgain(r *Peer, why Why) bool {
	return p.awaitBy != 0 && !r.confirmed && why == WhyClosed
}

// awaitMembers gives up on members that have not come to their new host.
func (p *Party) awaitMembers() {
	if p.awaitBy == 0 || p.now < p.awaitBy {
		return
	}
	p.awaitBy = 0
	for _, m := range append([]rosterMember(nil), p.place.roster.members...) {
		if m.pid != p.place.pid && p.guest(m.pid) == nil {
			p.place.roster.remove(m.pid)
			p.rosterChanged()
			p.tell(Fact{Kind: Gone, PID: m.pid, Why: WhySilent})
		}
	}
}

// askTime is how long a host asks its guests, once all have fallen silent,
// whether they have another host.
const askTime = 30 * time.Second

// missed notes that a guest fell silent. If that was the last of several, it
// was perhaps this side that was cut off, and they have another host by now:
// they are asked.
func (p *Party) missed(m rosterMember) {
	p.missing = append(p.missing, m)
	if p.cfg.NoHandOff || len(p.missing) < 2 || p.count(roleGuest) > 0 {
		return
	}
	p.askBy = p.now + askTime
	e := p.early()
	e.followed, e.opening = p.place.roster.epoch, p.place.roster.epoch
	for _, m := range p.missing {
		if r, err := p.dial(m.addresses(), e, trust{key: &m.key}); err == nil {
			r.goal = m.pid
		}
	}
}

// found notes that there is a guest again.
func (p *Party) found() {
	if p.askBy != 0 {
		p.endDials(nil)
	}
	p.askBy, p.missing = 0, nil
}

// askMembers ends the asking.
func (p *Party) askMembers() {
	if p.askBy != 0 && p.now >= p.askBy {
		p.found()
	}
}

// BecomeHost makes this guest the host, with a new token (0: a random one): for
// a game that rules its succession itself. It can do so while it is joined, and
// after it has lost its host, until Fresh. The other members keep their pids and
// come by themselves, if their host is gone, or by Follow; those that have not
// come after 30 seconds are Gone. Facts tell NewHost. One that is host already
// only changes its token.
func (p *Party) BecomeHost(token uint32) error {
	if token == 0 {
		token = p.random32()
	}
	if p.state == StateHosting {
		if token != p.place.roster.token {
			p.place.roster.token = token
			p.rosterChanged()
		}
		return nil
	}
	if err := p.resume("become host"); err != nil {
		return err
	}
	p.takeOver(token)
	return nil
}

// setOutToFollow leaves the host, if there is one, for another.
func (p *Party) setOutToFollow(to codes.Target) error {
	if p.state == StateHosting {
		return fmt.Errorf("%w: %v", ErrBusy, p.state)
	}
	if err := p.resume("follow"); err != nil {
		return err
	}
	p.target = to
	if p.phase < phaseSeek {
		p.leaveHost()
		p.endDials(nil)
		p.phase, p.cause, p.manual = phaseSeek, WhyMoved, true
		p.began, p.until = p.now, p.now+JoinTimeout
	}
	return nil
}

// followByRoom goes to the holder of a room.
func (p *Party) followByRoom(to codes.Target) error {
	if p.cfg.SignalURL == "" {
		return fmt.Errorf("%w: room %s", WhyNoMatchmaker, to.Room)
	}
	if err := p.setOutToFollow(to); err != nil {
		return err
	}
	p.joinRoom(to)
	return nil
}

// StandAlone goes on without the others: this guest becomes the host of a party
// of one, which newcomers may join, and keeps its pid. It can do so while it is
// joined, and after it has lost its host, until Fresh. No fact follows. A host
// stays one.
func (p *Party) StandAlone() error {
	if p.state == StateHosting {
		return nil
	}
	if err := p.resume("stand alone"); err != nil {
		return err
	}
	p.leaveHost()
	p.endDials(nil)
	t := &p.place.roster
	t.members = []rosterMember{*t.member(p.place.pid)}
	p.rule(p.random32(), max(p.highest, t.epoch)+1)
	p.refuseAskers()
	return nil
}

// Follow goes to the party's host elsewhere, and keeps the pid if that host
// knows this member. It can do so while it is joined, and after it has lost its
// host, until Fresh. Facts tell NewHost, or Down within JoinTimeout.
func (p *Party) Follow(to codes.Target) error {
	if to.Room != "" {
		return p.followByRoom(to)
	}
	addr, err := p.addrOf(to)
	if err != nil {
		return err
	}
	if p.host != nil && p.host.Addr() == addr {
		return nil
	}
	if err := p.setOutToFollow(to); err != nil {
		return err
	}
	if _, err := p.dial(addresses(addr), p.seeker(), trustOf(to)); err != nil {
		p.down(WhySocket, "")
	}
	return nil
}

// resume goes on with a party whose host this side has lost.
func (p *Party) resume(what string) error {
	p.now = p.clock.now()
	own := p.place.roster.member(p.place.pid)
	switch {
	case p.state == StateJoined:
		return nil
	case p.state != StateIdle || own == nil || own.flags&isHost != 0: // who was host itself has lost none
		return fmt.Errorf("%w: cannot %s", ErrNotJoined, what)
	}
	if err := p.openSocket(0, true); err != nil {
		return err
	}
	p.state = StateJoined
	p.highest = p.place.roster.epoch
	return nil
}
