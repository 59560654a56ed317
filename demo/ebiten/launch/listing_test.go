package launch

import (
	"strings"
	"testing"

	"github.com/partyline-go/partyline/demo/ebiten/session"
)

func TestBrowsingBeginsAtTheTitleUnlessTheFlagsSayWhatToPlay(t *testing.T) {
	for args, want := range map[string]Listing{
		"-browse b:2":               {Browse: "b:2", Title: true},
		"-browse b:2 -host":         {Browse: "b:2"},
		"-browse b:2 -join X":       {Browse: "b:2"},
		"-browse b:2 -bots 3":       {Browse: "b:2"},
		"-announce a:1":             {Announce: "a:1", Browse: "a:1"},
		"-announce a:1 -browse b:2": {Announce: "a:1", Browse: "b:2", Title: true},
	} {
		if o := parse(t, strings.Fields(args)...); o.Listing != want {
			t.Errorf("%s: %+v, want %+v", args, o.Listing, want)
		}
	}
	if o := parse(t, "-browse", "b:2"); o.Bots != 0 {
		t.Errorf("%d bots", o.Bots)
	}
}

func TestHostedGameIsListedUnderItsPlayersName(t *testing.T) {
	for _, l := range []Listing{{}, {Announce: "a:1", Browse: "b:2"}} {
		cfg := session.Config{Name: "Ada"}
		l.announce(&cfg)
		if cfg.Party.Announce != l.Announce || (cfg.Party.Name == "Ada's floe") != (l.Announce != "") {
			t.Errorf("%+v: %q as %q", l, cfg.Party.Announce, cfg.Party.Name)
		}
	}
}
