package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
	"github.com/partyline-go/partyline/party"
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
	c.Shadowed("Joining "+strings.ToUpper(to)+" …", mid, paint.Style{Font: paint.Bold, Size: 34, Color: paint.White, Anchor: 0.5})
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
	c.Text("C or a click copies it", paint.Point{X: r.Mid().X, Y: r.Y + 90},
		paint.Style{Size: 13, Color: paint.Mist.Fade(0.8), Anchor: 0.5})
	return r
}

const (
	rowHeight = 25.0
	winsAt    = 138.0
	pushesAt  = 206.0
)

// drawPlayers shows everyone with score and ping, the best first.
func drawPlayers(c *paint.Canvas, s *session.Session) {
	list := slices.Clone(s.Players())
	disc := func(pid party.PID) (arena.Disc, int) {
		if at := s.Shown().Place(uint16(pid)); at >= 0 {
			return s.Shown().Discs[at], at
		}
		return arena.Disc{}, -1
	}
	slices.SortStableFunc(list, func(a, b session.Player) int {
		da, _ := disc(a.PID)
		db, _ := disc(b.PID)
		return cmp.Or(cmp.Compare(db.Wins, da.Wins), cmp.Compare(db.Pushes, da.Pushes), cmp.Compare(a.PID, b.PID))
	})
	r := paint.Rect{X: c.W - margin - side, Y: margin, W: side, H: 42 + rowHeight*float64(len(list))}
	panel(c, r)
	small := paint.Style{Font: paint.Bold, Size: 12, Color: paint.Mist.Fade(0.8)}
	c.Text(fmt.Sprintf("%d PLAYERS", len(list)), paint.Point{X: r.X + 16, Y: r.Y + 20}, small)
	small.Anchor = 0.5
	c.Text("WINS", paint.Point{X: r.X + winsAt + 14, Y: r.Y + 20}, small)
	c.Text("PUSHED", paint.Point{X: r.X + pushesAt, Y: r.Y + 20}, small)
	small.Anchor = 1
	c.Text("PING", paint.Point{X: r.X + r.W - 14, Y: r.Y + 20}, small)
	for i := range list {
		d, at := disc(list[i].PID)
		drawPlayer(c, paint.Rect{X: r.X, Y: r.Y + 34 + float64(i)*rowHeight, W: r.W, H: rowHeight}, &list[i], &d, at)
	}
}

// drawPlayer is one row of the list.
func drawPlayer(c *paint.Canvas, r paint.Rect, p *session.Player, d *arena.Disc, place int) {
	mid := r.Mid().Y
	alive := 1.0
	if d.State != arena.Skating {
		alive = 0.45
	}
	if p.Me {
		c.Box(paint.Rect{X: r.X + 6, Y: r.Y + 1, W: r.W - 12, H: r.H - 2}, 7, paint.White.Fade(0.13))
	}
	if place >= 0 {
		c.Ellipse(paint.Point{X: r.X + 23, Y: mid}, 7, 7, paint.DiscColor(place).Fade(alive))
		c.Ring(paint.Point{X: r.X + 23, Y: mid}, 5.5, 5.5, 1.2, paint.White.Fade(0.6*alive))
	}
	st := paint.Style{Size: 15, Color: paint.White.Fade(0.35 + 0.65*alive)}
	if p.Me {
		st.Font = paint.Bold
	}
	c.Text(c.Fit(p.Name, winsAt-48, st), paint.Point{X: r.X + 38, Y: mid}, st)
	for i := range arena.MatchWins {
		at := paint.Point{X: r.X + winsAt + 14*float64(i), Y: mid}
		if i < int(d.Wins) {
			c.Ellipse(at, 4.5, 4.5, paint.Gold)
		} else {
			c.Ring(at, 3.8, 3.8, 1.2, paint.Mist.Fade(0.45))
		}
	}
	st = paint.Style{Size: 14, Color: paint.Mist, Anchor: 0.5}
	c.Text(fmt.Sprint(d.Pushes), paint.Point{X: r.X + pushesAt, Y: mid}, st)
	st.Anchor = 1
	text := "host"
	if !p.Host {
		text, st.Color = pingText(p.Ping), pingColor(p.Ping)
	}
	c.Text(text, paint.Point{X: r.X + r.W - 14, Y: mid}, st)
}

func pingText(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%d ms", max(1, d.Round(time.Millisecond).Milliseconds()))
}

func pingColor(d time.Duration) paint.Color {
	switch {
	case d < 80*time.Millisecond:
		return paint.Good
	case d < 180*time.Millisecond:
		return paint.Fair
	}
	return paint.Bad
}

const (
	feedLines = 9
	feedFor   = 11 * session.TicksPerSecond // frames that a line is shown
)

// drawFeed shows what happened lately, and the line being typed.
func drawFeed(c *paint.Canvas, s *session.Session, typing *line) {
	y := c.H - margin - 14
	if typing != nil {
		r := paint.Rect{X: margin, Y: y - 18, W: 420, H: 34}
		panel(c, r)
		c.Frame(r, 12, 1.5, paint.Gold.Fade(0.7))
		text := "say: " + typing.String() + "|"
		st := paint.Style{Size: 16, Color: paint.White}
		for c.Width(text, st) > r.W-28 {
			text = "…" + string([]rune(text)[2:])
		}
		c.Text(text, paint.Point{X: r.X + 14, Y: r.Mid().Y}, st)
		y -= 36
	} else {
		c.Text("Enter chat · F3 net graph · F4 lag · Esc leave", paint.Point{X: margin + 2, Y: y}, paint.Style{Size: 13, Color: paint.Mist.Fade(0.6)})
		y -= 26
	}
	f := s.Feed()
	for i := range uint64(feedLines) {
		n := f.Note(f.Count() - 1 - i)
		if n == nil {
			return
		}
		age := float64(s.Frames() - n.At)
		fade := min(1, (feedFor-age)/60)
		if typing != nil {
			fade = 1
		}
		if fade <= 0 {
			return
		}
		drawNote(c, s, n, paint.Point{X: margin + 2, Y: y}, fade)
		y -= 23
	}
}

// drawNote is one line of the feed.
func drawNote(c *paint.Canvas, s *session.Session, n *session.Note, p paint.Point, fade float64) {
	st := paint.Style{Size: 15, Color: paint.Mist.Fade(fade * 0.9)}
	switch n.Kind {
	case session.NoteChat:
		name := paint.Style{Font: paint.Bold, Size: 15, Color: colorOf(s, n.Who).Mix(paint.White, 0.35).Fade(fade)}
		c.Shadowed(n.Name+": ", p, name)
		p.X += c.Width(n.Name+": ", name)
		st.Color = paint.White.Fade(fade)
		c.Shadowed(n.Text(), p, st)
		return
	case session.NoteRound, session.NoteMatch, session.NoteNewHost:
		st.Font, st.Color = paint.Bold, paint.Gold.Fade(fade)
	}
	c.Shadowed(n.String(), p, st)
}

func colorOf(s *session.Session, pid party.PID) paint.Color {
	if at := s.Shown().Place(uint16(pid)); at >= 0 {
		return paint.DiscColor(at)
	}
	return paint.Mist
}

// drawRound shows the round, and in large letters what it comes to.
func drawRound(c *paint.Canvas, s *session.Session) {
	w := s.Shown()
	if w.Phase == 0 {
		return
	}
	top := paint.Point{X: c.W / 2, Y: margin + 14}
	line := fmt.Sprintf("ROUND %d", w.Round)
	if w.Phase == arena.Play {
		line += fmt.Sprintf("  ·  %d ON THE ICE", w.Standing())
	}
	c.Shadowed(line, top, paint.Style{Font: paint.Bold, Size: 16, Color: paint.White.Fade(0.9), Anchor: 0.5})
	mid := paint.Point{X: c.W / 2, Y: c.H * 0.24}
	switch w.Phase {
	case arena.Lobby:
		drawBanner(c, mid, "Waiting for players", 34, paint.White)
	case arena.Countdown:
		left := float64(arena.CountdownTicks-w.Clock) / arena.TicksPerSecond
		beat := left - math.Floor(left)
		drawBanner(c, mid, fmt.Sprint(int(math.Ceil(left))), 90+50*beat*beat, paint.Gold)
	case arena.Play:
		if w.Clock < arena.TicksPerSecond {
			t := float64(w.Clock) / arena.TicksPerSecond
			drawBanner(c, mid, "GO!", 100+60*t, paint.Gold.Fade(1-t*t))
		}
	case arena.RoundOver:
		drawBanner(c, mid, winnerWords(s, "wins the round"), 46, colorOf(s, party.PID(w.Winner)).Mix(paint.White, 0.45))
	case arena.MatchOver:
		drawBanner(c, mid, winnerWords(s, "wins the match!"), 60, paint.Gold)
	}
	if at := s.Place(); at >= 0 && w.Discs[at].State == arena.Out && w.Phase == arena.Play {
		c.Shadowed("You are out: the next round is yours", paint.Point{X: c.W / 2, Y: c.H - 40},
			paint.Style{Font: paint.Bold, Size: 18, Color: paint.White.Fade(0.85), Anchor: 0.5})
	}
}

func winnerWords(s *session.Session, what string) string {
	for i := range s.Players() {
		if p := &s.Players()[i]; uint16(p.PID) == s.Shown().Winner {
			return p.Name + " " + what
		}
	}
	return "Nobody " + what
}

func drawBanner(c *paint.Canvas, p paint.Point, text string, size float64, col paint.Color) {
	c.Shadowed(text, p, paint.Style{Font: paint.Bold, Size: size, Color: col, Anchor: 0.5})
}
