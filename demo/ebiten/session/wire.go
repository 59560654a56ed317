package session

import (
	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/party"
)

// Kinds of messages; doc.go says what is in them.
const (
	kindInput party.Kind = iota + 2
	kindSnapshot
	kindWelcome
	kindWho
	kindGone
	kindFell
	kindRound
	kindChat
	kindPulse
	kindHere
	kindAsk
	kindLevel
)

// stream is the one stream of latest values that each member has.
const stream = 0

// redundancy is how many of the newest inputs go in each message: as many in a
// row may be lost before the host misses one.
const redundancy = 10

// Proto stands for Floe and, in its lower byte, for the version of these
// messages: hosts of other games, or of other versions, turn its guests away.
const Proto = 0xF103

// MaxName and MaxChat are the longest name and line of chat, in bytes.
const (
	MaxName = 24
	MaxChat = 120
)

// writeInputs sends the newest inputs to the host.
func (s *Session) writeInputs() error {
	w := s.party.Write(kindInput)
	w.Uint16(s.seq)
	s.buf = s.buf[:0]
	for i := range min(redundancy, int(s.seq)) {
		s.buf = s.history.at(s.seq - uint16(i)).Append(s.buf)
	}
	w.Bytes(s.buf)
	return w.SendAll(party.Latest(stream))
}

// readInputs hands the inputs of a message to a queue.
func readInputs(m *party.Message, q *inputQueue) {
	newest, data := m.Uint16(), m.Bytes()
	n := len(data) / arena.InputSize
	if m.Err() != nil || n == 0 || n > redundancy || len(data)%arena.InputSize != 0 {
		return
	}
	for i := range n {
		if in, ok := arena.ParseInput(data[i*arena.InputSize : (i+1)*arena.InputSize]); ok {
			q.put(newest-uint16(i), in)
		}
	}
}

// writeSnapshot sends the world to every guest.
func (s *Session) writeSnapshot() error {
	w := s.party.Write(kindSnapshot)
	for i := range s.queues {
		w.Uint16(s.queues[i].used)
	}
	s.buf = s.world.Append(s.buf[:0])
	w.Bytes(s.buf)
	return w.SendAll(party.Latest(stream))
}

// readSnapshot takes a snapshot in, if it is one and new.
func (s *Session) readSnapshot(m *party.Message) {
	var used [arena.MaxPlayers]uint16
	for i := range used {
		used[i] = m.Uint16()
	}
	data := m.Bytes()
	if m.Err() == nil && s.replica.take(data, used) {
		s.snapshots++
		s.since = 0
	}
}
