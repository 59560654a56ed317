package party

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/matchmaker/s64"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

// An s64World is a world with a master server, whose answers a test may lose.
type s64World struct {
	*world
	master *s64.Master
	sock   *simnet.Socket
	heard  []s64.Packet // by the master
	from   []netip.AddrPort
	deaf   bool // the master hears nothing
	dumb   bool // nothing that it says arrives
}

const masterAddr = "10.0.9.9:6464"

func newS64World(t *testing.T) *s64World {
	w := &s64World{world: newWorld(t, 1), master: s64.NewMaster(nil)}
	w.sock = w.net.Socket(masterAddr)
	w.each = w.serve
	return w
}

func (w *s64World) serve() {
	d := netmsg.Datagram{Data: make([]byte, 0, s64.MaxDatagram)}
	for w.sock.TryRead(&d) {
		if w.deaf {
			continue
		}
		if p, ok := s64.Parse(d.Data); ok {
			p.Data = bytes.Clone(p.Data)
			w.heard, w.from = append(w.heard, p), append(w.from, d.Addr)
		}
		w.master.Receive(w.net.Now(), d.Addr, d.Data)
	}
	buf := make([]byte, s64.MaxDatagram)
	for n, to := w.master.Transmit(w.net.Now(), buf); n > 0; n, to = w.master.Transmit(w.net.Now(), buf) {
		if !w.dumb {
			w.sock.WriteBatch([]netmsg.Datagram{{Addr: to, Data: buf[:n]}})
		}
	}
}

// types are what the master has heard since the last call.
func (w *s64World) types() (all []string) {
	for _, p := range w.heard {
		all = append(all, p.Type)
	}
	w.heard, w.from = nil, nil
	return all
}

func announced(c *Config) { c.Announce, c.Name = masterAddr, "Ann's" }

func TestRowZ17AnnouncedHostRegistersBeatsAndRegistersAnewWhenAsked(t *testing.T) {
	w := newS64World(t)
	h := w.host(announced)
	w.runFor(500 * time.Millisecond)
	if !h.Announced() || w.master.Len() != 1 {
		t.Fatalf("announced %v, the master knows %d", h.Announced(), w.master.Len())
	}
	reg, err := s64.ParseRegistration(w.heard[0].Data)
	if want := (s64.Registration{Port: 27415, Name: "Ann's", Hash: ListingHash(1)}); err != nil || reg != want || w.from[0] != h.sock.LocalAddr() {
		t.Fatalf("registered from %v as %+v (%v), want %+v", w.from[0], reg, err, want)
	}
	if got := w.types(); !slices.Equal(got, []string{s64.Register}) {
		t.Fatalf("said %v", got)
	}

	w.runFor(181 * time.Second)
	if got := w.types(); !slices.Equal(got, []string{s64.Heartbeat}) {
		t.Fatalf("said %v in three minutes", got)
	}

	w.master = s64.NewMaster(nil) // started again
	w.runFor(181 * time.Second)
	if got := w.types(); !slices.Equal(got, []string{s64.Heartbeat, s64.Register}) || w.master.Len() != 1 {
		t.Fatalf("said %v; the master knows %d", got, w.master.Len())
	}
}

func TestRowZ17RegistrationIsSentAgainUntilItIsAcknowledged(t *testing.T) {
	w := newS64World(t)
	w.dumb = true
	h := w.host(announced)
	w.runFor(2500 * time.Millisecond)
	if n := len(w.heard); n != 3 || h.Announced() {
		t.Fatalf("%d times in 2.5 s, announced %v", n, h.Announced())
	}
	w.dumb = false
	w.runFor(time.Second)
	if !h.Announced() {
		t.Fatal("the fourth was acknowledged, and it is not announced")
	}
	w.types()
	w.runFor(10 * time.Second)
	if got := w.types(); len(got) != 0 {
		t.Fatalf("said %v although it was acknowledged", got)
	}
}

// questions are datagrams of programs in use.
func questions(t *testing.T) map[string][]byte {
	t.Helper()
	f, err := os.Open("../matchmaker/s64/testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := make(map[string][]byte)
	for s := bufio.NewScanner(f); s.Scan(); {
		if part := strings.Split(s.Text(), " | "); len(part) == 3 && part[0][0] != '#' {
			if all[part[0]], err = hex.DecodeString(part[2]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

// asks sends a datagram to a member and gives what comes back within a second.
func (w *s64World) asks(m *member, datagrams ...[]byte) (all [][]byte) {
	browser := w.net.Socket("10.0.8.8:5000")
	defer browser.Close()
	for _, b := range datagrams {
		browser.WriteBatch([]netmsg.Datagram{{Addr: m.sock.LocalAddr(), Data: b}})
	}
	w.runFor(time.Second)
	d := netmsg.Datagram{Data: make([]byte, 0, s64.MaxDatagram)}
	for browser.TryRead(&d) {
		all = append(all, bytes.Clone(d.Data))
	}
	return all
}

func TestRowZ19AnnouncedHostAnswersDiscover(t *testing.T) {
	w := newS64World(t)
	h := w.host(announced)
	g := w.guest(h)
	v := questions(t)
	for q, a := range map[string]string{"discover.request": "discover.reply", "discover.wiki.request": "discover.wiki.reply"} {
		t.Run(q, func(t *testing.T) {
			got := w.asks(h, v[q])
			if len(got) != 1 {
				t.Fatalf("%d answers", len(got))
			}
			p, _ := s64.Parse(got[0])
			want, _ := s64.Parse(v[a])
			size := int(textLength(want.Data)) + 4 // the identifier and its length
			tail := []byte("\x00\x00\x00\x05Ann's\x00\x00\x00\x02\x00\x00\x00\x0c")
			if p.Type != want.Type || p.Flags != want.Flags || !bytes.Equal(p.Data, append(bytes.Clone(want.Data[:size]), tail...)) {
				t.Fatalf("answered %x", got[0])
			}
		})
	}
	if got := w.asks(g, v["discover.request"]); len(got) != 0 {
		t.Errorf("a guest answers %x", got)
	}
	if got := w.asks(h, v["list.request"], v["register.request"], v["bad.truncated"], v["heartbeat.full"]); len(got) != 0 {
		t.Errorf("a host answers %x", got)
	}
}

// textLength reads the length that a text has before it.
func textLength(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func TestHostThatIsNotAnnouncedAnswersNoQuestion(t *testing.T) {
	w := newS64World(t)
	h := w.host()
	if got := w.asks(h, questions(t)["discover.request"]); len(got) != 0 {
		t.Errorf("answered %x", got)
	}
	if n := h.ep.Stats().UnknownKind; n != 1 {
		t.Errorf("%d datagrams of an unknown kind", n)
	}
}

// What the answers are to can be forged, so they are few; and a flood of them
// takes neither memory nor the frame.
func TestFloodOfQuestionsIsAnsweredFiftyTimesASecond(t *testing.T) {
	w := newS64World(t)
	h := w.host(announced)
	g := w.guest(h)
	q := questions(t)["discover.request"]
	browser := w.net.Socket("10.0.8.8:5000")
	answers := 0
	d := netmsg.Datagram{Data: make([]byte, 0, s64.MaxDatagram)}
	serve := w.each
	w.each = func() {
		serve()
		for range 100 {
			browser.WriteBatch([]netmsg.Datagram{{Addr: h.sock.LocalAddr(), Data: q}})
		}
		for browser.TryRead(&d) {
			answers++
		}
	}
	w.runFor(4 * time.Second)
	if answers < 150 || answers > 260 {
		t.Errorf("%d answers in 4 s", answers)
	}
	if n := cap(h.ears.listing); n > 2*earsKeep {
		t.Errorf("room for %d questions is held", n)
	}
	if g.State() != StateJoined || h.PeerCount() != 1 || !h.Announced() {
		t.Errorf("guest %v, %d peers, announced %v", g.State(), h.PeerCount(), h.Announced())
	}
}

// Anybody can write the master's address on a datagram.
func TestFalseMasterDoesNotMakeAHostTalk(t *testing.T) {
	w := newS64World(t)
	h := w.host(announced)
	w.runFor(time.Second)
	w.types()
	again := questions(t)["heartbeat.reply2"]
	for range 500 {
		w.sock.WriteBatch([]netmsg.Datagram{{Addr: h.sock.LocalAddr(), Data: again}})
		w.runFor(10 * time.Millisecond)
	}
	if n := len(w.types()); n > 12 {
		t.Errorf("%d registrations in about 8 s of 500 demands", n)
	}
	if got := w.asks(h, again); len(got) != 0 {
		t.Errorf("one that is not the master is answered %x", got)
	}
}

func TestMemberThatBecomesHostIsListedInItsPlace(t *testing.T) {
	w := newS64World(t)
	h := w.host(announced)
	g1, g2 := w.guest(h, announced), w.guest(h, announced)
	w.runFor(time.Second)
	if g1.Announced() || g2.Announced() || w.master.Len() != 1 {
		t.Fatal("a guest is announced")
	}
	if err := h.HandOff(0); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return g1.Announced() || g2.Announced() })
	if w.master.Len() != 2 {
		t.Errorf("the master knows %d, want the old host, which it cannot be told of, and the new", w.master.Len())
	}
	if h.Announced() {
		t.Error("the old host says that it is announced")
	}
}

func TestAnnouncedHostIsListedAndDiscoveredOverRealSockets(t *testing.T) {
	master, err := s64.Serve("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	_, port, _ := net.SplitHostPort(master.Addr().String())
	h := newLive(t, Config{Announce: net.JoinHostPort("localhost", port), Name: "Ann's"})
	if err := h.Host(0, 77); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	var list []s64.Entry
	var there s64.Presence
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		for len(list) == 0 && ctx.Err() == nil {
			list, _ = s64.List(ctx, master.Addr().String())
		}
		if len(list) == 0 {
			done <- ctx.Err()
			return
		}
		var err error
		there, _, err = s64.Discover(ctx, list[0].Addr)
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			want := s64.Entry{Addr: h.addr().String(), Name: "Ann's", Hash: ListingHash(1)}
			if len(list) != 1 || list[0] != want || there != (s64.Presence{Name: "Ann's", Players: 1, Max: MaxMembers}) {
				t.Fatalf("listed %+v, discovered %+v", list, there)
			}
			return
		default:
			h.frame()
			time.Sleep(5 * time.Millisecond)
		}
	}
}

func TestMasterThatIsNotFoundIsLookedForAgainAMinuteLater(t *testing.T) {
	h := newLive(t, Config{Announce: "no such name.invalid:1"})
	if err := h.Host(0, 77); err != nil {
		t.Fatal(err)
	}
	for h.listing.lookUpAt == 0 || h.listing.names != nil {
		h.frame()
		time.Sleep(time.Millisecond)
	}
	if again := h.listing.lookUpAt - h.now; again < masterRetry/2 || again > masterRetry || h.Announced() {
		t.Errorf("again in %v", again)
	}
}

func TestListedNameIsCutBetweenCharacters(t *testing.T) {
	for name, want := range map[string]string{
		"":                            "Partyline",
		strings.Repeat("x", 65):       strings.Repeat("x", 64),
		"x" + strings.Repeat("ü", 32): "x" + strings.Repeat("ü", 31),
		strings.Repeat("ü", 32):       strings.Repeat("ü", 32),
	} {
		p := New(Config{Name: name})
		if got := p.listedName(); got != want {
			t.Errorf("%q is listed as %q", name, got)
		}
	}
}
