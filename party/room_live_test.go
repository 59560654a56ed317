package party

import (
	"net/netip"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/matchmaker"
)

// Rooms on real sockets: the matchmaker, its STUN and its relay, in process on
// the loopback.

func liveMatchmaker(t testing.TB, addr string) *matchmaker.Server {
	t.Helper()
	s, err := matchmaker.Start(matchmaker.ServerConfig{Addr: addr, PublicIP: netip.MustParseAddr("127.0.0.1"), AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func onLoopback() []netip.Addr { return []netip.Addr{netip.MustParseAddr("127.0.0.1")} }

func liveRoom(t testing.TB, url string) *live {
	t.Helper()
	h := newLive(t, Config{SignalURL: url, Network: Network{LocalAddrs: onLoopback}})
	if err := h.Host(0, 77); err != nil {
		t.Fatal(err)
	}
	liveUntil(t, func() bool { return h.Room() != "" }, h)
	return h
}

func (l *live) joinsRoom(code string) {
	l.t.Helper()
	to, err := codes.Parse(code, 0)
	if err != nil {
		l.t.Fatal(err)
	}
	if err := l.Join(to); err != nil {
		l.t.Fatal(err)
	}
}

func TestRoomEndToEndOnLocalhost(t *testing.T) {
	s := liveMatchmaker(t, "127.0.0.1:0")
	h := liveRoom(t, s.URL())
	liveUntil(t, func() bool { return h.Outside().IsValid() }, h)
	if h.Outside() != h.addr() {
		t.Errorf("outside is %v, want %v", h.Outside(), h.addr())
	}
	g := newLive(t, Config{SignalURL: s.URL()})
	g.joinsRoom(h.Room())
	liveUntil(t, func() bool { return g.State() == StateJoined && g.Room() != "" }, h, g)
	if g.Room() != h.Room() || !g.host.Verified() || g.host.Path() != Local {
		t.Errorf("room %q, want %q; verified %v, path %v", g.Room(), h.Room(), g.host.Verified(), g.host.Path())
	}
}

func TestRelayEndToEndOnLocalhost(t *testing.T) {
	s := liveMatchmaker(t, "127.0.0.1:0")
	h := liveRoom(t, s.URL())
	g := newLive(t, Config{SignalURL: s.URL(), ForceRelay: true})
	g.joinsRoom(h.Room())
	liveUntil(t, func() bool { return g.State() == StateJoined }, h, g)
	at := h.PeerOf(g.MyPID())
	if g.host.Path() != Relayed || at.Path() != Relayed {
		t.Errorf("paths %v and %v, want relayed", g.host.Path(), at.Path())
	}
	if err := g.say(kindA, text(20000), Reliable); err != nil {
		t.Fatal(err)
	}
	if err := h.say(kindB, text(20000), Reliable); err != nil {
		t.Fatal(err)
	}
	heard := func(l *live, kind Kind) bool {
		for _, m := range l.got {
			if m.kind == kind && len(m.data) == 20000 {
				return true
			}
		}
		return false
	}
	liveUntil(t, func() bool { return heard(h, kindA) && heard(g, kindB) }, h, g)

	// The guest's goodbye goes over the relay too.
	g.Leave()
	liveUntil(t, func() bool { return len(h.find(Gone)) > 0 }, h)
	if f := h.find(Gone); f[0].Why != WhyClosed {
		t.Errorf("the host heard %v, want closed", f)
	}
}

func TestARoomComesBackAfterItsMatchmakerWasStartedAgain(t *testing.T) {
	s := liveMatchmaker(t, "127.0.0.1:0")
	addr := s.Addr().String()
	h := liveRoom(t, s.URL())
	code := h.Room()
	s.Shutdown(100 * time.Millisecond)
	liveUntil(t, func() bool { return !h.room.held }, h)
	again := liveMatchmaker(t, addr)
	liveUntil(t, func() bool { return h.room.held }, h)
	g := newLive(t, Config{SignalURL: again.URL()})
	g.joinsRoom(code)
	liveUntil(t, func() bool { return g.State() == StateJoined }, h, g)
	if h.Room() != code {
		t.Errorf("the room is %q, was %q", h.Room(), code)
	}
}
