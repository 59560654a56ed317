package party

import (
	"fmt"
	"iter"
)

// A FactKind says what a Fact tells.
type FactKind uint8

const (
	// Joined: at a guest, it is in the party: Peer is the host, PID its own. At
	// the host, a guest that was accepted has answered: Peer and PID are its.
	Joined FactKind = iota + 1

	// Gone: at the host, an accepted guest has left, fallen silent or been
	// replaced by itself. Peer is nil for a member that never came to its new
	// host.
	Gone

	// Closed: at the host, a peer has been let go, as ClosePeer or CloseWhenSent
	// asked.
	Closed

	// Down: the session, or the way to it, has ended for Why. Text is what the
	// other side said to it. Every Join that does not end in Joined ends in
	// exactly one Down.
	Down

	// RoomOpen: the matchmaker has opened a room; Text is its code.
	RoomOpen

	// RoomFailed: there is no room, or no longer; playing by address goes on.
	RoomFailed

	// NewHost: another member is now the host, PID; Peer is its connection, or
	// this side itself. Why says how the old host ended. Text is the number of
	// reliable messages that the old host had not acknowledged, in figures: they
	// are lost.
	NewHost

	// PeersChanged: at a guest, Members gives others than before.
	PeersChanged
)

// String names it in a word, for logs.
func (k FactKind) String() string {
	switch k {
	case Joined:
		return "Joined"
	case Gone:
		return "Gone"
	case Closed:
		return "Closed"
	case Down:
		return "Down"
	case RoomOpen:
		return "RoomOpen"
	case RoomFailed:
		return "RoomFailed"
	case NewHost:
		return "NewHost"
	case PeersChanged:
		return "PeersChanged"
	}
	return fmt.Sprintf("FactKind(%d)", uint8(k))
}

// A Fact is something that happened to the session. Fields that its Kind does
// not name are zero.
type Fact struct {
	Kind FactKind
	Peer *Peer
	PID  PID
	Why  Why
	Text string
}

// maxFacts is how many facts wait to be read. Beyond it the oldest are lost.
const maxFacts = 256

// Facts gives what happened since they were last read, oldest first. What a
// break leaves stays. At most 256 facts wait; a new Host or Join forgets those
// of the session before.
func (p *Party) Facts() iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		for f, ok := p.nextFact(); ok && yield(f); f, ok = p.nextFact() {
		}
	}
}

// nextFact takes the oldest fact.
func (p *Party) nextFact() (Fact, bool) {
	if p.factsRead == len(p.facts) {
		p.facts, p.factsRead = p.facts[:0], 0
		return Fact{}, false
	}
	f := p.facts[p.factsRead]
	p.facts[p.factsRead] = Fact{} // let go of the peer
	p.factsRead++
	return f, true
}

// forgetFacts drops what was not read.
func (p *Party) forgetFacts() {
	clear(p.facts)
	p.facts, p.factsRead = p.facts[:0], 0
}

// tell queues a fact.
func (p *Party) tell(f Fact) {
	if len(p.facts)-p.factsRead == maxFacts {
		p.nextFact()
	}
	if p.factsRead > 0 && len(p.facts) == cap(p.facts) {
		p.facts = p.facts[:copy(p.facts, p.facts[p.factsRead:])]
		p.factsRead = 0
	}
	p.facts = append(p.facts, f)
	p.log.Info("fact", "kind", f.Kind, "pid", f.PID, "why", f.Why, "text", f.Text)
}
