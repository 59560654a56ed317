package paint

import "math"

// drawSea fills the canvas with water that moves with the time in seconds.
func drawSea(c *Canvas, k Camera, time float64) {
	c.Wash(deep, sea)
	c.EllipseGlow(k.Mid, k.Size(19), k.Size(19*tilt), Hex(0x1f86a3).Fade(0.55))
	drawSwell(c, time)
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

// drawSwell draws short crests that drift, swell and fade.
func drawSwell(c *Canvas, time float64) {
	const step = 58.0
	row := 0
	for y := 10.0; y < c.H+step; y += step {
		row++
		drift := time*(5+2*math.Sin(float64(row))) + float64(row*37%100)
		for x := -step; x < c.W+2*step; x += 2.3 * step {
			at := math.Mod(x+drift+2.3*step, c.W+4.6*step) - 2.3*step
			swell := math.Sin(time*0.8 + at*0.013 + float64(row)*1.7)
			if swell <= 0 {
				continue
			}
			w := 13 + 15*swell
			top := y + 6*math.Sin(time*0.6+float64(row)+at*0.02)
			c.Arc(Point{at, top + w*0.5}, w, w*0.5, -math.Pi*0.82, -math.Pi*0.18, 1.6, foam.Fade(0.2*swell))
		}
	}
}
