package party

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

const (
	frame = time.Second / 60

	kindA Kind = 5
	kindB Kind = 6
)

var seeds = []uint64{1, 7, 23, 101}

// A world is some members of a party on a simulated network, stepped together.
type world struct {
	t       testing.TB
	seed    uint64
	net     *simnet.Network
	members []*member
	each    func() // before every frame
}

// A member is a party and a game that writes down what it hears.
type member struct {
	w    *world
	name string
	*Party
	sock   *simnet.Socket
	frozen bool          // no frame
	missed time.Duration // meanwhile
	dead   bool
	refuse string // refuse hellos with this
	ignore bool   // neither accept nor refuse
	play   func() // what the game sends, each frame
	onMsg  func(m *Message)
	got    []said
	facts  []Fact
	hellos []*Peer
	pids   []PID // that Accept gave

	hosts    map[uint32]PID // whose messages were delivered, by epoch
	twoHosts bool
}

// said is a message as it was heard.
type said struct {
	by   PID
	kind Kind
	data string
}

func (s said) String() string {
	if len(s.data) > 24 {
		return fmt.Sprintf("%d:%d:%d bytes", s.by, s.kind, len(s.data))
	}
	return fmt.Sprintf("%d:%d:%q", s.by, s.kind, s.data)
}

func newWorld(t testing.TB, seed uint64) *world {
	return &world{t: t, seed: seed, net: simnet.New(seed)}
}

// link sets every link of the world.
func (w *world) link(cfg netmsg.LinkConfig) { w.net.SetDefault(cfg) }

// add makes an idle member with an address of its own.
func (w *world) add(change ...func(*Config)) *member {
	n := len(w.members) + 1
	return w.addAt(fmt.Sprintf("10.0.0.%d:27415", n), change...)
}

// addAt makes an idle member with a socket at an address.
func (w *world) addAt(addr string, change ...func(*Config)) *member {
	n := len(w.members)
	m := &member{w: w, name: fmt.Sprintf("m%d", n), sock: w.net.Socket(addr), hosts: make(map[uint32]PID)}
	cfg := Config{
		Socket: m.sock,
		Random: rand.NewChaCha8([32]byte{byte(w.seed), byte(w.seed >> 8), byte(n)}),
	}
	for _, f := range change {
		f(&cfg)
	}
	m.Party = New(cfg)
	w.members = append(w.members, m)
	return m
}

// host makes a member that hosts.
func (w *world) host(change ...func(*Config)) *member {
	w.t.Helper()
	m := w.add(change...)
	if err := m.Host(0, 77); err != nil {
		w.t.Fatal(err)
	}
	return m
}

// guest makes a member that has joined a host.
func (w *world) guest(h *member, change ...func(*Config)) *member {
	w.t.Helper()
	m := w.add(change...)
	m.joins(h)
	w.until(func() bool {
		return m.State() == StateJoined && h.PeerOf(m.MyPID()) != nil && h.PeerOf(m.MyPID()).confirmed
	})
	m.facts, h.facts = nil, nil
	return m
}

// party makes a host and n guests.
func (w *world) party(n int) (h *member, guests []*member) {
	w.t.Helper()
	h = w.host()
	for range n {
		guests = append(guests, w.guest(h))
	}
	for _, m := range w.members {
		m.facts = nil
	}
	return h, guests
}

func (m *member) joins(h *member) {
	m.w.t.Helper()
	if err := m.Join(codes.Target{Addr: h.addr()}); err != nil {
		m.w.t.Fatal(err)
	}
}

func (m *member) addr() netip.AddrPort { return m.sock.LocalAddr() }

// die ends a member without a word, as a crash does.
func (m *member) die() {
	m.dead = true
	m.sock.Close()
}

// frame is one frame of everyone.
func (w *world) frame() {
	w.net.Advance(frame)
	if w.each != nil {
		w.each()
	}
	for _, m := range w.members {
		switch {
		case m.dead:
		case m.frozen:
			m.missed += frame
		default:
			m.frame(frame + m.missed)
			m.missed = 0
		}
	}
}

// frame is one frame of a game.
func (m *member) frame(dt time.Duration) {
	m.Begin(dt)
	for msg := range m.Inbox() {
		m.hears(msg)
	}
	m.Update()
	if m.play != nil {
		m.play()
	}
	m.End()
	for f := range m.Facts() {
		m.facts = append(m.facts, f)
	}
}

func (m *member) hears(msg *Message) {
	if msg.From.role == roleHost {
		epoch, pid := m.place.roster.epoch, msg.From.PID()
		if was, ok := m.hosts[epoch]; ok && was != pid {
			m.twoHosts = true
		}
		m.hosts[epoch] = pid
	}
	if m.onMsg != nil {
		m.onMsg(msg)
	}
	switch {
	case msg.Kind == Hello:
		m.hellos = append(m.hellos, msg.From)
		switch {
		case m.ignore:
		case m.refuse != "":
			m.Refuse(msg.From, m.refuse)
		default:
			m.pids = append(m.pids, m.Accept(msg.From))
		}
		m.got = append(m.got, said{msg.By, msg.Kind, string(msg.Bytes())})
	default:
		m.got = append(m.got, said{msg.By, msg.Kind, string(msg.Bytes())})
	}
}

func (w *world) runFor(d time.Duration) {
	for end := w.net.Now() + d; w.net.Now() < end; {
		w.frame()
	}
}

// until runs until something holds, and fails after 60 s.
func (w *world) until(holds func() bool) {
	w.t.Helper()
	for end := w.net.Now() + 60*time.Second; !holds(); w.frame() {
		if w.net.Now() > end {
			w.t.Fatalf("seed %d: not within 60 s", w.seed)
		}
	}
}

// say sends bytes to all.
func (m *member) say(kind Kind, data string, mode Mode) {
	m.w.t.Helper()
	wr := m.Write(kind)
	wr.Bytes([]byte(data))
	if err := wr.SendAll(mode); err != nil {
		m.w.t.Fatalf("%s: %v", m.name, err)
	}
}

// sayNumber sends a number to all.
func (m *member) sayNumber(kind Kind, n uint32, mode Mode) {
	m.w.t.Helper()
	m.say(kind, string(binary.LittleEndian.AppendUint32(nil, n)), mode)
}

// numbers are what sayNumber sent, as heard.
func (m *member) numbers(kind Kind) (all []uint32) {
	for _, s := range m.got {
		if s.kind == kind && len(s.data) == 4 {
			all = append(all, binary.LittleEndian.Uint32([]byte(s.data)))
		}
	}
	return all
}

// heard are the messages of the game, without hellos.
func (m *member) heardGame() (all []said) {
	for _, s := range m.got {
		if s.kind != Hello {
			all = append(all, s)
		}
	}
	return all
}

// find are the facts of a kind.
func (m *member) find(kind FactKind) (all []Fact) {
	for _, f := range m.facts {
		if f.Kind == kind {
			all = append(all, f)
		}
	}
	return all
}

// wantFacts compares kinds, pids and reasons, PeersChanged aside.
func (m *member) wantFacts(want ...Fact) {
	m.w.t.Helper()
	got := slices.DeleteFunc(slices.Clone(m.facts), func(f Fact) bool { return f.Kind == PeersChanged })
	for i := range got {
		got[i].Peer = nil
	}
	if !slices.Equal(got, want) {
		m.w.t.Errorf("seed %d: %s has facts %v, want %v", m.w.seed, m.name, got, want)
	}
}

func (m *member) wantGame(want ...said) {
	m.w.t.Helper()
	if got := m.heardGame(); !slices.Equal(got, want) {
		m.w.t.Errorf("seed %d: %s heard %v, want %v", m.w.seed, m.name, got, want)
	}
}

// wantUpTo checks that numbers are 0 to n-1, each once, in order.
func wantUpTo(t testing.TB, seed uint64, got []uint32, n int) {
	t.Helper()
	if len(got) != n {
		t.Errorf("seed %d: %d numbers arrived, want %d", seed, len(got), n)
	}
	for i, v := range got {
		if v != uint32(i) {
			t.Fatalf("seed %d: number %d is %d", seed, i, v)
		}
	}
}

// eachSeed runs a test for every seed of the cases, or for the first alone
// under the race detector.
func eachSeed(t *testing.T, test func(t *testing.T, w *world)) {
	seeds := seeds
	if raceOn {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { test(t, newWorld(t, seed)) })
	}
}

func text(n int) string { return string(bytes.Repeat([]byte{'x'}, n)) }

func codesAt(addr string) codes.Target {
	return codes.Target{Addr: netip.MustParseAddrPort(addr)}
}
