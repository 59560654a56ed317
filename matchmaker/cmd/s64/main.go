// S64 is a server browser for a terminal: it lists what a master server of
// networked Nintendo 64 games knows, asks servers who they are, and fetches
// files.
package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/partyline-go/partyline/matchmaker/s64"
)

func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, `usage:
  s64 list MASTER                  all servers, with their ping, nearest first
  s64 discover SERVER              who that server is
  s64 download MASTER HASH FILE    the file with that SHA-256
MASTER and SERVER are host:port; a master's usual port is 6464.
`)
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "list":
		return list(ctx, args[1])
	case len(args) == 2 && args[0] == "discover":
		p, ping, err := s64.Discover(ctx, args[1])
		if err == nil {
			fmt.Printf("%s: %d of %d players, %d ms\n", p.Name, p.Players, p.Max, ping.Milliseconds())
		}
		return err
	case len(args) == 4 && args[0] == "download":
		return download(ctx, args[1], args[2], args[3])
	}
	flag.Usage()
	os.Exit(2)
	return nil
}

// row is one server of the table.
type row struct {
	s64.Entry
	there s64.Presence
	ping  time.Duration // 0: it does not answer
}

func list(ctx context.Context, master string) error {
	entries, err := s64.List(ctx, master)
	if err != nil {
		return err
	}
	rows := ask(ctx, entries)
	slices.SortStableFunc(rows, func(a, b row) int {
		if (a.ping == 0) != (b.ping == 0) {
			return cmp.Compare(b.ping, a.ping)
		}
		return cmp.Compare(a.ping, b.ping)
	})
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "PING\tPLAYERS\tSERVER\tNAME\tFILE\tSHA-256")
	for _, r := range rows {
		ping, players, name := "-", "-", "-"
		if r.ping > 0 {
			ping = fmt.Sprintf("%d ms", r.ping.Milliseconds())
			players = fmt.Sprintf("%d/%d", r.there.Players, r.there.Max)
			name = r.there.Name
		}
		file := r.Entry.Name
		if !r.Downloadable {
			file += " (not here)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%q\t%q\t%x\n", ping, players, r.Addr, name, file, r.Hash)
	}
	return w.Flush()
}

// ask discovers all servers, 16 at a time.
func ask(ctx context.Context, entries []s64.Entry) []row {
	rows := make([]row, len(entries))
	slots := make(chan struct{}, 16)
	var all sync.WaitGroup
	for i, e := range entries {
		rows[i].Entry = e
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			one, cancel := context.WithTimeout(ctx, 2*time.Second)
			defer cancel()
			if p, ping, err := s64.Discover(one, e.Addr); err == nil {
				rows[i].there, rows[i].ping = p, max(ping, time.Microsecond)
			}
		})
	}
	all.Wait()
	return rows
}

func download(ctx context.Context, master, text, path string) error {
	hash, err := hex.DecodeString(text)
	if err != nil || len(hash) != 32 {
		return fmt.Errorf("%q is no SHA-256: 64 hexadecimal digits", text)
	}
	err = s64.Download(ctx, master, [32]byte(hash), path, bar)
	fmt.Fprintln(os.Stderr)
	if err == nil {
		fmt.Println(path)
	}
	return err
}

// bar draws how far a transfer is.
func bar(got, size int64) {
	const width = 40
	full := int64(width)
	if size > 0 {
		full = got * width / size
	}
	fmt.Fprintf(os.Stderr, "\r[%-*s] %d of %d KiB", width, strings.Repeat("#", int(full)), got>>10, size>>10)
}
