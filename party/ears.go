package party

import (
	"net/netip"
	"slices"
	"sync"

	"github.com/partyline-go/partyline/matchmaker"
	"github.com/partyline-go/partyline/matchmaker/s64"
)

// Ears hear what comes to a session's socket and is not of the party's own
// protocol. Whoever reads the socket calls them, a watchdog too, so what they
// hear waits for the frame, in places that are not many.
type ears struct {
	mu   sync.Mutex
	stun []stunAnswer

	listed  bool // this side is a host that is listed
	listing []listingWord
}

// earsKeep is how many answers wait for a frame at most.
const earsKeep = 16

// A stunAnswer is what a STUN server said.
type stunAnswer struct {
	from, seen netip.AddrPort
	id         matchmaker.TransactionID
}

// A listingWord is what a master server says, or a browser asks.
type listingWord struct {
	from netip.AddrPort
	data []byte
}

// hear takes a datagram. False: it was meant for nobody here.
func (e *ears) hear(from netip.AddrPort, datagram []byte) bool {
	id, seen, ok := matchmaker.ParseBinding(datagram)
	if !ok {
		return e.hearOfListing(from, datagram)
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

// listen has them hear what has to do with a host's listing.
func (e *ears) listen() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listed = true
}

func (e *ears) hearOfListing(from netip.AddrPort, datagram []byte) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.listed || len(datagram) > maxListingData {
		return false
	}
	if _, ok := s64.Parse(datagram); !ok {
		return false
	}
	if len(e.listing) < earsKeep {
		e.listing = append(e.listing, listingWord{from, slices.Clone(datagram)})
	}
	return true
}

// heardListing takes out the oldest word.
func (e *ears) heardListing() (d listingWord, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.listing) == 0 {
		return d, false
	}
	d = e.listing[0]
	e.listing = slices.Delete(e.listing, 0, 1)
	return d, true
}
