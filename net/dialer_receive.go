package netmsg

import (
	"net/netip"
	"time"
)

// receive acts on a Challenge, Accept or Denied. False: it was of no use.
func (d *dialer) receive(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	d.advance(now)
	if d.over {
		return false
	}
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	switch kind, _ := helloKind(datagram); kind {
	case helloChallenge:
		return d.challenged(from, datagram)
	case helloAccept:
		return d.accepted(datagram)
	case helloDenied:
		return d.refused(from, datagram)
	}
	return false
}

// challenged takes a Challenge that this client can use.
func (d *dialer) challenged(from netip.AddrPort, b []byte) bool {
	t := d.target(from)
	c, ok := parseChallenge(b)
	if t == nil || !ok || c.salt != d.hello.salt || c.demands.revision != revision || lowOrder(c.key[:]) {
		return false
	}
	if !d.terms.fits(&c.key) {
		d.seen.wrongKey++
		return false
	}
	if _, ok := d.terms.patternUnder(c.demands); !ok {
		d.seen.unusable++
		return false
	}
	t.heard, t.offered, t.challenge = true, true, c
	if d.answer == nil && d.choose == never {
		d.choose = d.now
		if d.several() {
			d.choose += choiceTime
		}
	}
	return true
}

// refused notes a Denied.
func (d *dialer) refused(from netip.AddrPort, b []byte) bool {
	t := d.target(from)
	why, salt, ok := parseDenied(b)
	if t == nil || !ok || salt != d.hello.salt || t.requests == 0 {
		return false
	}
	if t.denied == 0 {
		t.denied, t.deniedAt = why, d.now
	}
	return true
}

// accepted tries an Accept on every handshake that may have caused it. The
// peer's address is where that one's Response went, wherever the Accept came
// from.
func (d *dialer) accepted(b []byte) bool {
	salt, noise2, ok := parseAccept(b)
	if !ok || salt != d.hello.salt {
		return false
	}
	for i := len(d.tries) - 1; i >= 0 && d.reads > 0; i-- {
		d.reads--
		try := d.tries[i]
		payload, keys, ok := try.noise.read(noise2)
		if !ok {
			continue
		}
		status, cid, peer, ok := parseVerdict(payload)
		if !ok {
			continue
		}
		if status != AdmitOK {
			d.fail(Denied, uint16(status), statusText(status, peer.text))
			d.result.sealed = true
			return true
		}
		d.open(try, keys, cid, peer)
		return true
	}
	d.seen.unproven++
	return false
}

func (d *dialer) open(try *dialTry, keys sessionKeys, cid uint32, peer params) {
	s := &secureSession{
		keys:     &firstKeys{send: keys.toServer, receive: keys.toClient},
		ownCID:   d.cid,
		peerCID:  cid,
		own:      d.own,
		peer:     peer,
		addr:     try.addr,
		binding:  keys.binding,
		peerKey:  try.asked.key,
		verified: d.terms.knows(),
	}
	if try.sent == 1 {
		s.rtt = d.now - try.first
	}
	d.finish(dialResult{session: s})
}
