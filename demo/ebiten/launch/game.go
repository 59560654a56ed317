package launch

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/level"
	"github.com/partyline-go/partyline/demo/ebiten/session"
	"github.com/partyline-go/partyline/matchmaker"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

// A Game is a player's session and the bots that came with it, all run by one
// frame.
type Game struct {
	Player *session.Session

	options Options
	bots    []*bot
	sockets []*session.LagSocket // of the bots, where their line is a bad one
	socket  *session.LagSocket   // nil: the party has one of its own
	server  *matchmaker.Server   // nil: none was started
	signal  string               // URL of the matchmaker; "": none
	waiting bool                 // the bots wait for a room code
	tell    func(string)
	lag     int // of Lags
	meter   meter
	seat    seatFile
	began   time.Time
}

// Start hosts or joins as the options say. tell takes lines for the player to
// read.
func Start(o Options, tell func(string)) (*Game, error) {
	g := &Game{options: o, seat: seatFile{name: o.Seat}, began: time.Now(), tell: tell}
	if err := g.start(); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

func (g *Game) start() error {
	if err := g.findMatchmaker(); err != nil {
		return err
	}
	to, err := g.open()
	if err != nil {
		return err
	}
	if g.signal != "" && g.options.Host {
		g.waiting = true
		return nil
	}
	return g.invite(to)
}

// open hosts or joins, and says where the bots are to go.
func (g *Game) open() (codes.Target, error) {
	if g.options.Join != "" {
		to, err := session.ParseCode(g.options.Join)
		if err != nil {
			return to, err
		}
		if to.Room != "" && g.signal == "" {
			return to, errNoMatchmaker
		}
		if err := g.seatPlayer(0); err != nil {
			return to, err
		}
		return to, g.Player.Join(to)
	}
	port := g.options.Port
	if port == 0 {
		port = party.DefaultPort
	}
	err := g.host(port)
	if errors.Is(err, party.WhyPortInUse) {
		if err = g.host(0); err == nil {
			g.tell(fmt.Sprintf("port %d is taken: this game is on port %d", port, g.Player.Port()))
		}
	}
	if err != nil {
		return codes.Target{}, err
	}
	return g.here()
}

// here is where this program's own bots find its host: on this machine, with the
// invitation if there is one, so that both ends are verified.
func (g *Game) here() (codes.Target, error) {
	var to codes.Target
	if invitation := g.Player.Invitation(); invitation != "" {
		var err error
		if to, err = session.ParseCode(invitation); err != nil {
			return to, err
		}
	}
	to.Addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), g.Player.Port())
	return to, nil
}

func (g *Game) host(port uint16) error {
	if err := g.seatPlayer(port); err != nil {
		return err
	}
	return g.Player.Host(port)
}

// seatPlayer makes the player's session, with a socket on a port if it is to
// have lag.
func (g *Game) seatPlayer(port uint16) error {
	seed := uint32(g.options.Seed)
	cfg := session.Config{Name: g.options.Name, Seed: seed, Level: level.Settings{Seed: seed, Snow: g.options.Snow}}
	cfg.Party.Seat, cfg.Party.SignalURL = g.seat.read(), g.signal
	g.options.Listing.announce(&cfg)
	if g.options.Lag {
		socket, err := session.OpenLag(port, g.options.Seed)
		if err != nil {
			return err
		}
		g.socket, cfg.Party.Socket = socket, socket
	}
	g.Player = session.New(cfg)
	return nil
}

// invite sends the bots to a host.
func (g *Game) invite(to codes.Target) error {
	for i := range g.options.Bots {
		cfg, err := g.botLine(uint64(i))
		if err != nil {
			return fmt.Errorf("bot %d: %w", i+1, err)
		}
		b := newBot(i, g.options.Seed, cfg)
		if err := b.Join(to); err != nil {
			return fmt.Errorf("bot %d: %w", i+1, err)
		}
		g.bots = append(g.bots, b)
	}
	return nil
}

// botLine is how a bot's party reaches others: over a bad line of its own if the
// options want one.
func (g *Game) botLine(i uint64) (party.Config, error) {
	cfg := party.Config{NoHandOff: true, SignalURL: g.signal}
	if !g.options.Lossy() {
		return cfg, nil
	}
	socket, err := session.OpenLag(0, g.options.Seed+i)
	if err != nil {
		return cfg, err
	}
	socket.SetLink(netmsg.Lossy(g.options.Loss, g.options.Latency, g.options.Jitter))
	g.sockets = append(g.sockets, socket)
	cfg.Socket = socket
	return cfg, nil
}

// Frame plays a tick of the player's and of every bot's. It is to be called
// sixty times a second.
func (g *Game) Frame(in arena.Input) {
	g.meter.frame(g.Player, in)
	g.callBots()
	for _, b := range g.bots {
		b.frame()
	}
}

// KeepSeat writes the player's seat to its file when there is a new one. It may
// be called each frame: that the file cannot be written it says once.
func (g *Game) KeepSeat() error {
	if g.options.Seat == "" || g.Player.Frames()%seatEvery != 0 {
		return nil
	}
	return g.seat.keep(g.Player.Seat())
}

// seatEvery is how many frames pass between two looks at the seat.
const seatEvery = 10

// members are all the sessions of this program.
func (g *Game) members() []*session.Session {
	all := []*session.Session{g.Player}
	for _, b := range g.bots {
		all = append(all, b.Session)
	}
	return all
}

// errNoMatchmaker says that a room code leads nowhere.
var errNoMatchmaker = errors.New("that is a room code: it needs the matchmaker that the host uses (-matchmaker URL)")

// rest is how long a game may take to come to rest at its end.
const rest = 3 * time.Second

// Finish lets the last letters arrive, takes the report, and ends everything.
// frame is called as often as it takes, and is to call Frame at its usual pace.
func (g *Game) Finish(frame func()) Report {
	for _, m := range g.members() {
		m.Quiet()
	}
	for range int(rest / session.Tick) {
		frame()
		if session.Missing(g.members()) == 0 {
			break
		}
	}
	r := g.report()
	g.Close()
	r.End, _ = g.Player.End()
	return r
}

// Close ends everything at once, without a report: the bots first, so that none
// of them becomes the heir.
func (g *Game) Close() {
	for _, s := range g.sockets {
		s.SetLink(Lags[0].Link) // so that the farewell leaves at once
	}
	for _, b := range g.bots {
		b.Leave()
	}
	if g.socket != nil {
		g.socket.SetLink(Lags[0].Link)
	}
	if g.Player != nil {
		if g.Player.Status() == session.Playing {
			g.seat.drop()
		}
		g.Player.Leave()
	}
	if g.socket != nil {
		g.socket.Close()
	}
	for _, s := range g.sockets {
		s.Close()
	}
	if g.server != nil {
		g.server.Close()
	}
}
