package matchmaker

import (
	"encoding/hex"
	"fmt"
	"slices"
	"time"
)

// join: a guest wants to meet the host of a room. A network that has tried too
// many wrong codes hears nothing of any.
func (d *Directory) join(now time.Duration, s *socket, m Message) {
	g := &s.acc.guesses
	if wait := g.blocked(now); wait > 0 {
		d.Counts.Throttled++
		d.refuse(s.id, Throttled, "too many wrong codes", wait)
		return
	}
	code, ok := roomCode(m.Code)
	r := d.rooms[code]
	d.endJoins(s, r)
	switch _, was := d.rest[code]; {
	case !ok:
		d.refuse(s.id, Bad, "that is no room code", 0)
	case r == nil && was:
		d.send(s.id, Message{T: Error, Why: Closed, Code: code, Text: "the room has ended"})
	case r == nil:
		d.miss(now, s, code)
	case r.host == 0 || r.doubted != 0 && now-r.doubted >= doubtAfter:
		// The host's socket may come back, or an heir: the guest asks again.
		d.send(s.id, Message{T: Error, Why: Busy, Code: code, Text: "the room is between hosts", RetryMS: 1000})
	case r.proto != m.Proto:
		d.send(s.id, Message{T: Error, Why: Proto, Code: code, Text: fmt.Sprintf("the host plays version %d, you %d", r.proto, m.Proto)})
	case r.max > 0 && r.players >= r.max && !m.Again:
		d.send(s.id, Message{T: Error, Why: Full, Code: code, Text: fmt.Sprintf("all %d places are taken", r.max)})
	case len(r.pairs) >= maxPairs || r.joinsOf(s.acc) >= maxPairsOf:
		d.send(s.id, Message{T: Error, Why: Busy, Code: code, Text: "too many are joining", RetryMS: 2000})
	default:
		d.meet(now, s, r, m)
	}
}

// endJoins ends what came of a guest's earlier joins of a room: one that asks
// again takes no second place of those that may join at once.
func (d *Directory) endJoins(guest *socket, r *room) {
	for _, id := range slices.Clone(guest.pairs) {
		if p := d.pairs[id]; p.guest == guest.id && p.room == r {
			d.dropPair(id)
		}
	}
}

// miss answers a code that never was, and counts it.
func (d *Directory) miss(now time.Duration, s *socket, code string) {
	s.acc.guesses.miss(now)
	d.Counts.Wrong++
	if !d.wrong.take(now, d.limits.WrongPerSec, d.limits.WrongPerSec) {
		d.Counts.Throttled++
		d.refuse(s.id, Throttled, "too many wrong codes everywhere", time.Second)
		return
	}
	d.send(s.id, Message{T: Error, Why: NoRoom, Code: code, Text: "no room has this code"})
}

// meet introduces a guest and the host to each other. Both hear the same id
// and psk; the one with the quicker line is told to wait for the other.
func (d *Directory) meet(now time.Duration, guest *socket, r *room, m Message) {
	host := d.sockets[r.host]
	id, psk := hex.EncodeToString(d.bytes(8)), d.bytes(32)
	p := &pair{id: id, host: host.id, guest: guest.id, from: guest.acc, room: r, until: now + pairLife}
	d.pairs[id] = p
	r.pairs = append(r.pairs, p)
	host.pairs, guest.pairs = append(host.pairs, id), append(guest.pairs, id)
	d.Counts.Joins++

	lead := (host.rtt - guest.rtt) / 2
	ms := func(wait time.Duration) int { return int(min(max(wait, 0), time.Second) / time.Millisecond) }
	toHost := Message{T: Peer, ID: id, Cands: d.vouch(m.Cands, guest, host), Key: m.Key, PSK: psk, DelayMS: ms(-lead)}
	toGuest := Message{T: Peer, ID: id, Cands: d.vouch(r.cands, host, guest), Key: r.key[:], PSK: psk, DelayMS: ms(lead), Code: r.code, Epoch: r.epoch}
	toGuest.STUN, toGuest.TURN = d.servers(now, r)
	d.send(host.id, toHost)
	d.send(guest.id, toGuest)
}

// pass gives candidates or a browser's data to the other of a pair.
func (d *Directory) pass(now time.Duration, s *socket, m Message) {
	if m.T == Cands && m.To == "" {
		if r := s.room; r != nil && r.host == s.id {
			r.cands = m.Cands
		}
		return
	}
	p := d.pairs[m.To]
	if p == nil || p.other(s.id) == 0 {
		return // the pair is over: nothing to tell
	}
	other := d.sockets[p.other(s.id)]
	if other == nil {
		return
	}
	d.send(other.id, Message{T: m.T, ID: p.id, Cands: d.vouch(m.Cands, s, other), Data: m.Data})
}

// vouch marks the candidates of one that it may tell another to send to without
// harm to somebody else.
func (d *Directory) vouch(cands []Candidate, of, to *socket) []Candidate {
	out := slices.Clone(cands)
	for i, c := range out {
		a := c.Addr.Addr().Unmap()
		local := a.IsPrivate() || a.IsLoopback()
		out[i].Own = a == of.addr || slices.Contains(d.relays, a) || local && of.addr == to.addr
	}
	return out
}

// dropPair ends what two players had to tell each other.
func (d *Directory) dropPair(id string) {
	if p := d.pairs[id]; p != nil {
		delete(d.pairs, id)
		p.room.pairs = without(p.room.pairs, p)
		for _, sid := range [2]SocketID{p.host, p.guest} {
			if s := d.sockets[sid]; s != nil {
				s.pairs = without(s.pairs, id)
			}
		}
	}
}
