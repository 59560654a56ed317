package netmsg

import (
	"net/netip"
	"time"
)

// A secureSession is what an NMS2 handshake agreed: all that the connection's
// core needs, and what the application may ask about its peer. A Session of
// NMS1 has none. It does not change once made.
type secureSession struct {
	server bool // this side answered; it sends nothing until a packet has verified

	sendKey    [32]byte // first link of the chain that seals what this side sends
	receiveKey [32]byte // and of the one that opens what it receives

	ownCID  uint32 // what the peer puts in front of its packets
	peerCID uint32 // what this side puts in front of its own

	own  params // what this side announced
	peer params // what the peer announced: Hello at a server, Welcome at a client in appData

	// confirmed: the peer is known to have the keys already, so that a server
	// may speak and a client need not go first.
	confirmed bool

	addr netip.AddrPort // the peer's validated address

	// rtt is the time from the Response to its Accept, at a client that sent
	// the Response once. Zero: not known.
	rtt time.Duration

	binding  [32]byte // the same at both sides, and of this connection alone
	peerKey  [32]byte // the peer's static public key; zeros for a client without one
	verified bool     // the peer proved a key or a psk that this side knew beforehand
	token    *TokenClaims
}
