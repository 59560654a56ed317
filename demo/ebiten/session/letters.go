package session

import (
	"fmt"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/party"
)

// letter begins a letter.
func (s *Session) letter(k party.Kind) *party.Writer {
	s.ledger.mine++
	w := s.party.Write(k)
	w.Uint32(s.ledger.mine)
	return w
}

// post sends the letter begun: a host's to every guest, a guest's to the host,
// which passes it on.
func (s *Session) post(w *party.Writer) error {
	if err := w.SendAll(party.Reliable); err != nil {
		s.ledger.mine-- // the number goes to the next
		return err
	}
	s.ledger.Sent += s.party.PeerCount()
	return nil
}

// readLetter checks a letter's number, passes it on and takes it in.
func (s *Session) readLetter(m *party.Message) {
	number := m.Uint32()
	if m.Err() != nil || !s.mayWrite(m) {
		return
	}
	if m.Kind == kindHere {
		s.readHere(m, number)
	}
	if !s.party.Hosting() && m.From != s.vouched {
		s.ledger.follow(m.By, number-1)
	}
	s.ledger.take(m.By, number)
	if s.party.Hosting() {
		if s.party.Forward(m, party.Reliable) == nil {
			s.ledger.Sent += max(0, s.party.PeerCount()-1)
		}
	}
	switch m.Kind {
	case kindWho:
		s.readWho(m)
	case kindGone:
		s.readGone(m)
	case kindFell:
		s.note(Note{Kind: NoteFell, Who: party.PID(m.Uint16()), By: party.PID(m.Uint16())})
	case kindRound:
		s.readRound(m)
	case kindChat:
		s.note(Note{Kind: NoteChat, Who: m.By}).say(m.Bytes())
	case kindPulse:
		s.readPulse(m)
	}
}

// mayWrite says whether a member may write such a letter: some are the host's
// alone, and nobody may flood the chat.
func (s *Session) mayWrite(m *party.Message) bool {
	if !s.party.Hosting() {
		return true // the host has seen to it
	}
	switch m.Kind {
	case kindChat:
		return s.bearsChat(m)
	case kindPulse, kindHere:
		return true
	}
	return false
}

// floodLimit is how many lines of chat a guest may be ahead of one a second.
const floodLimit = 12

// bearsChat counts a guest's line of chat, and sends a guest away who floods.
func (s *Session) bearsChat(m *party.Message) bool {
	place := s.world.Place(uint16(m.By))
	if place < 0 {
		return false
	}
	if s.flood[place]++; s.flood[place] > floodLimit {
		s.party.ClosePeer(m.From, "too much chat")
		s.dismiss(m.By, party.WhyKicked)
		return false
	}
	return true
}

// note adds to the feed, with the names of the moment.
func (s *Session) note(n Note) *Note {
	n.At = s.frames
	n.Name, n.ByName = s.roll.name(n.Who), s.roll.name(n.By)
	return s.feed.add(n)
}

// Say sends a line of chat. The error says that it is too long, or that nobody
// is there to hear it.
func (s *Session) Say(text string) error {
	if len(text) > MaxChat {
		return fmt.Errorf("a line has at most %d bytes, this one %d", MaxChat, len(text))
	}
	if s.status != Playing || s.quiet {
		return party.ErrIdle
	}
	w := s.letter(kindChat)
	s.buf = append(s.buf[:0], text...)
	w.Bytes(s.buf)
	if err := s.post(w); err != nil {
		return err
	}
	s.note(Note{Kind: NoteChat, Who: s.Me()}).say(s.buf)
	return nil
}

// pulse tells all how this member's line is.
func (s *Session) pulse() {
	var ping time.Duration
	var loss float64
	var path party.Path
	if host := s.party.PeerOf(s.roll.host()); host != nil {
		ping, loss, path = host.RTT(), host.Loss(), host.Path()
	}
	w := s.letter(kindPulse)
	w.Uint16(uint16(min(ping.Milliseconds(), 0xFFFF)))
	w.Byte(byte(min(s.perSecond, 255)))
	w.Byte(byte(loss*100 + 0.5))
	w.Byte(byte(path))
	s.post(w)
	s.putPulse(s.Me(), ping, s.perSecond, loss, path)
}

func (s *Session) readPulse(m *party.Message) {
	ping, snapshots, loss, path := m.Uint16(), m.Byte(), m.Byte(), party.Path(m.Byte())
	if m.Err() == nil && path <= party.Relayed {
		s.putPulse(m.By, time.Duration(ping)*time.Millisecond, int(snapshots), float64(loss)/100, path)
	}
}

func (s *Session) putPulse(pid party.PID, ping time.Duration, snapshots int, loss float64, path party.Path) {
	if p := s.roll.of(pid); p != nil {
		p.Ping, p.Snapshots, p.Loss, p.Path = ping, snapshots, loss, path
	}
}

// readRound takes in how a round or a match ended.
func (s *Session) readRound(m *party.Message) {
	switch kind, winner := arena.EventKind(m.Byte()), party.PID(m.Uint16()); kind {
	case arena.RoundEnded:
		s.note(Note{Kind: NoteRound, Who: winner})
	case arena.MatchEnded:
		s.note(Note{Kind: NoteMatch, Who: winner})
	}
}
