package launch

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"
)

func parse(t *testing.T, args ...string) Options {
	t.Helper()
	o, err := Parse("demo", args, true, io.Discard)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return o
}

func TestWithoutFlagsItHostsWithElevenBots(t *testing.T) {
	o := parse(t)

	if !o.Host || o.Bots != 11 || o.For != 0 || o.Lossy() || o.Name == "" || o.Seed == 0 {
		t.Errorf("%+v", o)
	}
}

func TestFlagsSayWhatToDo(t *testing.T) {
	for args, want := range map[string]struct {
		host bool
		bots int
	}{
		"-host":                {true, 0},
		"-bots 3":              {true, 3},
		"-host -bots 2":        {true, 2},
		"-join ABCDE":          {false, 0},
		"-join ABCDE -bots 4":  {false, 4},
		"-for 8s":              {true, 11},
		"-bots 0":              {true, 0},
		"-loss 0.05 -name Ada": {true, 11},
	} {
		o := parse(t, strings.Fields(args)...)
		if o.Host != want.host || o.Bots != want.bots {
			t.Errorf("%s: host %v with %d bots, want %v with %d", args, o.Host, o.Bots, want.host, want.bots)
		}
	}
}

func TestEveryFlagIsTaken(t *testing.T) {
	o := parse(t, strings.Fields("-join X -matchmaker ws://127.0.0.1:27400 -name Ada -seat s -bots 11 -for 15s -loss 0.05 -latency 40ms -jitter 20ms -port 9 -seed 7 -snow 60 -report json -shot p.png -announce a:1 -browse b:2")...)

	want := Options{Join: "X", Matchmaker: "ws://127.0.0.1:27400", Name: "Ada", Seat: "s", Bots: 11, For: 15 * time.Second, Loss: 0.05,
		Latency: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Port: 9, Seed: 7, Snow: 60, Report: "json", Shot: "p.png", Lag: true,
		Listing: Listing{Announce: "a:1", Browse: "b:2"}}
	if o != want || !o.Lossy() {
		t.Errorf("got %+v, want %+v", o, want)
	}
}

func TestWhatCannotBeMeantIsRefusedInWords(t *testing.T) {
	for args, words := range map[string]string{
		"-host -join X":                "exclude",
		"-matchmaker 127.0.0.1:27400":  "URL",
		"-matchmaker http://x":         "URL",
		"-matchmaker ws:":              "URL",
		"-matchmaker embedded -join X": "the URL that the host shows",
		"-join=":                       "-join needs a code",
		"-host -join=":                 "-join needs a code",
		"-bots 12":                     "0 to 11",
		"-bots -1":                     "0 to 11",
		"-loss 1":                      "share",
		"-loss NaN":                    "share",
		"-loss -0.1":                   "share",
		"-latency -1ms":                "negative",
		"-port 65536":                  "65535",
		"-snow 101":                    "percent",
		"-report xml":                  "text or json",
		"play":                         "flags",
		"-no-such-flag":                "not defined",
		"-for soon":                    "invalid",
	} {
		var out strings.Builder
		_, err := Parse("demo", strings.Fields(args), true, &out)
		if err == nil || errors.Is(err, flag.ErrHelp) || !strings.Contains(out.String(), words) {
			t.Errorf("%s: error %v, told %q; want something of %q", args, err, out.String(), words)
		}
	}
}

func TestOnlyTheWindowTakesPictures(t *testing.T) {
	if _, err := Parse("headless", []string{"-shot", "x.png"}, false, io.Discard); err == nil {
		t.Error("headless takes -shot")
	}
}
