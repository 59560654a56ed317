package netmsg

import (
	"net/netip"
	"time"
)

// A Verdict is the gate's answer to one datagram.
type Verdict struct {
	// Reply is the length of the answer in buf, to be sent to where the
	// datagram came from; 0: there is none.
	Reply int

	// Joined: there is a new connection, Session. In NMS1 it is open. In NMS2
	// it is provisional: its core sends nothing, and the connection opens, when
	// a packet of the client's has verified. See ChallengeGate.Opened.
	Joined  bool
	Session Session

	// Replaced: the new connection is from the address of one that was open,
	// Old. That one ends, as Replaced, before the new one joins (NMS1).
	Replaced bool
	Old      Session
}

// A ChallengeGate is the server's side of the handshake: NMS2, or NMS1 if
// Config.Plain. For a client that has not proven its address it keeps nothing.
// It knows the connections that it made, and what it knows is bounded; so that
// it does, whoever drives it says when one has opened (NMS2) and when one has
// ended.
type ChallengeGate struct {
	plain  *plainGate
	secure *secureGate // one of the two
	closed bool
}

// NewChallengeGate gives a gate whose first cookies are made with key: 16
// random bytes that nobody else knows and that serve for nothing else. A nil
// cfg is all defaults. It panics if the Config's keys or secrets are unusable,
// which Config.Validate tells, or Config.Random fails.
func NewChallengeGate(cfg *Config, key [16]byte) *ChallengeGate {
	cfg = cfg.settle()
	if cfg.Plain {
		return &ChallengeGate{plain: newPlainGate(cfg, key)}
	}
	g, err := newSecureGate(cfg, key, 0, 0)
	if err != nil {
		panic(err)
	}
	return &ChallengeGate{secure: g}
}

// Receive acts on a Request or a Response that came from an address; anything
// else gets an empty Verdict. An answer is written into buf, which must have
// room for 1,200 bytes (NMS1: 21); in a smaller one there is none.
func (g *ChallengeGate) Receive(now time.Duration, from netip.AddrPort, datagram, buf []byte) Verdict {
	switch {
	case g.plain != nil && g.closed:
		return Verdict{}
	case g.plain != nil:
		return g.plain.Receive(now, from, datagram, buf)
	}
	return g.secure.receive(now, from, datagram, buf)
}

// Opened says that the core of a provisional connection has received a packet
// that verified. It is false if the connection may not open: it took more than
// 5 s, all places are taken, or its psk has opened another. In NMS1 connections
// are open from the start.
func (g *ChallengeGate) Opened(now time.Duration, s Session) bool {
	if g.plain != nil || s.secure == nil {
		return g.plain != nil
	}
	_, ok := g.secure.opened(now, s.secure.ownCID)
	return ok
}

// Left says that the connection s from an address has ended, whatever for: its
// place is free. A connection that is not open changes nothing.
func (g *ChallengeGate) Left(now time.Duration, from netip.AddrPort, s Session) {
	switch {
	case g.plain != nil:
		g.plain.Left(now, from, s)
	case s.secure != nil:
		g.secure.closed(now, s.secure.ownCID)
	}
}

// Len is the number of connections that are open.
func (g *ChallengeGate) Len() int {
	if g.plain != nil {
		return g.plain.Len()
	}
	return g.secure.open
}

// Close takes nobody more. NMS2 clients that ask are told that the server is
// shutting down; plain ones hear nothing. Those that are open stay so.
func (g *ChallengeGate) Close() {
	g.closed = true
	if g.secure != nil {
		g.secure.shutDown()
	}
}
