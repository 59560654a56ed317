package matchmaker

import (
	"slices"
	"time"
)

// claim: an heir asks for the room. It is granted to the heir that the host
// named, and to a ticket holder once the host has been gone for goneAfter, or
// has not answered for so long. A living host is asked first, and hears who
// claims.
func (d *Directory) claim(now time.Duration, s *socket, m Message) {
	code, ok := roomCode(m.Code)
	if !ok || len(m.Key) != 32 {
		d.refuse(s.id, Bad, "claim needs a code, a ticket and a key", 0)
		return
	}
	r := d.rooms[code]
	if r == nil {
		if q, was := d.rest[code]; was && q.ticket == [16]byte(padded(m.Ticket)) {
			d.reopen(now, s, m)
			return
		}
	}
	if r == nil || !r.fits(m.Ticket) {
		// Both alike: a claim does not tell whether a code is somebody's.
		d.refuse(s.id, NoRoom, "no room has this code and this ticket", 0)
		return
	}
	d.Counts.Claims++
	if r.host != 0 {
		r.doubt(now)
	}
	if r.hasHeir && r.heir == [32]byte(m.Key) || r.host == s.id || r.lost(now) {
		d.Counts.Granted++
		d.takeOver(now, s, r, m)
		return
	}
	if len(r.claims) < maxPairs && !slices.Contains(r.claims, s.id) {
		r.claims = append(r.claims, s.id)
	}
	if r.host != 0 {
		d.send(r.host, Message{T: Claimed, Code: code, Epoch: m.Epoch, Key: m.Key})
		d.out = append(d.out, Action{To: r.host, Ping: true})
	}
}

// takeOver gives r to s; a socket that held it hears that it was moved.
func (d *Directory) takeOver(now time.Duration, s *socket, r *room, m Message) {
	if old := d.sockets[r.host]; old != nil && old != s {
		old.room = nil
		if r.key != [32]byte(m.Key) {
			d.send(old.id, Message{T: Moved, Code: r.code, Epoch: m.Epoch})
		}
	}
	if len(m.App) == 0 {
		m.App, m.Proto = Bytes(r.app), r.proto
	}
	if m.Max == 0 {
		m.Max, m.Name, m.Public, m.Players = r.max, r.name, r.public, r.players
	}
	d.settle(now, s, r, m)
}

// answerClaims tells whoever else claimed r that its holder is there.
func (d *Directory) answerClaims(r *room) {
	for _, from := range r.claims {
		if from != r.host {
			d.send(from, Message{T: Alive, Code: r.code, Epoch: r.epoch})
		}
	}
	r.claims = r.claims[:0]
}

// handoff: the host names the heir of its room.
func (d *Directory) handoff(now time.Duration, s *socket, m Message) {
	r := s.room
	if r == nil || r.host != s.id || len(m.Key) != 32 {
		d.refuse(s.id, Bad, "handoff needs a room and the heir's key", 0)
		return
	}
	r.heir, r.hasHeir, r.heard = [32]byte(m.Key), true, now
}

// padded is a ticket of any length as one that can be compared.
func padded(ticket Bytes) []byte {
	var b [16]byte
	copy(b[:], ticket)
	return b[:]
}
