package session

import (
	"time"

	"github.com/partyline-go/partyline/party"
)

// changeRole notices that this side has become the host, or is one no longer,
// or has come to another host.
func (s *Session) changeRole() {
	switch state := s.party.State(); {
	case state == party.StateHosting && !s.hosting:
		s.inherit()
	case state == party.StateJoined:
		s.hosting = false
		if host := s.hostPeer(); host != nil && host != s.host {
			s.arrive(host)
		}
	}
}

// hostPeer is this guest's connection to its host; nil while there is none.
func (s *Session) hostPeer() *party.Peer {
	for peer := range s.party.Peers() {
		return peer
	}
	return nil
}

// arrive begins anew with a host, as the guest that this side was before. Its
// first letter says where its numbers go on, before any other can.
func (s *Session) arrive(host *party.Peer) {
	first := s.host == nil
	s.host = host
	if first {
		return
	}
	s.since = 0
	s.replica.restart()
	s.forecast.known = false
	w := s.letter(kindHere)
	w.Str(s.cfg.Name)
	s.post(w)
}

// inherit goes on from the newest snapshot. The members that were guests with
// this side keep their pids, so their discs go on when they have come over; those
// that do not come are taken out as soon as the party counts them out.
func (s *Session) inherit() {
	s.begin(&s.replica.latest().world)
	for i := range s.roll.players {
		s.roll.players[i].Host = s.roll.players[i].Me
	}
	s.countOut()
}

// countOut takes those out of the game who are no longer in the party.
func (s *Session) countOut() {
	for i := 0; i < len(s.roll.players); i++ {
		if pid := s.roll.players[i].PID; !s.isMember(pid) {
			s.dismiss(pid, party.WhyClosed)
			i--
		}
	}
}

func (s *Session) isMember(pid party.PID) bool {
	for m := range s.party.Members() {
		if m.PID == pid {
			return true
		}
	}
	return false
}

// newHost takes in that another member, or this side, is the host now.
func (s *Session) newHost(f party.Fact) {
	for i := range s.roll.players {
		s.roll.players[i].Host = s.roll.players[i].PID == f.PID
	}
	s.note(Note{Kind: NoteNewHost, Who: f.PID})
	s.changes = append(s.changes, HostChange{
		PID: f.PID, Name: s.roll.name(f.PID), Me: f.PID == s.Me(),
		Why: f.Why, Lost: f.Text, At: time.Duration(s.frames) * Tick,
	})
}

// readHere takes in that a member has come over to the new host: its letters go
// on from this one, whatever became of those that the old host had.
func (s *Session) readHere(m *party.Message, number uint32) {
	name := m.Str()
	s.ledger.follow(m.By, number-1)
	if s.hosting && m.Err() == nil && s.roll.of(m.By) == nil {
		name = s.roll.free(name)
		s.enter(m.By, name)
		s.ledger.follow(m.By, number-1)
		s.introduce(m.By, name)
	}
}
