// Package report keeps what was measured, and says what it means: tables,
// targets and a plot.
package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/partyline-go/partyline/tests/bench/load"
)

// A Machine is what the figures were measured on.
type Machine struct {
	CPU    string
	Cores  int
	Kernel string
	Go     string
}

// A Run is one run of one peer, a line of the results.
type Run struct {
	Case    string
	Peer    string
	Round   int
	Figures load.Figures
}

// A line is one of a file of results: the machine first, then runs.
type line struct {
	Machine *Machine `json:",omitempty"`
	Run     *Run     `json:",omitempty"`
}

// Results is all that was measured.
type Results struct {
	Machine Machine
	Runs    []Run
}

// WriteMachine writes the first line.
func WriteMachine(w io.Writer, m Machine) error { return json.NewEncoder(w).Encode(line{Machine: &m}) }

// WriteRun writes a run's line.
func WriteRun(w io.Writer, r Run) error { return json.NewEncoder(w).Encode(line{Run: &r}) }

// Read reads lines of results.
func Read(in io.Reader) (*Results, error) {
	r := &Results{}
	s := bufio.NewScanner(in)
	for n := 1; s.Scan(); n++ {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if l.Machine != nil {
			r.Machine = *l.Machine
		}
		if l.Run != nil {
			r.Runs = append(r.Runs, *l.Run)
		}
	}
	return r, s.Err()
}

// values gives a figure of a peer's rounds in a case.
func (r *Results) values(id, peer, figure string) (all []float64) {
	for _, run := range r.Runs {
		if v, ok := run.Figures[figure]; ok && run.Case == id && run.Peer == peer {
			all = append(all, v)
		}
	}
	return all
}

// Median gives the median of a figure over the rounds; false if there is none.
// A figure that begins with "net_" is the one without that, less what the bare
// loop takes.
func (r *Results) Median(id, peer, figure string) (float64, bool) {
	if of, ok := netOf(figure); ok {
		mine, have := r.Median(id, peer, of)
		bare, too := r.Median(id, load.Bare, of)
		return mine - bare, have && too && peer != load.Bare
	}
	return median(r.values(id, peer, figure))
}

func netOf(figure string) (of string, ok bool) {
	const net = "net_"
	if len(figure) > len(net) && figure[:len(net)] == net {
		return figure[len(net):], true
	}
	return "", false
}

// median gives the middle value, or the mean of the two in the middle.
func median(all []float64) (float64, bool) {
	n := len(all)
	if n == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(all))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2, true
}
