package main

import (
	"fmt"

	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// drawLevel shows how much of the host's ice has come, until it is whole.
func drawLevel(c *paint.Canvas, s *session.Session) {
	got, total := s.LevelProgress()
	if got >= total {
		return
	}
	share := float64(got) / float64(total)
	r := paint.Rect{X: c.W/2 - 170, Y: c.H - 50, W: 340, H: 36}
	panel(c, r)
	words := fmt.Sprintf("The host's ice: %.0f %%", share*100)
	c.Text(words, paint.Point{X: r.X + 16, Y: r.Mid().Y}, paint.Style{Size: 14, Color: paint.White})
	bar := paint.Rect{X: r.X + 160, Y: r.Mid().Y - 5, W: r.W - 176, H: 10}
	c.Box(bar, 5, paint.White.Fade(0.15))
	if bar.W *= share; bar.W >= bar.H {
		c.Box(bar, 5, paint.Gold)
	}
}
