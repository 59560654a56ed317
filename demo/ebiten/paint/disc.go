package paint

import (
	"math"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

const discHeight = 0.42 // units

// drawDisc draws one disc, on the ice or going down. me marks the player's own.
func drawDisc(c *Canvas, k Camera, d *arena.Disc, place int, me bool, time float64) {
	height, fade := 0.0, 1.0
	if d.State == arena.Sinking {
		t := float64(d.Sink) / arena.SinkTicks
		height, fade = -0.3-1.2*t, 1-t*t
	}
	rx := k.Size(arena.Radius)
	ry := rx * tilt
	foot, top := k.At(d.Pos, height), k.At(d.Pos, height+discHeight)
	col := DiscColor(place)

	if d.State == arena.Skating {
		c.Ellipse(foot.Add(Point{rx * 0.18, ry * 0.25}), rx*1.06, ry*1.02, Hex(0x1f5673).Fade(0.3))
		if me {
			glow := 0.5 + 0.5*math.Sin(time*5)
			c.Ring(foot, rx*1.28, ry*1.28, 2.5, Ink.Mix(Gold, 0.55+0.3*glow).Fade(0.9))
		}
	}
	drawPuck(c, foot, top, rx, ry, col, fade)
	if d.State == arena.Skating {
		drawAim(c, k, d, top, rx, ry)
		drawCharge(c, d, top, rx, ry, time)
	}
}

// drawPuck draws the body: side, top, rim and shine.
func drawPuck(c *Canvas, foot, top Point, rx, ry float64, col Color, fade float64) {
	side, dark := col.Mix(Ink, 0.5).Fade(fade), col.Mix(Ink, 0.3).Fade(fade)
	c.Ellipse(foot, rx, ry, side)
	c.Fill([]Point{{top.X - rx, top.Y}, {top.X + rx, top.Y}, {foot.X + rx, foot.Y}, {foot.X - rx, foot.Y}}, func(i int) Color {
		if i == 0 || i == 3 {
			return dark
		}
		return side
	})
	c.EllipseLit(top, rx, ry, col.Mix(White, 0.42).Fade(fade), col.Mix(Ink, 0.08).Fade(fade))
	c.Ring(top, rx*0.95, ry*0.95, max(1, rx*0.09), White.Fade(0.55*fade))
	c.EllipseLit(top, rx*0.62, ry*0.62, col.Mix(White, 0.12).Fade(fade), col.Mix(White, 0.3).Fade(fade))
}

// drawAim shows where the player is pushing.
func drawAim(c *Canvas, k Camera, d *arena.Disc, top Point, rx, ry float64) {
	aim := arena.Vec{X: float64(d.Aim[0]), Y: float64(d.Aim[1])}.Unit()
	side := arena.Vec{X: -aim.Y, Y: aim.X}
	at := func(along, across float64) Point {
		return Point{
			top.X + rx*(aim.X*along+side.X*across),
			top.Y + ry*(aim.Y*along+side.Y*across),
		}
	}
	c.FillFlat([]Point{at(0.58, 0), at(-0.2, 0.36), at(-0.2, -0.36)}, White.Fade(0.92))
}

// drawCharge shows the charge as it grows, and the cool-down as it ends.
func drawCharge(c *Canvas, d *arena.Disc, top Point, rx, ry, time float64) {
	const up = -math.Pi / 2
	switch {
	case d.Charge > 0:
		full := float64(d.Charge) / arena.ChargeFull
		col := Hex(0xff9f1c).Mix(Hex(0xff3d3d), full)
		if full == 1 {
			col = col.Mix(Gold, 0.5+0.5*math.Sin(time*24))
		}
		c.Ring(top, rx*1.2, ry*1.2, rx*0.2, Ink.Fade(0.25))
		c.Arc(top, rx*1.2, ry*1.2, up, up+2*math.Pi*full, rx*0.2, col)
	case d.Dash > 0:
		c.Ring(top, rx*1.12, ry*1.12, rx*0.16, Hex(0xff9f1c).Fade(float64(d.Dash)/20))
	}
}
