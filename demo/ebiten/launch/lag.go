package launch

import (
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// A Lag is a bad line to try a game on.
type Lag struct {
	Name string
	Link netmsg.LinkConfig // each way
}

// Lags are the lines that Game.Lag goes through; the first is the line as it is.
var Lags = []Lag{
	{Name: "off"},
	{"another city: 15 ms each way", netmsg.Lossy(0, 15*time.Millisecond, 4*time.Millisecond)},
	{"full café: 40 ± 10 ms, 2 % lost", netmsg.Lossy(0.02, 30*time.Millisecond, 20*time.Millisecond)},
	{"other continent: 110 ± 15 ms, 1 % lost", netmsg.Lossy(0.01, 95*time.Millisecond, 30*time.Millisecond)},
	{"moving train: 90 ± 50 ms, 12 % lost", netmsg.Lossy(0.12, 40*time.Millisecond, 100*time.Millisecond)},
}

// Lag puts this player's line on the next of Lags, and returns it. Only a game
// with Options.Lag has another than the first.
func (g *Game) Lag() Lag {
	if g.socket == nil {
		return Lags[0]
	}
	g.lag = (g.lag + 1) % len(Lags)
	g.socket.SetLink(Lags[g.lag].Link)
	return Lags[g.lag]
}
