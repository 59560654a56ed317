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
	if doing := s.JoinWords(); doing != "" {
		c.Text(doing+" …", mid.Add(paint.Point{Y: 44}), paint.Style{Font: paint.Bold, Size: 19, Color: paint.Gold, Anchor: 0.5})
	}
	c.Text("Esc takes it back", mid.Add(paint.Point{Y: 78}), paint.Style{Size: 17, Color: paint.Mist, Anchor: 0.5})
}

// drawCode shows the join code large, and returns where.
func drawCode(c *paint.Canvas, s *session.Session) paint.Rect {
	how := "C or a click copies it"
	if s.Hosting() {
		how = "C or a click copies it, I an invitation"
	}
	return drawCodeAt(c, margin, "JOIN CODE", s.Code(), how)
}

// drawRoom shows the room code below the join code, or why there is none, and
// returns where the code is.
func drawRoom(c *paint.Canvas, s *session.Session, matchmaker string) paint.Rect {
	if matchmaker == "" {
		return paint.Rect{}
	}
	top := margin + codeHeight + 8.0
	if s.Room() != "" && s.RoomTrouble() == "" {
		return drawCodeAt(c, top, "ROOM CODE", s.Room(), "R or a click copies it, by "+matchmaker)
	}
	words := s.RoomTrouble()
	if words == "" {
		words = "Asking the matchmaker for a room …"
	}
	st := paint.Style{Size: 13, Color: paint.Mist}
	lines := wrap(c, words, side-36, st)
	panel(c, paint.Rect{X: margin, Y: top, W: side, H: 20 + 18*float64(len(lines))})
	for i, line := range lines {
		c.Text(line, paint.Point{X: margin + 18, Y: top + 19 + 18*float64(i)}, st)
	}
	return paint.Rect{}
}

const codeHeight = 108.0

// drawCodeAt shows one code in a panel at the left, and returns where; nothing
// where there is none.
func drawCodeAt(c *paint.Canvas, top float64, title, code, how string) paint.Rect {
	if code == "" {
		return paint.Rect{}
	}
	r := paint.Rect{X: margin, Y: top, W: side, H: codeHeight}
	panel(c, r)
	c.Text(title, paint.Point{X: r.X + 18, Y: r.Y + 22}, paint.Style{Font: paint.Bold, Size: 13, Color: paint.Mist})
	st := paint.Style{Font: paint.Mono, Size: 38, Color: paint.Gold, Anchor: 0.5}
	for c.Width(code, st) > r.W-36 {
		st.Size--
	}
	c.Text(code, paint.Point{X: r.Mid().X, Y: r.Y + 56}, st)
	small := paint.Style{Size: 13, Color: paint.Mist.Fade(0.8), Anchor: 0.5}
	c.Text(c.Fit(how, r.W-20, small), paint.Point{X: r.Mid().X, Y: r.Y + 90}, small)
	return r
}

// wrap breaks a text into lines that fit a width.
func wrap(c *paint.Canvas, text string, width float64, st paint.Style) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if longer := strings.TrimSpace(line + " " + word); line == "" || c.Width(longer, st) <= width {
			line = longer
			continue
		}
		lines = append(lines, line)
		line = word
	}
	return append(lines, line)
}

// drawExit draws the button that fingers leave by, and returns where.
func drawExit(c *paint.Canvas) paint.Rect {
	r := paint.Rect{X: margin, Y: margin + 2*(codeHeight+8), W: 92, H: 44}
	panel(c, r)
	c.Text("Leave", r.Mid(), paint.Style{Font: paint.Bold, Size: 17, Color: paint.White, Anchor: 0.5})
	return r
}
