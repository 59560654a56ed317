package netmsg

import (
	"net/netip"
	"time"
)

// transmit writes the next datagram that is due to buf, which has 1,200 bytes,
// and says where it goes; 0 bytes: none is due.
func (d *dialer) transmit(now time.Duration, buf []byte) (n int, to netip.AddrPort) {
	d.advance(now)
	if d.over || len(buf) < paddedHello {
		return 0, to
	}
	if d.answer != nil && d.now >= d.next {
		return d.sendResponse(buf), d.answer.addr
	}
	for _, t := range d.targets {
		if d.now >= d.requestAt(t) {
			t.requests++
			t.next = d.after(d.now)
			return len(appendRequest(buf[:0], &d.hello)), t.addr
		}
	}
	return 0, to
}

// requestAt is when the next Request to a target is due. While an address is
// answered only those that have not been heard are asked.
func (d *dialer) requestAt(t *dialTarget) time.Duration {
	switch {
	case d.answer != nil && t.heard:
		return never
	case d.several() && private(t.addr.Addr()) && t.requests >= privateRequests:
		return never
	case d.now >= t.givesUpAt():
		return never
	}
	return t.next
}

// after is when something that goes now goes again.
func (d *dialer) after(now time.Duration) time.Duration {
	if d.retry == never {
		return never
	}
	return now + d.retry
}

// sendResponse sends the Response to the address that is answered: the one
// behind its newest Challenge, made now if that is new.
func (d *dialer) sendResponse(buf []byte) int {
	t := d.answer
	try := d.tries.find(t.addr, &t.challenge)
	if try == nil {
		var err error
		if try, err = d.newTry(t); err != nil {
			d.fail(NoAnswer, 0, err.Error()) // the source of randomness has failed
			return 0
		}
		d.tries.add(try)
	}
	if try.sent == 0 {
		try.first = d.now
	}
	try.sent++
	d.left--
	d.round--
	d.next = d.after(d.now)
	d.reads = readsPerResponse
	return len(appendResponse(buf[:0], try.header, try.noise.message))
}

// newTry makes keys and a Noise message for a target's challenge.
func (d *dialer) newTry(t *dialTarget) (*dialTry, error) {
	p, _ := d.terms.patternUnder(t.challenge.demands)
	if p.key() && d.terms.id == nil {
		id, err := newIdentity(d.random)
		if err != nil {
			return nil, err
		}
		d.terms.id = &id
	}
	r := response{hello: d.hello, cookie: t.challenge.cookie, demands: t.challenge.demands, pattern: p, token: d.terms.token}
	payload := appendClientHello(nil, d.cid, &d.own)
	header := appendResponseHeader(nil, &r, p.minNoise1()-minClientHello+len(payload))
	cn, err := newClientNoise(p, appendPrologue(nil, header), &t.challenge.key, d.terms.id, d.terms.psk, payload, d.random)
	return &dialTry{addr: t.addr, asked: t.challenge, header: header, noise: cn}, err
}

// deadline is the earliest time at which transmit would do something.
func (d *dialer) deadline() time.Duration {
	if d.over {
		return never
	}
	at := min(d.until, d.choose)
	if d.answer != nil {
		at = min(at, d.next)
	}
	for _, t := range d.targets {
		at = min(at, d.requestAt(t))
		if t.givesUpAt() > d.now {
			at = min(at, t.givesUpAt())
		}
	}
	return max(d.now, at)
}
