package main

import (
	"fmt"
	"math"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
	"github.com/partyline-go/partyline/party"
)

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
