package arena

import (
	"math"
	"testing"
)

// botGame plays n bots for some ticks and calls each after every step.
func botGame(seed uint32, n, ticks int, each func(*World)) *World {
	w := New(seed)
	var brains [MaxPlayers]*Brain
	for i := range n {
		w.Join(uint16(i + 1))
		brains[i] = NewBrain(uint64(seed)*100 + uint64(i))
	}
	var in [MaxPlayers]Input
	for range ticks {
		for i := range n {
			in[i] = brains[i].Think(w, i)
		}
		w.Step(&in)
		if each != nil {
			each(w)
		}
	}
	return w
}

// playing gives a world in Play with n players at rest, the first two at a and
// b, the others out of the way.
func playing(n int, a, b Vec) *World {
	w := New(1)
	for i := range n {
		w.Join(uint16(i + 1))
	}
	w.run(CountdownTicks+1, Input{})
	w.Discs[0].Pos, w.Discs[1].Pos = a, b
	return w
}

// run steps with one input for the first player and none for the others.
func (w *World) run(ticks int, in Input) {
	all := [MaxPlayers]Input{in}
	for range ticks {
		w.Step(&all)
	}
}

// told gives the event of a kind that the last step told, if any.
func (w *World) told(k EventKind) (Event, bool) {
	for _, e := range w.Events() {
		if e.Kind == k {
			return e, true
		}
	}
	return Event{}, false
}

func wantNear(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within {
		t.Errorf("%s: got %.4f, want %.4f ± %.4f", what, got, want, within)
	}
}

var right = Input{X: 127}
