package paint

// A Color is red, green, blue and alpha from 0 to 1, not premultiplied.
type Color struct{ R, G, B, A float32 }

// Hex gives the opaque colour 0xRRGGBB.
func Hex(rgb uint32) Color {
	return Color{float32(rgb>>16&255) / 255, float32(rgb>>8&255) / 255, float32(rgb&255) / 255, 1}
}

// Fade gives c with its alpha times a.
func (c Color) Fade(a float64) Color {
	c.A *= float32(max(0, min(a, 1)))
	return c
}

// Mix gives the colour a share t of the way from c to o.
func (c Color) Mix(o Color, t float64) Color {
	f := float32(max(0, min(t, 1)))
	return Color{c.R + (o.R-c.R)*f, c.G + (o.G-c.G)*f, c.B + (o.B-c.B)*f, c.A + (o.A-c.A)*f}
}

// The colours of the game.
var (
	White   = Hex(0xffffff)
	Ink     = Hex(0x0a2233) // panels, and text on light ground
	Mist    = Hex(0xcfe6f0) // quiet text
	Gold    = Hex(0xffd166) // codes, winners, what is chosen
	Good    = Hex(0x5ee6a0)
	Fair    = Hex(0xffc857)
	Bad     = Hex(0xff6b6b)
	deep    = Hex(0x0a2b40)
	sea     = Hex(0x12506b)
	foam    = Hex(0xbfeaf5)
	iceTop  = Hex(0xe9f6fc)
	iceDim  = Hex(0xcfe6f2)
	iceLow  = Hex(0x6fa9c4) // the sides, lit
	iceBed  = Hex(0x3d7896) // the sides, at the water
	crackC  = Hex(0x3f7f9e)
	bareIce = Hex(0x5f9fbe) // without snow
)

// discColors are one for each place, told apart by hue and by lightness.
var discColors = [...]Color{
	Hex(0xff5a5f), Hex(0x2f8fff), Hex(0xffb400), Hex(0x17b978),
	Hex(0xa05eff), Hex(0xff7ab8), Hex(0x00b8c4), Hex(0xff7f32),
	Hex(0x7bc62d), Hex(0x4a5bd4), Hex(0xb8860b), Hex(0x5b6b7b),
}

// DiscColor is the colour of the disc at a place.
func DiscColor(place int) Color {
	return discColors[(place%len(discColors)+len(discColors))%len(discColors)]
}
