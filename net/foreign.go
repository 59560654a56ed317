package netmsg

import (
	"fmt"
	"net/netip"
)

// Datagrams of other protocols may share an endpoint's socket: answers of a
// STUN server, which have to come to the very port that they tell of, and
// questions of server browsers.

// maxForeign is the largest datagram of another protocol, in bytes.
const maxForeign = 1472

// overheard gives a datagram of another protocol to whoever wants it.
func (e *Endpoint) overheard(d *Datagram) bool {
	return e.cfg.Foreign != nil && e.cfg.Foreign(d.Addr, d.Data)
}

// SendForeign sends a datagram of another protocol from the endpoint's socket,
// at once and without waiting: 1 to 1,472 bytes, which nothing repeats, seals or
// paces. What the system cannot take is lost, as if on the way. It returns an
// error if the size is another one, if the endpoint has no socket for the
// address, and ErrClosed. Callable from any goroutine, but not from
// Config.Foreign.
func (e *Endpoint) SendForeign(to netip.AddrPort, datagram []byte) error {
	if n := len(datagram); n == 0 || n > maxForeign {
		return fmt.Errorf("netmsg: a foreign datagram of %d bytes, want 1 to %d", n, maxForeign)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.closed:
		return ErrClosed
	case len(e.reachable([]netip.AddrPort{to})) == 0:
		return fmt.Errorf("netmsg: no socket for %v", to)
	}
	e.outbox.add(copy(e.outbox.room(), datagram), canonical(to))
	e.outbox.send()
	return nil
}
