package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/tests/bench/load"
	"github.com/partyline-go/partyline/tests/bench/run"
)

// TestMain lets the test program be the sides of a run, as the command is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == run.SideCommand {
		run.Side(libraries(), os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// Every workload runs, briefly, with two libraries, one of which has goroutines
// of its own.
func TestEveryWorkloadRunsInProcesses(t *testing.T) {
	for _, job := range []load.Job{
		{Workload: "party", Conns: 3, For: 200 * time.Millisecond},
		{Workload: "pingpong", For: 200 * time.Millisecond},
		{Workload: "bulk", Bytes: 1 << 20, For: 20 * time.Second},
	} {
		for _, name := range []string{run.Partyline, run.Plain, run.QUIC} {
			if job.Workload == "bulk" && name == run.Plain {
				continue
			}
			t.Run(job.Workload+" "+name, func(t *testing.T) {
				job.Peer = name
				f, err := run.Once(job)
				if err != nil {
					t.Fatal(err)
				}
				if len(f) < 3 {
					t.Errorf("got %v", f)
				}
			})
		}
	}
}

func TestASideThatCannotRunSaysWhy(t *testing.T) {
	_, err := run.Once(load.Job{Workload: "party", Peer: "nobody"})
	if err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("got %v", err)
	}
}

func TestCasesAreAskedForByTheirLetterOrName(t *testing.T) {
	b := bench{only: split("A, D-20")}
	for id, want := range map[string]bool{"A": true, "A-44": true, "D-20": true, "D-5": false, "E": false} {
		if got := b.wants(id); got != want {
			t.Errorf("%s: got %v, want %v", id, got, want)
		}
	}
	if !(&bench{}).wants("E") {
		t.Error("nothing asked for is not everything")
	}
}

func TestAPlotIsDrawnFromTheFileOfResults(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "results.jsonl"), filepath.Join(dir, "plot.svg")
	line := `{"Run":{"Case":"B","Peer":"enet","Round":1,"Figures":{"p50_us":17}}}` + "\n"
	if err := os.WriteFile(from, []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}

	if err := perform(&bench{}, from, to); err != nil {
		t.Fatal(err)
	}

	if svg, err := os.ReadFile(to); err != nil || !bytes.Contains(svg, []byte("enet")) {
		t.Errorf("got %s, %v", svg, err)
	}
	if err := perform(&bench{}, filepath.Join(dir, "none"), to); err == nil {
		t.Error("a file that is not there is no error")
	}
}
