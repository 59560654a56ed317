// Command bench measures Partyline beside other libraries on the same work. See
// README.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/partyline-go/partyline/tests/bench/peer"
	"github.com/partyline-go/partyline/tests/bench/peers/enet"
	"github.com/partyline-go/partyline/tests/bench/peers/kcp"
	"github.com/partyline-go/partyline/tests/bench/peers/partyline"
	"github.com/partyline-go/partyline/tests/bench/peers/quic"
	"github.com/partyline-go/partyline/tests/bench/peers/raw"
	"github.com/partyline-go/partyline/tests/bench/peers/tls"
	"github.com/partyline-go/partyline/tests/bench/peers/udp"
	"github.com/partyline-go/partyline/tests/bench/report"
	"github.com/partyline-go/partyline/tests/bench/run"
)

// libraries is what is measured.
func libraries() []peer.Library {
	all := []peer.Library{partyline.Sealed, partyline.Plain}
	all = append(all, enet.Libraries()...)
	return append(all, kcp.Library, quic.Library, udp.Library, raw.Library, tls.Library)
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == run.SideCommand {
		run.Side(libraries(), os.Stdin, os.Stdout)
		return
	}
	rounds := flag.Int("rounds", 3, "rounds, of which medians are told")
	only := flag.String("only", "", "workloads to run, as A,C or A-wire (all if empty)")
	peers := flag.String("peers", "", "libraries to run (all if empty)")
	file := flag.String("results", "results.jsonl", "the file of results")
	profiles := flag.String("profiles", "", "a directory for processor profiles of all sides; they cost a little")
	plot := flag.String("plot", "", "draw the results that are there into this SVG, and measure nothing")
	flag.Parse()
	b := bench{rounds: max(*rounds, 1), only: split(*only), peers: split(*peers), profiles: *profiles, libraries: libraries()}
	if err := perform(&b, *file, *plot); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func perform(b *bench, file, plot string) error {
	if plot != "" {
		return draw(file, plot)
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	b.out = out
	if err := b.run(); err != nil {
		return err
	}
	return out.Close()
}

func split(only string) []string {
	return strings.FieldsFunc(only, func(r rune) bool { return r == ',' || r == ' ' })
}

func draw(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := report.Read(in)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if err := report.Plot(out, r); err != nil {
		return err
	}
	return out.Close()
}
