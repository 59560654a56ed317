// Package launch is what the window and the headless program have in common:
// the flags, the bots and their bad line, the seat file and the report.
package launch

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os/user"
	"strings"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// MostBots is how many bots a party has room for beside its host.
const MostBots = arena.MaxPlayers - 1

// Options are what the flags say.
type Options struct {
	Host    bool
	Join    string // a code or an address; "": host
	Name    string
	Seat    string // file; "": none
	Bots    int
	For     time.Duration // 0: until the player ends it
	Loss    float64       // of the bots' line, each way
	Latency time.Duration
	Jitter  time.Duration
	Port    uint16
	Seed    uint64
	Snow    int    // share of the ice under snow, in percent
	Report  string // "text", "json"
	Shot    string // file; the window only
	Listing Listing
	Lag     bool // Game.Lag may be used, which costs a goroutine for the socket

	// Matchmaker is the URL of the one that room codes go by, or Embedded; "":
	// none.
	Matchmaker string
}

// Parse reads the flags of a program. The window has -shot too. Its errors have
// been written to out, with the usage, as package flag does; flag.ErrHelp is the
// one that is no mistake.
func Parse(program string, args []string, window bool, out io.Writer) (Options, error) {
	var o Options
	var port uint
	f := flag.NewFlagSet(program, flag.ContinueOnError)
	f.SetOutput(out)
	f.BoolVar(&o.Host, "host", false, "open a game")
	f.StringVar(&o.Join, "join", "", "join the game of this join code or room `code` (or ip:port)")
	f.StringVar(&o.Matchmaker, "matchmaker", "", "host and join by room code, with the matchmaker at this `URL` (embedded: start one here)")
	f.StringVar(&o.Name, "name", "", "your name")
	f.StringVar(&o.Seat, "seat", "", "keep this player's seat in a `file`, to come back after a crash")
	f.IntVar(&o.Bots, "bots", 0, "let `n` bots join (11 if no flag says what to do)")
	f.DurationVar(&o.For, "for", 0, "end after this long")
	f.Float64Var(&o.Loss, "loss", 0, "the bots' line loses this share of the datagrams, each way")
	f.DurationVar(&o.Latency, "latency", 0, "the bots' line takes this long, each way")
	f.DurationVar(&o.Jitter, "jitter", 0, "the bots' line takes up to this much longer")
	f.UintVar(&port, "port", 0, "UDP port of a game (27415, and another one if that is taken)")
	f.Uint64Var(&o.Seed, "seed", 0, "dice of the ice, the bots and their line (0: the time's)")
	f.IntVar(&o.Snow, "snow", 40, "this share of the ice lies under snow, in `percent`")
	f.StringVar(&o.Report, "report", "text", "the report at the end: text or json")
	o.Listing.flags(f, window)
	if window {
		f.StringVar(&o.Shot, "shot", "", "save a picture to this `file` at the end")
	}
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.Port = uint16(port)
	o.Listing.settle(o.Host || o.Join != "" || given(f, "bots"))
	if !o.Host && o.Join == "" && !given(f, "bots") && !o.Listing.Title {
		o.Bots = MostBots
	}
	o.Host = o.Host || o.Join == ""
	if o.Name == "" {
		o.Name = userName()
	}
	o.Lag = window
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixNano())
	}
	if err := o.check(f.Args(), func(name string) bool { return given(f, name) }, port); err != nil {
		fmt.Fprintln(out, err)
		f.Usage()
		return o, err
	}
	return o, nil
}

func given(f *flag.FlagSet, name string) bool {
	found := false
	f.Visit(func(g *flag.Flag) { found = found || g.Name == name })
	return found
}

// check finds what cannot be meant. given says whether a flag was.
func (o *Options) check(rest []string, given func(flag string) bool, port uint) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("what is %q? Everything is said by flags", strings.Join(rest, " "))
	case given("join") && o.Join == "":
		return errors.New("-join needs a code, and this one is empty")
	case given("host") && o.Join != "":
		return errors.New("-host and -join exclude each other")
	case o.Bots < 0 || o.Bots > MostBots:
		return fmt.Errorf("-bots %d: a game has room for 0 to %d", o.Bots, MostBots)
	case o.Snow < 0 || o.Snow > 100:
		return fmt.Errorf("-snow %d: it is a share in percent, from 0 to 100", o.Snow)
	case !(o.Loss >= 0 && o.Loss < 1): // NaN is neither
		return fmt.Errorf("-loss %g: it is a share, from 0 up to 1", o.Loss)
	case o.Latency < 0 || o.Jitter < 0 || o.For < 0:
		return errors.New("-latency, -jitter and -for cannot be negative")
	case port > 65535:
		return fmt.Errorf("-port %d: ports go up to 65535", port)
	case o.Report != "text" && o.Report != "json":
		return fmt.Errorf("-report %q: it is text or json", o.Report)
	}
	return o.checkMatchmaker()
}

// userName is who is logged in, or a word.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return session.CleanName("")
	}
	name, _, _ := strings.Cut(u.Name, " ")
	if name == "" {
		name = u.Username
	}
	if name == "root" {
		name = ""
	}
	return session.CleanName(name)
}

// Lossy says whether the bots' line is to be a bad one.
func (o *Options) Lossy() bool { return o.Loss > 0 || o.Latency > 0 || o.Jitter > 0 }
