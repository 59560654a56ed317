package matchmaker

import (
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/partyline-go/partyline/codes"
)

// SocketID names a client's connection to a Directory. The edge numbers them
// from 1 and never uses one twice.
type SocketID uint64

// Limits of a Directory. A zero field is the default, a negative one no limit.
type Limits struct {
	Sockets       int     // of one prefix (IPv4 /24, IPv6 /56) at once; 128
	Rooms         int     // of one prefix at once; 64
	OpensPerMin   int     // of one prefix; 30
	AllRooms      int     // 100,000
	WrongPerSec   float64 // wrong codes a second in all; 50
	MessagesQueue int     // messages that wait for one socket before it is closed; 256
}

func (l Limits) withDefaults() Limits {
	def := func(v *int, d int) {
		switch {
		case *v == 0:
			*v = d
		case *v < 0:
			*v = math.MaxInt
		}
	}
	def(&l.Sockets, 128)
	def(&l.Rooms, 64)
	def(&l.OpensPerMin, 30)
	def(&l.AllRooms, 100_000)
	def(&l.MessagesQueue, 256)
	if l.WrongPerSec == 0 {
		l.WrongPerSec = 50
	} else if l.WrongPerSec < 0 {
		l.WrongPerSec = math.MaxFloat64
	}
	return l
}

// Relay says which STUN and TURN servers the Directory hands out, and with what
// secret it makes TURN's credentials (the REST form: the user is an expiry and
// a room, the password their HMAC-SHA1 under Secret).
type Relay struct {
	STUN   []string      // "stun:host:port"
	TURN   []string      // "turn:host:port?transport=udp"; none: no relay
	Secret string        // shared with the TURN server
	TTL    time.Duration // of a credential; 10 minutes
}

// An Action is something a Directory wants done with a socket.
type Action struct {
	To    SocketID
	Data  []byte // a message to send; nil with Ping or Close
	Ping  bool   // ask whether the client is there; the answer is Ponged
	Close bool   // end the socket, after what was queued before
}

// A Directory is the table of rooms: plain data, without socket, clock or
// goroutine. Its driver tells it what sockets do and what time it is, and
// carries out its Actions. It is not safe for use from several goroutines.
type Directory struct {
	limits  Limits
	relay   Relay
	relays  []netip.Addr // of relay's TURN servers, where their URIs name addresses
	random  io.Reader
	unix    func(now time.Duration) int64
	sockets map[SocketID]*socket
	rooms   map[string]*room
	rest    map[string]resting
	pairs   map[string]*pair
	prefix  accounts
	wrong   bucket
	out     []Action
	swept   time.Duration
	stopped bool

	Counts Counts // what has happened since the start
}

// Counts are a Directory's counters; they never fall.
type Counts struct {
	Opened, Reopened, Dropped, Joins, Claims, Granted uint64
	Wrong, Throttled, Refused, Malformed              uint64
}

type socket struct {
	id    SocketID
	addr  netip.Addr
	acc   *account
	rtt   time.Duration
	room  *room // it holds
	pairs []string
	said  bucket // messages
	ended bool   // it is being closed: what it says is not heard
}

// NewDirectory makes an empty one. random gives codes, tickets, ids and psks;
// unix turns the driver's time into Unix seconds, for TURN's credentials.
func NewDirectory(limits Limits, relay Relay, random io.Reader, unix func(now time.Duration) int64) *Directory {
	if relay.TTL == 0 {
		relay.TTL = 10 * time.Minute
	}
	var relays []netip.Addr
	for _, uri := range relay.TURN {
		if u, err := parseServer(uri); err == nil {
			if a, err := netip.ParseAddr(u.host); err == nil {
				relays = append(relays, a.Unmap())
			}
		}
	}
	return &Directory{
		limits: limits.withDefaults(), relay: relay, relays: relays, random: random, unix: unix,
		sockets: make(map[SocketID]*socket),
		rooms:   make(map[string]*room),
		rest:    make(map[string]resting),
		pairs:   make(map[string]*pair),
	}
}

// Connected tells of a new socket from addr. False: there are too many from
// there, and the driver closes it.
func (d *Directory) Connected(now time.Duration, id SocketID, addr netip.Addr) bool {
	acc := d.prefix.of(now, addr)
	if acc.sockets >= d.limits.Sockets || d.stopped {
		d.Counts.Refused++
		return false
	}
	acc.sockets++
	d.sockets[id] = &socket{id: id, addr: addr.Unmap(), acc: acc}
	return true
}

// Disconnected tells that a socket is gone. Its room stays, waiting for its
// host or an heir.
func (d *Directory) Disconnected(now time.Duration, id SocketID) {
	s := d.sockets[id]
	if s == nil {
		return
	}
	delete(d.sockets, id)
	s.acc.sockets--
	if r := s.room; r != nil && r.host == id {
		r.host, r.gone = 0, now
	}
	for _, p := range s.pairs {
		d.dropPair(p)
	}
}

// Ponged tells that the client answered a ping, and after how long.
func (d *Directory) Ponged(now time.Duration, id SocketID, rtt time.Duration) {
	s := d.sockets[id]
	if s == nil {
		return
	}
	s.rtt = rtt
	r := s.room
	if r == nil || r.host != id {
		return
	}
	r.doubted = 0
	d.answerClaims(r)
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

// Receive acts on one message of a socket.
func (d *Directory) Receive(now time.Duration, id SocketID, data []byte) {
	s := d.sockets[id]
	if s == nil || s.ended {
		return
	}
	if !s.said.take(now, messagesPerSec, messagesAtOnce) {
		d.Counts.Throttled++
		d.endSocket(s, Throttled, "too many messages", time.Second)
		return
	}
	m, err := Parse(data)
	if err != nil {
		d.Counts.Malformed++
		d.endSocket(s, Bad, clip(err.Error()), 0)
		return
	}
	switch m.T {
	case Open:
		d.open(now, s, m)
	case Refresh:
		d.refresh(now, s, m)
	case Join:
		d.join(now, s, m)
	case Cands, RTC:
		d.pass(now, s, m)
	case Handoff:
		d.handoff(now, s, m)
	case Claim:
		d.claim(now, s, m)
	case Close:
		d.close(now, s)
	default:
		d.refuse(id, Bad, fmt.Sprintf("unknown message %.20q", m.T), 0)
	}
}

// What one client says at most: much of it is passed on to another, who must not
// be flooded through the matchmaker. A host says one thing to each who joins, and
// a browser a few dozen while it looks for a path.
const (
	messagesPerSec = 50
	messagesAtOnce = 200
)

// endSocket says why a client is let go, and lets it go.
func (d *Directory) endSocket(s *socket, why Why, text string, retry time.Duration) {
	d.refuse(s.id, why, text, retry)
	d.out = append(d.out, Action{To: s.id, Close: true})
	s.ended = true
}

// Actions gives what is to be done, in order, and forgets it.
func (d *Directory) Actions() []Action {
	out := d.out
	d.out = nil
	return out
}

// Deadline is when Tick has something to do.
func (d *Directory) Deadline() time.Duration { return d.swept + time.Second }

// Tick drops what has outlived its time. Call it at the Deadline.
func (d *Directory) Tick(now time.Duration) {
	if now < d.Deadline() {
		return
	}
	d.swept = now
	for _, r := range d.rooms {
		if now >= r.ends() {
			d.drop(now, r)
		}
	}
	for code, q := range d.rest {
		if now >= q.until {
			delete(d.rest, code)
		}
	}
	for id, p := range d.pairs {
		if now >= p.until {
			d.dropPair(id)
		}
	}
	d.prefix.sweep(now)
}

// Stop tells every client to come back after retry; no socket is taken from now
// on. Hosts then reopen their rooms at the next server with code and ticket.
func (d *Directory) Stop(retry time.Duration) {
	d.stopped = true
	for id := range d.sockets {
		d.refuse(id, Busy, "the matchmaker restarts", retry)
		d.out = append(d.out, Action{To: id, Close: true})
	}
}

// Len tells how many rooms and sockets there are.
func (d *Directory) Len() (rooms, sockets int) { return len(d.rooms), len(d.sockets) }

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

func (d *Directory) handoff(now time.Duration, s *socket, m Message) {
	r := s.room
	if r == nil || r.host != s.id || len(m.Key) != 32 {
		d.refuse(s.id, Bad, "handoff needs a room and the heir's key", 0)
		return
	}
	r.heir, r.hasHeir, r.heard = [32]byte(m.Key), true, now
}

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

func (d *Directory) send(to SocketID, m Message) {
	if d.sockets[to] != nil {
		d.out = append(d.out, Action{To: to, Data: m.Encode()})
	}
}

func (d *Directory) refuse(to SocketID, why Why, text string, retry time.Duration) {
	d.send(to, Message{T: Error, Why: why, Text: text, RetryMS: int(retry / time.Millisecond)})
}

// bytes draws n random bytes. A random source that fails leaves nothing safe
// to do.
func (d *Directory) bytes(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(d.random, b); err != nil {
		panic("matchmaker: random source: " + err.Error())
	}
	return b
}

// roomCode gives the one form in which a code is a key of the table.
func roomCode(text string) (string, bool) {
	t, err := codes.Parse(text, 0)
	if err != nil || t.Room == "" {
		return "", false
	}
	return t.Room, true
}

func padded(ticket Bytes) []byte {
	var b [16]byte
	copy(b[:], ticket)
	return b[:]
}

func clip(s string) string { return s[:min(len(s), maxText)] }

func without[T comparable](list []T, x T) []T {
	for i, s := range list {
		if s == x {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}
