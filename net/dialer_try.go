package netmsg

import (
	"net/netip"
	"time"
)

// keptTries is how many Responses, each with keys of its own, an attempt
// remembers: the server may have answered any of them.
const keptTries = 4

// A dialTry is one Response and the handshake state behind it.
type dialTry struct {
	addr   netip.AddrPort // where it goes; the peer's address if it is accepted
	asked  challenge      // what it answers
	header []byte
	noise  *clientNoise
	sent   int
	first  time.Duration // sent first
}

// dialTries are the newest tries, the newest last.
type dialTries []*dialTry

// find gives the try that answers a challenge of an address, and makes it the
// newest; nil: there is none.
func (t dialTries) find(addr netip.AddrPort, c *challenge) *dialTry {
	for i, try := range t {
		if try.addr == addr && try.asked == *c {
			copy(t[i:], t[i+1:])
			t[len(t)-1] = try
			return try
		}
	}
	return nil
}

// add keeps a new try, and forgets the oldest of too many.
func (t *dialTries) add(try *dialTry) {
	if len(*t) == keptTries {
		*t = append((*t)[:0], (*t)[1:]...)
	}
	*t = append(*t, try)
}
