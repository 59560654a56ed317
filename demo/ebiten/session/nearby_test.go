package session

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/matchmaker/s64"
)

// startMaster serves a master server on the loopback.
func startMaster(t *testing.T) string {
	t.Helper()
	m, err := s64.Serve("127.0.0.1:0", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m.Addr().String()
}

// announcedHost hosts an announced game.
func announcedHost(t *testing.T, master, name string) *Session {
	t.Helper()
	var cfg Config
	cfg.Name = name
	cfg.Party.Announce, cfg.Party.Name = master, name+"'s game"
	s := New(cfg)
	if err := s.Host(0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Leave)
	return s
}

// find looks until as many games are found, while the hosts play.
func find(t *testing.T, n *Nearby, want int, hosts ...*Session) []NearbyGame {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		for _, h := range hosts {
			h.Frame(arena.Input{})
		}
		if games, asked, err := n.Games(); asked && err == nil && len(games) == want {
			return games
		}
	}
	t.Fatalf("not found in half a minute")
	return nil
}

func TestAnnouncedGamesAreFoundTheNearestFirstAndCanBeJoined(t *testing.T) {
	master := startMaster(t)
	ann, bob := announcedHost(t, master, "Ann"), announcedHost(t, master, "Bob")
	other := registerStranger(t, master)
	defer other.Close()
	n := LookAround(master)
	defer n.Close()

	games := find(t, n, 2, ann, bob)

	if games[0].Ping > games[1].Ping || games[0].Ping <= 0 {
		t.Errorf("pings %v and %v", games[0].Ping, games[1].Ping)
	}
	for _, g := range games {
		if g.Players != 1 || g.Max != 12 || g.Name != "Ann's game" && g.Name != "Bob's game" {
			t.Errorf("found %+v", g)
		}
	}
	guest := New(Config{Name: "Cy"})
	to, err := ParseCode(games[0].Addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := guest.Join(to); err != nil {
		t.Fatal(err)
	}
	defer guest.Leave()
	for end := time.Now().Add(30 * time.Second); guest.Status() != Playing; time.Sleep(2 * time.Millisecond) {
		for _, s := range []*Session{ann, bob, guest} {
			s.Frame(arena.Input{})
		}
		if time.Now().After(end) {
			t.Fatalf("the guest is %v", guest.Status())
		}
	}
}

// registerStranger lists a server that is no game of this kind.
func registerStranger(t *testing.T, master string) net.Conn {
	t.Helper()
	c, err := net.Dial("udp", master)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, s64.MaxDatagram)
	r := s64.NewRegistrar(s64.Registration{Port: 1, Name: "Tic Tac Toe"}, 0)
	c.Write(buf[:r.Transmit(0, buf)])
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if k, err := c.Read(buf); err != nil || !r.Receive(0, buf[:k]) {
		t.Fatalf("not registered: %v", err)
	}
	return c
}

func TestMasterThatDoesNotAnswerIsToldAndTheLookEndsAtOnce(t *testing.T) {
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	n := LookAround(silent.LocalAddr().String())
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		games, asked, err := n.Games()
		if asked {
			if err == nil || len(games) != 0 {
				t.Errorf("found %v, %v", games, err)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatal("never told")
		}
	}
	n.Close()
}

func TestNameOfAHostileHostIsCleaned(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	defer func() { c.Close(); <-done }()
	go func() {
		defer close(done)
		buf := make([]byte, s64.MaxDatagram)
		for {
			k, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			evil := s64.Presence{Name: "\x1b[2J" + strings.Repeat("x", 3000), Players: 1 << 31, Max: 1 << 31}
			if b, ok := s64.AnswerDiscover(buf[:k], evil); ok {
				c.WriteTo(b, from)
			}
		}
	}()
	g := askGame(t.Context(), c.LocalAddr().String())
	if g.Name != CleanName(g.Name) || len(g.Name) > MaxName || strings.ContainsRune(g.Name, 0x1b) || g.Players != 99 || g.Max != 99 {
		t.Errorf("found %+v", g)
	}
}
