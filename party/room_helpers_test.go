package party

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/matchmaker"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

// A desk is a matchmaker in a stepped world: the real Directory behind lines that
// carry a message in 20 ms, a STUN server and a relay.
type desk struct {
	w      *world
	dir    *matchmaker.Directory
	down   bool // nobody reaches it
	mute   bool // it hears and says nothing
	last   matchmaker.SocketID
	lines  map[matchmaker.SocketID]*deskLine
	post   []letter
	ticked time.Duration
	said   map[matchmaker.Kind]int // messages of clients
	stun   *simnet.Socket
	relays int
	noTURN bool
	slow   bool // the relay gives no address
}

const deskDelay = 20 * time.Millisecond

// A letter is a message on its way.
type letter struct {
	at    time.Duration
	line  *deskLine
	up    bool // to the desk
	data  []byte
	pong  bool
	close bool
}

// A deskLine is one client's matchmaker.Line.
type deskLine struct {
	d     *desk
	addr  netip.Addr
	id    matchmaker.SocketID
	count int
	in    []matchmaker.Message
	err   error
	next  time.Duration
	shut  bool
}

func newDesk(w *world) *desk {
	d := &desk{w: w, lines: make(map[matchmaker.SocketID]*deskLine), said: make(map[matchmaker.Kind]int), stun: w.net.Socket("203.0.113.1:27400")}
	d.open()
	each := w.each
	w.each = func() {
		if each != nil {
			each()
		}
		d.step()
	}
	return d
}

// open makes a new directory, as a matchmaker does that has just started.
func (d *desk) open() {
	relay := matchmaker.Relay{STUN: []string{"stun:203.0.113.1:27400"}, TURN: []string{"turn:203.0.113.1:27400"}, Secret: "s"}
	if d.noTURN {
		relay.TURN = nil
	}
	unix := func(now time.Duration) int64 { return 1_700_000_000 + int64(now/time.Second) }
	d.dir = matchmaker.NewDirectory(matchmaker.Limits{}, relay, rand.NewChaCha8([32]byte{byte(d.w.seed), 99}), unix)
}

// with gives a member its matchmaker.
func (d *desk) with(addr string) func(*Config) {
	ip := netip.MustParseAddr(addr)
	return func(c *Config) {
		c.SignalURL = "sim"
		c.Network.Signal = func(string) matchmaker.Line { return &deskLine{d: d, addr: ip} }
		c.Network.Relay = func([]matchmaker.TURNServer) Relay { return d.relay() }
	}
}

// stop ends the matchmaker as a crash does; it forgets everything.
func (d *desk) stop() {
	d.down = true
	for id := range d.lines {
		d.cut(id)
	}
}

func (d *desk) start() { d.down = false; d.open() }

func (d *desk) cut(id matchmaker.SocketID) {
	l := d.lines[id]
	delete(d.lines, id)
	l.id, l.err, l.in = 0, errors.New("cut"), nil
	l.count++
	d.dir.Disconnected(d.w.net.Now(), id)
}

// step is the desk's frame.
func (d *desk) step() {
	now := d.w.net.Now()
	d.answerSTUN()
	for len(d.post) > 0 && d.post[0].at <= now {
		p := d.post[0]
		d.post = d.post[1:]
		switch {
		case p.line.id == 0 || d.mute:
		case p.pong:
			d.dir.Ponged(now, p.line.id, 2*deskDelay)
		case p.up:
			d.dir.Receive(now, p.line.id, p.data)
		case p.close:
			d.cut(p.line.id)
		default:
			if m, err := matchmaker.Parse(p.data); err == nil {
				p.line.in = append(p.line.in, m)
			}
		}
		d.act()
	}
	if now-d.ticked >= time.Second && !d.down {
		d.ticked = now
		d.dir.Tick(now)
		d.act()
	}
	for _, m := range d.w.members { // a process that died holds no socket
		if m.dead && m.Party.room.line != nil {
			if l := m.Party.room.line.(*deskLine); l.id != 0 {
				d.cut(l.id)
			}
		}
	}
}

func (d *desk) act() {
	for _, a := range d.dir.Actions() {
		l := d.lines[a.To]
		if l == nil {
			continue
		}
		d.send(letter{line: l, data: a.Data, pong: a.Ping, close: a.Close})
	}
}

func (d *desk) send(p letter) {
	p.at = d.w.net.Now() + deskDelay
	if p.pong {
		p.at += deskDelay
	}
	d.post = append(d.post, p)
}

func (d *desk) answerSTUN() {
	var g netmsg.Datagram
	g.Data = make([]byte, 0, 2048)
	for d.stun.TryRead(&g) {
		if answer, ok := matchmaker.BindingAnswer(g.Data, g.Addr); ok && !d.down {
			d.stun.WriteBatch([]netmsg.Datagram{{Addr: g.Addr, Data: answer}})
		}
	}
}

// poll connects a line that is down.
func (l *deskLine) poll() {
	now := l.d.w.net.Now()
	if l.id != 0 || l.shut || now < l.next {
		return
	}
	l.next = now + 500*time.Millisecond
	if l.d.down {
		l.err = errors.New("nobody there")
		return
	}
	l.d.last++
	if !l.d.dir.Connected(now, l.d.last, l.addr) {
		l.err = errors.New("refused")
		return
	}
	l.id, l.err = l.d.last, nil
	l.count++
	l.d.lines[l.id] = l
}

// unplug breaks the line; it comes up again when shut is false.
func (l *deskLine) unplug() {
	l.shut = true
	if l.id != 0 {
		l.d.cut(l.id)
	}
}

func (l *deskLine) Up() int    { l.poll(); return l.count }
func (l *deskLine) Err() error { return l.err }

func (l *deskLine) Send(m matchmaker.Message) bool {
	if l.id == 0 {
		return false
	}
	l.d.said[m.T]++
	l.d.send(letter{line: l, up: true, data: m.Encode()})
	return true
}

func (l *deskLine) Receive() (m matchmaker.Message, ok bool) {
	if len(l.in) == 0 {
		return m, false
	}
	m = l.in[0]
	l.in = l.in[1:]
	return m, true
}

func (l *deskLine) Close() {
	l.shut = true
	if l.id != 0 {
		l.d.send(letter{line: l, close: true})
	}
}

// A deskRelay is an address of the desk's relay.
type deskRelay struct {
	*simnet.Socket
	d       *desk
	allowed map[netip.Addr]bool
	carried int
}

func (d *desk) relay() Relay {
	d.relays++
	return &deskRelay{Socket: d.w.net.Socket(fmt.Sprintf("203.0.113.1:%d", 60000+d.relays)), d: d, allowed: make(map[netip.Addr]bool)}
}

func (r *deskRelay) Relayed() (netip.AddrPort, error) {
	if r.d.slow {
		return netip.AddrPort{}, errors.New("no relay today")
	}
	return r.Socket.LocalAddr(), nil
}

func (r *deskRelay) Permit(to netip.Addr) { r.allowed[to] = true }

func (r *deskRelay) TryRead(d *netmsg.Datagram) bool {
	for r.Socket.TryRead(d) {
		if r.allowed[d.Addr.Addr()] {
			r.carried++
			return true
		}
	}
	return false
}

// byRoom makes a guest that joins by a host's room code.
func (w *world) byRoom(h *member, change ...func(*Config)) *member {
	w.t.Helper()
	m := w.add(change...)
	m.joinsRoom(h.Room())
	return m
}

func (m *member) joinsRoom(code string) {
	m.w.t.Helper()
	to, err := codes.Parse(code, 0)
	if err != nil {
		m.w.t.Fatal(err)
	}
	if err := m.Join(to); err != nil {
		m.w.t.Fatal(err)
	}
}

// roomHost makes a host whose room is open.
func (w *world) roomHost(d *desk, change ...func(*Config)) *member {
	w.t.Helper()
	h := w.host(append([]func(*Config){d.with("10.0.0.1")}, change...)...)
	w.until(func() bool { return h.Room() != "" })
	return h
}

// roomParty is a host with a room and n guests that came by its code.
func (w *world) roomParty(d *desk, n int) (h *member, guests []*member) {
	w.t.Helper()
	h = w.roomHost(d)
	for range n {
		g := w.byRoom(h, d.with(fmt.Sprintf("10.0.0.%d", len(w.members)+1)))
		w.until(func() bool {
			return g.State() == StateJoined && h.PeerOf(g.MyPID()) != nil && h.PeerOf(g.MyPID()).confirmed && g.Room() != ""
		})
		guests = append(guests, g)
	}
	for _, m := range w.members {
		m.facts = nil
	}
	return h, guests
}

// block loses all that goes from a to b, both ways.
func (w *world) block(a, b netip.AddrPort) { w.net.Cut(a, b); w.net.Cut(b, a) }

// roomSeeds runs a test on a desk for some seeds.
func roomSeeds(t *testing.T, test func(t *testing.T, w *world, d *desk)) {
	eachSeed(t, func(t *testing.T, w *world) { test(t, w, newDesk(w)) })
}
