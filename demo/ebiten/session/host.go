package session

import (
	"slices"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/party"
)

// begin makes this side the one that decides, in a world.
func (s *Session) begin(w *arena.World) {
	s.status, s.hosting = Playing, true
	s.makeLevel()
	s.world, s.shown, s.ghosts = *w, *w, nil
	for i := range s.queues {
		s.queues[i] = inputQueue{}
	}
}

// enter puts a member into the game and on the list.
func (s *Session) enter(pid party.PID, name string) {
	if place := s.world.Join(uint16(pid)); place >= 0 {
		s.queues[place], s.flood[place] = inputQueue{}, 0
	}
	s.ledger.follow(pid, 0)
	p := s.roll.add(pid, name)
	if pid == s.Me() && p != nil {
		p.Me, p.Host = true, true
	}
}

// admit answers a hello: a stranger's, or that of a member who has come over from
// the old host and is in already.
func (s *Session) admit(m *party.Message) {
	if s.roll.of(m.By) != nil {
		s.welcome(m.From)
		return
	}
	asked := m.Str()
	if m.Err() != nil {
		s.party.Refuse(m.From, "that hello says no name")
		return
	}
	pid := s.party.Accept(m.From)
	if pid == 0 {
		return // gone already, or full, which the stranger hears from the library
	}
	name := s.roll.free(asked)
	s.comeBack(pid, name)
	s.enter(pid, name)
	s.welcome(m.From)
	s.introduce(pid, name)
}

// introduce tells everyone that a member has come.
func (s *Session) introduce(pid party.PID, name string) {
	w := s.letter(kindWho)
	w.Uint16(uint16(pid))
	w.Str(name)
	s.post(w)
	s.note(Note{Kind: NoteJoined, Who: pid})
}

// welcome tells a guest which level there is, who is here, and up to which letter
// it has missed.
func (s *Session) welcome(guest *party.Peer) {
	w := s.party.Write(kindWelcome)
	s.writeSum(w)
	for i := range s.roll.players {
		p := &s.roll.players[i]
		last := s.ledger.mine
		if a := s.ledger.of(p.PID); a != nil && !p.Me {
			last = a.last
		}
		w.Uint16(uint16(p.PID))
		w.Uint32(last)
		w.Str(p.Name)
	}
	w.Send(guest, party.Reliable)
}

// takeInputs queues a guest's inputs.
func (s *Session) takeInputs(m *party.Message) {
	if place := s.world.Place(uint16(m.By)); place >= 0 && s.hosting {
		readInputs(m, &s.queues[place])
	}
}

// hostTick decides one tick and tells it.
func (s *Session) hostTick(in arena.Input) {
	var all [arena.MaxPlayers]arena.Input
	me := s.world.Place(uint16(s.Me()))
	for i := range all {
		if i == me {
			all[i] = in
		} else {
			all[i] = s.queues[i].take()
		}
	}
	s.layGhosts()
	s.world.Step(&all)
	s.shown = s.world
	if !s.quiet {
		for _, e := range s.world.Events() {
			s.announce(e)
		}
	}
	s.writeSnapshot()
}

// announce tells everyone what a tick decided.
func (s *Session) announce(e arena.Event) {
	switch e.Kind {
	case arena.Fell:
		w := s.letter(kindFell)
		w.Uint16(e.Who)
		w.Uint16(e.By)
		s.post(w)
		s.note(Note{Kind: NoteFell, Who: party.PID(e.Who), By: party.PID(e.By)})
	case arena.RoundEnded, arena.MatchEnded:
		w := s.letter(kindRound)
		w.Byte(byte(e.Kind))
		w.Uint16(e.Who)
		s.post(w)
		kind := NoteRound
		if e.Kind == arena.MatchEnded {
			kind = NoteMatch
		}
		s.note(Note{Kind: kind, Who: party.PID(e.Who)})
	}
}

// lostGuest takes a guest out of the game that has gone.
func (s *Session) lostGuest(f party.Fact) {
	if f.Why != party.WhyClosed && f.Why != party.WhyReplaced {
		s.gone++
	}
	if f.Why == party.WhyReplaced {
		s.ghosts = append(s.ghosts, ghost{f.PID, s.roll.name(f.PID), s.frames})
	}
	s.dismiss(f.PID, f.Why)
}

// A ghost is a guest whose program has ended without a word and that has shown
// its seat again: its disc waits for its new hello.
type ghost struct {
	pid   party.PID
	name  string
	since uint64 // frame
}

// ghostFor is how many frames a ghost's disc waits.
const ghostFor = 2 * TicksPerSecond

// comeBack gives a guest that is back its disc, and with it its score.
func (s *Session) comeBack(pid party.PID, name string) {
	for i, g := range s.ghosts {
		if g.name == name {
			s.world.Rename(uint16(g.pid), uint16(pid))
			s.ghosts = slices.Delete(s.ghosts, i, i+1)
			return
		}
	}
}

// layGhosts takes the discs of those out of the game who have not come after all.
func (s *Session) layGhosts() {
	s.ghosts = slices.DeleteFunc(s.ghosts, func(g ghost) bool {
		late := s.frames-g.since > ghostFor
		if late {
			s.world.Leave(uint16(g.pid))
		}
		return late
	})
}

// dismiss takes a member out of the game and tells everyone.
func (s *Session) dismiss(pid party.PID, why party.Why) {
	if s.roll.of(pid) == nil {
		return
	}
	s.note(Note{Kind: NoteLeft, Who: pid, Why: why})
	if why != party.WhyReplaced {
		s.world.Leave(uint16(pid))
	}
	s.roll.remove(pid)
	s.ledger.forget(pid)
	w := s.letter(kindGone)
	w.Uint16(uint16(pid))
	w.Byte(byte(why))
	s.post(w)
}
