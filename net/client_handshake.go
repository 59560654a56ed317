package netmsg

import (
	"net/netip"
	"time"
)

// A ClientHandshake is the client's side of the handshake, NMS2, or NMS1 if
// Config.Plain. It is driven as a [ConnectionCore] is, and keeps the handshake
// going alone: it sends a Request, then a Response, each every
// Config.ConnectRetry, until the server accepts or denies it or
// Config.ConnectTimeout is over.
type ClientHandshake struct {
	plain  *plainClient
	secure *dialer // one of the two
}

// theServer stands for the server's address, which a ClientHandshake does not
// know: whoever drives it does.
var theServer = netip.AddrPortFrom(netip.IPv6Unspecified(), 1)

// NewClientHandshake begins a handshake at now. A nil cfg is all defaults. It
// panics if the Config's keys or secrets are unusable, which Config.Validate
// tells, or Config.Random fails, as no handshake is safe then.
func NewClientHandshake(cfg *Config, now time.Duration) *ClientHandshake {
	cfg = cfg.settle()
	if cfg.Plain {
		return &ClientHandshake{plain: newPlainClient(cfg, now)}
	}
	d, err := newDialer(cfg, []netip.AddrPort{theServer}, [8]byte{}, 0, nil, now)
	if err != nil {
		panic(err)
	}
	return &ClientHandshake{secure: d}
}

// Receive acts on one datagram, which must have come from the server's
// address. False: it is not of this handshake, and changed nothing. In NMS1 a
// Payload that ends the handshake, because the Accept was lost, is to be given
// to the new ConnectionCore too.
func (h *ClientHandshake) Receive(now time.Duration, datagram []byte) bool {
	if h.plain != nil {
		return h.plain.Receive(now, datagram)
	}
	return h.secure.receive(now, theServer, datagram)
}

// Transmit writes the next datagram that is due at now into buf, which must
// have room for 1,200 bytes, and gives its length, 0 if none is. It is
// Transmit that ends a handshake whose time is over.
func (h *ClientHandshake) Transmit(now time.Duration, buf []byte) int {
	if h.plain != nil {
		return h.plain.Transmit(now, buf)
	}
	n, _ := h.secure.transmit(now, buf)
	return n
}

// Deadline is the earliest time at which Transmit would do something;
// math.MaxInt64 if it would not at all.
func (h *ClientHandshake) Deadline() time.Duration {
	if h.plain != nil {
		return h.plain.Deadline()
	}
	return h.secure.deadline()
}

// Done says whether the handshake is over, and how: failed is 0 and s what a
// [ConnectionCore] is made of, or failed is Denied, NoAnswer or, after Close,
// Local.
func (h *ClientHandshake) Done() (s Session, failed CloseReason, done bool) {
	if h.plain != nil {
		return h.plain.Done()
	}
	r, over := h.secure.done()
	return Session{secure: r.session}, r.failed, over
}

// Why says more about a handshake that failed, in a code and in words. Of a
// Denied the code is what the server gave: an Admit constant, or from 64 its
// application's own; of a NoAnswer NoAnswerKey or NoAnswerDemands if a server
// did answer. 0: nothing is known. NMS1 has neither.
func (h *ClientHandshake) Why() (code uint16, text string) {
	if h.plain != nil {
		return 0, ""
	}
	r, _ := h.secure.done()
	return r.code, r.text
}

// Close gives the handshake up. A plain server that may have opened the
// connection is told: Transmit writes five Disconnects. An NMS2 server forgets
// it by itself.
func (h *ClientHandshake) Close() {
	if h.plain != nil {
		h.plain.Close()
		return
	}
	h.secure.close()
}
