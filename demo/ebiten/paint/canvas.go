// Package paint draws Floe: shapes, text, the ice, the discs and their splashes.
// It is given an arena.World and knows nothing of networks.
package paint

import (
	"image/color"
	"math"

	"github.com/hajimehoshi/ebiten/v2"
)

// A Canvas gathers shapes into one mesh, with edges that fade over a pixel, and
// draws them in one call; text and images go in between, in order.
type Canvas struct {
	W, H float64 // size in points

	dst      *ebiten.Image
	scale    float64 // pixels a point
	vertices []ebiten.Vertex
	indices  []uint16
	shape    []Point // scratch
}

const (
	leastWidth  = 1280
	leastHeight = 720
)

// white is one pixel for meshes to take their colour from. Its edge is never
// sampled.
var white = func() *ebiten.Image {
	img := ebiten.NewImage(3, 3)
	img.Fill(color.White)
	return img
}()

// ScaleFor is how many pixels a point has on a screen of w by h pixels.
func ScaleFor(w, h int) float64 {
	return min(float64(w)/leastWidth, float64(h)/leastHeight)
}

// Begin starts a picture on dst.
func (c *Canvas) Begin(dst *ebiten.Image) {
	w, h := dst.Bounds().Dx(), dst.Bounds().Dy()
	c.dst, c.scale = dst, ScaleFor(w, h)
	c.W, c.H = float64(w)/c.scale, float64(h)/c.scale
	c.vertices, c.indices = c.vertices[:0], c.indices[:0]
}

// Flush draws what has been gathered.
func (c *Canvas) Flush() { c.flushWith(white) }

// flushWith draws what has been gathered in the colours of an image.
func (c *Canvas) flushWith(img *ebiten.Image) {
	if len(c.indices) > 0 {
		c.dst.DrawTriangles(c.vertices, c.indices, img, &ebiten.DrawTrianglesOptions{Filter: ebiten.FilterLinear})
	}
	c.vertices, c.indices = c.vertices[:0], c.indices[:0]
}

// room makes sure that n more vertices fit under 16-bit indices.
func (c *Canvas) room(n int) {
	if len(c.vertices)+n > math.MaxUint16 {
		c.Flush()
	}
}

func (c *Canvas) vertex(p Point, col Color) uint16 {
	c.vertices = append(c.vertices, ebiten.Vertex{
		DstX: float32(p.X * c.scale), DstY: float32(p.Y * c.scale), SrcX: 1.5, SrcY: 1.5,
		ColorR: col.R, ColorG: col.G, ColorB: col.B, ColorA: col.A,
	})
	return uint16(len(c.vertices) - 1)
}

func (c *Canvas) triangle(a, b, d uint16) { c.indices = append(c.indices, a, b, d) }

func (c *Canvas) quad(a, b, d, e uint16) { c.indices = append(c.indices, a, b, d, a, d, e) }

// normals calls each with a point of a closed shape and the direction that leads
// out of it there, long enough to move both edges by 1.
func normals(shape []Point, each func(i int, p, out Point)) {
	turn := 1.0
	if area(shape) > 0 {
		turn = -1
	}
	n := len(shape)
	for i, p := range shape {
		in := p.Sub(shape[(i+n-1)%n]).unit().left().Scale(turn)
		out := shape[(i+1)%n].Sub(p).unit().left().Scale(turn)
		each(i, p, miter(in, out))
	}
}

// miter joins the normals of two edges.
func miter(a, b Point) Point {
	m := a.Add(b).unit()
	return m.Scale(1 / max(m.X*a.X+m.Y*a.Y, 0.35))
}

func area(shape []Point) float64 {
	sum := 0.0
	for i, p := range shape {
		q := shape[(i+1)%len(shape)]
		sum += p.X*q.Y - q.X*p.Y
	}
	return sum / 2
}

// Fill fills a convex shape, with a colour for each corner.
func (c *Canvas) Fill(shape []Point, col func(i int) Color) {
	if len(shape) < 3 {
		return
	}
	c.room(2 * len(shape))
	half := 0.5 / c.scale
	first := uint16(len(c.vertices))
	normals(shape, func(i int, p, out Point) {
		k := col(i)
		c.vertex(p.Sub(out.Scale(half)), k)
		c.vertex(p.Add(out.Scale(half)), k.Fade(0))
	})
	n := uint16(len(shape))
	for i := range n {
		j := (i + 1) % n
		if i > 1 {
			c.triangle(first, first+2*(i-1), first+2*i)
		}
		c.quad(first+2*i, first+2*i+1, first+2*j+1, first+2*j)
	}
}

// FillFlat fills a convex shape with one colour.
func (c *Canvas) FillFlat(shape []Point, col Color) {
	c.Fill(shape, func(int) Color { return col })
}

// strip fills a band between two edges, from a colour along a and b to another
// along their counterparts b2 and a2. Its edges are hard.
func (c *Canvas) strip(a, b, b2, a2 Point, near, far Color) {
	c.room(4)
	v := c.vertex(a, near)
	c.vertex(b, near)
	c.vertex(b2, far)
	c.vertex(a2, far)
	c.quad(v, v+1, v+2, v+3)
}

// Line draws an open line through points, width points wide.
func (c *Canvas) Line(points []Point, width float64, col Color) {
	for i := 1; i < len(points); i++ {
		c.segment(points[i-1], points[i], width, col)
	}
}

// segment draws one straight line with faded sides.
func (c *Canvas) segment(a, b Point, width float64, col Color) {
	c.room(8)
	n := b.Sub(a).unit().left()
	solid, faded := c.edges(width)
	col = col.Fade(width * c.scale)
	clear := col.Fade(0)
	v := uint16(len(c.vertices))
	across := [...]float64{faded, solid, -solid, -faded}
	colors := [...]Color{clear, col, col, clear}
	for i, d := range across {
		c.vertex(a.Add(n.Scale(d)), colors[i])
		c.vertex(b.Add(n.Scale(d)), colors[i])
	}
	for i := range uint16(3) {
		if i == 1 && solid == 0 {
			continue // a hair: its two full edges are one
		}
		c.quad(v+2*i, v+2*i+1, v+2*i+3, v+2*i+2)
	}
}

// edges gives how far from the middle of a line its colour is full, and gone.
func (c *Canvas) edges(width float64) (solid, faded float64) {
	half := 0.5 / c.scale
	return max(width/2-half, 0), max(width/2, half) + half
}

// Outline draws along the edge of a closed shape.
func (c *Canvas) Outline(shape []Point, width float64, col Color) {
	if len(shape) < 3 {
		return
	}
	c.room(4 * len(shape))
	solid, faded := c.edges(width)
	col = col.Fade(width * c.scale)
	clear := col.Fade(0)
	first := uint16(len(c.vertices))
	normals(shape, func(_ int, p, out Point) {
		c.vertex(p.Add(out.Scale(faded)), clear)
		c.vertex(p.Add(out.Scale(solid)), col)
		c.vertex(p.Sub(out.Scale(solid)), col)
		c.vertex(p.Sub(out.Scale(faded)), clear)
	})
	n := uint16(len(shape))
	for i := range n {
		a, b := first+4*i, first+4*((i+1)%n)
		for k := range uint16(3) {
			if k == 1 && solid == 0 {
				continue
			}
			c.quad(a+k, a+k+1, b+k+1, b+k)
		}
	}
}
