package session

import (
	"github.com/partyline-go/partyline/demo/ebiten/level"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

// The host's welcome names its level by the hash. A guest that has another, or
// none, asks for it and plays on meanwhile.

// largest is the largest message that members take of each other: twice a level.
const largest = 2 * level.Size

// levelWay is how levels travel: on a channel of their own, so that no letter
// waits for one.
var levelWay = party.On(netmsg.Ordered2)

// A levels is what a session knows of the level.
type levels struct {
	level  *level.Level // nil: none yet
	wanted level.Sum    // a guest's: the host's level
	asked  bool         // the host has been asked for it
	came   int          // that arrived whole, with the hash that was wanted
}

// makeLevel gives a host its level, unless it has had one as a guest.
func (s *Session) makeLevel() {
	if s.level == nil {
		s.level = level.Make(s.cfg.Level)
	}
}

// writeSum puts the level's hash in a message.
func (s *Session) writeSum(w *party.Writer) {
	sum := s.level.Sum()
	w.Bytes(sum[:])
}

// readSum takes in which level the host has.
func (s *Session) readSum(m *party.Message) {
	for i := range s.wanted {
		s.wanted[i] = m.Byte()
	}
	s.asked = false
}

// hasLevel says whether this side has the level of its host.
func (s *Session) hasLevel() bool {
	return s.level != nil && (s.hosting || s.level.Sum() == s.wanted)
}

// askForLevel asks the host for its level, once.
func (s *Session) askForLevel() {
	if s.asked || s.vouched != s.host || s.hasLevel() {
		return
	}
	if s.party.Write(kindAsk).SendAll(party.Reliable) == nil {
		s.asked = true
	}
}

// sendLevel gives a guest the level it asks for. While one is on its way to it,
// asking again does nothing.
func (s *Session) sendLevel(m *party.Message) {
	if !s.hosting {
		return
	}
	if _, total := m.From.Sending(); total >= level.Size {
		return
	}
	w := s.party.Write(kindLevel)
	w.Bytes(s.level.Bytes())
	w.Send(m.From, levelWay)
}

// readLevel takes the host's level in, if it is the one that was wanted.
func (s *Session) readLevel(m *party.Message) {
	if s.hosting || s.hasLevel() {
		return
	}
	if l, err := level.Parse(m.Bytes(), s.wanted); err == nil {
		s.level = l
		s.came++
	}
}

// Level is the look of the ice; nil while it is not known whole.
func (s *Session) Level() *level.Level {
	if !s.hasLevel() {
		return nil
	}
	return s.level
}

// LevelProgress says how much of the level is here, in bytes of total.
func (s *Session) LevelProgress() (got, total int) {
	if s.hasLevel() {
		return level.Size, level.Size
	}
	if s.host != nil {
		if got, total = s.host.Receiving(); total >= level.Size {
			return got, total
		}
	}
	return 0, level.Size
}

// LevelsReceived is how many levels have come in whole, as the host made them.
func (s *Session) LevelsReceived() int { return s.came }
