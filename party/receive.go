package party

import (
	"encoding/binary"

	netmsg "github.com/partyline-go/partyline/net"
)

// heard takes one of netmsg's events. It returns false once the session has
// ended: what else there is belongs to nobody.
func (p *Party) heard(e netmsg.Event) bool {
	if p.ep == nil {
		return false
	}
	r := p.peerBy(e.Conn)
	switch {
	case e.Kind == netmsg.Joined && r == nil:
		p.arrived(e.Conn)
	case r == nil || r.role == roleEnded:
		// one that was let go
	case e.Kind == netmsg.Joined:
		r.opened()
	case e.Kind == netmsg.Message, e.Kind == netmsg.Update:
		p.said(r, e.Data, modeOf(e))
	case e.Kind == netmsg.Left:
		p.closed(r, e)
	}
	return p.ep != nil
}

// said takes a message from a peer.
func (p *Party) said(r *Peer, data []byte, m Mode) {
	switch r.role {
	case roleStranger:
		p.strangerSaid(r, data)
	case roleAsker:
		p.askerSaid(r, data)
	case roleGuest:
		p.guestSaid(r, data, m)
	case roleHost:
		p.hostSaid(r, data)
	case roleDial:
		p.dialSaid(r, data)
	}
}

// isLibrary says whether a message is the library's own with this op.
func isLibrary(data []byte, op byte) bool {
	return len(data) >= 2 && Kind(data[0]) == kindLibrary && data[1] == op
}

// guestSaid takes a guest's message: kind 1, n 1, n pids of 2, then data. With
// no pids it is for the host.
func (p *Party) guestSaid(r *Peer, data []byte, m Mode) {
	if len(data) >= 2 && Kind(data[0]) == kindLibrary {
		if data[1] == opRosterAck {
			p.acked(r, data[2:])
		}
		return // an op that this version does not know says nothing
	}
	g, ok := parseGuestMessage(data)
	switch {
	case !ok:
		p.misbehaved(r)
	case g.kind == Hello && !r.greeted:
		r.greeted = true // one that was let in before it said hello
		p.inbox.add(Message{From: r, By: r.pid, Kind: Hello, data: g.data, slot: r.slot})
	case g.kind == Hello:
		// the game has it
	case len(g.to) == 0:
		p.inbox.add(Message{From: r, By: r.pid, Kind: g.kind, data: g.data, slot: r.slot})
	default:
		p.passOn(r, g, m)
	}
}

// A guestMessage is what a guest sends its host.
type guestMessage struct {
	kind Kind
	to   []byte // 2 bytes a pid
	data []byte
}

func parseGuestMessage(b []byte) (g guestMessage, ok bool) {
	if len(b) < 2 {
		return g, false
	}
	n := int(b[1])
	if n > maxRecipients || len(b) < 2+2*n {
		return g, false
	}
	return guestMessage{Kind(b[0]), b[2 : 2+2*n], b[2+2*n:]}, true
}

// acked notes that a guest has the roster. The first time, it is really there.
func (p *Party) acked(r *Peer, fields []byte) {
	w := wireReader{fields}
	if w.uint32(); !w.done() {
		p.misbehaved(r)
		return
	}
	if !r.confirmed {
		r.confirmed = true
		p.tell(Fact{Kind: Joined, Peer: r, PID: r.pid})
	}
}

func appendVersion(b []byte, version uint32) []byte {
	return binary.BigEndian.AppendUint32(b, version)
}

// hostSaid takes the host's message: kind 1, author 2, then data.
func (p *Party) hostSaid(r *Peer, data []byte) {
	if len(data) < 2 {
		p.misbehaved(r)
		return
	}
	switch kind := Kind(data[0]); {
	case kind == kindLibrary:
		p.hostTold(r, data[1], data[2:])
	case len(data) < 3 || data[1]|data[2] == 0:
		p.misbehaved(r)
	case kind != Hello:
		by := PID(binary.BigEndian.Uint16(data[1:]))
		p.inbox.add(Message{From: r, By: by, Kind: kind, data: data[3:]})
	}
}

// hostTold takes what the host's library says.
func (p *Party) hostTold(r *Peer, op byte, fields []byte) {
	switch op {
	case opRoster:
		p.newRoster(r, fields)
	case opHandOff:
		if h, ok := parseHandOff(fields); ok {
			p.toldHeir(h, WhyMoved)
		} else {
			p.misbehaved(r)
		}
	case opTicket:
		p.newTicket(r, fields)
	}
}

// newRoster takes the host's newest roster.
func (p *Party) newRoster(r *Peer, fields []byte) {
	t, ok := parseRoster(fields)
	own := t.member(p.place.pid)
	if !ok || own == nil || own.key != p.key || t.host().pid != r.pid || t.host().key != r.key || t.epoch != p.place.roster.epoch {
		p.misbehaved(r)
		return
	}
	changed := !sameMembers(t.members, p.place.roster.members)
	p.place.roster = t
	r.say(opRosterAck, appendVersion(p.scratch(), t.version))
	if changed {
		p.tell(Fact{Kind: PeersChanged})
	}
}

// closed takes the end of a connection, with the reason that its peer gives if
// it gives one.
func (p *Party) closed(r *Peer, e netmsg.Event) {
	if saysWhy(e) {
		r.why, r.text = whyLeft(e), e.Text
		if e.Reason == netmsg.Denied && e.Code <= netmsg.AdmitToken {
			r.text = "" // netmsg's own words, not the host's
		}
	}
	p.left(r, whyLeft(e))
}

// misbehaved ends a connection whose peer does not keep to the protocol.
func (p *Party) misbehaved(r *Peer) {
	p.log.Warn("a peer breaks the protocol", "addr", r.Addr(), "pid", r.pid)
	role := r.role
	p.sendOff(r, codeProtocol, "")
	switch role {
	case roleGuest:
		p.gone(r, WhyProtocol, "")
	case roleHost:
		p.down(WhyProtocol, "")
	case roleDial:
		p.dialFailed(r, WhyProtocol, "")
	}
}

// left ends a connection that its peer or the network ended. why counts if the
// peer has not said why.
func (p *Party) left(r *Peer, why Why) {
	if r.why != WhyNone {
		why = r.why
	}
	role := r.role
	r.close()
	switch role {
	case roleGuest:
		p.gone(r, why, r.text)
	case roleHost:
		p.hostLeft(r, why, r.text)
	case roleDial:
		p.dialFailed(r, why, r.text)
	}
}
