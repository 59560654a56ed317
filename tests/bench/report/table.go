package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/partyline-go/partyline/tests/bench/run"
)

// A column is a figure as a table shows it.
type column struct {
	figure, title string
	main          bool // the one of which ratios are told
}

// columns of the cases' tables, by case.
var columns = map[string][]column{
	"A":         partyColumns,
	"A-44":      partyColumns,
	"A-wire":    {{figure: "host_kB_s", title: "host kB/s", main: true}, {figure: "client_kB_s", title: "guests kB/s"}, {figure: "guest_heard_frame", title: "values/frame"}},
	"A-idle":    {{figure: "core_percent", title: "% of a core"}},
	"A-idle-60": {{figure: "core_percent", title: "% of a core"}, {figure: "net_core_percent", title: "net of bare"}},
	"B":         {{figure: "p50_us", title: "p50 µs", main: true}, {figure: "p99_us", title: "p99 µs"}, {figure: "trips_s", title: "trips/s"}, {figure: "us_trip", title: "client µs/trip"}},
	"C":         {{figure: "MB_s", title: "MB/s", main: true}, {figure: "client_s_GB", title: "client s/GB"}, {figure: "host_s_GB", title: "host s/GB"}},
	"D-5":       trickleColumns,
	"D-20":      trickleColumns,
	"D-bulk":    {{figure: "Mbit_s", title: "Mbit/s", main: true}, {figure: "client_bytes", title: "bytes sent"}},
	"E":         crowdColumns,
	"E-16384":   crowdColumns,
	run.CoreID: {
		{figure: "plain_ns", title: "plain receive ns"}, {figure: "sealed_ns", title: "sealed receive ns"},
		{figure: "plain_transmit_ns", title: "plain send ns"}, {figure: "sealed_both_ns", title: "sealed, both sides ns"},
		{figure: "allocs", title: "allocs"},
	},
}

var partyColumns = []column{
	{figure: "net_us_frame", title: "µs/frame net", main: true}, {figure: "us_frame", title: "µs/frame"},
	{figure: "allocs_frame", title: "allocs/frame"}, {figure: "heard_frame", title: "heard/frame"}, {figure: "frames_s", title: "frames/s"},
}

var trickleColumns = []column{
	{figure: "p50_ms", title: "p50 ms"}, {figure: "p95_ms", title: "p95 ms"}, {figure: "p99_ms", title: "p99 ms", main: true},
	{figure: "client_kB_s", title: "kB/s"}, {figure: "arrived", title: "arrived"},
}

var crowdColumns = []column{
	{figure: "us_packet", title: "µs/packet", main: true}, {figure: "bytes_conn", title: "B/connection"},
	{figure: "us_join", title: "µs/handshake"}, {figure: "heard_share", title: "heard"}, {figure: "client_heard_share", title: "clients heard"},
	{figure: "allocs_packet", title: "allocs/packet"},
}

// Table writes the table of a case: medians, and the main figure over ENet's and
// over the limit's.
func Table(w io.Writer, r *Results, c run.Case) {
	fmt.Fprintf(w, "\n%s: %s\n", c.ID, c.Title)
	cols := columns[c.ID]
	fmt.Fprintf(w, "%-16s", "")
	for _, col := range cols {
		fmt.Fprintf(w, " %*s", width(col), col.title)
	}
	fmt.Fprintf(w, " %8s %8s\n", "/ enet", "/ limit")
	for _, peer := range c.Peers {
		if r.any(c.ID, peer) {
			row(w, r, c.ID, peer, cols)
		}
	}
}

func (r *Results) any(id, peer string) bool {
	for _, run := range r.Runs {
		if run.Case == id && run.Peer == peer {
			return true
		}
	}
	return false
}

func row(w io.Writer, r *Results, id, peer string, cols []column) {
	fmt.Fprintf(w, "%-16s", peer)
	var toENet, toLimit string
	for _, col := range cols {
		v, ok := r.Median(id, peer, col.figure)
		cell := ""
		if ok {
			cell = number(v)
		}
		fmt.Fprintf(w, " %*s", width(col), cell)
		if col.main && ok {
			toENet, toLimit = over(r, id, col.figure, v, run.ENet), over(r, id, col.figure, v, run.Raw)
		}
	}
	fmt.Fprintf(w, " %8s %8s\n", toENet, toLimit)
}

func width(c column) int { return max(len([]rune(c.title)), 9) }

// over tells v as a multiple of another peer's figure.
func over(r *Results, id, figure string, v float64, peer string) string {
	base, ok := r.Median(id, peer, figure)
	if !ok || base == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", v/base)
}

// number tells a value with about three digits.
func number(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0:
		return "-" + number(-v)
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}
