package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/partyline-go/partyline/tests/bench/run"
)

// A Target is what Partyline must reach, sealed unless its name says otherwise.
type Target struct {
	Name    string
	Value   measure
	Limit   float64
	AtLeast bool // else at most
}

// A measure takes a value from results; false: it was not measured.
type measure func(*Results) (float64, bool)

// Targets is the whole table.
var Targets = []Target{
	{Name: "A host time over ENet's", Value: ratio("A", "net_us_frame", run.Partyline, run.ENet), Limit: 0.40},
	{Name: "A allocations a frame", Value: of("A", "allocs_frame"), Limit: 0.05},
	{Name: "A host kB/s", Value: of("A-wire", "host_kB_s"), Limit: 300},
	{Name: "A guests kB/s", Value: of("A-wire", "client_kB_s"), Limit: 57},
	{Name: "A time of 44 guests over 11", Value: growth("net_us_frame", "A-44", "A"), Limit: 4.4},
	{Name: "A idle party, percent of a core", Value: of("A-idle", "core_percent"), Limit: 0.5},
	{Name: "A idle party in frames, percent of a core", Value: of("A-idle-60", "net_core_percent"), Limit: 0.5},

	{Name: "B p50 over ENet's", Value: ratio("B", "p50_us", run.Partyline, run.ENet), Limit: 0.6},
	{Name: "B p50 over net.UDPConn's", Value: ratio("B", "p50_us", run.Partyline, run.UDP), Limit: 1.25},

	{Name: "C MB/s over ENet's", Value: ratio("C", "MB_s", run.Partyline, run.ENet), Limit: 4, AtLeast: true},
	{Name: "C time a byte over ENet's", Value: bulkTime, Limit: 0.3},

	{Name: "D p99 ms at 5 % loss", Value: of("D-5", "p99_ms"), Limit: 135},
	{Name: "D kB/s at 5 % loss", Value: of("D-5", "client_kB_s"), Limit: 16},
	{Name: "D p99 ms at 20 % loss", Value: of("D-20", "p99_ms"), Limit: 170},
	{Name: "D kB/s at 20 % loss", Value: of("D-20", "client_kB_s"), Limit: 22},
	{Name: "D Mbit/s of 4 MiB", Value: of("D-bulk", "Mbit_s"), Limit: 9.0, AtLeast: true},

	{Name: "E time a packet over ENet's", Value: ratio("E", "us_packet", run.Partyline, run.ENet), Limit: 0.5},
	{Name: "E 16,384 served, share", Value: least("E-16384", "heard_share", "sent_share", "client_heard_share"), Limit: 0.98, AtLeast: true},
	{Name: "E bytes an idle connection", Value: of("E-16384", "bytes_conn"), Limit: 4096},
	{Name: "E µs a handshake", Value: of("E", "us_join"), Limit: 300},
	{Name: "E time a packet of 16,384 over 1,000", Value: growth("us_packet", "E-16384", "E"), Limit: 1.5},

	{Name: "F ns to receive, plain", Value: of(run.CoreID, "plain_ns"), Limit: 100},
	{Name: "F ns to receive, sealed 1,200 B", Value: of(run.CoreID, "sealed_ns"), Limit: 1300},
	{Name: "F allocations", Value: of(run.CoreID, "allocs"), Limit: 0},
}

// of is a figure of Partyline's.
func of(id, figure string) measure {
	return func(r *Results) (float64, bool) { return r.Median(id, run.Partyline, figure) }
}

// ratio is a figure of one peer over another's, in the same rounds.
func ratio(id, figure, peer, over string) measure {
	return func(r *Results) (float64, bool) {
		a, ok := r.Median(id, peer, figure)
		b, too := r.Median(id, over, figure)
		return a / b, ok && too && b != 0
	}
}

// growth is a figure of Partyline's at one size over that at another.
func growth(figure, large, small string) measure {
	return func(r *Results) (float64, bool) {
		a, ok := r.Median(large, run.Partyline, figure)
		b, too := r.Median(small, run.Partyline, figure)
		return a / b, ok && too && b != 0
	}
}

// least is the smallest of several figures of Partyline's.
func least(id string, figures ...string) measure {
	return func(r *Results) (v float64, ok bool) {
		for i, figure := range figures {
			next, have := r.Median(id, run.Partyline, figure)
			if !have {
				return 0, false
			}
			if i == 0 || next < v {
				v = next
			}
		}
		return v, true
	}
}

// bulkTime is the processor time of both sides for a byte of bulk, over ENet's.
func bulkTime(r *Results) (float64, bool) {
	mine, ok := r.bothSides(run.Partyline)
	enet, too := r.bothSides(run.ENet)
	return mine / enet, ok && too && enet != 0
}

func (r *Results) bothSides(peer string) (float64, bool) {
	host, ok := r.Median("C", peer, "host_s_GB")
	client, too := r.Median("C", peer, "client_s_GB")
	return host + client, ok && too
}

// met says whether a value reaches the target.
func (t Target) met(v float64) bool {
	if t.AtLeast {
		return v >= t.Limit
	}
	return v <= t.Limit
}

// Judge writes the table of targets and, as its last line, how many of those
// that were measured are met.
func Judge(w io.Writer, r *Results) {
	met, measured := 0, 0
	var missed []string
	fmt.Fprintf(w, "\n%-44s %12s %14s\n", "target", "measured", "must be")
	for _, t := range Targets {
		v, ok := t.Value(r)
		if !ok {
			continue
		}
		measured++
		verdict := ""
		if t.met(v) {
			met++
		} else {
			verdict = "   missed"
			missed = append(missed, t.Name)
		}
		bound := "at most"
		if t.AtLeast {
			bound = "at least"
		}
		fmt.Fprintf(w, "%-44s %12s %8s %5s%s\n", t.Name, number(v), bound, number(t.Limit), verdict)
	}
	fmt.Fprintf(w, "\ntargets: %d of %d met", met, measured)
	if len(missed) > 0 {
		fmt.Fprintf(w, "; missed: %s", strings.Join(missed, ", "))
	}
	fmt.Fprintln(w)
}
