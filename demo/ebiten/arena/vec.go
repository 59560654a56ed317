package arena

import "math"

// A Vec is a point or a direction.
type Vec struct{ X, Y float64 }

// Add gives v + o.
func (v Vec) Add(o Vec) Vec { return Vec{v.X + o.X, v.Y + o.Y} }

// Sub gives v − o.
func (v Vec) Sub(o Vec) Vec { return Vec{v.X - o.X, v.Y - o.Y} }

// Scale gives v times f.
func (v Vec) Scale(f float64) Vec { return Vec{v.X * f, v.Y * f} }

// Dot gives the scalar product.
func (v Vec) Dot(o Vec) float64 { return v.X*o.X + v.Y*o.Y }

// Len gives the length.
func (v Vec) Len() float64 { return math.Sqrt(v.Dot(v)) }

// Unit gives v at length 1, or zero for zero.
func (v Vec) Unit() Vec {
	if l := v.Len(); l > 0 {
		return v.Scale(1 / l)
	}
	return Vec{}
}

// Lerp gives the point a share t of the way from v to o.
func (v Vec) Lerp(o Vec, t float64) Vec { return v.Add(o.Sub(v).Scale(t)) }

// polar gives the point at angle a (radians) and distance r.
func polar(a, r float64) Vec {
	s, c := math.Sincos(a)
	return Vec{c * r, s * r}
}

// The grids of a snapshot: 16 bits hold ±16 units and ±32 units a second.
const (
	posGrid = 1.0 / 2048
	velGrid = 1.0 / 1024
)

// toGrid gives v in steps of grid, kept inside 16 bits.
func toGrid(v, grid float64) int16 {
	return int16(max(math.MinInt16, min(math.Round(v/grid), math.MaxInt16)))
}

// snap puts v on the grid, which makes a step the same on every machine (a
// compiler may fuse a multiplication with an addition) and a snapshot exact.
func (v Vec) snap(grid float64) Vec {
	return Vec{float64(toGrid(v.X, grid)) * grid, float64(toGrid(v.Y, grid)) * grid}
}
