package party

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/matchmaker"
	netmsg "github.com/partyline-go/partyline/net"
)

// What who joins by a room's code does: it asks the matchmaker for the room's
// holder, dials all its addresses at once, and over the relay as well when that
// takes long.

const (
	allocateAfter = 500 * time.Millisecond  // a direct path mostly answers sooner
	relayedAfter  = 1500 * time.Millisecond // relayed addresses are asked from then on
	meetingTime   = 8 * time.Second         // a member that seeks asks for another one
)

// A meeting is one introduction, from the matchmaker's word to the end of the
// connection that came of it.
type meeting struct {
	id    [8]byte
	text  string // the id as the matchmaker writes it
	trust trust
	early early
	role  PID // the member that is met; 0: a newcomer does not know
	cands []matchmaker.Candidate

	begun   time.Duration // the dial may begin
	dialled bool
	peer    *Peer // what the dial became; nil before

	turn     []matchmaker.TURNServer
	relay    Relay
	path     *netmsg.Path
	reached  []netip.AddrPort // addresses that are asked over the relay
	relayErr error

	overRelay bool          // mending: the way that is dead was over a relay
	probe     int           // mending: addresses tried so far
	probeAt   time.Duration // and when the next is
}

// askToJoin says the code to the matchmaker, and gives up when it cannot be
// reached.
func (p *Party) askToJoin() {
	r := &p.room
	switch {
	case p.meeting != nil && p.state == StateJoining:
	case !p.mayMend() && p.meeting != nil && p.meeting.busy() && p.now-p.meeting.begun < meetingTime: // another would end it
	case p.lineUp() && p.now >= r.sayAt:
		m := matchmaker.Message{T: matchmaker.Join, Code: r.code, Proto: int(p.cfg.Proto), Key: p.key[:], Cands: p.candidates(), Again: p.place.seated}
		if r.line.Send(m) {
			r.sayAt = p.now + openEvery
			if p.mayMend() {
				r.sayAt = p.now + mendAgain
			}
		}
	case !p.lineUp() && (p.state == StateJoining || p.manual) && p.now-r.since >= signalTime:
		p.down(WhyNoMatchmaker, r.code)
	}
}

// joinRefused: the matchmaker does not know the room, or does not let this side
// in.
func (p *Party) joinRefused(m matchmaker.Message) {
	r := &p.room
	r.last, r.sayAt = m, p.now+pauseOf(m)
	if p.state != StateJoining && !p.manual || p.meeting != nil || m.Why == matchmaker.Busy {
		return // what a member seeks may be there later
	}
	why := WhyNoMatchmaker
	switch m.Why {
	case matchmaker.NoRoom:
		why = WhyNoRoom
	case matchmaker.Closed:
		why = WhyRoomClosed
	case matchmaker.Full:
		why = WhyFull
	case matchmaker.Proto:
		why = WhyProto
	case matchmaker.Throttled:
		why = WhyThrottled
	}
	p.down(why, r.code)
}

// introducedToHost: the matchmaker names the room's holder.
func (p *Party) introducedToHost(m matchmaker.Message) {
	id, ok := pairID(m.ID)
	if !ok || len(m.Key) != keySize || len(m.PSK) != keySize {
		return
	}
	key := [keySize]byte(m.Key)
	w := &meeting{
		id: id, text: m.ID, trust: trust{key: &key, pair: m.PSK, salt: id}, early: p.early(), turn: m.TURN,
		begun: p.now + time.Duration(m.DelayMS)*time.Millisecond,
	}
	if p.introducedAgain(w, m) {
		return
	}
	if p.meeting != nil && p.meeting.busy() && (p.state == StateJoining || *p.meeting.trust.key == key) {
		return
	}
	if p.state == StateJoined && p.manual {
		w.early = p.seeker()
	} else if p.state == StateJoined {
		member := p.place.roster.byKey(key)
		if member == nil || member.pid == p.place.pid {
			return // a ticket may be stolen; a member's key is not
		}
		if !p.endDialsTo(member.pid) {
			return // it is reached already
		}
		w.role, w.early = member.pid, p.seeker()
	}
	p.endMeeting()
	p.meeting = w
	w.learn(p, m.Cands)
	p.askOutside(m.STUN)
	w.tell(p)
}

// learn adds addresses of the other side. A dial that is on asks them too.
func (w *meeting) learn(p *Party, cands []matchmaker.Candidate) {
	for _, c := range cands {
		if known(w.cands, c) || len(w.cands) == matchmaker.MaxCandidates || c.Kind == matchmaker.RelayCandidate {
			continue
		}
		w.cands = append(w.cands, c)
		if w.dialling() && !p.cfg.ForceRelay {
			w.peer.conn.AddAddress(c.Addr) // one too many is one that is not asked
		}
	}
}

// known says whether a list has a candidate's address already. One that is told
// again has the newer kind: a local one that STUN has seen is a public one too.
func known(list []matchmaker.Candidate, c matchmaker.Candidate) bool {
	i := slices.IndexFunc(list, func(k matchmaker.Candidate) bool { return k.Addr == c.Addr })
	if i >= 0 {
		list[i].Kind = c.Kind
	}
	return i >= 0
}

// tell says this side's addresses to the other.
func (w *meeting) tell(p *Party) {
	if !p.lineUp() {
		return
	}
	list := p.candidates()
	if at, err := w.relayed(); err == nil && at.IsValid() {
		list = append(list[:min(len(list), matchmaker.MaxCandidates-1)], matchmaker.Candidate{Kind: matchmaker.RelayCandidate, Addr: at})
	}
	if len(list) > 0 {
		p.room.line.Send(matchmaker.Message{T: matchmaker.Cands, To: w.text, Cands: list})
	}
}

// relayed is this side's address at the relay.
func (w *meeting) relayed() (netip.AddrPort, error) {
	if w.relay == nil {
		return netip.AddrPort{}, nil
	}
	return w.relay.Relayed()
}

// dialling says that the dial is on and not open.
func (w *meeting) dialling() bool {
	return w.peer != nil && w.peer.role == roleDial && !w.peer.open
}

// busy says that something may still come of the meeting.
func (w *meeting) busy() bool { return !w.dialled || w.peer != nil && w.peer.role != roleEnded }

// meetOn dials, and reaches for the relay when it is time.
func (p *Party) meetOn() {
	w := p.meeting
	if w == nil {
		return
	}
	if w.dialled && (w.peer == nil || w.peer.role == roleEnded) {
		p.endMeeting()
		return
	}
	if w.peer != nil && w.peer.open {
		p.settleMeeting()
		return
	}
	since := p.now - w.begun
	if !w.dialled && since >= 0 && !p.cfg.ForceRelay {
		p.dialMeeting(dialOrder(w.cands))
	}
	if w.relay == nil && (since >= allocateAfter || p.cfg.ForceRelay) && len(w.turn) > 0 && p.meeting == w {
		w.relay = p.cfg.Network.relay(w.turn)
	}
	if w.path == nil {
		p.openRelay(w)
	}
	if w.path != nil && (since >= relayedAfter || p.cfg.ForceRelay) {
		p.reachOver(w)
	}
}

// openRelay takes the relay as a path once it is there, and tells the other
// side, which opens its router towards it.
func (p *Party) openRelay(w *meeting) {
	at, err := w.relayed()
	if err != nil && w.relayErr == nil {
		w.relayErr = err
		p.log.Debug("no relay", "err", err)
	}
	if err != nil || !at.IsValid() {
		return
	}
	if w.path, err = p.ep.AddPath(w.relay); err != nil {
		w.relayErr = err
		return
	}
	w.tell(p)
}

// reachOver asks the other side's addresses over the relay.
func (p *Party) reachOver(w *meeting) {
	var fresh []netip.AddrPort
	for _, at := range relayOrder(w.cands) {
		if slices.Contains(w.reached, at) {
			continue
		}
		w.reached = append(w.reached, at)
		w.relay.Permit(at.Addr())
		if synthetic, ok := w.path.Address(at); ok {
			fresh = append(fresh, synthetic)
		}
	}
	if !w.dialled {
		p.dialMeeting(fresh)
		return
	}
	for _, at := range fresh {
		w.peer.conn.AddAddress(at)
	}
}

// dialMeeting begins the connection.
func (p *Party) dialMeeting(to []netip.AddrPort) {
	w := p.meeting
	if len(to) == 0 {
		return
	}
	r, err := p.dial(to, w.early, w.trust)
	if err != nil {
		p.log.Debug("cannot dial", "to", to, "err", err)
		return
	}
	w.dialled, w.peer = true, r
	r.goal = w.role
}

// settleMeeting frees the relay that is not used once a connection is open.
func (p *Party) settleMeeting() {
	w := p.meeting
	if w.relay != nil && !netmsg.IsPath(w.peer.Addr()) {
		w.closeRelay()
	}
}

func (w *meeting) closeRelay() {
	switch {
	case w.path != nil:
		w.path.Close() // and the relay with it
	case w.relay != nil:
		w.relay.Close()
	}
	w.path, w.relay = nil, nil
}

// endMeeting forgets the meeting, with its relay.
func (p *Party) endMeeting() {
	if p.meeting != nil {
		p.meeting.closeRelay()
	}
	p.meeting = nil
}

// noPath says how a join by room ended that has lasted too long, and what was
// tried.
func (p *Party) noPath() (Why, string) {
	w, r := p.meeting, &p.room
	switch {
	case w == nil && r.last.Why == matchmaker.Busy:
		return WhyThrottled, r.code
	case w == nil:
		return WhyNoMatchmaker, r.code
	case w.peer != nil && w.peer.open:
		return WhyNoAnswer, ""
	case w.peer != nil && w.peer.conn.WrongKey():
		return WhyKey, ""
	}
	return WhyNoPath, w.tried(p.cfg.ForceRelay)
}

// tried lists the ways that were tried, for the text of a fact.
func (w *meeting) tried(onlyRelay bool) string {
	var ways []string
	if !onlyRelay {
		for _, at := range dialOrder(w.cands) {
			ways = append(ways, at.String())
		}
	}
	at, err := w.relayed()
	switch {
	case len(w.turn) == 0:
		ways = append(ways, "no relay is offered")
	case err != nil || !at.IsValid():
		ways = append(ways, "the relay gave no address")
	default:
		ways = append(ways, fmt.Sprintf("relay %v", at))
	}
	text := "tried " + strings.Join(ways, ", ")
	return text[:min(len(text), MaxString)]
}

// A Stage says how far a join has come.
type Stage uint8

const (
	StageNone     Stage = iota // no join is on
	StageAsking                // the matchmaker is asked for the host
	StagePunching              // the host's addresses are tried
	StageRelaying              // and over the relay as well
	StageGreeting              // the host is reached; its game has the hello
)

// String names it in a word, for logs.
func (s Stage) String() string {
	switch s {
	case StageNone:
		return "none"
	case StageAsking:
		return "asking"
	case StagePunching:
		return "punching"
	case StageRelaying:
		return "relaying"
	case StageGreeting:
		return "greeting"
	}
	return fmt.Sprintf("Stage(%d)", uint8(s))
}

// Stage says how far the join has come that is on.
func (p *Party) Stage() Stage {
	if p.state != StateJoining {
		return StageNone
	}
	for _, r := range p.peers {
		if r.role == roleDial && r.open {
			return StageGreeting
		}
	}
	switch {
	case p.target.Room != "" && p.meeting == nil:
		return StageAsking
	case p.meeting != nil && len(p.meeting.reached) > 0:
		return StageRelaying
	}
	return StagePunching
}

// joinRoom begins a join by a room's code.
func (p *Party) joinRoom(to codes.Target) {
	p.room.code = to.Room
	p.setOn(errandJoin)
	p.startOutside()
}
