package main

import (
	"fmt"
	"math"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/launch"
	"github.com/partyline-go/partyline/demo/ebiten/level"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// A title is the first screen. Behind it brains play a game of their own.
type title struct {
	menu   menu
	show   exhibition
	next   scene
	quit   bool
	naming bool
	name   line
}

func newTitle(o launch.Options) *title {
	t := &title{name: line{limit: session.MaxName}}
	t.name.set(o.Name)
	t.show.open(uint32(o.Seed))
	return t
}

func (t *title) update(a *app) scene {
	t.show.step()
	t.next = t
	if t.naming {
		t.typeName(a)
		return t
	}
	o := &a.options
	t.menu.items = []item{
		{label: "Host a game", do: func() { t.next = a.start(hostOptions(*o)) }},
		{label: "Join a game", do: func() { t.next = newEntry(t) }},
		{label: "Bots", value: fmt.Sprint(o.Bots), turn: func(by int) {
			o.Bots = (o.Bots + by + launch.MostBots + 1) % (launch.MostBots + 1)
		}},
		{label: "Name", value: o.Name, do: func() { t.naming = true }},
		{label: "Quit", do: func() { t.quit = true }},
	}
	if !a.near.update(a, t) {
		t.menu.hover(&a.hands, a.moved())
		t.menu.update(&a.hands)
	}
	if t.quit {
		return nil
	}
	return t.next
}

// hostOptions are what is left of the flags when the player hosts by the menu.
func hostOptions(o launch.Options) launch.Options {
	o.Host, o.Join = true, ""
	return o
}

// typeName lets the player type a name.
func (t *title) typeName(a *app) {
	t.name.update(&a.hands)
	if a.hands.ok || a.hands.back || a.hands.pressed {
		t.naming = false
		a.options.Name = session.CleanName(t.name.String())
		t.name.set(a.options.Name)
	}
}

func (t *title) draw(a *app, c *paint.Canvas) {
	t.show.draw(a, c)
	mid := c.W / 2
	c.Dim(paint.Ink.Fade(0.3))
	c.EllipseGlow(paint.Point{X: mid, Y: c.H * 0.45}, 640, 460, paint.Ink.Fade(0.8))
	drawTitle(c, paint.Point{X: mid, Y: c.H * 0.2})
	t.menu.place(paint.Point{X: mid, Y: c.H * 0.38})
	if t.naming {
		t.menu.items[3].value = t.name.String() + "|"
	}
	at := t.menu.at
	if a.near.chosen {
		t.menu.at = -1 // what is chosen is in the list
	}
	t.menu.draw(c)
	t.menu.at = at
	a.near.draw(c)
	c.Text(roomLine(a.options.Matchmaker), paint.Point{X: mid, Y: c.H - 54}, paint.Style{Size: 14, Color: paint.Mist, Anchor: 0.5})
	c.Text("arrows and Enter, mouse, touch or gamepad", paint.Point{X: mid, Y: c.H - 28},
		paint.Style{Size: 14, Color: paint.Mist.Fade(0.8), Anchor: 0.5})
}

// roomLine says what room codes go by.
func roomLine(matchmaker string) string {
	switch matchmaker {
	case "":
		return "join codes only: -matchmaker URL gives room codes too, through any router"
	case launch.Embedded:
		return "room codes by a matchmaker in this game, for this network"
	}
	return "room codes by " + matchmaker
}

// drawTitle draws the game's name on a wave.
func drawTitle(c *paint.Canvas, p paint.Point) {
	const step = 96
	for i, letter := range "FLOE" {
		at := p.Add(paint.Point{X: (float64(i) - 1.5) * step, Y: 8 * math.Sin(float64(i)*1.3)})
		c.Shadowed(string(letter), at, paint.Style{Font: paint.Bold, Size: 110, Color: paint.White, Anchor: 0.5})
	}
	c.Text("push everyone off the ice, while there is ice", p.Add(paint.Point{Y: 82}),
		paint.Style{Size: 20, Color: paint.Mist, Anchor: 0.5})
}

// An exhibition is a game among brains, without a network.
type exhibition struct {
	world  *arena.World
	brains [arena.MaxPlayers]*arena.Brain
	rink   paint.Rink
	snow   *level.Level
}

const (
	exhibitors     = 8
	exhibitionSnow = 40 // percent
)

func (e *exhibition) open(seed uint32) {
	e.world = arena.New(seed)
	e.snow = level.Make(level.Settings{Seed: seed, Snow: exhibitionSnow})
	for i := range exhibitors {
		e.world.Join(uint16(i + 1))
		e.brains[i] = arena.NewBrain(uint64(seed) + uint64(i))
	}
}

func (e *exhibition) step() {
	var in [arena.MaxPlayers]arena.Input
	for i := range exhibitors {
		in[i] = e.brains[i].Think(e.world, i)
	}
	e.world.Step(&in)
	e.rink.Step(e.world)
}

func (e *exhibition) draw(a *app, c *paint.Canvas) {
	e.rink.Lay(e.snow)
	e.rink.Draw(c, cameraFor(c), e.world, -1, a.sinceTick(), func(int) string { return "" })
}

// cameraFor shows the whole floe in the middle of the canvas.
func cameraFor(c *paint.Canvas) paint.Camera {
	return paint.Camera{Mid: paint.Point{X: c.W / 2, Y: c.H/2 + 14}, Zoom: min(c.H/26, c.W/42)}
}
