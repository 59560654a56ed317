package arena

import "math"

// A Brain plays a disc, looking at nothing but the world as its player sees it,
// which may be late. Its zero value is not ready; see NewBrain.
type Brain struct {
	dice    dice
	foe     uint16  // whom it is after
	until   uint32  // tick at which it thinks that over
	spot    Vec     // where it skates when after nobody
	swerve  float64 // how far off it aims, radians
	bold    float64 // charge at which it lets go, as a share
	patient float64 // distance at which it begins to charge
}

// NewBrain gives a brain with a temper of its own. The same seed and the same
// worlds give the same inputs.
func NewBrain(seed uint64) *Brain {
	b := &Brain{dice: dice(seed)}
	b.bold = b.dice.between(0.35, 1)
	b.patient = b.dice.between(4, 6.5)
	return b
}

const (
	lookAhead = 0.55 // seconds that a brain foresees its own path
	comfort   = 90   // ticks that ice must last for a brain to feel well on it
	reach     = 3.2  // distance from which a charged dash hits
	warmUp    = 90   // ticks that a brain skates about before it picks a fight
	restful   = 0.4  // share of its time that it goes on doing so
)

// Think gives the input of the disc at place.
func (b *Brain) Think(w *World, place int) Input {
	if place < 0 || w.Discs[place].State != Skating || w.Phase == Countdown {
		return Input{}
	}
	me := &w.Discs[place]
	if refuge, danger := b.danger(w, me); danger {
		return Steer(steerTo(me, refuge), false)
	}
	foe := b.choose(w, place)
	if foe == nil || w.Phase == RoundOver || w.Phase == MatchOver {
		return Steer(steerTo(me, b.spot), false)
	}
	return b.attack(w, me, foe)
}

// danger says whether the disc is about to have no ice, and where to flee.
func (b *Brain) danger(w *World, me *Disc) (refuge Vec, danger bool) {
	for _, t := range [...]float64{0, lookAhead / 2, lookAhead} {
		if !w.holds(me.Pos.Add(me.Vel.Scale(t)), comfort) {
			return refugeOf(w, me.Pos), true
		}
	}
	return Vec{}, false
}

// refugeOf is the nearest plate that will last; the middle if none does.
func refugeOf(w *World, from Vec) Vec {
	var best Vec
	dist := 1e9
	for plate := range Plates {
		at := w.floe.sites[plate]
		inward := at.Len() * 0.3 // of two as near, the one further in
		if d := at.Sub(from).Len() + inward; d < dist && w.holds(at, 2*comfort) {
			best, dist = at, d
		}
	}
	return best
}

// steerTo pushes towards a point, and against speed that leads elsewhere.
func steerTo(me *Disc, to Vec) Vec {
	way := to.Sub(me.Pos)
	want := way.Unit().Scale(min(way.Len()*2, 7))
	return want.Sub(me.Vel).Scale(0.5)
}

// choose keeps a foe, or a rest from fighting (nil), for a while.
func (b *Brain) choose(w *World, place int) *Disc {
	at := w.Place(b.foe)
	if w.Tick < b.until && (b.foe == 0 || at >= 0 && w.Discs[at].State == Skating) {
		if at < 0 {
			return nil
		}
		return &w.Discs[at]
	}
	b.until = w.Tick + uint32(b.dice.between(30, 120))
	b.swerve = b.dice.between(-0.16, 0.16)
	b.spot = polar(b.dice.between(0, 2*math.Pi), b.dice.between(0, 2*ringWidth))
	b.foe = 0
	opening := w.Phase == Play && w.Clock < warmUp
	if opening || w.Standing() > 2 && b.dice.float() < restful {
		return nil
	}
	foe := b.victim(w, place)
	if foe != nil {
		b.foe = foe.ID
	}
	return foe
}

// victim picks one who is near, and near the water.
func (b *Brain) victim(w *World, place int) *Disc {
	var foe *Disc
	best := 1e9
	for i := range w.Discs {
		d := &w.Discs[i]
		if i == place || d.State != Skating {
			continue
		}
		cost := d.Pos.Sub(w.Discs[place].Pos).Len() - 0.5*d.Pos.Len() + b.dice.between(0, 3)
		if cost < best {
			foe, best = d, cost
		}
	}
	return foe
}

// attack pushes the foe outwards from behind: first get between it and the
// middle of what is left, then charge at it.
func (b *Brain) attack(w *World, me, foe *Disc) Input {
	target := foe.Pos.Add(foe.Vel.Scale(0.2))
	way := target.Sub(me.Pos)
	aim := turn(way.Unit(), b.swerve)
	out := target.Unit()
	if way.Dot(out) < -0.3 && target.Len() > 3 { // it stands further in than I
		behind := target.Sub(out.Scale(2.2))
		return Steer(steerTo(me, behind), false)
	}
	charged := float64(me.Charge) / ChargeFull
	safe := w.holds(me.Pos.Add(aim.Scale(way.Len()+0.8)), comfort/2)
	letGo := charged >= b.bold || way.Len() < reach && charged > 0.2
	charge := safe && way.Len() < b.patient && !letGo
	if me.Charge > 0 && !safe {
		charge = true // hold it rather than dash into the water
	}
	return Steer(aim, charge)
}

// turn rotates v by a small angle.
func turn(v Vec, a float64) Vec {
	return Vec{v.X - a*v.Y, v.Y + a*v.X}.Unit()
}
