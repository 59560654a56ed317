package main

import (
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
	"github.com/partyline-go/partyline/party"
)

const (
	feedLines = 9
	feedFor   = 11 * session.TicksPerSecond // frames that a line is shown
)

// drawFeed shows what happened lately, and the line being typed, or a hint.
func drawFeed(c *paint.Canvas, s *session.Session, typing *line, hint string) {
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
		c.Text(hint, paint.Point{X: margin + 2, Y: y}, paint.Style{Size: 13, Color: paint.Mist.Fade(0.7)})
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
	case session.NoteRoomFailed:
		st.Color = paint.Bad.Fade(fade)
	case session.NoteRoomOpen, session.NoteRound, session.NoteMatch, session.NoteNewHost:
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
