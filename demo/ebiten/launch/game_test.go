package launch

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/session"
	"github.com/partyline-go/partyline/party"
)

func TestATakenPortGivesAnotherAndSaysSo(t *testing.T) {
	for _, lag := range []bool{false, true} {
		other, err := net.ListenUDP("udp", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		taken := other.LocalAddr().(*net.UDPAddr).Port
		var told []string

		g, err := Start(Options{Host: true, Port: uint16(taken), Seed: 1, Lag: lag}, func(s string) { told = append(told, s) })
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()

		if g.Player.Port() == uint16(taken) || g.Player.Port() == 0 {
			t.Errorf("lag %v: on port %d", lag, g.Player.Port())
		}
		if len(told) != 1 || !strings.Contains(told[0], "is taken") {
			t.Errorf("lag %v: told %q", lag, told)
		}
	}
}

func TestTheLagSimulatorGoesThroughItsLinesAndBack(t *testing.T) {
	g, err := Start(Options{Host: true, Port: 0, Seed: 1, Lag: true}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()

	for i := 1; i <= len(Lags); i++ {
		if got := g.Lag(); got.Name != Lags[i%len(Lags)].Name {
			t.Errorf("press %d: %q", i, got.Name)
		}
	}
}

func TestBotsJoinAndTheGameComesToRest(t *testing.T) {
	g, err := Start(Options{Host: true, Bots: 3, Seed: 1, Loss: 0.1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	pace := NewPace()
	frame := func() {
		pace.Wait()
		g.Frame(arena.Input{})
	}
	ready := func() bool {
		for _, b := range g.bots {
			if b.Level() == nil {
				return false
			}
		}
		return len(g.Player.Players()) == 4
	}
	for deadline := time.Now().Add(20 * time.Second); !ready() && time.Now().Before(deadline); {
		frame()
	}

	r := g.Finish(frame)

	if r.Players != 4 || r.Lost != 0 || r.Disordered != 0 || r.Disconnects != 0 || r.End != "You left the game." {
		t.Errorf("%+v", r)
	}
	if !r.Sealed || r.LevelsReceived != 3 {
		t.Errorf("sealed %v, %d levels received", r.Sealed, r.LevelsReceived)
	}
	for _, b := range g.bots {
		if b.Status() != session.Ended {
			t.Errorf("a bot is still %v", b.Status())
		}
	}
}

func TestACodeThatIsNoneIsAnErrorAndLeavesNothingBehind(t *testing.T) {
	if g, err := Start(Options{Join: "three", Bots: 2, Lag: true}, nil); err == nil || g != nil {
		t.Errorf("a game: %v, error %v", g != nil, err)
	}
}

func TestBotsJoinByTheRoomsCodeAlsoOverABadLine(t *testing.T) {
	for _, loss := range []float64{0, 0.1} {
		g, err := Start(Options{Host: true, Bots: 2, Seed: 1, Loss: loss, Matchmaker: Embedded}, func(s string) { t.Log(s) })
		if err != nil {
			t.Fatal(err)
		}
		pace := NewPace()
		frame := func() {
			pace.Wait()
			g.Frame(arena.Input{})
		}
		for deadline := time.Now().Add(20 * time.Second); len(g.Player.Players()) < 3 && time.Now().Before(deadline); {
			frame()
		}
		for range 2 * session.TicksPerSecond { // the next pulses tell the paths
			frame()
		}
		bot := g.bots[0].Session
		if room := g.Player.Room(); room == "" || bot.Room() != room || !strings.HasPrefix(g.Matchmaker(), "ws://") {
			t.Errorf("loss %v: room %q, a bot's %q, matchmaker %q", loss, room, bot.Room(), g.Matchmaker())
		}
		for i := range bot.Players() {
			if p := &bot.Players()[i]; (bot.PathOf(p) == party.Local) != !p.Host {
				t.Errorf("loss %v: a bot has %s on path %v", loss, p.Name, bot.PathOf(p))
			}
		}

		r := g.Finish(frame)

		if r.Players != 3 || r.Lost != 0 || r.Disconnects != 0 || r.Room == "" || r.Verified != 2 {
			t.Errorf("loss %v: %+v", loss, r)
		}
		for _, p := range r.Peers {
			if p.Path != "local" {
				t.Errorf("loss %v: %+v", loss, p)
			}
		}
	}
}

func TestWithoutAMatchmakerTheBotsComeByAddress(t *testing.T) {
	g, err := Start(Options{Host: true, Bots: 1, Seed: 1, Matchmaker: "ws://127.0.0.1:1"}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	pace := NewPace()

	for deadline := time.Now().Add(20 * time.Second); len(g.Player.Players()) < 2 && time.Now().Before(deadline); {
		pace.Wait()
		g.Frame(arena.Input{})
	}

	if n := len(g.Player.Players()); n != 2 {
		t.Errorf("%d players, want 2", n)
	}
	if !strings.Contains(g.Player.RoomTrouble(), "matchmaker cannot be reached") || g.Player.Room() != "" {
		t.Errorf("room %q, trouble %q", g.Player.Room(), g.Player.RoomTrouble())
	}
}

func TestARoomCodeWithoutAMatchmakerIsAnErrorInWords(t *testing.T) {
	_, err := Start(Options{Join: "7K3M-Q0ZD"}, func(string) {})
	if err == nil || !strings.Contains(session.ErrorWords(err), "-matchmaker") {
		t.Errorf("error %v", err)
	}
}
