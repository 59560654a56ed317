package paint

import "math"

// drawSea fills the canvas with water that moves with the time in seconds, and is
// lighter around the ice.
func drawSea(c *Canvas, k Camera, time float64) {
	const columns, rows = 24, 14
	c.room((columns + 1) * (rows + 1))
	first := uint16(len(c.vertices))
	for y := range rows + 1 {
		for x := range columns + 1 {
			p := Point{c.W * float64(x) / columns, c.H * float64(y) / rows}
			c.vertex(p, seaAt(c, k, p))
		}
	}
	for y := range uint16(rows) {
		for x := range uint16(columns) {
			at := first + y*(columns+1) + x
			c.quad(at, at+1, at+columns+2, at+columns+1)
		}
	}
	drawSwell(c, time)
}

// seaAt is the colour of the water at p.
func seaAt(c *Canvas, k Camera, p Point) Color {
	dx, dy := (p.X-k.Mid.X)/k.Size(20), (p.Y-k.Mid.Y)/k.Size(20*tilt)
	glow := max(0, 1-dx*dx-dy*dy)
	return deep.Mix(sea, p.Y/c.H).Mix(Hex(0x1f86a3), 0.5*glow)
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
