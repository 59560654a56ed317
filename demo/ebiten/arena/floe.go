package arena

import "math"

// The ice is made of plates around sites: a place belongs to the plate whose
// site is nearest. A last ring of sites is water, which gives the ice its
// ragged coast. The rule needs nothing but distances; only a picture needs the
// plates' edges (Outline).
const (
	Plates = 1 + 6 + 12 + 17 + 22 // plates of a whole floe
	sites  = Plates + coast
	coast  = 28
)

// ringSizes counts the plates of each ring, from the middle outwards.
var ringSizes = [...]int{1, 6, 12, 17, 22, coast}

// ringWidth is the distance between two rings.
const ringWidth = 2.6

// When the rings go, in ticks of Ice: each ring between its two times, the
// middle last. A round cannot outlive the middle plate.
var ringGoes = [...][2]int{
	4: {8 * TicksPerSecond, 26 * TicksPerSecond},
	3: {25 * TicksPerSecond, 42 * TicksPerSecond},
	2: {41 * TicksPerSecond, 56 * TicksPerSecond},
	1: {55 * TicksPerSecond, 66 * TicksPerSecond},
	0: {72 * TicksPerSecond, 72 * TicksPerSecond},
}

// CrackTicks is how long a plate shows cracks before it goes down.
const CrackTicks = 2 * TicksPerSecond

// A Floe is the ice of one round: where its plates are and when each goes down.
type Floe struct {
	Seed   uint32
	sites  [sites]Vec
	sinkAt [Plates]uint16
}

// Freeze makes the floe of a seed.
func (f *Floe) Freeze(seed uint32) {
	d := dice(seed)
	f.Seed = seed
	at := 0
	for ring, n := range ringSizes {
		turn := d.float()
		goes := d.below(n)
		for i := range n {
			f.sites[at] = site(&d, ring, n, float64(i)+turn)
			if at < Plates {
				f.sinkAt[at] = sinkTick(&d, ring, n, (i*stride(n)+goes)%n)
			}
			at++
		}
	}
}

// site places the plate at position i of a ring of n. The grid absorbs what two
// machines' sines may differ by.
func site(d *dice, ring, n int, i float64) Vec {
	wobble := 0.22
	if ring == 0 {
		wobble = 0
	}
	angle := (i + d.between(-wobble, wobble)) * 2 * math.Pi / float64(n)
	return polar(angle, ringWidth*(float64(ring)+d.between(-wobble, wobble))).snap(1.0 / 64)
}

// sinkTick is when the plate that is number k of its ring goes down.
func sinkTick(d *dice, ring, n, k int) uint16 {
	from, to := float64(ringGoes[ring][0]), float64(ringGoes[ring][1])
	return uint16(from + (to-from)*(float64(k)+d.float())/float64(n))
}

// stride hops around a ring of n so that plates which follow each other in time
// lie apart: the smallest number from n/3 up that has no factor in common with n.
func stride(n int) int {
	s := max(n/3, 1)
	for gcd(s, n) != 1 {
		s++
	}
	return s
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// PlateAt gives the plate at p, or -1 for open water.
func (f *Floe) PlateAt(p Vec) int {
	best, dist := 0, math.Inf(1)
	for i := range f.sites {
		d := f.sites[i].Sub(p)
		if l := d.Dot(d); l < dist {
			best, dist = i, l
		}
	}
	if best >= Plates {
		return -1
	}
	return best
}

// Site is the middle of a plate.
func (f *Floe) Site(plate int) Vec { return f.sites[plate] }

// SinksAt is the tick of World.Ice at which a plate goes down.
func (f *Floe) SinksAt(plate int) int { return int(f.sinkAt[plate]) }

// Outline gives the corners of a plate, in order, in buf's memory if it has room.
func (f *Floe) Outline(plate int, buf []Vec) []Vec {
	const far = 4 * ringWidth
	c := f.sites[plate]
	shape := append(buf[:0], c.Add(Vec{-far, -far}), c.Add(Vec{far, -far}), c.Add(Vec{far, far}), c.Add(Vec{-far, far}))
	var spare []Vec
	for i := range f.sites {
		if i != plate {
			shape, spare = clip(shape, spare[:0], c, f.sites[i]), shape
		}
	}
	return shape
}

// clip keeps the part of a convex shape that is nearer to a than to b.
func clip(shape, out []Vec, a, b Vec) []Vec {
	axis := b.Sub(a)
	edge := axis.Dot(a.Lerp(b, 0.5))
	for i, p := range shape {
		q := shape[(i+1)%len(shape)]
		dp, dq := axis.Dot(p)-edge, axis.Dot(q)-edge
		if dp <= 0 {
			out = append(out, p)
		}
		if dp < 0 && dq > 0 || dp > 0 && dq < 0 {
			out = append(out, p.Lerp(q, dp/(dp-dq)))
		}
	}
	return out
}

// Cracked says how far gone a plate is: 0 whole, up to 1 as it cracks, and 1
// once it has gone down.
func (w *World) Cracked(plate int) float64 {
	left := w.floe.SinksAt(plate) - int(w.Ice)
	return 1 - max(0, min(float64(left)/CrackTicks, 1))
}

// Solid says whether a disc stands on ice at p.
func (w *World) Solid(p Vec) bool { return w.holds(p, 0) }

// holds says whether there will still be ice at p in some ticks.
func (w *World) holds(p Vec, ticks int) bool {
	plate := w.floe.PlateAt(p)
	if plate < 0 {
		return false
	}
	return w.floe.SinksAt(plate) > int(w.Ice)+ticks
}
