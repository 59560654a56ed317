package main

import (
	"errors"
	"os"
	"time"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/partyline-go/partyline/demo/ebiten/launch"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// A scene is what the window shows: the title, the entry of a code, a game, or
// how a game ended. update gives the next scene, mostly itself.
type scene interface {
	update(a *app) scene
	draw(a *app, c *paint.Canvas)
}

// An app is the window.
type app struct {
	options launch.Options
	scene   scene
	hands   hands
	near    nearby
	board   clipboard
	canvas  paint.Canvas

	began   time.Time
	ticked  time.Time // when the last update was
	debt    time.Duration
	width   int // of the picture, pixels
	height  int
	pointer paint.Point // where it was
	picture *picture    // being taken; nil: not yet
	report  *launch.Report
	failed  error
}

// newApp begins with what the options say, or says why it cannot.
func newApp(o launch.Options) *app {
	a := &app{options: o, began: time.Now(), width: 1280, height: 720}
	if o.Listing.Title {
		a.scene = newTitle(o)
	} else {
		a.scene = a.start(o)
	}
	return a
}

// start begins a game.
func (a *app) start(o launch.Options) scene {
	p := &play{options: o}
	g, err := launch.Start(o, p.tell)
	if err != nil {
		return newOver(o, errorWords(err))
	}
	p.game = g
	p.graph = o.Shot != ""
	return p
}

// Update is called sixty times a second.
func (a *app) Update() error {
	a.tick()
	a.hands.look(float64(a.width)/a.scale(), a.scale())
	a.scene = a.scene.update(a)
	a.pointer = a.hands.pointer
	switch {
	case a.scene == nil || ebiten.IsWindowBeingClosed():
		a.finish()
		return ebiten.Termination
	case a.options.For == 0 || time.Since(a.began) < a.options.For:
		return nil
	case a.options.Shot != "" && a.picture == nil:
		a.picture = &picture{name: a.options.Shot} // Draw takes it
		return nil
	case a.picture != nil && !a.picture.taken:
		return nil
	}
	a.finish()
	return ebiten.Termination
}

// tick takes note that an Update has begun.
func (a *app) tick() {
	now := time.Now()
	if !a.ticked.IsZero() {
		a.debt += now.Sub(a.ticked) - session.Tick
	}
	a.debt = max(-session.Tick, min(a.debt, mostDebt))
	a.ticked = now
}

// mostDebt is how much time a game makes good after a halt.
const mostDebt = 250 * time.Millisecond

// ticks is how many ticks a game has to play in this Update: one, but more when
// the machine is too slow to draw as often as Ebitengine would like. Ebitengine
// then lets time go by; a party must not, for the others play on.
func (a *app) ticks() int {
	n := 1
	for ; a.debt >= 2*session.Tick; n++ {
		a.debt -= session.Tick
	}
	return n
}

// finish ends the game that is on, in good order.
func (a *app) finish() {
	a.near.close()
	if p, ok := a.scene.(*play); ok {
		pace := launch.NewPace()
		r := p.game.Finish(func() {
			pace.Wait()
			p.game.Frame(a.hands.input())
		})
		a.report = &r
	}
}

// after says how it went, when the window has closed.
func (a *app) after() error {
	if a.report != nil {
		if err := a.report.Write(os.Stdout, a.options.Report); err != nil {
			return err
		}
	}
	if a.picture != nil {
		return errors.Join(a.failed, a.picture.err)
	}
	return a.failed
}

func (a *app) scale() float64 { return paint.ScaleFor(a.width, a.height) }

// moved says whether the pointer did.
func (a *app) moved() bool { return a.pointer != a.hands.pointer }

// Draw draws a picture, between two updates.
func (a *app) Draw(screen *ebiten.Image) {
	if a.scene == nil {
		return
	}
	a.canvas.Begin(screen)
	a.scene.draw(a, &a.canvas)
	a.hands.draw(&a.canvas)
	a.canvas.Flush()
	if a.picture != nil && !a.picture.taken {
		a.picture.take(screen)
	}
}

// sinceTick is how far the next update is, 0 to 1: what is drawn goes on by it.
func (a *app) sinceTick() float64 {
	return min(time.Since(a.ticked).Seconds()*float64(ebiten.TPS()), 1)
}

// Layout takes the window as it is, in the screen's own pixels.
func (a *app) Layout(w, h int) (int, int) {
	s := ebiten.Monitor().DeviceScaleFactor()
	a.width, a.height = int(float64(w)*s), int(float64(h)*s)
	return a.width, a.height
}
