package level

import (
	"crypto/sha256"
	"math"
)

// Make makes the level of some settings: the same on every machine but for what
// roundings differ by, which is why it is sent and not made twice.
func Make(s Settings) *Level {
	l := &Level{}
	line := snowLine(s.Snow)
	for y := range Side {
		for x := range Side {
			l.points[y*Side+x] = point(s.Seed, float64(x), float64(y), line)
		}
	}
	l.sum = sha256.Sum256(l.points[:])
	return l
}

// snowLine is the drift above which snow lies.
func snowLine(percent int) float64 {
	const lowest, highest = 0.25, 0.8 // nearly all drifts lie between
	return highest - (highest-lowest)*float64(max(0, min(percent, 100)))/100
}

// point works out one point: the drifts above the line are white, and the bare
// ice below shows its veins.
func point(seed uint32, x, y, line float64) byte {
	drift := drifts(seed, x, y)
	if drift < line {
		return byte(40 + 80*veins(seed, x, y))
	}
	return byte(128 + 127*min((drift-line)*6, 1))
}

// drifts are long from the west to the east, as the wind lays them.
func drifts(seed uint32, x, y float64) float64 {
	sum := 0.0
	for octave, weight := range [...]float64{0.55, 0.25, 0.12, 0.08} {
		scale := float64(int(1)<<octave) / 90
		sum += weight * noise(seed+uint32(octave), x*scale*0.6, y*scale*1.4)
	}
	return sum
}

// veins are thin dark lines, 0, in ice that is even, 1.
func veins(seed uint32, x, y float64) float64 {
	off := math.Abs(noise(seed+101, x/34, y/34)+0.4*noise(seed+102, x/11, y/11)-0.7) * 9
	return min(off, 1)
}

// noise is a smooth field, 0 to 1, through a number drawn for each crossing of
// the whole numbers.
func noise(seed uint32, x, y float64) float64 {
	fx, fy := math.Floor(x), math.Floor(y)
	tx, ty := smooth(x-fx), smooth(y-fy)
	ix, iy := uint32(int32(fx)), uint32(int32(fy))
	top := mix(drawn(seed, ix, iy), drawn(seed, ix+1, iy), tx)
	low := mix(drawn(seed, ix, iy+1), drawn(seed, ix+1, iy+1), tx)
	return mix(top, low, ty)
}

func mix(a, b, t float64) float64 { return a + (b-a)*t }

func smooth(t float64) float64 { return t * t * (3 - 2*t) }

// drawn gives a number from 0 to 1 that depends on its arguments alone.
func drawn(seed, x, y uint32) float64 {
	n := seed*0x9e3779b9 ^ x*0x85ebca6b ^ y*0xc2b2ae35
	n = (n ^ n>>16) * 0x7feb352d
	n = (n ^ n>>15) * 0x846ca68b
	return float64(n^n>>16) / math.MaxUint32
}
