package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/partyline-go/partyline/tests/bench/load"
	"github.com/partyline-go/partyline/tests/bench/run"
)

// of makes results of one figure's values, a round each.
func resultsOf(id, peer, figure string, values ...float64) *Results {
	r := &Results{}
	r.add(id, peer, figure, values...)
	return r
}

func (r *Results) add(id, peer, figure string, values ...float64) {
	for i, v := range values {
		r.Runs = append(r.Runs, Run{Case: id, Peer: peer, Round: i + 1, Figures: load.Figures{figure: v}})
	}
}

func TestTheMedianIsTheMiddleOfTheRounds(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 2, 100}, 3},
	} {
		got, ok := resultsOf("B", "x", "p50_us", c.values...).Median("B", "x", "p50_us")
		if !ok || got != c.want {
			t.Errorf("of %v: got %v, %v, want %v", c.values, got, ok, c.want)
		}
	}
	if got, ok := resultsOf("B", "x", "p50_us").Median("B", "x", "p50_us"); ok {
		t.Errorf("of nothing: got %v", got)
	}
}

func TestTheBareLoopIsTakenOff(t *testing.T) {
	r := resultsOf("A", run.Partyline, "us_frame", 110, 130, 120)
	if v, ok := r.Median("A", run.Partyline, "net_us_frame"); ok {
		t.Errorf("without the bare loop: got %v", v)
	}
	r.add("A", load.Bare, "us_frame", 50, 30, 40)

	if v, ok := r.Median("A", run.Partyline, "net_us_frame"); !ok || v != 80 {
		t.Errorf("got %v, %v, want 80", v, ok)
	}
	if v, ok := r.Median("A", load.Bare, "net_us_frame"); ok {
		t.Errorf("of the bare loop itself: got %v", v)
	}
}

func TestResultsAreReadAsTheyWereWritten(t *testing.T) {
	var file bytes.Buffer
	machine := Machine{CPU: "a processor", Cores: 2, Kernel: "6.1", Go: "go1.26"}
	if err := WriteMachine(&file, machine); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		if err := WriteRun(&file, Run{Case: "C", Peer: run.ENet, Round: round + 1, Figures: load.Figures{"MB_s": float64(100 + round)}}); err != nil {
			t.Fatal(err)
		}
	}
	if lines := strings.Count(file.String(), "\n"); lines != 4 {
		t.Errorf("got %d lines, want 4", lines)
	}

	r, err := Read(&file)

	if err != nil || r.Machine != machine || len(r.Runs) != 3 || r.Runs[2].Round != 3 {
		t.Fatalf("got %+v, %v", r, err)
	}
	if v, ok := r.Median("C", run.ENet, "MB_s"); !ok || v != 101 {
		t.Errorf("got %v, %v, want 101", v, ok)
	}
	if _, err := Read(strings.NewReader("{}\n{")); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("of a broken line: %v", err)
	}
}
