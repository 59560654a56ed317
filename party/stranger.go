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
	r.opened()
	p.recall(r)
	r.waitBy, r.waitMax = p.now+JoinTimeout, p.now+MaxHelloWait
	e, ok := parseEarly(conn.Greeting())
	switch {
	case !ok:
		p.sendOff(r, codeProtocol, "")
	case crowd == maxStrangers:
		p.sendOff(r, codeFull, "")
	case role == roleAsker:
		p.recognise(r, e)
	default:
		p.meet(r, e)
	}
}

// strangerSaid takes a stranger's message.
func (p *Party) strangerSaid(r *Peer, data []byte) {
	switch {
	case len(data) < 2:
		p.sendOff(r, codeProtocol, "")
	case Kind(data[0]) != Hello || r.greeted:
	case r.double != nil:
		r.greeted, r.hello = true, append([]byte{}, data[2:]...)
	default:
		r.greeted = true
		p.inbox.add(Message{From: r, Kind: Hello, data: data[2:]})
	}
}

// doubtLife is how long a hello waits at most until it is settled whether its
// sender is the guest of the same address, started anew: netmsg takes half a
// second for that, or longer on a long way.
const doubtLife = 2 * time.Second

// releaseHellos hands over the hellos of strangers whose doubles are settled.
func (p *Party) releaseHellos() {
	for _, r := range p.peers {
		if r.double == nil || r.double.role == roleGuest && p.now-r.since < doubtLife {
			continue
		}
		r.double = nil
		if r.role == roleStranger && r.greeted {
			p.inbox.add(Message{From: r, Kind: Hello, data: r.hello})
		}
	}
}

// meet looks at a stranger's early data and decides what the library can.
func (p *Party) meet(r *Peer, e early) {
	epoch := p.place.roster.epoch
	switch {
	case p.handing.on:
		p.sendOff(r, codeMoved, p.handing.text) // this host takes nobody any more
		return
	case e.hosting() && e.opening < epoch:
		p.point(r) // its guests have come here
		return
	case e.hosting() || e.followed > epoch:
		p.sendOff(r, codeClosed, "")
		return
	}
	r.early = &e
	if m := p.expected(r.key); m != nil {
		p.seatAgain(r, *m)
		return
	}
	p.dropGhost(r)
	if p.count(roleGuest) == maxGuests {
		p.sendOff(r, codeFull, "")
		return
	}
	r.double = p.guestAt(r)
}

// guestAt is a guest at the very address of a stranger; nil: there is none.
func (p *Party) guestAt(r *Peer) *Peer {
	addr := r.Addr()
	for _, g := range p.peers {
		if g.role == roleGuest && g.Addr() == addr {
			return g
		}
	}
	return nil
}

// judgeHellos ends the waits that have lasted too long.
func (p *Party) judgeHellos() {
	if p.state == StateJoining && p.now >= p.helloBy {
		p.down(p.unanswered())
		return
	}
	for _, r := range p.peers {
		if (r.role == roleStranger || r.role == roleAsker) && p.now >= r.waitBy {
			p.sendOff(r, codeClosed, "")
		}
	}
}

// unanswered is why a join that has lasted too long was in vain.
func (p *Party) unanswered() (why Why, text string) {
	if p.target.Room != "" {
		return p.noPath()
	}
	for _, r := range p.peers {
		if r.role == roleDial && r.conn.WrongKey() {
			return WhyKey, ""
		}
	}
	return WhyNoAnswer, ""
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
