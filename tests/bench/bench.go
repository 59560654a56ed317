package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/partyline-go/partyline/tests/bench/load"
	"github.com/partyline-go/partyline/tests/bench/peer"
	"github.com/partyline-go/partyline/tests/bench/report"
	"github.com/partyline-go/partyline/tests/bench/run"
)

// coreDir is where the package is whose core workload F measures, from here.
const coreDir = "../../net"

// A bench runs the plan. Rounds go round all peers of a case, so that a slow
// minute of the machine falls on all of them.
type bench struct {
	rounds    int
	only      []string // empty: all
	peers     []string // empty: all
	profiles  string   // a directory; empty: none are written
	out       io.Writer
	libraries []peer.Library

	mu      sync.Mutex
	results report.Results
}

func (b *bench) run() error {
	b.results.Machine = thisMachine()
	if err := report.WriteMachine(b.out, b.results.Machine); err != nil {
		return err
	}
	m := b.results.Machine
	fmt.Printf("%s, %d cores, Linux %s, %s\n", m.CPU, m.Cores, m.Kernel, m.Go)
	for _, l := range b.libraries {
		fmt.Printf("%-16s %s\n", l.Name, l.About)
	}
	for _, c := range run.Plan() {
		if !b.wants(c.ID) {
			continue
		}
		c.Peers = b.present(c.Peers)
		if err := b.runCase(c); err != nil {
			return err
		}
		report.Table(os.Stdout, &b.results, c)
	}
	if b.wants(run.CoreID) {
		if err := b.runCore(); err != nil {
			return err
		}
	}
	report.Judge(os.Stdout, &b.results)
	return nil
}

// wants says whether a case was asked for, by its ID or its letter.
func (b *bench) wants(id string) bool {
	return len(b.only) == 0 || slices.Contains(b.only, id) || slices.Contains(b.only, id[:1])
}

// present leaves out libraries that this program was built without, and those
// that were not asked for. The bare loop always runs: it is taken off the rest.
func (b *bench) present(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := load.Library(b.libraries, name)
		unasked := len(b.peers) > 0 && name != load.Bare && !slices.Contains(b.peers, name)
		return err != nil || unasked
	})
}

func (b *bench) runCase(c run.Case) error {
	rounds := b.rounds
	if c.Rounds > 0 {
		rounds = min(rounds, c.Rounds)
	}
	for round := range rounds {
		var wait sync.WaitGroup
		failed := make(chan error, len(c.Peers))
		for _, name := range c.Peers {
			one := func() { failed <- b.runOne(c, name, round) }
			if c.AtOnce {
				wait.Go(one)
			} else {
				one()
			}
		}
		wait.Wait()
		for range c.Peers {
			if err := <-failed; err != nil {
				return err
			}
		}
	}
	return nil
}

// runOne runs one peer once. A run that fails is told and left out; an error is
// of the file of results.
func (b *bench) runOne(c run.Case, name string, round int) error {
	j := c.Job
	j.Peer, j.Seed = name, uint64(round+1)
	if b.profiles != "" {
		j.Profile = filepath.Join(b.profiles, fmt.Sprintf("%s-%s-%d", c.ID, name, round+1))
	}
	began := time.Now()
	f, err := run.Once(j)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s %s, round %d, after %v: %v\n", c.ID, name, round+1, time.Since(began).Round(time.Millisecond), err)
		return nil
	}
	return b.keep(report.Run{Case: c.ID, Peer: name, Round: round + 1, Figures: f})
}

func (b *bench) keep(r report.Run) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.results.Runs = append(b.results.Runs, r)
	return report.WriteRun(b.out, r)
}

// runCore measures the core alone.
func (b *bench) runCore() error {
	c := run.Case{ID: run.CoreID, Title: "the core alone: one packet of 32 B plain, of 1,200 B sealed", Peers: []string{run.Partyline}}
	f, err := run.Core(coreDir)
	if err != nil {
		return err
	}
	if err := b.keep(report.Run{Case: c.ID, Peer: run.Partyline, Round: 1, Figures: f}); err != nil {
		return err
	}
	report.Table(os.Stdout, &b.results, c)
	return nil
}

// thisMachine tells what the figures are measured on, and no name of it.
func thisMachine() report.Machine {
	m := report.Machine{Cores: runtime.NumCPU(), Go: runtime.Version()}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		m.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			m.CPU = strings.TrimSpace(value)
			break
		}
	}
	return m
}
