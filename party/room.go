package party

import (
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// A room is a party's place at the matchmaker: its code leads newcomers to the
// host, whoever that is. What the matchmaker wants to hear, and says, is
// matchmaker.Message; when this side speaks is here.

const (
	refreshEvery = 15 * time.Second // a holder says that it is there

	// roomPatience is how long a room may be away before RoomFailed says so: a
	// matchmaker that is started again is back sooner.
	roomPatience = 5 * time.Second

	// signalTime is how long a join waits for the matchmaker to be reached.
	signalTime = 5 * time.Second

	claimEvery = 2 * time.Second // an heir asks for the room
	openEvery  = 5 * time.Second // a host, if it heard nothing
	claimWait  = 3 * time.Second // an heir waits for the matchmaker to be reached before it takes a guest

	// claimPatience is how long an heir waits for the room: as long as the
	// matchmaker asks a holder that does not answer, and some more.
	claimPatience = 15 * time.Second
	heirPatience  = 10 * time.Second // an heir leaves a matchmaker that has forgotten the room to the old host

	aliveFor    = 10 * time.Second // how long it is believed that the holder is alive
	leastPause  = time.Second      // after a refusal
	latestPause = time.Minute
	movedPause  = 30 * time.Second // after the room was moved away from a host with guests
)

// An errand is what this side wants of the matchmaker.
type errand uint8

const (
	errandNone  errand = iota
	errandHold         // a host: to have the room, and to keep it
	errandClaim        // an heir: to have it
	errandJoin         // a newcomer, or a member that seeks: to meet its holder
)

// A key to a room is what its next holder has to show.
type roomKey struct {
	code   string // as it is shown; "": no room
	ticket [ticketSize]byte
}

const ticketSize = 16 // bytes

// A room is what a session has to do with the matchmaker.
type room struct {
	line   matchmaker.Line // nil: none is needed
	up     int             // Line.Up as it was last looked at
	errand errand
	sayAt  time.Duration // when the errand is said, or said again
	since  time.Duration // the errand began, or the line broke

	refused bool // claim: for good, the matchmaker does not take this side's key to it

	held   bool // it is this side's, as far as is known
	mine   bool // it was given to this side in this session
	told   bool // RoomOpen was, and no RoomFailed since
	failed bool // RoomFailed was, and no RoomOpen since
	away   bool // another has it: this host does not ask any more

	renew     bool               // the next refresh asks for a new ticket
	refreshAt time.Duration      // of a holder
	version   int                // of the key to the room
	alive     time.Duration      // until when its holder is believed to be alive
	code      string             // join: of the room
	last      matchmaker.Message // join: the last refusal
}

// Room is the code of the party's room, as it is read aloud: "7K3M-Q0ZD". It
// stays the same when the party gets another host. At a guest it is known from
// Joined on; "" when there is none. A host's may have been refused meanwhile:
// see RoomFailed.
func (p *Party) Room() string { return p.place.room.code }

// RoomAsking says that this side waits for the matchmaker: for a room, or for
// an answer to a join.
func (p *Party) RoomAsking() bool {
	r := &p.room
	return r.line != nil && (r.errand == errandHold && !r.held && !r.away || r.errand == errandJoin && p.meeting == nil)
}

// RoomHost asks the matchmaker for the party's room: the one it had, or a new
// one. Host does so by itself where Config.SignalURL is set, and so does a
// member that becomes host; a host whose room went to another asks again with
// it. Facts tell RoomOpen or RoomFailed. It returns an error when this side is
// not hosting (ErrNotHosting), or without a SignalURL (WhyNoMatchmaker).
func (p *Party) RoomHost() error {
	switch {
	case p.state != StateHosting:
		return ErrNotHosting
	case p.cfg.SignalURL == "":
		return WhyNoMatchmaker
	}
	p.now = p.clock.now()
	if !p.room.held {
		p.room.away, p.room.told, p.room.failed = false, false, false
		p.hold()
	}
	return nil
}

// hold begins to ask for the room and keeps it, as a host does.
func (p *Party) hold() {
	if p.cfg.SignalURL == "" || p.room.errand == errandHold && !p.room.away {
		return
	}
	p.setOn(errandHold)
	p.tellRoom()
}

// setOn begins an errand. The line stays if there is one.
func (p *Party) setOn(e errand) {
	r := &p.room
	r.errand, r.since, r.sayAt = e, p.now, p.now
	p.openLine()
}

// openLine reaches for the matchmaker.
func (p *Party) openLine() {
	if p.room.line == nil && p.cfg.SignalURL != "" {
		p.room.line = p.cfg.Network.signal(p.cfg.SignalURL)
	}
}

// dropLine ends what this side had to do with the matchmaker.
func (p *Party) dropLine() {
	if p.room.line != nil {
		p.room.line.Close()
	}
	p.room.line, p.room.errand, p.room.held, p.room.up = nil, errandNone, false, 0
}

// lineLingers is how long a guest keeps its line after it has joined: addresses
// that were still being found are told.
const lineLingers = 6 * time.Second

// errandDone: nothing is wanted of the matchmaker for now.
func (p *Party) errandDone() { p.room.errand, p.room.since = errandNone, p.now }

// tendRoom hears the matchmaker and says what is due. What it hears may end the
// session.
func (p *Party) tendRoom() {
	if p.ep == nil {
		return
	}
	p.tendOutside()
	p.tendListing()
	p.hearLine()
	p.runErrand()
	p.punch()
	p.meetOn()
	p.mend()
	p.seekDirect()
	if p.room.line != nil && p.room.errand == errandNone && p.phase == phaseCalm && p.now-p.room.since >= lineLingers {
		p.dropLine()
	}
}

func (p *Party) hearLine() {
	if p.room.line == nil {
		return
	}
	if up := p.room.line.Up(); up != p.room.up {
		p.room.up = up
		p.room.held = false
		p.room.since, p.room.sayAt = p.now, p.now
		p.askOutsideAgain() // whatever broke the line may have changed the address
	}
	for p.room.line != nil {
		m, ok := p.room.line.Receive()
		if !ok {
			return
		}
		p.signalled(m)
	}
}

// lineUp says whether the matchmaker can be spoken to.
func (p *Party) lineUp() bool { return p.room.line != nil && p.room.up%2 == 1 }

// runErrand says what is wanted, when it is due.
func (p *Party) runErrand() {
	r := &p.room
	switch {
	case r.line == nil || r.errand == errandNone || r.away:
	case r.errand == errandJoin:
		p.askToJoin()
	case r.held && r.errand == errandHold && (p.now >= r.refreshAt || r.renew):
		p.refreshRoom()
	case !r.held:
		p.askForRoom()
		p.missRoom()
	}
}

// askForRoom opens a room, or asks for the one there is: a holder opens it
// again, anybody else claims it.
func (p *Party) askForRoom() {
	r := &p.room
	if !p.lineUp() || p.now < r.sayAt {
		return
	}
	m := p.roomMessage(matchmaker.Open)
	if key := &p.place.room; key.code != "" {
		m.Code, m.Ticket, m.Epoch = key.code, key.ticket[:], p.roomEpoch()
		r.sayAt = p.now + claimEvery
		if !r.mine {
			m.T = matchmaker.Claim
		}
	} else if r.errand == errandClaim {
		return
	} else {
		r.sayAt = p.now + openEvery
	}
	r.line.Send(m)
}

// roomEpoch is the epoch for which this side wants the room.
func (p *Party) roomEpoch() uint32 {
	if p.phase == phaseOpen {
		return p.heirEpoch
	}
	return p.place.roster.epoch
}

// roomMessage is what the matchmaker has to know of this party.
func (p *Party) roomMessage(t matchmaker.Kind) matchmaker.Message {
	return matchmaker.Message{
		T: t, App: appID[:], Proto: int(p.cfg.Proto), Key: p.key[:],
		Name: p.cfg.Name, Public: p.cfg.Public, Max: MaxMembers, Players: 1 + p.count(roleGuest),
		Cands: p.candidates(),
	}
}

func (p *Party) refreshRoom() {
	r := &p.room
	ok := r.line.Send(matchmaker.Message{T: matchmaker.Refresh, Players: 1 + p.count(roleGuest), Cands: p.candidates(), Renew: r.renew})
	if ok {
		r.refreshAt, r.renew = p.now+refreshEvery, false
	}
}

// claimRoom begins to ask for the room, as an heir does.
func (p *Party) claimRoom() {
	if p.cfg.SignalURL != "" && p.place.room.code != "" && p.room.errand != errandClaim {
		p.startOutside()
		p.room.refused = false
		p.setOn(errandClaim)
	}
}

// claimAnswered says whether an heir may take guests: it has the room, or there
// is none to be had. While the matchmaker is there it decides between heirs that
// do not reach each other, so it has the time to give the old host up.
func (p *Party) claimAnswered() bool {
	r := &p.room
	wait := claimWait
	if p.lineUp() && !r.refused {
		wait = claimPatience
	}
	return r.errand != errandClaim || r.held || p.now-p.claimed >= wait
}

// seekByRoom asks the matchmaker for the room's holder, as a member does that
// seeks its host.
func (p *Party) seekByRoom() {
	if p.cfg.SignalURL == "" || p.place.room.code == "" || p.room.errand == errandJoin {
		return
	}
	p.room.held = false
	p.room.code = p.place.room.code
	p.startOutside()
	p.setOn(errandJoin)
}

// leaveRoom says what becomes of the room when its host leaves: it is its heir's,
// or ends.
func (p *Party) leaveRoom(heir PID) {
	if !p.room.held {
		return
	}
	m := matchmaker.Message{T: matchmaker.Close}
	if next := p.place.roster.member(heir); next != nil {
		m = matchmaker.Message{T: matchmaker.Handoff, Key: next.key[:]}
	}
	p.room.line.Send(m)
	p.room.held = false
}
