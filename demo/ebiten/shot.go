package main

import (
	"image"
	"image/png"
	"os"

	"github.com/hajimehoshi/ebiten/v2"
)

// A picture is a screenshot on its way to a file.
type picture struct {
	name  string
	taken bool
	err   error
}

// take saves what is on the screen.
func (p *picture) take(screen *ebiten.Image) {
	p.taken = true
	img := image.NewRGBA(screen.Bounds())
	screen.ReadPixels(img.Pix)
	f, err := os.Create(p.name)
	if err != nil {
		p.err = err
		return
	}
	if p.err = png.Encode(f, img); p.err != nil {
		f.Close()
		return
	}
	p.err = f.Close()
}
