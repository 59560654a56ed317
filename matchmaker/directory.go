package matchmaker

import (
	"fmt"
	"io"
	"net/netip"
	"time"
)

// SocketID names a client's connection to a Directory. The edge numbers them
// from 1 and never uses one twice.
type SocketID uint64

// A Relay says which STUN and TURN servers the Directory hands out, and with what
// secret it makes TURN's credentials (the REST form: the user is an expiry and
// a room, the password their HMAC-SHA1 under Secret).
type Relay struct {
	STUN   []string      // "stun:host:port"
	TURN   []string      // "turn:host:port?transport=udp"; none: no relay
	Secret string        // shared with the TURN server
	TTL    time.Duration // of a credential; 10 minutes if zero
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
	limits   Limits
	relay    Relay
	relays   []netip.Addr // of relay's TURN servers, where their URIs name addresses
	random   io.Reader
	unix     func(now time.Duration) int64
	sockets  map[SocketID]*socket
	rooms    map[string]*room
	rest     map[string]resting
	pairs    map[string]*pair
	accounts networks[account]
	wrong    bucket
	out      []Action
	swept    time.Duration
	stopped  bool

	Counts Counts // what has happened since the start
}

// Counts are a Directory's counters; they never fall.
type Counts struct {
	Opened, Reopened, Dropped uint64 // rooms
	Joins                     uint64 // guests introduced to a host
	Claims, Granted           uint64 // of rooms, by heirs
	Wrong                     uint64 // codes that no room has
	Throttled                 uint64 // refused for a limit on how often
	Refused                   uint64 // sockets of networks that had too many
	Malformed                 uint64 // messages that could not be read
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
		sockets:  make(map[SocketID]*socket),
		rooms:    make(map[string]*room),
		rest:     make(map[string]resting),
		pairs:    make(map[string]*pair),
		accounts: networks[account]{idle: (*account).idle, every: time.Minute},
	}
}

// Connected tells of a new socket from addr. False: there are too many from
// there, and the driver closes it.
func (d *Directory) Connected(now time.Duration, id SocketID, addr netip.Addr) bool {
	acc := d.accounts.of(now, addr)
	acc.used = now
	if acc.sockets >= d.limits.Sockets || d.stopped {
		d.Counts.Refused++
		return false
	}
	acc.sockets++
	d.sockets[id] = &socket{id: id, addr: addr.Unmap(), acc: acc}
	return true
}

// Disconnected tells that a socket that was Connected is gone. Its room stays, waiting for its
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

// Receive acts on one message of a socket. Whoever sends one that cannot be read,
// or over 50 a second (200 at once), is told why and let go.
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

// Deadline is when Tick has something to do: once a second.
func (d *Directory) Deadline() time.Duration { return d.swept + time.Second }

// Tick drops what has outlived its time: rooms 45 s after their holder's last
// word, codes an hour after that, pairs after a minute. Call it at the Deadline.
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
	d.accounts.sweep(now)
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

func clip(s string) string { return s[:min(len(s), maxText)] }

func without[T comparable](list []T, x T) []T {
	for i, s := range list {
		if s == x {
			return append(list[:i], list[i+1:]...)
		}
	}
	return list
}
