package arena

import (
	"math"
	"testing"
)

func TestTheRingsGoFromTheOutsideInAndTheMiddleLast(t *testing.T) {
	for seed := range uint32(50) {
		var f Floe
		f.Freeze(seed)
		at := 0
		for ring, n := range ringSizes[:len(ringSizes)-1] {
			for range n {
				if got := f.SinksAt(at); got < ringGoes[ring][0] || got > ringGoes[ring][1] {
					t.Errorf("seed %d: plate %d of ring %d goes at %d", seed, at, ring, got)
				}
				if at > 0 && f.SinksAt(at) >= f.SinksAt(0) {
					t.Errorf("seed %d: plate %d outlives the middle", seed, at)
				}
				at++
			}
		}
	}
}

func TestAPlateCracksTwoSecondsBeforeItGoes(t *testing.T) {
	w := New(4)
	goes := w.Floe().SinksAt(30)
	for _, c := range []struct {
		ice  int
		want float64
	}{{0, 0}, {goes - CrackTicks, 0}, {goes - CrackTicks/2, 0.5}, {goes, 1}, {goes + 100, 1}} {
		w.Ice = uint16(c.ice)
		wantNear(t, "cracked", w.Cracked(30), c.want, 0.01)
		if solid := w.Solid(w.Floe().Site(30)); solid != (c.ice < goes) {
			t.Errorf("solid is %v %d ticks before the end", solid, goes-c.ice)
		}
	}
}

// The outline that is drawn and the rule that drops discs must agree, or players
// fall through ice that they see.
func TestAPlateIsWhereItsOutlineIs(t *testing.T) {
	var f Floe
	f.Freeze(9)
	area := 0.0
	for plate := range Plates {
		shape := f.Outline(plate, nil)
		c := f.Site(plate)
		for i, p := range shape {
			q := shape[(i+1)%len(shape)]
			area += (p.X*q.Y - q.X*p.Y) / 2
			if at := c.Lerp(p, 0.98); f.PlateAt(at) != plate {
				t.Errorf("plate %d: the corner %v lies in plate %d", plate, at, f.PlateAt(at))
			}
			for _, s := range []float64{0.2, 0.6, 0.98} {
				if at := c.Lerp(p.Lerp(q, 0.4), s); f.PlateAt(at) != plate {
					t.Errorf("plate %d: %v lies in plate %d", plate, at, f.PlateAt(at))
				}
			}
			if at := c.Lerp(p.Lerp(q, 0.4), 1.02); f.PlateAt(at) == plate {
				t.Errorf("plate %d reaches over its edge at %v", plate, at)
			}
		}
	}
	wantNear(t, "radius of a disc of the same area", math.Sqrt(area/math.Pi), 11.7, 0.5)
}

func TestTheOpenSeaIsNoPlate(t *testing.T) {
	var f Floe
	f.Freeze(2)
	for a := range 360 {
		if p := f.PlateAt(polar(float64(a)*math.Pi/180, 14.5)); p != -1 {
			t.Errorf("%d°: plate %d out in the sea", a, p)
		}
	}
}

func TestStridesVisitTheWholeRing(t *testing.T) {
	for n := 1; n < 40; n++ {
		if s := stride(n); gcd(s, n) != 1 {
			t.Errorf("stride(%d) = %d", n, s)
		}
	}
}
