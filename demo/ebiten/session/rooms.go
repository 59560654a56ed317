package session

import (
	"time"

	"github.com/partyline-go/partyline/party"
)

// What a session has to do with rooms: codes that lead friends to this game
// through any router, by a matchmaker (Config.Party.SignalURL).

// Room is the room code that friends join this game by, whoever is its host; ""
// while there is none.
func (s *Session) Room() string { return s.party.Room() }

// RoomTrouble says in a sentence for players why there is no room; "" while
// there is one, or none is wanted.
func (s *Session) RoomTrouble() string { return s.trouble }

// RoomAsking says that this side waits for the matchmaker.
func (s *Session) RoomAsking() bool { return s.party.RoomAsking() }

// roomOpen takes in that this host's room is open, under a code.
func (s *Session) roomOpen(code string) {
	s.trouble = ""
	s.note(Note{Kind: NoteRoomOpen}).say([]byte(code))
}

// roomFailed takes in that there is no room, or no longer.
func (s *Session) roomFailed(f party.Fact) {
	s.trouble = roomWords(f.Why)
	s.note(Note{Kind: NoteRoomFailed, Why: f.Why})
}

// roomWords says in a sentence for players why a host has no room.
func roomWords(why party.Why) string {
	switch why {
	case party.WhyNoMatchmaker:
		return "No room: the matchmaker cannot be reached. The join code still works."
	case party.WhyThrottled:
		return "No room yet: the matchmaker takes no more from here for now."
	case party.WhyMoved, party.WhyReplaced:
		return "The room is another host's now. The join code still leads here."
	}
	return "No room: " + why.String() + ". The join code still works."
}

// JoinWords says in a few words for players how far the join has come; "" when
// none is on.
func (s *Session) JoinWords() string {
	switch stage := s.party.Stage(); {
	case stage == party.StageAsking:
		return "Asking the matchmaker for the host"
	case stage == party.StagePunching && s.party.Target().Room != "":
		return "Knocking at the routers in between"
	case stage == party.StagePunching:
		return "Calling the host"
	case stage == party.StageRelaying:
		return "Trying over the relay as well"
	case stage == party.StageGreeting:
		return "Waiting for the host to open the door"
	}
	return ""
}

// PathTo is the way on which this side reaches a player it is connected to;
// PathNone for others.
func (s *Session) PathTo(pid party.PID) party.Path {
	if peer := s.party.PeerOf(pid); peer != nil {
		return peer.Path()
	}
	return party.PathNone
}

// PathOf says by which way a player and the host reach each other: as a host
// sees it, or as the player tells it. PathNone for the host itself.
func (s *Session) PathOf(p *Player) party.Path {
	switch {
	case p.Host:
		return party.PathNone
	case s.Hosting():
		return s.PathTo(p.PID)
	}
	return p.Path
}

// NameOf is a player's name, or a word for one who is not on the list.
func (s *Session) NameOf(pid party.PID) string { return s.roll.name(pid) }

// A HostChange is a member that became host after another.
type HostChange struct {
	PID  party.PID
	Name string
	Me   bool
	Why  party.Why     // how the old host ended
	Lost string        // reliable messages that the old host had not acknowledged, in figures
	At   time.Duration // since the session's first frame
}

// HostChanges lists who became host since this session began, oldest first.
func (s *Session) HostChanges() []HostChange { return s.changes }
