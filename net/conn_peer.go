package netmsg

import (
	"net/netip"
	"slices"
	"time"
)

// What the handshake of a sealed connection says of the peer. On a plain
// connection, in process and while a dial is in progress all of it is zero.

// secure is what the handshake agreed; nil: nothing, or not yet.
func (c *Conn) secure() *secureSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	if core, ok := c.line.(*ConnectionCore); ok {
		if s, ok := core.machine.(*sealedConn); ok {
			return s.session
		}
	}
	return nil
}

// PeerKey is the static public key that the peer proved, 32 bytes: a server's,
// or that of a client with an Identity. nil: none. PROTOCOL.md, Keys and secrets.
func (c *Conn) PeerKey() []byte {
	if s := c.secure(); s != nil && s.peerKey != [keySize]byte{} {
		return slices.Clone(s.peerKey[:])
	}
	return nil
}

// Verified says that the peer proved a key or a secret that this side knew
// before: that nobody stands in the middle. A client that knew nothing of its
// server has trusted the first key that it saw. PROTOCOL.md, The client.
func (c *Conn) Verified() bool {
	s := c.secure()
	return s != nil && s.verified
}

// Greeting is the peer's early data: at a server the client's Config.Hello,
// at a client the Welcome of the server's Admission. PROTOCOL.md, Parameters.
func (c *Conn) Greeting() []byte {
	if s := c.secure(); s != nil {
		return slices.Clone(s.peer.appData)
	}
	return nil
}

// WrongKey says, of a dial in progress, that a server has answered whose key is
// not the one that is known. The attempt goes on: the right one may still.
func (c *Conn) WrongKey() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, ok := c.line.(*dialLine)
	return ok && d.attempt != nil && d.attempt.seen.wrongKey > 0
}

// Binding is the same 32 bytes at both ends of this connection and of no
// other: what a protocol above can sign to prove that it speaks through it.
// PROTOCOL.md, Noise.
func (c *Conn) Binding() (binding [32]byte) {
	if s := c.secure(); s != nil {
		return s.binding
	}
	return binding
}

// Token is what the client's connect token says, at a server; nil: it had
// none. PROTOCOL.md, Connect tokens.
func (c *Conn) Token() *TokenClaims {
	if s := c.secure(); s != nil {
		return s.token
	}
	return nil
}

// Probe tries another path to the peer: a direct one while the connection goes
// over a relay, say. If the peer answers from there within three probe timeouts
// the connection moves, and nothing is lost; otherwise nothing changes. A newer
// Probe takes the place of one that is on. It does nothing on plain connections
// and where the endpoint has no socket for the address. PROTOCOL.md, Addresses.
func (c *Conn) Probe(to netip.AddrPort) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.owner.(*peer)
	if !ok || p.state != peerOpen || len(p.e.reachable([]netip.AddrPort{to})) == 0 {
		return
	}
	p.core.probe(p.e.now(), canonical(to))
	c.owner.touched()
}

// SetChannel says how the reliable channels share what there is: those of the
// lowest priority go first, those of one priority by weight. All have priority
// 0 and weight 1 until it is set; a weight under 1 is ErrWeight. It is
// ErrNotInPlain on plain connections and on dials in progress. PROTOCOL.md,
// Reliable channels.
func (c *Conn) SetChannel(ch Channel, priority, weight int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	core, ok := c.line.(*ConnectionCore)
	switch {
	case weight < 1:
		return ErrWeight
	case !ok:
		return ErrNotInPlain
	}
	return core.setChannel(ch, priority, weight)
}

// Clock is the clock that both ends share: the server's, in the time since its
// endpoint was made, as the client estimates it. It never runs back, but for
// steps over a second, which state tells. The true time is within uncertainty,
// and half of the difference between the two ways, of t. All zero while it is
// not known, and on plain connections. Callable from any goroutine.
// PROTOCOL.md, Time synchronisation.
func (c *Conn) Clock() (t, uncertainty time.Duration, state ClockState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	core, ok := c.line.(*ConnectionCore)
	if !ok {
		return 0, 0, 0
	}
	return core.Clock(c.owner.now())
}
