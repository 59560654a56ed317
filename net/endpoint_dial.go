package netmsg

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// DialOptions of one dial. The zero value is what Dial uses.
type DialOptions struct {
	ID ConnID // of the new connection, one that none has now; 0: the next free one

	// NMS2, each in place of the Config's field of that name. With Only, what is
	// left out is none, and not the Config's.
	Only        bool
	ServerKey   []byte
	Fingerprint uint64
	PSK         []byte
	Secret      []byte
	Token       []byte
	Hello       []byte

	Salt [8]byte // NMS2: a pair's id, from a matchmaker; zero: random
}

// maxDialAddrs is how many addresses one dial may name.
const maxDialAddrs = 8

// Dial connects to one more peer, from the endpoint's own socket. It does not
// wait: the handler hears Joined, or Left with NoAnswer or Denied. The
// connection returned may be closed meanwhile; sends are ErrConnecting.
//
// Up to eight addresses of the same peer may be named, the best first. All of
// them are asked, in one handshake: a plain endpoint goes on with the first that
// answers, a sealed one with the best that does within 50 ms of the first. An
// address of a family that the endpoint has no socket for is left out. Dial returns an error if no
// address is left or there are too many, the ID is in use, or the endpoint is
// closed (ErrClosed).
func (e *Endpoint) Dial(to []netip.AddrPort, opt DialOptions) (*Conn, error) {
	if len(to) > maxDialAddrs {
		return nil, fmt.Errorf("netmsg: %d addresses in one dial, at most %d", len(to), maxDialAddrs)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	reach := e.reachable(to)
	if len(reach) == 0 {
		return nil, fmt.Errorf("netmsg: no address to dial in %v", to)
	}
	p, err := e.newDial(opt)
	if err != nil {
		return nil, err
	}
	if err := e.begin(p, reach); err != nil {
		e.hangUpDial(p)
		e.forget(p)
		e.untold--
		return nil, err
	}
	p.touched()
	return &p.conn, nil
}

// begin starts the handshake of a dial whose addresses are known.
func (e *Endpoint) begin(p *peer, to []netip.AddrPort) (err error) {
	p.dial.to = to
	if len(to) == 1 {
		p.conn.addr = to[0]
	}
	if e.sealed == nil {
		p.dial.handshake = newPlainClient(e.cfg, e.now())
		return nil
	}
	p.dial.attempt, err = e.newAttempt(to, p.dial.opt)
	return err
}

// postponeDials has the dials in progress begin later: a stepped endpoint does
// not know what time it is before its first frame.
func (e *Endpoint) postponeDials(by time.Duration) {
	for _, p := range e.dials {
		if p.dial.handshake != nil {
			p.dial.handshake.postpone(by)
		}
		if p.dial.attempt != nil {
			p.dial.attempt.postpone(by)
		}
		p.touched()
	}
}

// reachable gives the addresses of to, in the form they are compared in, that
// a socket of the endpoint can send to.
func (e *Endpoint) reachable(to []netip.AddrPort) (reach []netip.AddrPort) {
	for _, a := range to {
		a = canonical(a)
		if a.IsValid() && a.Port() != 0 && e.hasSocketFor(a.Addr()) && !slices.Contains(reach, a) {
			reach = append(reach, a)
		}
	}
	return reach
}

// hasSocketFor says whether there is a UDP socket of to's family, or a path. A
// socket of the caller's is taken to reach everything else.
func (e *Endpoint) hasSocketFor(to netip.Addr) bool {
	if synthetic(to) {
		return len(e.paths) > 0
	}
	return !e.ownUDP || slices.ContainsFunc(e.socks, func(s Socket) bool {
		return sameFamily(s.LocalAddr().Addr(), to)
	})
}

// newDial makes a connection that is being dialled, with no addresses yet.
func (e *Endpoint) newDial(opt DialOptions) (*peer, error) {
	if e.closed {
		return nil, ErrClosed
	}
	if _, taken := slices.BinarySearchFunc(e.peers, opt.ID, comparePeer); taken {
		return nil, fmt.Errorf("netmsg: connection %d is there already", opt.ID)
	}
	d := &dialLine{opt: opt}
	p := e.newPeer(opt.ID, peerDialing, d)
	p.dial = d
	e.dials = append(e.dials, p)
	return p, nil
}

// A dialPlace is what a dial's text names: addresses, or a host to be looked
// up.
type dialPlace struct {
	addrs []netip.AddrPort
	host  string
	port  uint16
}

func parseTarget(addr string) (dialPlace, error) {
	if a, err := netip.ParseAddrPort(addr); err == nil {
		return dialPlace{addrs: []netip.AddrPort{canonical(a)}}, nil
	}
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return dialPlace{}, fmt.Errorf("netmsg: %w", err)
	}
	port, err := strconv.ParseUint(service, 10, 16)
	if err != nil || port == 0 {
		return dialPlace{}, fmt.Errorf("netmsg: %q is not a port from 1 to 65535", service)
	}
	if host == "" {
		here := netip.AddrPortFrom(netip.IPv4Unspecified(), uint16(port))
		return dialPlace{addrs: []netip.AddrPort{canonical(here)}}, nil
	}
	return dialPlace{host: host, port: uint16(port)}, nil
}

// dialTarget dials what a text names.
func (e *Endpoint) dialTarget(t dialPlace) error {
	if t.host == "" {
		_, err := e.Dial(t.addrs, DialOptions{})
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := e.newDial(DialOptions{})
	if err != nil {
		return err
	}
	e.goLocked(func() { e.lookUp(p, t) })
	return nil
}

// lookUp finds the addresses of a host for a dial.
func (e *Endpoint) lookUp(p *peer, t dialPlace) {
	ctx := e.dialing
	if e.cfg.ConnectTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.cfg.ConnectTimeout)
		defer cancel()
	}
	ips, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", t.host)
	var to []netip.AddrPort
	for _, ip := range ips[:min(len(ips), maxDialAddrs)] {
		to = append(to, netip.AddrPortFrom(ip, t.port))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if p.dial == nil || p.dial.over {
		return
	}
	if reach := e.reachable(to); len(reach) == 0 || e.begin(p, reach) != nil {
		p.dial.fail(NoAnswer)
	}
	p.touched()
}

// transmitDial sends what is due of a dial's handshake to all its addresses.
func (e *Endpoint) transmitDial(p *peer, now time.Duration) {
	d := p.dial
	if d.attempt != nil {
		e.transmitAttempt(p, now)
		return
	}
	for d.handshake != nil {
		buf := e.outbox.room()
		n := d.handshake.Transmit(now, buf)
		if n == 0 {
			break
		}
		for i, to := range d.to {
			if i > 0 {
				copy(e.outbox.room(), buf[:n]) // what buf holds stays even if room has sent it
			}
			e.outbox.add(n, to)
		}
	}
	if d.handshake == nil {
		return
	}
	if _, failed, done := d.handshake.Done(); done && failed != 0 {
		d.fail(failed)
	}
}

// answer gives a datagram to the dial in progress that it answers. It returns
// false if there is none.
func (e *Endpoint) answer(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	for _, p := range e.dials {
		if slices.Contains(p.dial.to, from) && p.dial.handshake.Receive(now, datagram) {
			e.answered(now, p, from, datagram)
			return true
		}
	}
	return false
}

// answered goes on with the address that has answered, and opens or ends the
// connection if the handshake is over.
func (e *Endpoint) answered(now time.Duration, p *peer, from netip.AddrPort, datagram []byte) {
	p.dial.to, p.conn.addr = []netip.AddrPort{from}, from
	s, failed, done := p.dial.handshake.Done()
	switch {
	case done && failed != 0:
		p.dial.fail(failed)
	case done:
		e.hangUpDial(p)
		e.becomeOpen(p, s, now)
		p.core.Receive(now, datagram) // an Accept says nothing to it, a Payload does
	}
	p.touched()
}

// hangUpDial takes p out of the dials in progress.
func (e *Endpoint) hangUpDial(p *peer) {
	if at := slices.Index(e.dials, p); at >= 0 {
		e.dials = slices.Delete(e.dials, at, at+1)
	}
}

// A dialLine is the line of a connection that is being dialled: it can be
// closed, and nothing else.
type dialLine struct {
	opt       DialOptions
	to        []netip.AddrPort // none: the host is being looked up
	handshake *plainClient     // NMS1
	attempt   *dialer          // NMS2
	over      bool
	left      Event // waits to be told; no Reason: it does not
}

// fail ends the dial for a reason.
func (d *dialLine) fail(why CloseReason) {
	if !d.over {
		d.over, d.left.Reason = true, why
	}
}

// deadline is when the handshake wants to transmit.
func (d *dialLine) deadline() time.Duration {
	switch {
	case d.attempt != nil:
		return d.attempt.deadline()
	case d.handshake != nil:
		return d.handshake.Deadline()
	}
	return never
}

func (d *dialLine) refuse() error {
	if d.over {
		return ErrClosed
	}
	return ErrConnecting
}

func (d *dialLine) SendReliable([]byte) error         { return d.refuse() }
func (d *dialLine) SendOn(Channel, []byte) error      { return d.refuse() }
func (d *dialLine) SendUnreliable([]byte) error       { return d.refuse() }
func (d *dialLine) SendLatest(uint16, []byte) error   { return d.refuse() }
func (d *dialLine) SetStreamWeight(uint16, int) error { return d.refuse() }
func (d *dialLine) Flush()                            {}
func (d *dialLine) Stats() Stats                      { return Stats{} }

// CloseWith gives the dial up. A server that may have taken it is told.
func (d *dialLine) CloseWith(uint16, string) {
	d.fail(Local)
	d.giveUp()
}

// giveUp ends the handshake.
func (d *dialLine) giveUp() {
	if d.attempt != nil {
		d.attempt.close()
	}
	if d.handshake != nil {
		d.handshake.Close()
	}
}

func (d *dialLine) ended() bool          { return d.over }
func (d *dialLine) pending() bool        { return d.left.Reason != 0 }
func (d *dialLine) hasValue(uint16) bool { return false }

func (d *dialLine) next(e *Event) bool {
	*e = d.left
	e.Kind = Left
	d.left = Event{}
	return e.Reason != 0
}

var _ line = (*dialLine)(nil)
