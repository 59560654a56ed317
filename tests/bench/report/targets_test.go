package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/partyline-go/partyline/tests/bench/run"
)

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

func TestTheLastLineCountsTheTargetsAndNamesThoseMissed(t *testing.T) {
	r := resultsOf("B", run.Partyline, "p50_us", 10)
	r.add("B", run.ENet, "p50_us", 20)
	r.add("B", run.UDP, "p50_us", 7)
	var out bytes.Buffer

	Judge(&out, r)

	if got, want := lastLine(out.String()), "targets: 1 of 2 met; missed: B p50 over net.UDPConn's"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheLastLineIsShortWhenAllIsMet(t *testing.T) {
	r := resultsOf("D-bulk", run.Partyline, "Mbit_s", 9.2)
	var out bytes.Buffer

	Judge(&out, r)

	if got, want := lastLine(out.String()), "targets: 1 of 1 met"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestATargetIsMetAtItsLimit(t *testing.T) {
	for _, c := range []struct {
		target Target
		value  float64
		want   bool
	}{
		{Target{Limit: 4}, 4, true},
		{Target{Limit: 4}, 4.01, false},
		{Target{Limit: 4, AtLeast: true}, 4, true},
		{Target{Limit: 4, AtLeast: true}, 3.99, false},
	} {
		if got := c.target.met(c.value); got != c.want {
			t.Errorf("%+v of %v: got %v", c.target, c.value, got)
		}
	}
}

func TestGrowthAndSharesAreOfPartyline(t *testing.T) {
	r := resultsOf("E", run.Partyline, "us_packet", 4)
	r.add("E-16384", run.Partyline, "us_packet", 5)
	r.add("E-16384", run.Partyline, "heard_share", 0.99)
	r.add("E-16384", run.Partyline, "sent_share", 1)
	if v, ok := growth("us_packet", "E-16384", "E")(r); !ok || v != 1.25 {
		t.Errorf("growth: got %v, %v, want 1.25", v, ok)
	}
	shares := least("E-16384", "heard_share", "sent_share", "client_heard_share")
	if v, ok := shares(r); ok {
		t.Errorf("with a share missing: got %v", v)
	}
	r.add("E-16384", run.Partyline, "client_heard_share", 0.5)
	if v, ok := shares(r); !ok || v != 0.5 {
		t.Errorf("shares: got %v, %v, want 0.5", v, ok)
	}
}

// Each target and each column is of a case of the plan, so that none is left out
// because its name was mistyped.
func TestTablesAndPanelsAreOfThePlan(t *testing.T) {
	ids := []string{run.CoreID}
	for _, c := range run.Plan() {
		ids = append(ids, c.ID)
		if len(columns[c.ID]) == 0 {
			t.Errorf("%s has no table", c.ID)
		}
	}
	for id := range columns {
		if !slices.Contains(ids, id) {
			t.Errorf("a table is of %s, which is not in the plan", id)
		}
	}
	for _, p := range panels {
		if !slices.Contains(ids, p.id) {
			t.Errorf("a panel is of %s, which is not in the plan", p.id)
		}
	}
}
