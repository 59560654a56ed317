package launch

import (
	"flag"

	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// A Listing is what the flags say of master servers of N64NL, where games are
// found without a code.
type Listing struct {
	Announce string // a hosted game is listed there; "": nowhere
	Browse   string // the title screen shows the games of that list; "": none
	Title    bool   // begin at the title screen
}

func (l *Listing) flags(f *flag.FlagSet, window bool) {
	f.StringVar(&l.Announce, "announce", "", "list a hosted game at the master server at this `address` (host:port)")
	if window {
		f.StringVar(&l.Browse, "browse", "", "show the games near you that the master server at this `address` lists (-announce's, if there is one)")
	}
}

// settle follows from one flag what another would say. told: the flags say what
// to play.
func (l *Listing) settle(told bool) {
	l.Title = l.Browse != "" && !told
	if l.Browse == "" {
		l.Browse = l.Announce
	}
}

// announce has a game listed that is hosted with cfg.
func (l *Listing) announce(cfg *session.Config) {
	if l.Announce != "" {
		cfg.Party.Announce = l.Announce
		cfg.Party.Name = session.CleanName(cfg.Name) + "'s floe"
	}
}
