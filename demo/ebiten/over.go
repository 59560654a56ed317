package main

import (
	"github.com/partyline-go/partyline/demo/ebiten/launch"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// An over says how a game ended, or why it did not begin.
type over struct {
	words string
	tried launch.Options // what to try again
	menu  menu
	show  exhibition
	next  scene
}

func newOver(tried launch.Options, words string) *over {
	o := &over{words: words, tried: tried}
	o.show.open(uint32(tried.Seed) + 1)
	return o
}

// errorWords is why a game could not begin.
func errorWords(err error) string { return session.ErrorWords(err) }

func (o *over) update(a *app) scene {
	o.show.step()
	o.next = o
	again := "Join again"
	if o.tried.Join == "" {
		again = "Host again"
	}
	o.menu.items = []item{
		{label: again, do: func() { o.next = a.start(o.tried) }},
		{label: "Title", do: func() { o.next = newTitle(a.options) }},
	}
	o.menu.hover(&a.hands, a.moved())
	o.menu.update(&a.hands)
	if a.hands.back {
		return newTitle(a.options)
	}
	return o.next
}

func (o *over) draw(a *app, c *paint.Canvas) {
	o.show.draw(a, c)
	c.Dim(paint.Ink.Fade(0.6))
	mid := paint.Point{X: c.W / 2, Y: c.H * 0.3}
	c.Shadowed(o.words, mid, paint.Style{Font: paint.Bold, Size: fitSize(c, o.words, 34), Color: paint.White, Anchor: 0.5})
	o.menu.place(paint.Point{X: c.W / 2, Y: c.H * 0.45})
	o.menu.draw(c)
}

// fitSize is a size at which a line fits the canvas.
func fitSize(c *paint.Canvas, s string, size float64) float64 {
	for size > 14 && c.Width(s, paint.Style{Font: paint.Bold, Size: size}) > c.W-80 {
		size--
	}
	return size
}
