package paint

import (
	"math"
	"slices"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

const (
	iceDepth  = 0.55 // units that the ice reaches down to the water
	goneTicks = 80   // how long a plate that went down is still seen
)

// An ice keeps the shapes of one floe's plates, which take a moment to work out.
type ice struct {
	seed   uint32
	made   bool
	plates [arena.Plates]plate
	order  []int // from the back to the front
	snow   snow
	screen []Point
	wide   []Point // scratch
	thin   []Point
}

type plate struct {
	shape  []arena.Vec
	beyond []int // for the edge from each corner to the next, the plate on its other side; −1: the sea
	cracks [][]arena.Vec
	tint   float64
}

// prepare works out the plates of a world's floe, once for each floe.
func (s *ice) prepare(w *arena.World) {
	f := w.Floe()
	if s.made && s.seed == f.Seed {
		return
	}
	s.seed, s.made = f.Seed, true
	s.order = s.order[:0]
	for i := range s.plates {
		p := &s.plates[i]
		p.shape = f.Outline(i, p.shape)
		p.beyond = beyond(f, i, p.shape)
		p.shape = shrink(p.shape, f.Site(i), 0.035)
		p.cracks = cracksOf(f.Site(i), p.shape, uint32(i)+f.Seed)
		p.tint = chance(uint32(i)*7 + f.Seed)
		s.order = append(s.order, i)
	}
	slices.SortFunc(s.order, func(a, b int) int {
		if f.Site(a).Y < f.Site(b).Y {
			return -1
		}
		return 1
	})
}

// beyond finds what lies on the other side of each edge of a plate.
func beyond(f *arena.Floe, plate int, shape []arena.Vec) []int {
	var there []int
	for i, p := range shape {
		mid := p.Lerp(shape[(i+1)%len(shape)], 0.5)
		out := mid.Sub(f.Site(plate)).Unit().Scale(0.05)
		there = append(there, f.PlateAt(mid.Add(out)))
	}
	return there
}

// shrink draws a shape's corners towards its middle by d units: the seams.
func shrink(shape []arena.Vec, mid arena.Vec, d float64) []arena.Vec {
	for i, p := range shape {
		to := mid.Sub(p)
		shape[i] = p.Add(to.Unit().Scale(min(d, to.Len())))
	}
	return shape
}

// cracksOf gives jagged lines from near the middle of a plate to its corners.
func cracksOf(mid arena.Vec, shape []arena.Vec, seed uint32) [][]arena.Vec {
	var lines [][]arena.Vec
	for i, p := range shape {
		n := seed + uint32(i)*13
		if i%2 == 1 && chance(n) < 0.6 {
			continue
		}
		way := p.Sub(mid)
		side := arena.Vec{X: -way.Y, Y: way.X}
		line := []arena.Vec{mid.Add(side.Scale(0.1 * (chance(n+1) - 0.5)))}
		for _, t := range [...]float64{0.3, 0.55, 0.8} {
			line = append(line, mid.Add(way.Scale(t)).Add(side.Scale(0.35*(chance(n+uint32(t*100))-0.5))))
		}
		lines = append(lines, append(line, p))
	}
	return lines
}

// chance gives a number from 0 to 1 that depends on n alone.
func chance(n uint32) float64 {
	n = (n ^ n>>16) * 0x7feb352d
	n = (n ^ n>>15) * 0x846ca68b
	return float64(n^n>>16) / math.MaxUint32
}

// draw draws the ice of a world; time in seconds moves the water at its edge.
func (s *ice) draw(c *Canvas, k Camera, w *arena.World, time float64) {
	s.prepare(w)
	for _, i := range s.order {
		s.drawGone(c, k, w, i)
	}
	for _, i := range s.order {
		if s.stands(w, i) {
			s.drawShallows(c, k, w, i, time)
		}
	}
	for _, i := range s.order {
		if s.stands(w, i) {
			s.drawSides(c, k, w, i)
		}
	}
	for _, i := range s.order {
		if s.stands(w, i) {
			s.drawTop(c, k, w, i)
		}
	}
	s.drawSnow(c, k, w)
	for _, i := range s.order {
		if s.stands(w, i) {
			s.drawEdge(c, k, w, i)
		}
	}
}

func (s *ice) stands(w *arena.World, i int) bool { return w.Floe().SinksAt(i) > int(w.Ice) }

// place puts a plate's corners on the canvas, at a height over the water's ice
// level and moved by shift points.
func (s *ice) place(k Camera, shape []arena.Vec, height float64, shift Point) []Point {
	s.screen = s.screen[:0]
	for _, v := range shape {
		s.screen = append(s.screen, k.At(v, height).Add(shift))
	}
	return s.screen
}

// open says whether there is water beyond an edge of a plate.
func (s *ice) open(w *arena.World, i, edge int) bool {
	there := s.plates[i].beyond[edge]
	return there < 0 || !s.stands(w, there)
}

// drawShallows lets the water be lighter and foam where it meets the ice.
func (s *ice) drawShallows(c *Canvas, k Camera, w *arena.World, i int, time float64) {
	breath := 0.5 + 0.5*math.Sin(time*1.7+float64(i))
	shape := s.place(k, s.plates[i].shape, -iceDepth, Point{})
	s.wide, s.thin = s.wide[:0], s.thin[:0]
	normals(shape, func(_ int, p, out Point) {
		s.wide = append(s.wide, p.Add(out.Scale(k.Size(0.95))))
		s.thin = append(s.thin, p.Add(out.Scale(k.Size(0.2+0.16*breath))))
	})
	for a := range shape {
		if !s.open(w, i, a) {
			continue
		}
		b := (a + 1) % len(shape)
		c.strip(shape[a], shape[b], s.wide[b], s.wide[a], Hex(0x7fe0ea).Fade(0.34), Hex(0x7fe0ea).Fade(0))
		c.strip(shape[a], shape[b], s.thin[b], s.thin[a], foam.Fade(0.75), foam.Fade(0.15))
	}
}

// drawSides shows how thick the ice is, where it faces the viewer and the water.
func (s *ice) drawSides(c *Canvas, k Camera, w *arena.World, i int) {
	shape := s.place(k, s.plates[i].shape, 0, s.shake(w, i))
	down := Point{0, k.Size(iceDepth * 0.6)}
	low := iceLow.Mix(Hex(0x8ec3d8), s.plates[i].tint*0.6)
	for a := range shape {
		p, q := shape[a], shape[(a+1)%len(shape)]
		if p.X < q.X || !s.open(w, i, a) { // it faces away, or another plate
			continue
		}
		c.strip(p, q, q.Add(down), p.Add(down), low, iceBed)
	}
}

func (s *ice) drawTop(c *Canvas, k Camera, w *arena.World, i int) {
	p := &s.plates[i]
	worn := w.Cracked(i)
	shift := s.shake(w, i)
	shape := s.place(k, p.shape, 0, shift)
	light := iceTop.Mix(iceDim, 0.25+0.5*p.tint).Mix(Hex(0x9cc4d6), worn*0.75)
	c.Fill(shape, func(n int) Color {
		up := (shape[n].Y - k.Mid.Y) / k.Size(26)
		return light.Mix(White, 0.35-up)
	})
}

// drawEdge draws what lies on a plate's snow: its rim, and its cracks.
func (s *ice) drawEdge(c *Canvas, k Camera, w *arena.World, i int) {
	shift := s.shake(w, i)
	shape := s.place(k, s.plates[i].shape, 0, shift)
	c.Outline(shape, max(1, k.Size(0.05)), White.Fade(0.5))
	if worn := w.Cracked(i); worn > 0 {
		s.drawCracks(c, k, &s.plates[i], worn, shift)
	}
}

// drawCracks lets cracks grow from the middle outwards.
func (s *ice) drawCracks(c *Canvas, k Camera, p *plate, worn float64, shift Point) {
	for _, line := range p.cracks {
		grown := min(1, 0.25+worn*1.2) * float64(len(line)-1)
		for i := 1; i < len(line) && float64(i-1) < grown; i++ {
			to := line[i-1].Lerp(line[i], min(1, grown-float64(i-1)))
			a, b := k.At(line[i-1], 0).Add(shift), k.At(to, 0).Add(shift)
			c.segment(a, b, max(1.2, k.Size(0.05+0.09*worn)), crackC.Fade(0.5+0.5*worn))
		}
	}
}

// shake lets a plate tremble in its last second.
func (s *ice) shake(w *arena.World, i int) Point {
	worn := w.Cracked(i)
	if worn <= 0.5 || worn >= 1 {
		return Point{}
	}
	n := float64(w.Ice)
	return Point{math.Sin(n*1.9+float64(i)) * (worn - 0.5) * 3, math.Cos(n*2.3+float64(i)) * (worn - 0.5) * 2}
}

// drawGone shows a plate on its way down.
func (s *ice) drawGone(c *Canvas, k Camera, w *arena.World, i int) {
	ago := float64(int(w.Ice) - w.Floe().SinksAt(i))
	if ago < 0 || ago > goneTicks {
		return
	}
	t := ago / goneTicks
	shape := s.place(k, s.plates[i].shape, -iceDepth*0.5-1.5*t, Point{})
	mid := k.At(w.Floe().Site(i), -iceDepth*0.5-1.5*t)
	for n, p := range shape {
		shape[n] = mid.Add(p.Sub(mid).Scale(1 - 0.25*t))
	}
	c.FillFlat(shape, Hex(0x8fc3d6).Mix(sea, 0.3+0.6*t).Fade((1-t)*0.85))
	c.Outline(shape, k.Size(0.12+0.3*t), foam.Fade(0.5*(1-t)))
}
