package netmsg

import (
	"fmt"
	"io"
	"time"
)

const (
	// plainResponses is how many Responses a client sends without an answer
	// before it asks for a new Challenge: the server may have started again,
	// and then has another key.
	plainResponses = 4

	// plainCookies is how many different cookies a client remembers: the
	// server may have taken any that it has answered.
	plainCookies = 4
)

// A plainClient is the client's side of the NMS1 handshake, driven as a
// [ConnectionCore] is. It sends a Request, then a Response, each every
// Config.ConnectRetry, until the server accepts or denies it or
// Config.ConnectTimeout is over.
type plainClient struct {
	cfg   *Config
	now   time.Duration
	salt  uint64
	retry time.Duration // the next datagram is due then
	until time.Duration // the time-out

	cookies   ring[uint64] // those heard last
	cookie    uint64       // the one to answer
	responses int          // Responses to send before the next Request

	over    bool
	failed  CloseReason
	session uint64
	closes  int // Disconnects still to be sent
}

// newPlainClient begins a handshake at now, with a new salt from
// Config.Random. It panics if that cannot be read, as no handshake is safe
// then. A nil cfg is all defaults.
func newPlainClient(cfg *Config, now time.Duration) *plainClient {
	cfg = cfg.settle()
	h := &plainClient{cfg: cfg, now: now, retry: now, until: never}
	if cfg.ConnectTimeout > 0 {
		h.until = now + cfg.ConnectTimeout
	}
	var salt [8]byte
	if _, err := io.ReadFull(cfg.Random, salt[:]); err != nil {
		panic(fmt.Sprintf("netmsg: no random numbers: %v", err))
	}
	h.salt = U64(salt[:])
	return h
}

// postpone has a handshake of which nothing was sent yet begin later.
func (h *plainClient) postpone(by time.Duration) {
	h.now += by
	h.retry += by
	if h.until != never {
		h.until += by
	}
}

// Receive acts on one datagram, which must have come from the server's
// address. False: it is not of this handshake, and changed nothing. A Payload
// that ends the handshake, because the Accept was lost, is to be given to the
// new ConnectionCore too.
func (h *plainClient) Receive(now time.Duration, datagram []byte) bool {
	h.now = max(h.now, now)
	if h.over {
		return false
	}
	if salt, cookie, ok := parsePlainChallenge(datagram); ok && salt == h.salt {
		h.challenged(cookie)
		return true
	}
	if salt, ok := parsePlainShort(datagram, plainDenied); ok && salt == h.salt {
		h.fail(Denied)
		return true
	}
	if session, ok := parsePlainShort(datagram, plainDisconnect); ok && h.knows(session) {
		h.fail(Remote) // opened, and closed again at once
		return true
	}
	session, ok := opened(datagram)
	if !ok || !h.knows(session) {
		return false
	}
	h.over, h.session = true, session
	return true
}

// opened gives the session that a server's datagram shows to be open: an
// Accept, or the first Payload after one that was lost.
func opened(datagram []byte) (session uint64, ok bool) {
	if session, ok = parsePlainShort(datagram, plainAccept); ok {
		return session, true
	}
	p, ok := parsePlainPayload(datagram)
	return p.session, ok
}

// challenged takes a cookie. It is answered at once if none was being
// answered, else with the next Response.
func (h *plainClient) challenged(cookie uint64) {
	h.cookie = cookie
	if !h.knows(plainSession(h.salt, cookie)) {
		if h.cookies.len() == plainCookies {
			h.cookies.pop()
		}
		*h.cookies.push() = cookie
	}
	if h.responses == 0 {
		h.responses, h.retry = plainResponses, h.now
	}
}

// knows says whether session is what one of the cookies heard leads to.
func (h *plainClient) knows(session uint64) bool {
	for i := range h.cookies.len() {
		if plainSession(h.salt, *h.cookies.at(i)) == session {
			return true
		}
	}
	return false
}

// Transmit writes the next datagram that is due at now into buf, which must
// have room for 1,200 bytes, and gives its length, 0 if none is. It is
// Transmit that ends a handshake whose time is over.
func (h *plainClient) Transmit(now time.Duration, buf []byte) int {
	h.now = max(h.now, now)
	switch {
	case len(buf) < plainPaddedLen:
		return 0
	case h.closes > 0:
		h.closes--
		return len(appendPlainShort(buf[:0], plainDisconnect, plainSession(h.salt, h.cookie)))
	case h.over:
		return 0
	case h.now >= h.until:
		h.fail(NoAnswer)
		return 0
	case h.now < h.retry:
		return 0
	}
	h.retry = never
	if h.cfg.ConnectRetry > 0 {
		h.retry = h.now + h.cfg.ConnectRetry
	}
	if h.responses == 0 {
		return len(appendPlainRequest(buf[:0], h.salt))
	}
	h.responses--
	return len(appendPlainResponse(buf[:0], h.salt, h.cookie))
}

// Deadline is the earliest time at which Transmit would do something;
// math.MaxInt64 if it would not at all.
func (h *plainClient) Deadline() time.Duration {
	switch {
	case h.closes > 0:
		return h.now
	case h.over:
		return never
	}
	return max(h.now, min(h.retry, h.until))
}

// Done says whether the handshake is over, and how: failed is 0 and s what a
// [ConnectionCore] is made of, or failed is Denied, NoAnswer, Remote if the
// server opened the connection and closed it again before that was heard, or,
// after Close, Local.
func (h *plainClient) Done() (s Session, failed CloseReason, done bool) {
	return Session{ID: h.session}, h.failed, h.over
}

// Close gives the handshake up. A server that may have opened the connection
// is told: Transmit writes five Disconnects.
func (h *plainClient) Close() {
	if !h.over {
		h.fail(Local)
		if h.cookies.len() > 0 {
			h.closes = plainDisconnects
		}
	}
}

func (h *plainClient) fail(why CloseReason) { h.over, h.failed = true, why }
