package launch

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/session"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

// A Game is a player's session and the bots that came with it, all run by one
// frame.
type Game struct {
	Player *session.Session

	options Options
	bots    []*bot
	relay   *netmsg.LossyRelay
	meter   meter
	seat    seatFile
	began   time.Time
}

// Start hosts or joins as the options say. tell takes lines for the player to
// read; it may be called later, by Frame.
func Start(o Options, tell func(string)) (*Game, error) {
	g := &Game{options: o, seat: seatFile{name: o.Seat}, began: time.Now()}
	cfg := session.Config{Name: o.Name, Seed: uint32(o.Seed)}
	cfg.Party.Seat = g.seat.read()
	g.Player = session.New(cfg)
	to, err := g.open(tell)
	if err != nil {
		return nil, err
	}
	if o.Bots > 0 {
		if err := g.invite(to); err != nil {
			g.Player.Leave()
			return nil, err
		}
	}
	return g, nil
}

// open hosts or joins, and says where the bots are to go.
func (g *Game) open(tell func(string)) (codes.Target, error) {
	if g.options.Join != "" {
		to, err := session.ParseCode(g.options.Join)
		if err != nil {
			return to, err
		}
		return to, g.Player.Join(to)
	}
	port := g.options.Port
	if port == 0 {
		port = party.DefaultPort
	}
	err := g.Player.Host(port)
	if errors.Is(err, party.WhyPortInUse) {
		if err = g.Player.Host(0); err == nil {
			tell(fmt.Sprintf("port %d is taken: this game is on port %d", port, g.Player.Port()))
		}
	}
	here := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), g.Player.Port())
	return codes.Target{Addr: here}, err
}

// invite sends the bots to a host, over a lossy relay if the options want one.
func (g *Game) invite(to codes.Target) error {
	if g.options.Lossy() && to.Addr.IsValid() {
		link := netmsg.Lossy(g.options.Loss, g.options.Latency, g.options.Jitter)
		relay, err := netmsg.StartLossyRelay(to.Addr, link, link, g.options.Seed)
		if err != nil {
			return err
		}
		g.relay = relay
		to = codes.Target{Addr: relay.Addr()}
	}
	for i := range g.options.Bots {
		b := newBot(i, g.options.Seed)
		if err := b.Join(to); err != nil {
			g.dismiss()
			return fmt.Errorf("bot %d: %w", i+1, err)
		}
		g.bots = append(g.bots, b)
	}
	return nil
}

// Frame plays a tick of the player's and of every bot's. It is to be called
// sixty times a second.
func (g *Game) Frame(in arena.Input) {
	g.meter.frame(g.Player, in)
	for _, b := range g.bots {
		b.frame()
	}
}

// KeepSeat writes the player's seat to its file when there is a new one. It may
// be called each frame.
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
	if g.Player.Status() == session.Playing {
		g.seat.drop()
	}
	g.dismiss()
	g.Player.Leave()
	r.End, _ = g.Player.End()
	return r
}

// dismiss ends the bots and their relay.
func (g *Game) dismiss() {
	for _, b := range g.bots {
		b.Leave()
	}
	if g.relay != nil {
		g.relay.Stop()
	}
}

// Close ends everything at once, without a report.
func (g *Game) Close() {
	if g.Player.Status() == session.Playing {
		g.seat.drop()
	}
	g.dismiss()
	g.Player.Leave()
}
