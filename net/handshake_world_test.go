package netmsg

import (
	"net/netip"
	"slices"
	"testing"
	"time"
)

// A handshakeWorld is one gate and one dialer on a clock of their own, with a
// path between them that a test may bend.
type handshakeWorld struct {
	t      *testing.T
	now    time.Duration
	client netip.AddrPort
	server netip.AddrPort

	gate   *secureGate
	dialer *dialer

	latency  time.Duration                // one way
	toServer func(b []byte) [][]byte      // what arrives of what the client sends; nil: just that
	toClient func(b []byte) [][]byte      // and of what the server sends
	wayBack  func() (from netip.AddrPort) // whom the client hears; nil: the server

	flying []handshakeFlight
	sent   map[byte]int // client's datagrams by kind
	joined []Session    // provisional connections that the gate made
}

type handshakeFlight struct {
	at       time.Duration
	toServer bool
	data     []byte
}

// handshakeKind is how newHandshakeWorld's callers say what is proven.
func handshakeConfig(p pattern) (server, client *Config) {
	server = &Config{AppID: [8]byte{1}, Identity: filled(32, 0), Random: seeded(1)}
	client = &Config{AppID: [8]byte{1}, Random: seeded(2), Hello: []byte("hello")}
	if p.psk() {
		server.Secret, client.Secret = filled(12, 7), filled(12, 7)
	}
	if p.key() {
		client.Identity = filled(32, 99)
	}
	return server, client
}

func newHandshakeWorld(t *testing.T, server, client *Config) *handshakeWorld {
	t.Helper()
	w := &handshakeWorld{
		t:       t,
		client:  netip.MustParseAddrPort("198.51.100.20:4242"),
		server:  netip.MustParseAddrPort("203.0.113.7:27415"),
		latency: 20 * time.Millisecond,
		sent:    map[byte]int{},
	}
	w.gate = testGate(t, server)
	w.dialer = testDialer(t, client, w.now, w.server)
	return w
}

func testGate(t testing.TB, cfg *Config) *secureGate {
	t.Helper()
	g, err := newSecureGate(cfg, [16]byte(filled(16, 0xb0)), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func testDialer(t testing.TB, cfg *Config, now time.Duration, to ...netip.AddrPort) *dialer {
	t.Helper()
	d, err := newDialer(cfg, to, [8]byte{}, 0, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// runFor moves the clock, event by event.
func (w *handshakeWorld) runFor(d time.Duration) {
	for end := w.now + d; ; {
		w.transmit()
		next := w.dialer.deadline()
		for _, f := range w.flying {
			next = min(next, f.at)
		}
		if next > end {
			w.now = end
			return
		}
		w.now = max(w.now, next)
		w.deliver()
	}
}

// runUntilOver runs until the dialer is done, and for a round trip more.
func (w *handshakeWorld) runUntilOver() {
	for range 2000 {
		if _, over := w.dialer.done(); over {
			w.runFor(2 * w.latency)
			return
		}
		w.runFor(10 * time.Millisecond)
	}
	w.t.Fatal("the attempt never ends")
}

func (w *handshakeWorld) transmit() {
	var buf [1200]byte
	for {
		n, _ := w.dialer.transmit(w.now, buf[:])
		if n == 0 {
			return
		}
		w.sent[buf[4]]++
		w.fly(true, buf[:n], w.toServer)
	}
}

func (w *handshakeWorld) fly(toServer bool, b []byte, bend func([]byte) [][]byte) {
	arrive := [][]byte{b}
	if bend != nil {
		arrive = bend(b)
	}
	for _, b := range arrive {
		w.flying = append(w.flying, handshakeFlight{w.now + w.latency, toServer, slices.Clone(b)})
	}
}

func (w *handshakeWorld) deliver() {
	flying := w.flying
	w.flying = nil
	for _, f := range flying {
		switch {
		case f.at > w.now:
			w.flying = append(w.flying, f)
		case f.toServer:
			w.serve(w.client, f.data)
		case w.wayBack != nil:
			w.dialer.receive(w.now, w.wayBack(), f.data)
		default:
			w.dialer.receive(w.now, w.server, f.data)
		}
	}
}

// serve gives the gate a datagram and sends its answer.
func (w *handshakeWorld) serve(from netip.AddrPort, b []byte) Verdict {
	var buf [1200]byte
	v := w.gate.receive(w.now, from, b, buf[:])
	if v.Joined {
		w.joined = append(w.joined, v.Session)
	}
	if v.Reply > 0 {
		w.fly(false, buf[:v.Reply], w.toClient)
	}
	return v
}

// confirm sends the client's first packet, by which the connection opens at
// the server too.
func (w *handshakeWorld) confirm() (replaced uint32, ok bool) {
	w.t.Helper()
	r, _ := w.dialer.done()
	if r.session == nil {
		w.t.Fatalf("at %v: no session to confirm: %+v, %+v", w.now, r, w.dialer.seen)
	}
	return confirmPacket(w.t, w.gate, w.now, firstPacket(r.session))
}

func firstPacket(s *secureSession) []byte {
	seal := newSealer(s.keys.send)
	b := make([]byte, sealedHeader, 100)
	putSealedHeader(b, s.peerCID, 0)
	return seal.seal(append(b, 1), 0)
}

// confirmPacket does what an endpoint does with a packet of an unknown cid.
func confirmPacket(t *testing.T, g *secureGate, now time.Duration, packet []byte) (replaced uint32, ok bool) {
	t.Helper()
	cid, low, _ := parseSealedHeader(packet)
	s, known := g.provisional(now, cid)
	if !known {
		return 0, false
	}
	open := newOpener(s.secure.keys.receive)
	if _, verified := open.open(nil, packet, uint64(low)); !verified {
		return 0, false
	}
	return g.opened(now, cid)
}

// wantOpen checks that both sides agreed, and opens the connection.
func (w *handshakeWorld) wantOpen() *secureSession {
	w.t.Helper()
	r, over := w.dialer.done()
	if !over || r.session == nil {
		w.t.Fatalf("at %v: over %v, %+v, ignored %+v, server %+v", w.now, over, r, w.dialer.seen, w.gate.stats)
	}
	if _, ok := w.confirm(); !ok {
		w.t.Fatalf("at %v: the server does not open; %+v", w.now, w.gate.stats)
	}
	return r.session
}

// wantFailed checks how the attempt ended, and that no client is at the server.
func (w *handshakeWorld) wantFailed(why CloseReason) dialResult {
	w.t.Helper()
	r, over := w.dialer.done()
	if !over || r.session != nil || r.failed != why {
		w.t.Fatalf("at %v: over %v, %+v, want %v", w.now, over, r, why)
	}
	return r
}

// drop is a bend that lets nothing of a kind through.
func dropKind(kind byte) func([]byte) [][]byte {
	return func(b []byte) [][]byte {
		if b[4] == kind {
			return nil
		}
		return [][]byte{b}
	}
}

// firstOf is a bend that changes the first datagram of a kind, which then is
// replaced by what change gives.
func firstOf(kind byte, change func(b []byte) [][]byte) func([]byte) [][]byte {
	done := false
	return func(b []byte) [][]byte {
		if done || b[4] != kind {
			return [][]byte{b}
		}
		done = true
		return change(b)
	}
}
