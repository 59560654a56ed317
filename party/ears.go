package party

import (
	"net/netip"
	"sync"

	"github.com/partyline-go/partyline/matchmaker"
)

// Ears hear what comes to a session's socket and is not of the party's own
// protocol. Whoever reads the socket calls them, a watchdog too, so what they
// hear waits for the frame, in places that are not many.
type ears struct {
	mu   sync.Mutex
	stun []stunAnswer
}

// earsKeep is how many answers wait for a frame at most.
const earsKeep = 16

// A stunAnswer is what a STUN server said.
type stunAnswer struct {
	from, seen netip.AddrPort
	id         matchmaker.TransactionID
}

// hear takes a datagram. False: it was meant for nobody here.
func (e *ears) hear(from netip.AddrPort, datagram []byte) bool {
	id, seen, ok := matchmaker.ParseBinding(datagram)
	if !ok {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.stun) < earsKeep {
		e.stun = append(e.stun, stunAnswer{from, seen, id})
	}
	return true
}

// heardSTUN takes out the oldest answer.
func (e *ears) heardSTUN() (a stunAnswer, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.stun) == 0 {
		return a, false
	}
	a = e.stun[0]
	e.stun = e.stun[:copy(e.stun, e.stun[1:])]
	return a, true
}
