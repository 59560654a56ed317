package netmsg

import (
	"net/netip"
	"slices"
	"time"
)

// A sealedDoor is what an endpoint has beside its tables for NMS2: the gate
// for its clients, the connections by their ids, and what they share.
type sealedDoor struct {
	gate   *secureGate // nil: its Config cannot serve, so no client is taken
	byCID  map[uint32]*peer
	budget heldBudget
	pacer  pacer
	work   sealedWork
	pool   buffers
	takes  int  // largest datagram that the sockets take; 0: any
	probes bool // the sockets never let a datagram be cut on its way
}

// pathLimits is what a Socket may have to say of the paths behind it: the
// largest datagram in bytes (0: any), and whether the budgets of addresses
// apply to them.
type pathLimits interface {
	PathLimits() (size int, budgets bool)
}

// wholeSocket is a Socket that may know that the system cuts no datagram of
// its, so that larger ones can be tried.
type wholeSocket interface{ neverCuts() bool }

func newSealedDoor(cfg *Config, socks []Socket, now time.Duration) *sealedDoor {
	d := &sealedDoor{byCID: make(map[uint32]*peer), budget: heldBudget{limit: endpointHeld}, probes: true}
	for _, s := range socks {
		if l, ok := s.(pathLimits); ok {
			if size, _ := l.PathLimits(); size > 0 && (d.takes == 0 || size < d.takes) {
				d.takes = size
			}
		}
		w, ok := s.(wholeSocket)
		d.probes = d.probes && ok && w.neverCuts()
	}
	if g, err := newSecureGate(cfg, newGateKey(cfg.Random), d.takes, now); err == nil {
		d.gate = g
		g.inUse = d.inUse
	} else if cfg.Log != nil {
		cfg.Log.Error("netmsg: no client can be taken", "err", err)
	}
	return d
}

func (d *sealedDoor) inUse(cid uint32) bool { return d.byCID[cid] != nil }

// arriveSealed acts on one datagram of an endpoint that speaks NMS2.
func (e *Endpoint) arriveSealed(now time.Duration, d *Datagram) {
	if len(d.Data) < 5 {
		e.stats.TooShort++
		return
	}
	if d.Data[0]&0x80 != 0 {
		e.deliverSealed(now, d)
		return
	}
	kind, ok := helloKind(d.Data)
	if !ok {
		if !e.overheard(d) {
			e.stats.UnknownKind++
		}
		return
	}
	switch kind {
	case helloRequest, helloResponse:
		e.knockSealed(now, d, kind)
	case helloChallenge, helloAccept, helloDenied:
		e.answerSealed(now, d)
	case helloPunch:
		e.punched(now, d)
	default:
		e.stats.UnknownKind++
	}
}

// deliverSealed gives a packet to its connection. The first one that verifies
// of a provisional connection opens it.
func (e *Endpoint) deliverSealed(now time.Duration, d *Datagram) {
	cid, _, ok := parseSealedHeader(d.Data)
	if !ok {
		e.stats.TooShort++
		return
	}
	p := e.sealed.byCID[cid]
	if p == nil {
		if p = e.confirm(now, d, cid); p == nil {
			return
		}
	}
	p.core.receiveFrom(now, d.Addr, d.Data)
	p.follow()
	p.touched()
}

// confirm opens the provisional connection that d is the first packet of.
func (e *Endpoint) confirm(now time.Duration, d *Datagram, cid uint32) *peer {
	gate := e.sealed.gate
	if gate == nil {
		e.stats.NoConnection++
		return nil
	}
	s, ok := gate.provisional(now, cid)
	switch {
	case !ok:
		e.stats.NoConnection++
		return nil
	case !s.secure.verifies(d.Data):
		e.stats.Forged++
		return nil
	case e.untold >= e.mostUntold():
		e.stats.Full++
		return nil
	}
	replaced, ok := gate.opened(now, cid)
	if !ok {
		e.stats.Full++
		return nil
	}
	if old := e.sealed.byCID[replaced]; replaced != 0 && old != nil {
		old.core.end(now, Replaced, true)
		old.touched()
	}
	p := e.newPeer(0, peerOpen, nil)
	p.conn.addr, p.accepted = s.secure.addr, true
	e.becomeOpen(p, s, now)
	e.questionOther(now, p)
	return p
}

// follow puts p where its core knows its peer to be, after it has moved.
func (p *peer) follow() {
	at := p.core.peerAddr()
	if at == p.conn.addr || !at.IsValid() {
		return
	}
	p.e.unroute(p)
	p.conn.addr = at
	p.e.route(p)
}

// knockSealed answers a Request or a Response.
func (e *Endpoint) knockSealed(now time.Duration, d *Datagram, kind byte) {
	switch {
	case len(d.Data) != paddedHello:
		e.stats.BadSize++
		return
	case !e.accepting || e.stalled || e.sealed.gate == nil:
		e.stats.NotAccepting++
		return
	case kind == helloResponse && e.untold >= e.mostUntold():
		e.stats.Full++
		return
	}
	if v := e.sealed.gate.receive(now, d.Addr, d.Data, e.outbox.room()); v.Reply > 0 {
		e.outbox.add(v.Reply, d.Addr)
	}
}

// answerSealed gives a Challenge, Accept or Denied to the dial that it answers.
func (e *Endpoint) answerSealed(now time.Duration, d *Datagram) {
	for _, p := range e.dials {
		if a := p.dial.attempt; a != nil && a.receive(now, d.Addr, d.Data) {
			e.settleAttempt(p, now)
			p.touched()
			return
		}
	}
	e.stats.NoConnection++
}

// settleAttempt opens or ends a dial whose attempt is over.
func (e *Endpoint) settleAttempt(p *peer, now time.Duration) {
	r, over := p.dial.attempt.done()
	if !over || p.dial.over {
		return
	}
	e.stats.noteAttempt(p.dial.attempt.seen)
	switch {
	case r.session == nil:
		p.dial.left = Event{Reason: r.failed, Code: r.code, Text: r.text}
		p.dial.fail(r.failed)
	default:
		e.hangUpDial(p)
		p.conn.addr = r.session.addr
		e.becomeOpen(p, Session{secure: r.session}, now)
	}
}

// transmitAttempt sends what is due of a dial's attempt.
func (e *Endpoint) transmitAttempt(p *peer, now time.Duration) {
	for {
		n, to := p.dial.attempt.transmit(now, e.outbox.room())
		if n == 0 {
			break
		}
		e.outbox.add(n, to)
	}
	e.settleAttempt(p, now)
}

// newAttempt begins the handshake of a dial.
func (e *Endpoint) newAttempt(to []netip.AddrPort, opt DialOptions) (*dialer, error) {
	cfg := *e.cfg
	if opt.Only {
		cfg.ServerKey, cfg.Fingerprint, cfg.PSK, cfg.Secret, cfg.Token, cfg.Hello = nil, 0, nil, nil, nil, nil
	}
	if opt.ServerKey != nil || opt.Fingerprint != 0 {
		cfg.ServerKey, cfg.Fingerprint = opt.ServerKey, opt.Fingerprint
	}
	if opt.PSK != nil || opt.Secret != nil {
		cfg.PSK, cfg.Secret = opt.PSK, opt.Secret
	}
	if opt.Token != nil {
		cfg.Token = opt.Token
	}
	if opt.Hello != nil {
		cfg.Hello = opt.Hello
	}
	return newDialer(&cfg, to, opt.Salt, e.sealed.takes, e.sealed.inUse, e.now())
}

// punched notes that somebody opened a way to this endpoint. A dial of that
// pair learns an address that it may not have been told.
func (e *Endpoint) punched(now time.Duration, d *Datagram) {
	id, ok := parsePunch(d.Data)
	if !ok {
		e.stats.BadSize++
		return
	}
	e.stats.Punches++
	for _, p := range e.dials {
		if a := p.dial.attempt; a != nil && a.hello.salt == id {
			a.advance(now)
			_ = a.add(d.Addr, punchedRank) // one address too many is one that is not asked
			p.touched()
		}
	}
	for _, p := range e.awaiting {
		if p.punches.id == id {
			p.punches.from = d.Addr
		}
	}
}

// punchedRank puts an address that was learned from a Punch behind those that
// a dial began with, but before the relayed ones.
const punchedRank = maxTargets

// addedRank puts addresses that a dial was given later behind all others.
const addedRank = punchedRank + 1

// AddAddress gives a sealed dial in progress a further address of its peer, a
// relayed one that was only now allocated, say. It is asked from now on, and
// preferred to none of the others. It returns an error when the dial is over, has
// eight addresses already, or the endpoint has no socket for this one;
// ErrNotInPlain on a plain endpoint.
func (c *Conn) AddAddress(to netip.AddrPort) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, dials := c.line.(*dialLine)
	p, _ := c.owner.(*peer)
	switch {
	case p != nil && p.e.sealed == nil:
		return ErrNotInPlain
	case !dials || d.over || d.attempt == nil:
		return ErrClosed
	case len(p.e.reachable([]netip.AddrPort{to})) == 0:
		return errNoAddress
	}
	d.attempt.advance(p.e.now())
	err := d.attempt.add(canonical(to), addedRank)
	p.touched()
	return err
}

// Expect registers the psk, 32 bytes, of a pair that a matchmaker introduced:
// a client whose handshake carries salt proves it. It is good for one
// connection and 30 seconds; of at most 1,024 registered the oldest goes first.
// It returns an error if psk has another size, ErrNotInPlain on a plain
// endpoint. PROTOCOL.md, The server.
func (e *Endpoint) Expect(salt [8]byte, psk []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sealed == nil || e.sealed.gate == nil {
		return ErrNotInPlain
	}
	return e.sealed.gate.expect(e.now(), salt, psk)
}

// Punch sends one datagram of 16 bytes to an address: it opens this side's NAT
// for the peer that has the pair's id, and is never answered. A plain endpoint
// has none and sends nothing. PROTOCOL.md, Datagrams.
func (e *Endpoint) Punch(to netip.AddrPort, id [8]byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sealed == nil || e.closed || len(e.reachable([]netip.AddrPort{to})) == 0 {
		return
	}
	e.outbox.add(len(appendPunch(e.outbox.room()[:0], id)), canonical(to))
	if e.mode == reading {
		e.outbox.send()
	}
}

// PublicKey is the static public key by which clients know this endpoint, 32
// bytes: that of Config.Identity, or one made for this endpoint. Plain
// endpoints have none: nil.
func (e *Endpoint) PublicKey() []byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sealed == nil || e.sealed.gate == nil {
		return nil
	}
	return slices.Clone(e.sealed.gate.terms.id.public[:])
}
