package session

import (
	"math"
	"testing"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

// A course is a world in which one disc goes steadily to the right, so that
// where it is shown tells which moment is shown.
func course(t *testing.T) (next func() []byte) {
	w := arena.New(1)
	w.Join(1)
	w.Join(2)
	var none [arena.MaxPlayers]arena.Input
	w.Step(&none)
	tick := 0
	return func() []byte {
		tick++
		w.Tick++
		w.Discs[0].Pos = arena.Vec{X: -15 + float64(tick)/32, Y: 0}
		w.Discs[0].Vel = arena.Vec{X: 60.0 / 32}
		return w.Append(nil)
	}
}

func TestOthersAreShownSmoothlyThoughSnapshotsComeUnevenly(t *testing.T) {
	next := course(t)
	var r replica
	var waiting [][]byte
	var shown arena.World
	last, worst := math.NaN(), 0.0
	for frame := range 600 {
		if frame%50 != 0 { // the host's clock is a little slow
			waiting = append(waiting, next())
		}
		if frame%3 == 0 { // three come at once
			for _, s := range waiting {
				r.take(s, [arena.MaxPlayers]uint16{})
			}
			waiting = nil
		}
		r.advance()
		if !r.show(&shown) || frame < 120 {
			continue
		}
		if x := shown.Discs[0].Pos.X; !math.IsNaN(last) {
			worst = max(worst, math.Abs((x-last)*32-1))
			last = x
		} else {
			last = x
		}
	}

	if worst > mostSpeed+0.1 {
		t.Errorf("a step of the disc was off by %.2f of a tick's", worst)
	}
	if behind := float64(r.newest) - r.play; behind < 1 || behind > mostDelay+3 {
		t.Errorf("shown %.1f ticks behind the newest", behind)
	}
}

func TestASnapshotThatIsNotNewIsForgotten(t *testing.T) {
	next := course(t)
	a, b := next(), next()
	var r replica
	none := [arena.MaxPlayers]uint16{}

	if !r.take(b, none) || r.take(a, none) || r.take(b, none) {
		t.Error("an old snapshot was taken")
	}
	if r.take([]byte("damaged, and of some length"), none) || r.take(nil, none) {
		t.Error("a damaged snapshot was taken")
	}
}

func TestWithoutNewsDiscsGoOnAndThenStop(t *testing.T) {
	next := course(t)
	var r replica
	var shown arena.World
	for range 60 {
		r.take(next(), [arena.MaxPlayers]uint16{})
		r.advance()
	}
	newest := r.latest().world.Discs[0].Pos.X

	var x [3]float64
	for i := range x {
		for range 20 {
			r.advance()
		}
		r.show(&shown)
		x[i] = shown.Discs[0].Pos.X
	}

	if x[0] < newest || x[0] > newest+(coast+1)/32 || x[1] != x[2] {
		t.Errorf("newest %.3f, then shown %.3f", newest, x)
	}
}

func TestDiscsThatWerePutElsewhereDoNotGlideThere(t *testing.T) {
	var a, b arena.World
	a.Discs[0] = arena.Disc{ID: 1, State: arena.Skating, Pos: arena.Vec{X: -7}}
	b.Discs[0] = arena.Disc{ID: 1, State: arena.Skating, Pos: arena.Vec{X: 7}}

	blend(&a, &b, 0.5)

	if a.Discs[0].Pos.X != -7 {
		t.Errorf("shown at %v", a.Discs[0].Pos)
	}
}
