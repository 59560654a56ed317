package party

import (
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// A stranger is a connection that came in and was not accepted: only its first
// hello reaches the inbox.

// arrived takes a connection that came in.
func (p *Party) arrived(conn *netmsg.Conn) {
	role := roleStranger
	if p.state != StateHosting {
		role = roleAsker
	}
	crowd := p.count(roleStranger) + p.count(roleAsker)
	r := p.addPeer(conn, role)
	r.open = true
	r.waitBy, r.waitMax = p.now+JoinTimeout, p.now+MaxHelloWait
	if crowd == maxStrangers {
		p.sendOff(r, codeFull, "")
	}
}

// strangerSaid takes a stranger's message.
func (p *Party) strangerSaid(r *Peer, data []byte) {
	switch {
	case isLibrary(data, opEarly) && r.early == nil:
		p.meet(r, data[2:])
	case r.early == nil || len(data) < 2:
		p.sendOff(r, codeProtocol, "")
	case Kind(data[0]) == Hello && !r.greeted:
		r.greeted = true
		p.inbox.add(Message{From: r, Kind: Hello, data: data[2:]})
	}
}

// meet looks at a stranger's early data and decides what the library can.
func (p *Party) meet(r *Peer, fields []byte) {
	e, code := p.checkEarly(fields)
	epoch := p.place.roster.epoch
	switch {
	case code != codeClosed:
		p.sendOff(r, code, "")
		return
	case e.hosting() && e.opening < epoch:
		p.point(r) // its guests have come here
		return
	case e.hosting() || e.followed > epoch:
		p.sendOff(r, codeClosed, "")
		return
	}
	r.early = &e
	if m := p.expected(e.seat); m != nil {
		p.seatAgain(r, *m)
		return
	}
	p.dropGhost(e.seat)
	if p.count(roleGuest) == maxGuests {
		p.sendOff(r, codeFull, "")
	}
}

// checkEarly reads early data; the code says what is wrong with it, codeClosed:
// nothing.
func (p *Party) checkEarly(fields []byte) (early, closeCode) {
	e, ok := parseEarly(fields)
	switch {
	case !ok:
		return e, codeProtocol
	case e.version != partyVersion:
		return e, codeVersion
	case e.proto != p.cfg.Proto:
		return e, codeProto
	}
	return e, codeClosed
}

// judgeHellos ends the waits that have lasted too long.
func (p *Party) judgeHellos() {
	if p.state == StateJoining && p.now >= p.helloBy {
		p.down(WhyNoAnswer, "")
		return
	}
	for _, r := range p.peers {
		if (r.role == roleStranger || r.role == roleAsker) && p.now >= r.waitBy {
			p.sendOff(r, codeClosed, "")
		}
	}
}

// HelloWait lets a hello wait for d from now at least: at a guest its own, at
// the host that of each stranger. Without it a hello waits for JoinTimeout. It
// never shortens the wait, and cannot take it over MaxHelloWait in all.
func (p *Party) HelloWait(d time.Duration) {
	until := p.clock.now() + d
	p.helloBy = max(p.helloBy, min(until, p.helloMax))
	for _, r := range p.peers {
		r.waitBy = max(r.waitBy, min(until, r.waitMax))
	}
}
