package paint

import (
	"math"
	"slices"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

// A Rink draws worlds, and makes splashes, sparks and shakes out of the
// differences between one tick's and the next. The zero Rink is ready.
type Rink struct {
	ice    ice
	spray  spray
	before arena.World
	seen   bool
	time   float64 // seconds
	shake  float64 // points
	order  []int
}

// Step looks at the world of the next tick.
func (r *Rink) Step(w *arena.World) {
	const dt = 1.0 / arena.TicksPerSecond
	r.time += dt
	r.shake *= 0.88
	r.spray.move(dt)
	if r.seen {
		for i := range w.Discs {
			r.notice(w, i)
		}
		r.noticeIce(w)
	}
	r.before, r.seen = *w, true
}

// notice makes the effects of one disc.
func (r *Rink) notice(w *arena.World, i int) {
	d, was := &w.Discs[i], &r.before.Discs[i]
	if d.ID == 0 || d.ID != was.ID {
		return
	}
	switch {
	case d.State == arena.Sinking && was.State == arena.Skating:
		r.splash(d.Pos)
	case d.State == arena.Sinking && d.Sink%9 == 0:
		r.spray.ripple(d.Pos, 1.1, 0.9, foam.Fade(0.6))
	}
	if d.State != arena.Skating {
		return
	}
	if d.HitBy > 0 && d.HitAgo < was.HitAgo && was.HitAgo > 2 {
		r.spark(d, &w.Discs[d.HitBy-1])
	}
	if d.Dash > was.Dash {
		r.spray.ripple(d.Pos, 1.5, 0.35, Hex(0xffb347).Fade(0.8))
	}
	r.trail(d, was, i)
}

func (r *Rink) splash(at arena.Vec) {
	r.spray.burst(at, 26, 2.6, 5.5, 0.13, 0.9, foam)
	r.spray.burst(at, 10, 1.2, 7, 0.17, 1, White)
	r.spray.ripple(at, 1.9, 0.8, foam.Fade(0.8))
	r.shake = max(r.shake, 3)
}

// spark marks a hit between two discs, as hard as they part.
func (r *Rink) spark(a, b *arena.Disc) {
	hard := min(a.Vel.Sub(b.Vel).Len()/12, 1)
	at := a.Pos.Lerp(b.Pos, 0.5)
	r.spray.burst(at, 3+int(9*hard), 2+5*hard, 2.5, 0.08, 0.4, Hex(0xfff3c4))
	if hard > 0.4 {
		r.spray.ripple(at, 0.7+hard, 0.25, White.Fade(0.9))
		r.shake = max(r.shake, 4*hard)
	}
}

// trail throws snow where a disc changes its way, and streaks behind a dash.
func (r *Rink) trail(d, was *arena.Disc, place int) {
	turning := d.Vel.Sub(was.Vel).Len()
	switch {
	case d.Dash > 0:
		r.spray.add(drop{pos: d.Pos, size: arena.Radius * 0.85, life: 0.28, color: DiscColor(place).Fade(0.35)})
	case d.Pushing && turning > 0.12 && r.spray.roll() > 0.4:
		back := d.Vel.Unit().Scale(-arena.Radius * 0.8)
		r.spray.burst(d.Pos.Add(back), 1, 0.8, 1.2, 0.07, 0.5, White.Fade(0.9))
	}
}

// noticeIce makes the effects of plates that crack and go down.
func (r *Rink) noticeIce(w *arena.World) {
	if w.Ice <= r.before.Ice || w.Ice-r.before.Ice > arena.TicksPerSecond {
		return
	}
	f := w.Floe()
	for i := range arena.Plates {
		at := f.SinksAt(i)
		passed := func(tick int) bool { return int(r.before.Ice) < tick && tick <= int(w.Ice) }
		if passed(at - arena.CrackTicks) {
			r.spray.burst(f.Site(i), 6, 1.5, 2.2, 0.07, 0.5, White)
		}
		if passed(at) {
			r.spray.burst(f.Site(i), 16, 1.8, 2.5, 0.12, 0.9, foam.Fade(0.9))
			r.spray.ripple(f.Site(i), 2.2, 1.2, foam.Fade(0.5))
			r.shake = max(r.shake, 1.5)
		}
	}
}

// Labels says what stands over the disc at a place; "" for nothing.
type Labels func(place int) string

// Draw draws a world, or the bare sea for the zero World, t of the way from the last Step's to the next. me is the
// place of the player's own disc, or −1.
func (r *Rink) Draw(c *Canvas, k Camera, w *arena.World, me int, t float64, labels Labels) {
	now := *w
	for i := range now.Discs { // between the ticks a disc goes straight on
		d := &now.Discs[i]
		if d.State != arena.Out {
			d.Pos = d.Pos.Add(d.Vel.Scale(t / arena.TicksPerSecond))
		}
	}
	k.Mid = k.Mid.Add(Point{math.Sin(r.time*61) * r.shake, math.Cos(r.time*53) * r.shake})
	drawSea(c, k, r.time)
	if now.Phase == 0 { // no world is known yet
		c.Flush()
		return
	}
	r.sort(&now)
	for _, i := range r.order {
		if now.Discs[i].State == arena.Sinking {
			drawDisc(c, k, &now.Discs[i], i, i == me, r.time)
		}
	}
	r.ice.draw(c, k, &now, r.time)
	for _, i := range r.order {
		if now.Discs[i].State == arena.Skating {
			drawDisc(c, k, &now.Discs[i], i, i == me, r.time)
		}
	}
	r.spray.draw(c, k)
	for _, i := range r.order {
		if now.Discs[i].State == arena.Skating {
			drawLabel(c, k, &now.Discs[i], labels(i), i == me)
		}
	}
	c.Flush()
}

// sort puts the discs in order from the back to the front.
func (r *Rink) sort(w *arena.World) {
	r.order = r.order[:0]
	for i := range w.Discs {
		r.order = append(r.order, i)
	}
	slices.SortStableFunc(r.order, func(a, b int) int {
		return int(2048 * (w.Discs[a].Pos.Y - w.Discs[b].Pos.Y))
	})
}

func drawLabel(c *Canvas, k Camera, d *arena.Disc, name string, me bool) {
	at := k.At(d.Pos, discHeight).Add(Point{0, -k.Size(arena.Radius*tilt) - 13})
	st := Style{Font: Bold, Size: 13, Color: Ink.Fade(0.85), Anchor: 0.5}
	if me {
		st.Size, st.Color = 15, Hex(0xb3261e)
	}
	halo := st
	halo.Color = White.Fade(0.4)
	for _, by := range [...]Point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} { // over the sea too it can be read
		c.Text(name, at.Add(by), halo)
	}
	c.Text(name, at, st)
}
