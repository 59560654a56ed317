package session

import (
	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/party"
)

// joined takes in that this side is in the party, as a guest.
func (s *Session) joined() {
	if !s.party.Hosting() {
		s.status = Playing
		s.since = 0
	}
}

// readWelcome takes in which level there is and who is here. It holds the names and letter numbers of the
// moment at which the host let this side in.
func (s *Session) readWelcome(m *party.Message) {
	if s.party.Hosting() {
		return
	}
	s.vouched = m.From
	s.readSum(m)
	s.roll.players = s.roll.players[:0]
	for m.Len() > 0 {
		pid, last, name := party.PID(m.Uint16()), m.Uint32(), m.Str()
		if m.Err() != nil {
			return
		}
		p := s.roll.add(pid, CleanName(name))
		if p == nil {
			return
		}
		p.Host, p.Me = pid == m.By, pid == s.Me()
		s.ledger.follow(pid, last)
	}
}

// readWho takes in that a member has come.
func (s *Session) readWho(m *party.Message) {
	pid, name := party.PID(m.Uint16()), m.Str()
	if m.Err() != nil {
		return
	}
	if s.ledger.of(pid) == nil {
		s.ledger.follow(pid, 0)
	}
	if p := s.roll.add(pid, CleanName(name)); p != nil {
		p.Me = pid == s.Me()
		s.note(Note{Kind: NoteJoined, Who: pid})
	}
}

// readGone takes in that a member has left.
func (s *Session) readGone(m *party.Message) {
	pid, why := party.PID(m.Uint16()), party.Why(m.Byte())
	if m.Err() != nil || s.roll.of(pid) == nil {
		return
	}
	s.note(Note{Kind: NoteLeft, Who: pid, Why: why})
	s.roll.remove(pid)
	s.ledger.forget(pid)
}

// guestTick sends this tick's input, and works out what to show.
func (s *Session) guestTick(in arena.Input) {
	s.seq++
	s.history.set(s.seq, in)
	s.writeInputs()
	s.askForLevel()
	s.replica.advance()
	if s.replica.newest == 0 {
		return
	}
	if s.cfg.NoForecast {
		s.shown = s.replica.latest().world
		return
	}
	s.replica.show(&s.shown)
	newest := s.replica.latest()
	place := newest.world.Place(uint16(s.Me()))
	if place < 0 {
		return
	}
	s.forecast.update(newest, place, &s.history, s.seq)
	s.forecast.apply(&s.shown, place)
}
