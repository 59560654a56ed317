package netmsg

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"
)

// A dialer is the client's side of the NMS2 handshake: one attempt, at one
// address or several. It keeps the handshake going alone; the server only
// answers.
//
// It asks (Requests to every address) until a usable Challenge has come, then
// answers it (Responses to one address at a time), and asks again when that
// brings nothing. Whatever does not verify changes nothing, so nobody who can
// only add packets can end the attempt or win it.
type dialer struct {
	terms  clientTerms
	own    params // what this side announces, its hello within
	cid    uint32 // for the server's packets to this client
	hello  helloCore
	random io.Reader
	retry  time.Duration // between sends; never: each goes once

	now     time.Duration
	until   time.Duration // the attempt's end
	targets []*dialTarget // best first

	choose time.Duration // when the address to answer is chosen; never: nothing to choose from
	answer *dialTarget   // the address that is answered; nil: asking
	left   int           // Responses still to go to it
	round  int           // Responses still to go before asking again
	next   time.Duration // the next Response is due
	tries  dialTries
	reads  int // Accepts that may still be tried before the next Response

	over   bool
	result dialResult
	seen   dialSeen
}

const (
	roundResponses = 4 // then a new Challenge is asked for: the server may have another key
	eachResponses  = 2 // of those to one address, when there are several

	// Each Accept that is tried costs a few Diffie-Hellmans. So many may be
	// forged between two Responses without the genuine one being missed; it
	// comes again with the next.
	readsPerResponse = 128
)

// A dialResult is how an attempt ended.
type dialResult struct {
	session *secureSession // what was agreed; nil: nothing
	failed  CloseReason    // Denied, NoAnswer or Local; 0 with a session
	code    uint16         // Denied: the status, an Admit constant or the application's own; 0: none fits
	text    string         // why
	sealed  bool           // Denied: the server itself said so, not just somebody who sees the packets
}

// dialSeen counts what an attempt heard and did not use.
type dialSeen struct {
	wrongKey int // Challenges with another key than the one that is known
	unusable int // Challenges whose demands this client cannot meet
	unproven int // Accepts that did not verify
}

var (
	errNoAddress   = errors.New("netmsg: no address to dial")
	errManyAddress = fmt.Errorf("netmsg: more than %d addresses to dial", maxTargets)
)

// newDialer begins an attempt at 1 to 8 addresses, the best first. A zero salt
// is drawn. inUse knows the cids that the endpoint uses; nil: none. An
// unusable Config is an error.
func newDialer(cfg *Config, to []netip.AddrPort, salt [8]byte, socketTakes int, inUse func(cid uint32) bool, now time.Duration) (*dialer, error) {
	cfg = cfg.settle()
	d := &dialer{random: cfg.Random, now: now, until: never, retry: never, choose: never}
	var err error
	if d.terms, err = newClientTerms(cfg); err != nil {
		return nil, err
	}
	d.own = announced(cfg, false, socketTakes)
	d.own.appData = cfg.Hello
	if cfg.ConnectTimeout > 0 {
		d.until = now + cfg.ConnectTimeout
	}
	if cfg.ConnectRetry > 0 {
		d.retry = cfg.ConnectRetry
	}
	if salt == [8]byte{} {
		if _, err := io.ReadFull(d.random, salt[:]); err != nil {
			return nil, err
		}
	}
	d.hello = helloCore{low: revision, high: revision, salt: salt, app: d.terms.app, hint: d.terms.hint()}
	var ok bool
	if d.cid, ok = drawCID(d.random, inUse); !ok {
		return nil, errors.New("netmsg: no random connection id")
	}
	for i, addr := range to {
		if err := d.add(addr, i); err != nil {
			return nil, err
		}
	}
	if len(to) == 0 {
		return nil, errNoAddress
	}
	return d, nil
}

// add gives the attempt a further address, to be asked at once. A lower rank
// is better; the addresses it began with have 0 and up. One that it has
// already changes nothing.
func (d *dialer) add(addr netip.AddrPort, rank int) error {
	addr = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	if d.target(addr) != nil {
		return nil
	}
	if len(d.targets) == maxTargets {
		return errManyAddress
	}
	i := len(d.targets)
	for i > 0 && d.targets[i-1].rank > rank {
		i--
	}
	d.targets = append(d.targets, nil)
	copy(d.targets[i+1:], d.targets[i:])
	d.targets[i] = &dialTarget{addr: addr, rank: rank, next: d.now}
	return nil
}

func (d *dialer) target(addr netip.AddrPort) *dialTarget {
	for _, t := range d.targets {
		if t.addr == addr {
			return t
		}
	}
	return nil
}

func (d *dialer) several() bool { return len(d.targets) > 1 }

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
		sendKey:    keys.toServer,
		receiveKey: keys.toClient,
		ownCID:     d.cid,
		peerCID:    cid,
		own:        d.own,
		peer:       peer,
		addr:       try.addr,
		binding:    keys.binding,
		peerKey:    try.asked.key,
		verified:   d.terms.knows(),
	}
	if try.sent == 1 {
		s.rtt = d.now - try.first
	}
	d.finish(dialResult{session: s})
}

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
	case d.answer != nil && (t.heard || !d.several()):
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

// advance moves the clock, which never turns back, and does what time alone
// does: it ends the attempt, and turns from asking to answering and back.
func (d *dialer) advance(now time.Duration) {
	d.now = max(d.now, now)
	if d.over {
		return
	}
	if d.now >= d.until || d.allGaveUp() {
		d.giveUp()
		return
	}
	if d.answer == nil && d.now >= d.choose {
		d.round = roundResponses
		d.answerBest()
	}
	if d.answer != nil && d.left == 0 && d.now >= d.next {
		d.moveOn()
	}
}

// answerBest turns to the best address that has a Challenge to answer: first
// among those that had no Response yet. False: there is none.
func (d *dialer) answerBest() bool {
	var best *dialTarget
	for _, t := range d.targets {
		if t.offered && (best == nil || best.tried && !t.tried) {
			best = t
		}
	}
	if best == nil {
		return false
	}
	if best.tried {
		for _, t := range d.targets {
			t.tried = false
		}
	}
	best.tried, best.offered = true, false
	d.choose, d.next = never, d.now
	d.answer, d.left = best, roundResponses
	if d.several() {
		d.left = eachResponses
	}
	return true
}

// moveOn turns to the next address that has a Challenge to answer, or to
// asking.
func (d *dialer) moveOn() {
	if d.round > 0 && d.answerBest() {
		return
	}
	d.answer = nil
	for _, t := range d.targets {
		t.offered = false
		t.next = d.now
	}
}

func (d *dialer) allGaveUp() bool {
	for _, t := range d.targets {
		if d.now < t.givesUpAt() {
			return false
		}
	}
	return true
}

// giveUp ends the attempt with the best reason there is.
func (d *dialer) giveUp() {
	for _, t := range d.targets {
		if t.denied != 0 {
			d.fail(Denied, t.denied.status(), t.denied.String())
			return
		}
	}
	text := ""
	switch {
	case d.seen.wrongKey > 0:
		text = "the server's key is not the one expected"
	case d.seen.unusable > 0:
		text = "the server asks for what this client does not have"
	}
	d.fail(NoAnswer, 0, text)
}

// close gives the attempt up. The server forgets it by itself.
func (d *dialer) close() {
	if !d.over {
		d.fail(Local, 0, "")
	}
}

func (d *dialer) fail(why CloseReason, code uint16, text string) {
	d.finish(dialResult{failed: why, code: code, text: text})
}

// finish ends the attempt; its secrets go.
func (d *dialer) finish(r dialResult) {
	d.over, d.result = true, r
	d.tries, d.answer, d.terms = nil, nil, clientTerms{}
}

// done says whether the attempt is over, and how.
func (d *dialer) done() (dialResult, bool) { return d.result, d.over }
