package party

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Forward passes a message on to members (none: to all guests but its author),
// with By as it is. Only the host can. It leaves at End; a member that is the
// author is left out.
func (p *Party) Forward(m *Message, mode Mode, to ...PID) error {
	switch {
	case p.state != StateHosting:
		return fmt.Errorf("%w: cannot forward", ErrNotHosting)
	case m.Kind == Hello:
		return fmt.Errorf("party: a hello is not forwarded")
	}
	if err := mode.check(); err != nil {
		return err
	}
	if err := p.checkSize(mode, len(m.data)); err != nil {
		return err
	}
	if len(to) > 0 {
		if err := p.checkPIDs(to); err != nil {
			return err
		}
	}
	for _, r := range p.peers {
		if r.role == roleGuest && r.pid != m.By && (len(to) == 0 || slices.Contains(to, r.pid)) {
			r.forward(m.Kind, m.By, m.data, mode, m.slot)
		}
	}
	return nil
}

// forward queues another member's message for a guest.
func (r *Peer) forward(kind Kind, by PID, data []byte, mode Mode, slot int) {
	var head [3]byte
	putHostHeader(head[:], kind, by)
	r.post(kind, head[:], data, mode, slot)
}

// A passing is a guest's message for other members, until the end of Begin.
type passing struct {
	guestMessage
	mode Mode
	next int32 // the author's next one, by its place; -1: none
}

// passOn takes a guest's message for members. This side's copy is in the inbox
// at once; the others wait for relay.
func (p *Party) passOn(author *Peer, g guestMessage, m Mode) {
	others := false
	for i := 0; i < len(g.to); i += 2 {
		switch pid := PID(binary.BigEndian.Uint16(g.to[i:])); pid {
		case p.place.pid:
			if containsPID(g.to[:i], pid) {
				continue
			}
			p.inbox.add(Message{From: author, By: author.pid, Kind: g.kind, data: g.data, slot: author.slot})
		case author.pid:
		default:
			others = true
		}
	}
	if !others {
		return
	}
	at := int32(len(p.passings))
	p.passings = append(p.passings, passing{g, m, -1})
	if author.lastPassing < 0 {
		author.firstPassing = at
	} else {
		p.passings[author.lastPassing].next = at
	}
	author.lastPassing = at
}

// relay passes on what guests sent to other members: of each author one message
// in turn, so that nobody's flood holds up the others.
func (p *Party) relay() {
	for left := len(p.passings); left > 0; {
		for i := 0; i < len(p.peers); i++ {
			if r := p.peers[i]; r.firstPassing >= 0 {
				p.pass(r, &p.passings[r.firstPassing])
				r.firstPassing = p.passings[r.firstPassing].next
				left--
			}
		}
	}
	if len(p.passings) == 0 {
		return
	}
	for _, r := range p.peers {
		r.firstPassing, r.lastPassing = -1, -1
	}
	clear(p.passings)
	p.passings = p.passings[:0]
}

// pass queues one message for each member it is for.
func (p *Party) pass(author *Peer, g *passing) {
	for i := 0; i < len(g.to); i += 2 {
		pid := PID(binary.BigEndian.Uint16(g.to[i:]))
		if r := p.guest(pid); r != nil && r != author && !containsPID(g.to[:i], pid) {
			r.forward(g.kind, author.pid, g.data, g.mode, author.slot)
		}
	}
}

// guest is the guest of a pid; nil: there is none.
func (p *Party) guest(pid PID) *Peer {
	if r := p.PeerOf(pid); r != nil && r.role == roleGuest {
		return r
	}
	return nil
}

// containsPID says whether pid is among those on the wire.
func containsPID(to []byte, pid PID) bool {
	for i := 0; i+1 < len(to); i += 2 {
		if PID(binary.BigEndian.Uint16(to[i:])) == pid {
			return true
		}
	}
	return false
}
