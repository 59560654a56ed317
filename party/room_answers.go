package party

import (
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// What a party makes of what the matchmaker says.

// signalled acts on one message of the matchmaker's.
func (p *Party) signalled(m matchmaker.Message) {
	hosts := p.room.errand == errandHold || p.room.errand == errandClaim
	switch {
	case m.T == matchmaker.RoomIs && hosts:
		p.roomIs(m)
	case m.T == matchmaker.Error:
		p.roomRefused(m)
	case m.T == matchmaker.Peer && p.room.held:
		p.introduced(m)
	case m.T == matchmaker.Peer && p.room.errand == errandJoin:
		p.introducedToHost(m)
	case m.T == matchmaker.Cands:
		p.moreCandidates(m)
	case m.T == matchmaker.Alive && hosts:
		p.holderLives()
	case m.T == matchmaker.Moved && hosts:
		p.roomMoved()
	case m.T == matchmaker.Claimed && p.room.errand == errandHold:
		p.roomClaimed(m)
	}
}

// roomIs: the room is this side's.
func (p *Party) roomIs(m matchmaker.Message) {
	r := &p.room
	if !r.held {
		r.refreshAt = p.now + refreshEvery
	}
	r.held, r.mine = true, true
	key := roomKey{code: m.Code}
	copy(key.ticket[:], m.Ticket)
	if key != p.place.room {
		p.place.room = key
		r.version++
	}
	p.askOutside(m.STUN)
	p.tellRoom()
}

// tellRoom tells the game of a room that its side holds, once it is host.
func (p *Party) tellRoom() {
	r := &p.room
	if r.held && !r.told && p.state == StateHosting {
		r.told, r.failed = true, false
		p.tell(Fact{Kind: RoomOpen, Text: p.place.room.code})
	}
}

// missRoom notices that there is no room.
func (p *Party) missRoom() {
	r := &p.room
	never := r.up == 0 && r.line.Err() != nil && !r.told
	if r.errand == errandHold && (never || p.now-r.since >= roomPatience) {
		p.roomFails(WhyNoMatchmaker, "")
	}
}

// roomFails tells the game, once, that there is no room.
func (p *Party) roomFails(why Why, text string) {
	r := &p.room
	if r.failed || p.state != StateHosting {
		return
	}
	r.failed, r.told = true, false
	p.tell(Fact{Kind: RoomFailed, Why: why, Text: text})
}

// roomRefused takes a refusal of the matchmaker's.
func (p *Party) roomRefused(m matchmaker.Message) {
	switch p.room.errand {
	case errandJoin:
		p.joinRefused(m)
	case errandHold, errandClaim:
		p.holdRefused(m)
	}
}

func (p *Party) holdRefused(m matchmaker.Message) {
	r := &p.room
	r.held = false
	r.sayAt = p.now + pauseOf(m)
	switch m.Why {
	case matchmaker.NoRoom: // it has forgotten the room, and takes it from who has the key
		if r.errand == errandHold || p.now-r.since >= heirPatience {
			r.mine = true
		}
	case matchmaker.Closed:
		if r.errand == errandHold {
			p.place.room, r.mine = roomKey{}, false // the code is spent: another
			r.version++
		}
	case matchmaker.Busy, matchmaker.Throttled:
		if !r.told {
			p.roomFails(WhyThrottled, m.Text)
		}
	default:
		r.refused = true
		if r.errand == errandHold {
			p.roomFails(WhyNoMatchmaker, m.Text)
		}
	}
}

// pauseOf is how long to wait after a refusal.
func pauseOf(m matchmaker.Message) time.Duration {
	return min(max(time.Duration(m.RetryMS)*time.Millisecond, leastPause), latestPause)
}

// roomMoved: the matchmaker has given the room to a later host.
func (p *Party) roomMoved() {
	r := &p.room
	r.held = false
	switch {
	case p.handing.on: // as this host wanted: handOver ends it
	case p.state != StateHosting:
		p.holderLives() // another heir has it
	case p.count(roleGuest) == 0:
		p.down(WhyReplaced, p.place.room.code)
	default: // it is claimed again, for the day that its holder goes
		r.mine = false
		r.sayAt = p.now + movedPause
		p.roomFails(WhyMoved, "")
	}
}

// roomClaimed: somebody asks for the room of this host. One that hears guests
// keeps it; one that lost them all was cut off, and they have another host.
func (p *Party) roomClaimed(m matchmaker.Message) {
	if p.state != StateHosting || p.count(roleGuest) > 0 || len(p.missing) == 0 {
		return
	}
	p.room.line.Send(matchmaker.Message{T: matchmaker.Handoff, Key: m.Key})
	p.room.errand = errandNone // what follows is no end of the room
	p.down(WhyReplaced, p.place.room.code)
}

// holderLives: the room's holder has answered the matchmaker, so this side takes
// nobody from it.
func (p *Party) holderLives() {
	r := &p.room
	r.alive = p.now + aliveFor
	r.sayAt = p.now + aliveFor
	switch {
	case p.state == StateHosting && p.count(roleGuest) == 0:
		r.away = true
		p.roomFails(WhyMoved, "")
	case p.state == StateHosting:
		p.roomFails(WhyMoved, "")
	case p.phase == phaseOpen:
		p.phase = phaseSeek
		p.seekByRoom()
	}
}

// holderAlive says that the matchmaker has told so lately.
func (p *Party) holderAlive() bool { return p.now < p.room.alive }
