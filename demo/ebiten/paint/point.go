package paint

import "math"

// A Point is a place on a Canvas, in points: the canvas is at least 1280 × 720
// points, whatever the size of the window in pixels.
type Point struct{ X, Y float64 }

// Add gives p + o.
func (p Point) Add(o Point) Point { return Point{p.X + o.X, p.Y + o.Y} }

// Sub gives p − o.
func (p Point) Sub(o Point) Point { return Point{p.X - o.X, p.Y - o.Y} }

// Scale gives p times f.
func (p Point) Scale(f float64) Point { return Point{p.X * f, p.Y * f} }

func (p Point) unit() Point {
	if l := math.Hypot(p.X, p.Y); l > 0 {
		return p.Scale(1 / l)
	}
	return Point{}
}

// left is p turned by a quarter.
func (p Point) left() Point { return Point{-p.Y, p.X} }
