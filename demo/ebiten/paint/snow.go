package paint

import (
	"image"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/level"
)

// A snow is a level as an image that lies over the plates: see-through, white
// where snow is and dark where the ice is bare.
type snow struct {
	level *level.Level
	image *ebiten.Image
}

// Lay puts a level's snow on the ice; nil leaves it plain.
func (r *Rink) Lay(l *level.Level) { r.ice.snow.lay(l) }

func (s *snow) lay(l *level.Level) {
	if l == s.level {
		return
	}
	if s.image != nil {
		s.image.Deallocate()
		s.image = nil
	}
	if s.level = l; l != nil {
		s.image = ebiten.NewImageFromImage(snowPicture(l))
	}
}

// How much of the plate's own colour the deepest snow and the darkest ice hide.
const (
	snowHides = 0.6
	bareHides = 0.5
)

// snowPicture gives a level's points their colours.
func snowPicture(l *level.Level) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, level.Side, level.Side))
	for i, v := range l.Bytes() {
		c := White.Fade(snowHides * (float64(v) - 127) / 128)
		if v < 128 {
			c = bareIce.Fade(bareHides * (128 - float64(v)) / 128)
		}
		copy(img.Pix[4*i:], c.premultiplied())
	}
	return img
}

// premultiplied gives the colour as image.RGBA keeps it.
func (c Color) premultiplied() []byte {
	a := c.A * 255
	return []byte{byte(c.R * a), byte(c.G * a), byte(c.B * a), byte(a)}
}

// drawSnow lays the snow over every plate that stands.
func (s *ice) drawSnow(c *Canvas, k Camera, w *arena.World) {
	if s.snow.image == nil {
		return
	}
	c.Flush()
	for _, i := range s.order {
		if s.stands(w, i) {
			s.layOn(c, k, w, i)
		}
	}
	c.flushWith(s.snow.image)
}

// layOn gathers one plate's part of the snow.
func (s *ice) layOn(c *Canvas, k Camera, w *arena.World, i int) {
	shape := s.plates[i].shape
	shift := s.shake(w, i)
	first := uint16(len(c.vertices))
	for n, v := range shape {
		at := c.vertex(k.At(v, 0).Add(shift), White)
		x, y := level.At(v)
		c.vertices[at].SrcX, c.vertices[at].SrcY = float32(x), float32(y)
		if n > 1 {
			c.triangle(first, at-1, at)
		}
	}
}
