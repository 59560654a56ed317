package netmsg

import (
	"net/netip"
	"time"
)

// firstKeys are the first links of a connection's two key chains.
type firstKeys struct {
	send    [keySize]byte // of the one that seals what this side sends
	receive [keySize]byte // of the one that opens what it receives
}

// A secureSession is what an NMS2 handshake agreed: all that the connection's
// core needs, and what the application may ask about its peer. A Session of
// NMS1 has none. It does not change once made.
type secureSession struct {
	server   bool // this side answered; it sends nothing until a packet has verified
	verified bool // the peer proved a key or a psk that this side knew beforehand

	// confirmed: the peer is known to have the keys already, so that a server
	// may speak and a client need not go first.
	confirmed bool

	keys *firstKeys // nil once the connection is open: the chains begin with them, and go on

	ownCID  uint32 // what the peer puts in front of its packets
	peerCID uint32 // what this side puts in front of its own

	own  params // what this side announced
	peer params // what the peer announced: Hello at a server, Welcome at a client in appData

	addr netip.AddrPort // the peer's validated address

	// rtt is the time from the Response to its Accept, at a client that sent
	// the Response once. Zero: not known.
	rtt time.Duration

	binding [32]byte // the same at both sides, and of this connection alone
	peerKey [32]byte // the peer's static public key; zeros for a client without one
	token   *TokenClaims
}
