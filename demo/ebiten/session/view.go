package session

import (
	"iter"
	"slices"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/party"
)

// What a program shows of a session.

// Status says where the session is.
func (s *Session) Status() Status { return s.status }

// End says in a sentence for players why the session ended, and as a code.
func (s *Session) End() (words string, why party.Why) {
	if s.why == party.WhyNone {
		return "You left the game.", s.why
	}
	return EndWords(s.why, s.said), s.why
}

// Hosting says that this side decides.
func (s *Session) Hosting() bool { return s.party.Hosting() }

// Code is what a friend joins this game by: the host's join code, or at a guest
// the code of the address at which it reaches the host. "" where there is none.
func (s *Session) Code() string {
	if s.party.Hosting() || s.host == nil {
		return s.party.JoinCode()
	}
	if s.codeOf != s.host {
		s.codeOf = s.host
		s.code, _ = codes.Join(s.host.Addr())
	}
	return s.code
}

// Invitation is the host's code with its key's fingerprint and a secret: longer,
// to be pasted, and safe from anyone in between. "" for a guest.
func (s *Session) Invitation() string { return s.party.Invitation() }

// Port is this side's UDP port.
func (s *Session) Port() uint16 { return s.party.Port() }

// Seat is this guest's proof of its place, for coming back after a crash; nil
// before it has joined.
func (s *Session) Seat() []byte { return s.party.Seat() }

// Me is this side's pid; 0 before it has one.
func (s *Session) Me() party.PID { return s.party.MyPID() }

// Place is this side's place in Shown; −1 without one.
func (s *Session) Place() int { return s.shown.Place(uint16(s.Me())) }

// Shown is the world to draw. It is read until the next Frame.
func (s *Session) Shown() *arena.World { return &s.shown }

// Silence is how long the host has sent no snapshot; 0 for the host.
func (s *Session) Silence() time.Duration {
	if s.hosting || s.status != Playing {
		return 0
	}
	return time.Duration(s.since) * Tick
}

// Players gives the list of players.
func (s *Session) Players() []Player { return s.roll.players }

// Player is the player at a place of Shown; nil for an empty one.
func (s *Session) Player(place int) *Player {
	return s.roll.of(party.PID(s.shown.Discs[place].ID))
}

// Feed is what has happened, in words.
func (s *Session) Feed() *Feed { return &s.feed }

// Lines gives the connection to each peer: at the host to every guest, at a
// guest to the host.
func (s *Session) Lines() iter.Seq[*Line] {
	return func(yield func(*Line) bool) {
		for i := range s.lines {
			l := &s.lines[i]
			if l.PID != 0 && s.party.PeerOf(l.PID) != nil && !yield(l) {
				return
			}
		}
	}
}

// Tally counts this side's letters.
func (s *Session) Tally() Tally { return s.ledger.Tally }

// Snapshots is how many snapshots have come in.
func (s *Session) Snapshots() int { return s.snapshots }

// Disconnects is how many members of a host's party have been lost, not
// counting those that left.
func (s *Session) Disconnects() int { return s.gone }

// Frames is how many frames have been played.
func (s *Session) Frames() uint64 { return s.frames }

// BytesOut is how much this side has sent, in bytes of UDP payload.
func (s *Session) BytesOut() uint64 { return s.party.BytesOut() }

// BytesIn is how much has come in, to the last tenth of a second.
func (s *Session) BytesIn() uint64 { return s.bytesIn }

// Has says whether a player is in the party.
func (s *Session) Has(pid party.PID) bool {
	return slices.ContainsFunc(s.roll.players, func(p Player) bool { return p.PID == pid })
}
