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

// A dialResult is how an attempt ended. NoAnswer has a code when a server did
// answer: NoAnswerKey or NoAnswerDemands.
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

// postpone has an attempt of which nothing was sent yet begin later.
func (d *dialer) postpone(by time.Duration) {
	d.now += by
	if d.until != never {
		d.until += by
	}
	for _, t := range d.targets {
		t.next += by
	}
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
