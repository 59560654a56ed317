package session

import "github.com/partyline-go/partyline/demo/ebiten/arena"

// A forecast is the world as it will be when this guest's newest input takes
// effect: the newest snapshot, with the inputs played on top that the host had
// not used. Of the others it expects what they did last.
type forecast struct {
	world  arena.World
	known  bool
	errors [arena.MaxPlayers]arena.Vec // what is still to be made good, smoothly
}

const (
	mostReplay = 50   // inputs; with more in doubt, a guest shows what it knows
	forgive    = 0.86 // of an error is left after a frame
	forgiveMax = 2.5  // units; a larger error is corrected at once
)

// update makes the forecast anew from a snapshot. newest is the number of the
// newest input.
func (f *forecast) update(s *snapshot, place int, h *history, newest uint16) {
	expected := f.world
	known := f.known
	if known {
		stepAs(&expected, place, h.at(newest))
	}
	f.world = s.world
	f.known = true
	if n := int(int16(newest - s.used[place])); n > 0 && n <= mostReplay {
		for i := n - 1; i >= 0; i-- {
			stepAs(&f.world, place, h.at(newest-uint16(i)))
		}
	}
	for i := range f.errors {
		f.errors[i] = f.errors[i].Scale(forgive)
		a, b := &expected.Discs[i], &f.world.Discs[i]
		if !known || a.ID != b.ID || a.State != b.State || expected.Phase != f.world.Phase {
			f.errors[i] = arena.Vec{}
			continue
		}
		f.errors[i] = f.errors[i].Add(a.Pos.Sub(b.Pos))
		if f.errors[i].Len() > forgiveMax {
			f.errors[i] = arena.Vec{}
		}
	}
}

// stepAs steps a world in which only the input of one place is known.
func stepAs(w *arena.World, place int, in arena.Input) {
	var all [arena.MaxPlayers]arena.Input
	for i := range all {
		all[i] = w.Discs[i].Again()
	}
	all[place] = in
	w.Step(&all)
}

// Others are shown as they were, a moment ago, but those within reach of this
// player's disc where they will be: or one would see it bounce off nothing.
const (
	reachFull = 2.0 // units
	reachEnd  = 4.5
)

// apply puts the forecast of this guest's own disc, and of those near it, into
// the world that is shown.
func (f *forecast) apply(shown *arena.World, place int) {
	if !f.known || f.world.Discs[place].ID != shown.Discs[place].ID {
		return
	}
	me := f.world.Discs[place]
	me.Pos = me.Pos.Add(f.errors[place])
	shown.Discs[place] = me
	if me.State != arena.Skating {
		return
	}
	for i := range shown.Discs {
		d, will := &shown.Discs[i], &f.world.Discs[i]
		if i == place || d.State != arena.Skating || will.State != arena.Skating || d.ID != will.ID {
			continue
		}
		at := will.Pos.Add(f.errors[i])
		near := (reachEnd - at.Sub(me.Pos).Len()) / (reachEnd - reachFull)
		d.Pos = d.Pos.Lerp(at, max(0, min(near, 1)))
	}
}
