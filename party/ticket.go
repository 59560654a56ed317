package party

import (
	"github.com/partyline-go/partyline/codes"
)

// The host gives every member the key to the room, so that whoever is host next
// can ask for it. On the wire, after kind 0 and op 7: the room's code, 8
// symbols, and its ticket, 16 bytes.

// codeSize is the number of symbols of a room's code.
const codeSize = 8

func appendRoomKey(b []byte, k roomKey) []byte {
	for _, c := range []byte(k.code) {
		if c != '-' {
			b = append(b, c)
		}
	}
	return append(b, k.ticket[:]...)
}

func parseRoomKey(b []byte) (k roomKey, ok bool) {
	if len(b) != codeSize+ticketSize {
		return k, false
	}
	to, err := codes.Parse(string(b[:codeSize]), 0)
	if err != nil || to.Room == "" {
		return k, false
	}
	k.code = to.Room
	copy(k.ticket[:], b[codeSize:])
	return k, true
}

// sendTickets gives the key to the guests that have not this one.
func (p *Party) sendTickets() {
	if p.place.room.code == "" {
		return
	}
	for _, r := range p.peers {
		if r.role == roleGuest && r.ticket <= p.room.version {
			r.ticket = p.room.version + 1
			r.say(opTicket, appendRoomKey(p.scratch(), p.place.room))
		}
	}
}

// newTicket takes the key that the host gives.
func (p *Party) newTicket(r *Peer, fields []byte) {
	key, ok := parseRoomKey(fields)
	if !ok {
		p.misbehaved(r)
		return
	}
	p.place.room = key
}
