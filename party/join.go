package party

import (
	"fmt"
	"net/netip"

	"github.com/partyline-go/partyline/codes"
)

// Join sets out for a host. It does not wait: Facts tell Joined or Down,
// exactly one of them, within JoinTimeout unless HelloWait was called. An
// address without a port means Config.Port. A room's code leads to its host by
// the matchmaker, Config.SignalURL: directly if the routers let it, or else over
// the relay. Party.Stage says how far that has come, and each way it can fail
// has its own Why: WhyNoMatchmaker, WhyNoRoom, WhyRoomClosed, WhyFull, WhyProto,
// WhyThrottled, WhyNoPath (Text says what was tried), WhyKey, WhyNoAnswer (the
// host was reached, and its game did not answer).
//
// It returns an error, and no fact follows, when a session is on (ErrBusy),
// when the target is no address (WhyBadCode), when the hello is too large, or
// when there is no socket (WhySocket).
func (p *Party) Join(to codes.Target) error {
	if err := p.begin(); err != nil {
		return err
	}
	return p.setOut(to)
}

// Dial joins again, after Down, or elsewhere instead of the join that is on,
// whose fact it inherits. The hello goes again. Unlike Join it leaves unread
// facts. Errors are those of Join; the join that was on then ends in
// Down(WhyCancelled).
func (p *Party) Dial(to codes.Target) error {
	if p.state.Live() {
		return fmt.Errorf("%w: %v", ErrBusy, p.state)
	}
	joining := p.state == StateJoining
	p.closeSession()
	err := p.setOut(to)
	if err != nil && joining {
		p.cancelled()
	}
	return err
}

// setOut begins a join.
func (p *Party) setOut(to codes.Target) error {
	p.target = to
	p.place.fresh()
	if to.Room != "" {
		return p.setOutByRoom(to)
	}
	addr, err := p.addrOf(to)
	if err != nil {
		return err
	}
	if err := p.openSocket(0, false); err != nil {
		return err
	}
	if _, err := p.dial(addresses(addr), p.early(), trustOf(to)); err != nil {
		p.closeSession()
		p.why = WhySocket
		return fmt.Errorf("%w: %v: %w", WhySocket, addr, err)
	}
	p.state = StateJoining
	p.helloBy, p.helloMax = p.now+JoinTimeout, p.now+MaxHelloWait
	return nil
}

// setOutByRoom begins a join by a room's code.
func (p *Party) setOutByRoom(to codes.Target) error {
	if p.helloErr != nil {
		return fmt.Errorf("party: the hello cannot be sent: %w", p.helloErr)
	}
	if p.cfg.SignalURL == "" {
		p.why = WhyNoMatchmaker
		p.tell(Fact{Kind: Down, Why: WhyNoMatchmaker, Text: to.Room})
		return nil
	}
	if err := p.openSocket(0, false); err != nil {
		return err
	}
	p.state = StateJoining
	p.helloBy, p.helloMax = p.now+JoinTimeout, p.now+MaxHelloWait
	p.joinRoom(to)
	return nil
}

// addrOf is the address that a target means.
func (p *Party) addrOf(to codes.Target) (netip.AddrPort, error) {
	if p.helloErr != nil {
		return netip.AddrPort{}, fmt.Errorf("party: the hello cannot be sent: %w", p.helloErr)
	}
	addr := to.Addr
	if addr.Port() == 0 {
		addr = netip.AddrPortFrom(addr.Addr(), p.cfg.Port)
	}
	if !addr.Addr().IsValid() || addr.Addr().IsUnspecified() {
		p.why = WhyBadCode
		return addr, fmt.Errorf("%w: %v is no address of a host", WhyBadCode, to.Addr)
	}
	return addr, nil
}

// early is what this side says first.
func (p *Party) early() early {
	e := early{version: partyVersion, proto: p.cfg.Proto}
	if p.place.seated {
		e.seat = p.place.seat
	}
	return e
}

// trustOf is what an invitation tells of its host.
func trustOf(to codes.Target) trust {
	return trust{fingerprint: to.Fingerprint, secret: to.Secret}
}

// Cancel takes back a join: Facts tell Down(WhyCancelled). A join that has
// ended is not touched; Leave ends a session.
func (p *Party) Cancel() {
	if p.state == StateJoining {
		p.closeSession()
		p.cancelled()
	}
}

func (p *Party) cancelled() {
	p.why = WhyCancelled
	p.tell(Fact{Kind: Down, Why: WhyCancelled})
}

// SetHello makes the message the hello, whatever its kind: Join, Dial and
// Follow send it, each time. A message that could not be sent makes them fail.
// Without SetHello the hello is empty.
func (w *Writer) SetHello() {
	p := w.party
	p.helloErr = w.check(Reliable)
	if p.helloErr == nil {
		p.hello = append(p.hello[:0], w.data()...)
	}
}

// dialSaid takes a message from a host that was dialled: it lets this side in
// (an accept, then the roster), or says why not.
func (p *Party) dialSaid(r *Peer, data []byte) {
	switch {
	case isLibrary(data, opAccept):
		a, ok := parseAccept(data[2:])
		if !ok {
			p.misbehaved(r)
			return
		}
		r.accepted = a
	case isLibrary(data, opRoster):
		t, ok := parseRoster(data[2:])
		if !ok || !p.fits(r, &t) {
			p.misbehaved(r)
			return
		}
		p.letIn(r, t)
	}
}

// fits says whether a roster shows the place that a host's accept gave, and the
// host by its own key.
func (p *Party) fits(r *Peer, t *roster) bool {
	m := t.member(r.accepted.pid)
	return m != nil && m.flags&isHost == 0 && m.key == p.key && t.token == r.accepted.token && t.host().key == r.key
}

// letIn makes the host that was dialled this side's host.
func (p *Party) letIn(r *Peer, t roster) {
	switch p.state {
	case StateJoining:
		p.state = StateJoined
		p.settle(r, t)
		p.tell(Fact{Kind: Joined, Peer: r, PID: p.place.pid})
	case StateJoined:
		p.mayFollow(r, t)
	default:
		r.close() // a host asks, and follows nobody
	}
}

// settle takes a host and its roster.
func (p *Party) settle(r *Peer, t roster) {
	p.host = r
	r.role, r.pid = roleHost, t.host().pid
	p.place.pid, p.place.seat, p.place.seated = r.accepted.pid, r.accepted.seat, true
	p.place.roster = t
	p.succession = succession{highest: t.epoch}
	p.errandDone()
	p.ep.SetAccepting(!p.cfg.NoHandOff) // for members that lose the host
	r.say(opRosterAck, appendVersion(p.scratch(), t.version))
	p.tellDoor()
}
