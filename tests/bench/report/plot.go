package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/partyline-go/partyline/tests/bench/run"
)

// A panel is one chart of the plot: a bar for each peer.
type panel struct {
	id, figure, title string
	peers             []string
}

var panels = []panel{
	{"A", "net_us_frame", "Host of 11 guests: µs of processor a frame (less is better)", []string{run.Partyline, run.Plain, run.ENet, run.KCP, run.QUIC, run.UDP, run.Raw}},
	{"B", "p50_us", "Ping-pong, 32 B reliable: median µs (less is better)", []string{run.Partyline, run.Plain, run.ENet, run.KCP, run.QUIC, run.UDP, run.Raw}},
	{"C", "MB_s", "64 MiB in messages of 1,024 B: MB a second (more is better)", []string{run.Partyline, run.ENet, run.KCP, run.QUIC, run.UDP, run.TLS, run.Raw}},
	{"D-20", "p99_ms", "60 messages a second, 20 % loss, 40 to 70 ms each way: p99 ms (less is better)", []string{run.Partyline, run.ENet, run.KCP, run.QUIC}},
	{"E", "us_packet", "1,000 connections: µs of server processor a packet (less is better)", []string{run.Partyline, run.Plain, run.ENet, run.KCP, run.QUIC, run.UDP, run.Raw}},
}

// Sizes of the plot, in pixels.
const (
	plotWidth  = 760
	nameWidth  = 130
	valueWidth = 80
	barHeight  = 16
	barStep    = 22
	titleStep  = 34
	margin     = 12
)

// Plot draws results as an SVG. Panels without figures are left out.
func Plot(w io.Writer, r *Results) error {
	var body strings.Builder
	y := margin
	for _, p := range panels {
		y = p.draw(&body, r, y)
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">
<rect width="100%%" height="100%%" fill="#ffffff"/>
%s</svg>
`, plotWidth, y+margin, plotWidth, y+margin, body.String())
	return err
}

// draw draws a panel from y on, and gives where the next one begins.
func (p panel) draw(w io.Writer, r *Results, y int) int {
	most := 0.0
	for _, peer := range p.peers {
		v, _ := r.Median(p.id, peer, p.figure)
		most = max(most, v)
	}
	if most == 0 {
		return y
	}
	fmt.Fprintf(w, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\" fill=\"#222222\">%s</text>\n", margin, y+18, escape(p.title))
	y += titleStep
	for _, peer := range p.peers {
		if v, ok := r.Median(p.id, peer, p.figure); ok {
			bar(w, peer, v, most, y)
			y += barStep
		}
	}
	return y + margin
}

func bar(w io.Writer, peer string, v, most float64, y int) {
	room := float64(plotWidth - nameWidth - valueWidth - 2*margin)
	length := max(v, 0) / most * room
	x := margin + nameWidth
	fmt.Fprintf(w, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#222222\">%s</text>\n", x-8, y+13, escape(peer))
	fmt.Fprintf(w, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x, y, length, barHeight, colour(peer))
	fmt.Fprintf(w, "<text x=\"%.1f\" y=\"%d\" fill=\"#222222\">%s</text>\n", float64(x)+length+6, y+13, number(v))
}

// colour sets Partyline and the limits apart from the other libraries.
func colour(peer string) string {
	switch peer {
	case run.Partyline:
		return "#1f77b4"
	case run.Plain:
		return "#8fbbda"
	case run.UDP, run.Raw:
		return "#cccccc"
	}
	return "#888888"
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escape(s string) string { return escaper.Replace(s) }
