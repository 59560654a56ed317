package matchmaker

import (
	"math"
	"time"

	"github.com/partyline-go/partyline/codes"
)

// open: a host wants a room, or has one and comes back to it.
func (d *Directory) open(now time.Duration, s *socket, m Message) {
	if len(m.Key) != 32 || len(m.App) == 0 {
		d.refuse(s.id, Bad, "open needs a key and an app id", 0)
		return
	}
	if m.Code != "" {
		d.reopen(now, s, m)
		return
	}
	if !d.mayOpen(now, s) {
		return
	}
	code, ok := d.newCode(now)
	if !ok {
		d.refuse(s.id, Busy, "no code is free", time.Second)
		return
	}
	r := &room{code: code, ticket: [16]byte(d.bytes(16)), owner: s.acc}
	s.acc.rooms++
	d.rooms[code] = r
	d.Counts.Opened++
	d.settle(now, s, r, m)
}

// mayOpen checks the limits on rooms and says why not.
func (d *Directory) mayOpen(now time.Duration, s *socket) bool {
	switch {
	case len(d.rooms) >= d.limits.AllRooms:
		d.refuse(s.id, Busy, "the matchmaker has no place for another room", time.Minute)
	case s.acc.rooms >= d.limits.Rooms:
		d.refuse(s.id, Busy, "too many rooms from this network", time.Minute)
	case d.limits.OpensPerMin != math.MaxInt && !s.acc.opens.take(now, float64(d.limits.OpensPerMin)/60, float64(d.limits.OpensPerMin)):
		d.Counts.Throttled++
		d.refuse(s.id, Throttled, "too many rooms opened", time.Minute/time.Duration(d.limits.OpensPerMin))
	default:
		return true
	}
	return false
}

// newCode draws codes until one is free.
func (d *Directory) newCode(now time.Duration) (string, bool) {
	for range 64 {
		code, err := codes.NewRoom(d.random)
		if err != nil {
			return "", false
		}
		code, _ = roomCode(code)
		if _, rests := d.rest[code]; d.rooms[code] == nil && !rests {
			return code, true
		}
	}
	return "", false
}

// roomCode gives the one form in which a code is a key of the table.
func roomCode(text string) (string, bool) {
	t, err := codes.Parse(text, 0)
	if err != nil || t.Room == "" {
		return "", false
	}
	return t.Room, true
}

// settle makes s the holder of r, as m says, and tells it so.
func (d *Directory) settle(now time.Duration, s *socket, r *room, m Message) {
	d.leaveRoom(now, s, r)
	r.app, r.proto, r.key = string(m.App), m.Proto, [32]byte(m.Key)
	r.epoch, r.name, r.public = m.Epoch, m.Name, m.Public
	r.max, r.players = m.Max, max(m.Players, 1)
	r.cands = m.Cands
	r.host, r.heard, r.hasHeir, r.doubted = s.id, now, false, 0
	s.room = r
	d.tellRoom(now, r)
	d.answerClaims(r)
}

// leaveRoom: a socket that takes one room leaves the other it held.
func (d *Directory) leaveRoom(now time.Duration, s *socket, next *room) {
	if s.room != nil && s.room != next {
		s.room.host, s.room.gone = 0, now
	}
	s.room = nil
}

// tellRoom gives the holder all that it needs to keep the room.
func (d *Directory) tellRoom(now time.Duration, r *room) {
	m := Message{T: RoomIs, Code: r.code, Ticket: r.ticket[:], Epoch: r.epoch}
	m.STUN, m.TURN = d.servers(now, r)
	d.send(r.host, m)
}

// servers gives STUN and TURN with credentials that are r's own and short-lived.
func (d *Directory) servers(now time.Duration, r *room) ([]string, []TURNServer) {
	if len(d.relay.TURN) == 0 {
		return d.relay.STUN, nil
	}
	ttl := int64(d.relay.TTL / time.Second)
	user := turnUser(d.unix(now)+ttl, r.code)
	pass := passOf(d.relay.Secret, user)
	return d.relay.STUN, []TURNServer{{URLs: d.relay.TURN, User: user, Pass: pass, TTL: int(ttl)}}
}

// refresh: the holder is there. It may tell other candidates, and want another
// ticket.
func (d *Directory) refresh(now time.Duration, s *socket, m Message) {
	r := s.room
	if r == nil || r.host != s.id {
		d.refuse(s.id, NoRoom, "no room is open here", 0)
		return
	}
	r.heard, r.players, r.doubted = now, m.Players, 0
	if len(m.Cands) > 0 {
		r.cands = m.Cands
	}
	if m.Renew {
		r.ticket = [16]byte(d.bytes(16))
	}
	d.tellRoom(now, r)
}

// reopen: a host comes back to its room, here or at a server that never knew
// it. A room that somebody else holds goes the way of a claim.
func (d *Directory) reopen(now time.Duration, s *socket, m Message) {
	code, ok := roomCode(m.Code)
	if !ok || len(m.Ticket) != 16 {
		d.refuse(s.id, Bad, "reopen needs the room's code and ticket", 0)
		return
	}
	if r := d.rooms[code]; r != nil {
		m.Code = code
		switch {
		case r.fits(m.Ticket) && r.key == [32]byte(m.Key) && m.Epoch >= r.epoch:
			d.Counts.Reopened++
			d.takeOver(now, s, r, m)
		case r.fits(m.Ticket) && m.Epoch < r.epoch:
			d.send(s.id, Message{T: Moved, Code: code, Epoch: r.epoch})
		default:
			d.claim(now, s, m)
		}
		return
	}
	if q, was := d.rest[code]; was && (now >= q.until || q.ticket != [16]byte(m.Ticket)) {
		d.refuse(s.id, Closed, "the room has ended", 0)
		return
	}
	if !d.mayOpen(now, s) {
		return
	}
	delete(d.rest, code)
	r := &room{code: code, ticket: [16]byte(m.Ticket), owner: s.acc}
	s.acc.rooms++
	d.rooms[code] = r
	d.Counts.Reopened++
	d.settle(now, s, r, m)
}

// close: the holder ends its room.
func (d *Directory) close(now time.Duration, s *socket) {
	if r := s.room; r != nil && r.host == s.id {
		d.drop(now, r)
	}
}

// drop ends a room; its code rests.
func (d *Directory) drop(now time.Duration, r *room) {
	d.Counts.Dropped++
	delete(d.rooms, r.code)
	d.rest[r.code] = resting{ticket: r.ticket, until: now + codeRest}
	r.owner.rooms--
	if s := d.sockets[r.host]; s != nil && s.room == r {
		s.room = nil
	}
}
