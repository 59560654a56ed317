package main

import (
	"math"
	"strings"

	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

const (
	margin = 16.0
	side   = 290.0 // width of the panels at the sides
)

// drawJoining shows that the game is on its way to a host.
func drawJoining(c *paint.Canvas, s *session.Session, to string) {
	c.Dim(paint.Ink.Fade(0.55))
	mid := paint.Point{X: c.W / 2, Y: c.H * 0.42}
	for i := range 3 { // rings that spread, as a call does
		t := math.Mod(float64(s.Frames())/120+float64(i)/3, 1)
		c.Ring(mid, 60+300*t, 40+200*t, 3, paint.Mist.Fade(0.35*(1-t)))
	}
	words := "Joining " + strings.ToUpper(to) + " …"
	c.Shadowed(words, mid, paint.Style{Font: paint.Bold, Size: fitSize(c, words, 34), Color: paint.White, Anchor: 0.5})
	c.Text("Esc takes it back", mid.Add(paint.Point{Y: 44}), paint.Style{Size: 17, Color: paint.Mist, Anchor: 0.5})
}

// drawCode shows the code large, and returns where.
func drawCode(c *paint.Canvas, s *session.Session) paint.Rect {
	code := s.Code()
	if code == "" {
		return paint.Rect{}
	}
	r := paint.Rect{X: margin, Y: margin, W: side, H: 108}
	panel(c, r)
	c.Text("JOIN CODE", paint.Point{X: r.X + 18, Y: r.Y + 22}, paint.Style{Font: paint.Bold, Size: 13, Color: paint.Mist})
	st := paint.Style{Font: paint.Mono, Size: 38, Color: paint.Gold, Anchor: 0.5}
	for c.Width(code, st) > r.W-36 {
		st.Size--
	}
	c.Text(code, paint.Point{X: r.Mid().X, Y: r.Y + 56}, st)
	how := "C or a click copies it"
	if s.Hosting() {
		how = "C or a click copies it, I an invitation"
	}
	c.Text(how, paint.Point{X: r.Mid().X, Y: r.Y + 90},
		paint.Style{Size: 13, Color: paint.Mist.Fade(0.8), Anchor: 0.5})
	return r
}

// drawExit draws the button that fingers leave by, and returns where.
func drawExit(c *paint.Canvas) paint.Rect {
	r := paint.Rect{X: margin, Y: margin + 120, W: 92, H: 44}
	panel(c, r)
	c.Text("Leave", r.Mid(), paint.Style{Font: paint.Bold, Size: 17, Color: paint.White, Anchor: 0.5})
	return r
}
