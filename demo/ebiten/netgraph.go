package main

import (
	"fmt"
	"math"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

const (
	graphWidth = side
	graphRow   = 22.0
	plotLeft   = 62.0
	plotWidth  = 82.0

	// Right edges of the figures.
	atRTT  = 176.0
	atLoss = 212.0
	atUp   = 247.0
	atDown = 280.0
)

// drawNetGraph shows the last ten seconds of each peer's line: the round trip as
// a curve, loss as red bars from the foot, and the traffic in figures; below them
// the clock that all share.
func drawNetGraph(c *paint.Canvas, s *session.Session) {
	rows, top := 0, 50*time.Millisecond
	for l := range s.Lines() {
		rows++
		for i := range l.Len() {
			top = max(top, l.Sample(i).RTT)
		}
	}
	top = niceTop(top)
	h := 84 + graphRow*float64(rows)
	r := paint.Rect{X: c.W - margin - graphWidth, Y: c.H - margin - h, W: graphWidth, H: h}
	panel(c, r)
	drawGraphHead(c, r, top)
	var up, down float64
	y := r.Y + 36
	for l := range s.Lines() {
		now := l.Now()
		up, down = up+now.Up, down+now.Down
		drawLine(c, s, paint.Rect{X: r.X, Y: y, W: r.W, H: graphRow}, l, top)
		y += graphRow
	}
	foot := paint.Style{Font: paint.Bold, Size: 12, Color: paint.White, Anchor: 1}
	mid := y + 12
	c.Text(fmt.Sprintf("%.0f", up), paint.Point{X: r.X + atUp, Y: mid}, foot)
	c.Text(fmt.Sprintf("%.0f", down), paint.Point{X: r.X + atDown, Y: mid}, foot)
	foot.Anchor = 0
	c.Text("all", paint.Point{X: r.X + 14, Y: mid}, foot)
	c.Text(s.ClockWords(), paint.Point{X: r.X + 14, Y: mid + 20}, paint.Style{Size: 12, Color: paint.Mist})
}

func drawGraphHead(c *paint.Canvas, r paint.Rect, top time.Duration) {
	st := paint.Style{Font: paint.Bold, Size: 11, Color: paint.Mist.Fade(0.8)}
	y := r.Y + 20
	c.Text(fmt.Sprintf("10 s, 0–%d ms", top.Milliseconds()), paint.Point{X: r.X + 14, Y: y}, st)
	st.Anchor = 1
	for x, t := range map[float64]string{atRTT: "ms", atLoss: "loss", atUp: "kB/s↑", atDown: "↓"} {
		c.Text(t, paint.Point{X: r.X + x, Y: y}, st)
	}
}

// drawLine is one peer's row.
func drawLine(c *paint.Canvas, s *session.Session, r paint.Rect, l *session.Line, top time.Duration) {
	mid, now := r.Mid().Y, l.Now()
	name := paint.Style{Size: 12, Color: paint.White}
	for i := range s.Players() {
		if p := &s.Players()[i]; p.PID == l.PID {
			c.Text(c.Fit(p.Name, plotLeft-18, name), paint.Point{X: r.X + 14, Y: mid}, name)
		}
	}
	plot := paint.Rect{X: r.X + plotLeft, Y: r.Y + 2, W: plotWidth, H: r.H - 4}
	c.Box(plot, 3, paint.White.Fade(0.07))
	drawPlot(c, plot, l, top)
	figures := paint.Style{Size: 12, Color: pingColor(now.RTT), Anchor: 1}
	c.Text(fmt.Sprint(now.RTT.Milliseconds()), paint.Point{X: r.X + atRTT, Y: mid}, figures)
	figures.Color = lossColor(now.Loss)
	c.Text(fmt.Sprintf("%.0f %%", now.Loss*100), paint.Point{X: r.X + atLoss, Y: mid}, figures)
	figures.Color = paint.Mist
	c.Text(fmt.Sprintf("%.1f", now.Up), paint.Point{X: r.X + atUp, Y: mid}, figures)
	c.Text(fmt.Sprintf("%.1f", now.Down), paint.Point{X: r.X + atDown, Y: mid}, figures)
}

// mostLoss is the loss whose bar fills the plot.
const mostLoss = 0.3

// drawPlot draws the curve and the bars, the newest at the right.
func drawPlot(c *paint.Canvas, r paint.Rect, l *session.Line, top time.Duration) {
	step := r.W / session.History
	var curve []paint.Point
	for i := range l.Len() {
		x := r.X + r.W - float64(i)*step
		sample := l.Sample(i)
		if bar := r.H * min(sample.Loss/mostLoss, 1); bar > 0.5 {
			c.Box(paint.Rect{X: x - step, Y: r.Y + r.H - bar, W: step, H: bar}, 0, paint.Bad.Fade(0.55))
		}
		if sample.RTT > 0 {
			up := min(float64(sample.RTT)/float64(top), 1)
			curve = append(curve, paint.Point{X: x, Y: r.Y + r.H - 1 - up*(r.H-2)})
		}
	}
	c.Line(curve, 1.5, paint.Good)
}

func lossColor(loss float64) paint.Color {
	switch {
	case loss < 0.01:
		return paint.Good
	case loss < 0.08:
		return paint.Fair
	}
	return paint.Bad
}

// niceTop rounds a scale's end up to 1, 2 or 5 times a power of ten.
func niceTop(d time.Duration) time.Duration {
	ms := float64(d) / float64(time.Millisecond)
	p := math.Pow(10, math.Floor(math.Log10(ms)))
	for _, f := range [...]float64{1, 2, 5, 10} {
		if ms <= f*p {
			return time.Duration(f*p) * time.Millisecond
		}
	}
	return d
}
