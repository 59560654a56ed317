package arena

import "testing"

func TestABumpKeepsMomentum(t *testing.T) {
	w := playing(2, Vec{-1, 0}, Vec{0.3, 0.4})
	w.Discs[0].Vel, w.Discs[1].Vel = Vec{8, 1}, Vec{-2, 0}
	before := w.Discs[0].Vel.Add(w.Discs[1].Vel).Scale(drag)

	w.run(1, Input{})

	after := w.Discs[0].Vel.Add(w.Discs[1].Vel)
	wantNear(t, "momentum along x", after.X, before.X, 0.01)
	wantNear(t, "momentum along y", after.Y, before.Y, 0.01)
	if w.Discs[0].HitBy != 2 || w.Discs[1].HitBy != 1 {
		t.Errorf("hit by %d and %d", w.Discs[0].HitBy, w.Discs[1].HitBy)
	}
}

func TestAHeadOnBumpSwapsSpeeds(t *testing.T) {
	w := playing(2, Vec{-0.6, 0}, Vec{0.6, 0})
	w.Discs[0].Vel = Vec{10, 0}

	w.run(1, Input{})

	wantNear(t, "the hit disc", w.Discs[1].Vel.X, 10*drag*(1+bounce)/2, 0.05)
	wantNear(t, "the hitting disc", w.Discs[0].Vel.X, 10*drag*(1-bounce)/2, 0.05)
}

func TestADashingDiscPushesHarder(t *testing.T) {
	pushed := func(dash uint8) float64 {
		w := playing(2, Vec{-0.6, 0}, Vec{0.6, 0})
		w.Discs[0].Vel, w.Discs[0].Dash = Vec{10, 0}, dash
		w.run(1, Input{})
		return w.Discs[1].Vel.X
	}

	if plain, dashing := pushed(0), pushed(dashFor); dashing < plain*1.3 {
		t.Errorf("pushed to %.2f, by a dash to %.2f", plain, dashing)
	}
}

func TestASoftTouchIsNoHit(t *testing.T) {
	w := playing(2, Vec{-0.6, 0}, Vec{0.6, 0})
	w.Discs[0].Vel = Vec{hitSpeed * 0.9, 0}

	w.run(1, Input{})

	if w.Discs[1].HitBy != 0 {
		t.Error("a touch counts as a hit")
	}
}

func TestTwoDiscsOnOneSpotPart(t *testing.T) {
	w := playing(2, Vec{}, Vec{})

	w.run(10, Input{})

	if d := w.Discs[0].Pos.Sub(w.Discs[1].Pos).Len(); d < 2*Radius-0.01 {
		t.Errorf("%.3f apart, want %.3f", d, 2*Radius)
	}
}

func TestACrowdDoesNotStayOverlapped(t *testing.T) {
	worst := 0.0
	botGame(11, MaxPlayers, 60*TicksPerSecond, func(w *World) {
		for i := range w.Discs {
			for j := range i {
				a, b := &w.Discs[i], &w.Discs[j]
				if a.State == Skating && b.State == Skating {
					worst = max(worst, 2*Radius-a.Pos.Sub(b.Pos).Len())
				}
			}
		}
	})

	if worst > Radius {
		t.Errorf("discs overlapped by %.2f", worst)
	}
}
