package main

import (
	"math"

	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// drawLock draws how safe a line is: a full lock where nobody can be in between,
// a hollow one where the key was taken on trust, nothing where there is no line.
func drawLock(c *paint.Canvas, at paint.Point, l session.Lock) {
	if l == session.NoLock {
		return
	}
	col := paint.Mist.Fade(0.8)
	body := paint.Rect{X: at.X - 5, Y: at.Y - 2, W: 10, H: 8}
	if l == session.Verified {
		col = paint.Good
		c.Box(body, 2, col)
	} else {
		c.Frame(body.Inset(0.7), 1.5, 1.4, col)
	}
	c.Arc(at.Add(paint.Point{Y: -2}), 3.3, 4, -math.Pi, 0, 1.6, col)
}

// drawLocks says what the locks mean.
func drawLocks(c *paint.Canvas, at paint.Point) {
	for i, l := range [...]session.Lock{session.Verified, session.Sealed} {
		p := at.Add(paint.Point{X: 86 * float64(i)})
		drawLock(c, p, l)
		words := map[session.Lock]string{session.Verified: "verified", session.Sealed: "sealed, not verified"}[l]
		c.Text(words, p.Add(paint.Point{X: 14}), paint.Style{Size: 12, Color: paint.Mist.Fade(0.8)})
	}
}
