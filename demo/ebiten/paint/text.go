package paint

import (
	"bytes"

	"github.com/hajimehoshi/ebiten/v2/text/v2"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
)

// A Font is one of the three that the game uses.
type Font uint8

const (
	Plain Font = iota
	Bold
	Mono
)

var fonts = [...]*text.GoTextFaceSource{
	Plain: mustFont(goregular.TTF),
	Bold:  mustFont(gobold.TTF),
	Mono:  mustFont(gomonobold.TTF),
}

func mustFont(ttf []byte) *text.GoTextFaceSource {
	s, err := text.NewGoTextFaceSource(bytes.NewReader(ttf))
	if err != nil {
		panic(err) // the fonts are compiled in
	}
	return s
}

// A Style is how a text looks: its font, size in points, colour, and where
// the given point lies along it: 0 at its start, 0.5 in its middle, 1 at its end.
type Style struct {
	Font   Font
	Size   float64
	Color  Color
	Anchor float64
}

// Text draws one line whose middle in height is at p.
func (c *Canvas) Text(s string, p Point, st Style) {
	if s == "" || st.Color.A <= 0 {
		return
	}
	c.Flush()
	face := &text.GoTextFace{Source: fonts[st.Font], Size: st.Size * c.scale}
	var op text.DrawOptions
	op.GeoM.Translate(p.X*c.scale-st.Anchor*text.Advance(s, face), p.Y*c.scale)
	op.SecondaryAlign = text.AlignCenter
	op.ColorScale.Scale(st.Color.R*st.Color.A, st.Color.G*st.Color.A, st.Color.B*st.Color.A, st.Color.A)
	text.Draw(c.dst, s, face, &op)
}

// Shadowed draws one line on a soft dark edge, to be read on any ground.
func (c *Canvas) Shadowed(s string, p Point, st Style) {
	dark := st
	dark.Color = Ink.Fade(0.55 * float64(st.Color.A))
	d := max(1, min(st.Size/16, 2.5))
	c.Text(s, p.Add(Point{0, d * 1.4}), dark)
	c.Text(s, p.Add(Point{d, 0}), dark)
	c.Text(s, p.Add(Point{-d, 0}), dark)
	c.Text(s, p, st)
}

// Width is how wide a line is, in points.
func (c *Canvas) Width(s string, st Style) float64 {
	face := &text.GoTextFace{Source: fonts[st.Font], Size: st.Size * c.scale}
	return text.Advance(s, face) / c.scale
}

// Fit shortens s until it is at most width points wide, ending it with an ellipsis.
func (c *Canvas) Fit(s string, width float64, st Style) string {
	if c.Width(s, st) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && c.Width(string(r)+"…", st) > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}
