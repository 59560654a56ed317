package paint

import "math"

// ellipse gives the corners of an ellipse in scratch memory, good until the next.
func (c *Canvas) ellipse(at Point, rx, ry float64) []Point {
	n := max(12, min(int(math.Sqrt(max(rx, ry)*c.scale)*5), 96))
	c.shape = c.shape[:0]
	for i := range n {
		s, k := math.Sincos(float64(i) * 2 * math.Pi / float64(n))
		c.shape = append(c.shape, Point{at.X + k*rx, at.Y + s*ry})
	}
	return c.shape
}

// Ellipse fills an ellipse.
func (c *Canvas) Ellipse(at Point, rx, ry float64, col Color) {
	c.FillFlat(c.ellipse(at, rx, ry), col)
}

// EllipseLit fills an ellipse that is light at its upper left.
func (c *Canvas) EllipseLit(at Point, rx, ry float64, light, dark Color) {
	shape := c.ellipse(at, rx, ry)
	c.Fill(shape, func(i int) Color {
		d := shape[i].Sub(at)
		return dark.Mix(light, 0.5-0.35*d.X/rx-0.5*d.Y/ry)
	})
}

// EllipseGlow fills an ellipse that fades from the middle to its edge.
func (c *Canvas) EllipseGlow(at Point, rx, ry float64, col Color) {
	shape := c.ellipse(at, rx, ry)
	c.room(len(shape) + 1)
	mid := c.vertex(at, col)
	for _, p := range shape {
		c.vertex(p, col.Fade(0))
	}
	n := uint16(len(shape))
	for i := range n {
		c.triangle(mid, mid+1+i, mid+1+(i+1)%n)
	}
}

// Ring draws the edge of an ellipse.
func (c *Canvas) Ring(at Point, rx, ry, width float64, col Color) {
	c.Outline(c.ellipse(at, rx, ry), width, col)
}

// Arc draws part of an ellipse's edge, from angle a0 to a1 in radians.
func (c *Canvas) Arc(at Point, rx, ry, a0, a1, width float64, col Color) {
	n := max(3, int(math.Abs(a1-a0)*math.Sqrt(max(rx, ry)*c.scale)*0.6))
	c.shape = c.shape[:0]
	for i := range n + 1 {
		s, k := math.Sincos(a0 + (a1-a0)*float64(i)/float64(n))
		c.shape = append(c.shape, Point{at.X + k*rx, at.Y + s*ry})
	}
	c.Line(c.shape, width, col)
}

// A Rect is an upright box.
type Rect struct{ X, Y, W, H float64 }

// Holds says whether p lies in r.
func (r Rect) Holds(p Point) bool {
	return p.X >= r.X && p.X < r.X+r.W && p.Y >= r.Y && p.Y < r.Y+r.H
}

// Inset gives r made smaller by d on each side.
func (r Rect) Inset(d float64) Rect { return Rect{r.X + d, r.Y + d, r.W - 2*d, r.H - 2*d} }

// Mid is the middle of r.
func (r Rect) Mid() Point { return Point{r.X + r.W/2, r.Y + r.H/2} }

// rounded gives the corners of a box with round corners, in scratch memory.
func (c *Canvas) rounded(r Rect, radius float64) []Point {
	radius = min(radius, r.W/2, r.H/2)
	const steps = 6
	c.shape = c.shape[:0]
	if radius <= 0 {
		c.shape = append(c.shape, Point{r.X, r.Y}, Point{r.X + r.W, r.Y}, Point{r.X + r.W, r.Y + r.H}, Point{r.X, r.Y + r.H})
		return c.shape
	}
	for corner, at := range [4]Point{
		{r.X + r.W - radius, r.Y + r.H - radius}, {r.X + radius, r.Y + r.H - radius},
		{r.X + radius, r.Y + radius}, {r.X + r.W - radius, r.Y + radius},
	} {
		for i := range steps + 1 {
			s, k := math.Sincos((float64(corner) + float64(i)/steps) * math.Pi / 2)
			c.shape = append(c.shape, Point{at.X + k*radius, at.Y + s*radius})
		}
	}
	return c.shape
}

// Box fills a box with round corners.
func (c *Canvas) Box(r Rect, radius float64, col Color) { c.FillFlat(c.rounded(r, radius), col) }

// Frame draws the edge of a box with round corners.
func (c *Canvas) Frame(r Rect, radius, width float64, col Color) {
	c.Outline(c.rounded(r, radius), width, col)
}

// Dim lays a colour over the whole canvas.
func (c *Canvas) Dim(col Color) {
	c.room(4)
	v := c.vertex(Point{}, col)
	c.vertex(Point{c.W, 0}, col)
	c.vertex(Point{c.W, c.H}, col)
	c.vertex(Point{0, c.H}, col)
	c.quad(v, v+1, v+2, v+3)
}
