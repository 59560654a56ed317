package paint

import "github.com/partyline-go/partyline/demo/ebiten/arena"

// tilt is how much the ice is seen from the side: lengths up and down the screen
// shrink by it, and heights show.
const tilt = 0.84

// A Camera puts the arena on the canvas.
type Camera struct {
	Mid  Point   // of the ice, in points
	Zoom float64 // points a unit
}

// At gives the place of v on the canvas, at a height above the ice in units.
func (k Camera) At(v arena.Vec, height float64) Point {
	return Point{k.Mid.X + v.X*k.Zoom, k.Mid.Y + (v.Y*tilt-height*0.6)*k.Zoom}
}

// Size gives a length in points.
func (k Camera) Size(units float64) float64 { return units * k.Zoom }
