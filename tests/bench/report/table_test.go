package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/partyline-go/partyline/tests/bench/run"
)

func TestATableTellsMediansAndRatios(t *testing.T) {
	r := resultsOf("C", run.Partyline, "MB_s", 300, 500, 400)
	r.add("C", run.ENet, "MB_s", 100)
	r.add("C", run.Raw, "MB_s", 2000)
	c := run.Case{ID: "C", Title: "bulk", Peers: []string{run.Partyline, run.ENet, run.KCP, run.Raw}}
	var out bytes.Buffer

	Table(&out, r, c)

	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != 5 { // a title, the columns, and three peers that ran
		t.Fatalf("got %d lines:\n%s", len(got), out.String())
	}
	if f := strings.Fields(got[2]); f[0] != run.Partyline || f[1] != "400" || f[2] != "4.00" || f[3] != "0.20" {
		t.Errorf("got %q, want 400, 4.00 of ENet's and 0.20 of the limit's", got[2])
	}
}

func TestANumberHasAboutThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.5: "0.50", 12.34: "12.3", 1234.5: "1234", -3.14159: "-3.14"} {
		if got := number(v); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
}
