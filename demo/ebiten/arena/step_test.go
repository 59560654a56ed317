package arena

import "testing"

func TestADiscGathersSpeedAndGlidesOn(t *testing.T) {
	w := playing(2, Vec{-6, 0}, Vec{0, 8})

	w.run(30, right)
	fast := w.Discs[0].Vel.X
	w.run(30, Input{})
	gliding := w.Discs[0].Vel.X

	if fast < 3 || gliding < fast/3 || gliding > fast*0.6 {
		t.Errorf("half a second of push gives %.2f, half a second later %.2f units a second", fast, gliding)
	}
}

func TestADiagonalStickIsNotFaster(t *testing.T) {
	straight, diagonal := playing(2, Vec{}, Vec{0, 8}), playing(2, Vec{}, Vec{0, 8})

	straight.run(30, right)
	diagonal.run(30, Input{X: 127, Y: 127})

	wantNear(t, "speed", diagonal.Discs[0].Vel.Len(), straight.Discs[0].Vel.Len(), 0.02)
}

func TestAFullChargeBeatsATap(t *testing.T) {
	dash := func(ticks int) float64 {
		w := playing(2, Vec{}, Vec{0, 8})
		w.run(1, right)
		w.run(ticks, Input{Charge: true})
		w.run(1, Input{})
		return w.Discs[0].Vel.X
	}

	tap, full, longer := dash(1), dash(ChargeFull), dash(3*ChargeFull)

	if tap < 3 || full < 2*tap {
		t.Errorf("a tap gives %.2f, a full charge %.2f units a second", tap, full)
	}
	wantNear(t, "a charge held on", longer, full, 0.2)
}

func TestADashNeedsToCoolDown(t *testing.T) {
	w := playing(2, Vec{-8, 0}, Vec{0, 8})
	w.run(1, right)
	w.run(1, Input{Charge: true})
	w.run(1, Input{}) // dashes

	w.run(coolFor-1, Input{Charge: true})
	if got := w.Discs[0].Charge; got != 0 {
		t.Errorf("charged %d ticks while cooling", got)
	}

	w.run(2, Input{Charge: true})
	if w.Discs[0].Charge == 0 {
		t.Error("no charge after cooling down")
	}
}

func TestNobodyMovesInTheCountdown(t *testing.T) {
	w := New(1)
	w.Join(1)
	w.Join(2)
	w.run(1, Input{})
	before := w.Discs[0].Pos

	w.run(CountdownTicks-2, Input{X: 127, Charge: true})

	if w.Phase != Countdown || w.Discs[0].Pos != before || w.Discs[0].Charge != 0 {
		t.Errorf("in %v the disc went from %v to %v", w.Phase, before, w.Discs[0].Pos)
	}
}

func TestNobodyIsEverFasterThanTheSnapshotCanSay(t *testing.T) {
	botGame(3, MaxPlayers, 60*TicksPerSecond, func(w *World) {
		for i := range w.Discs {
			if v := w.Discs[i].Vel.Len(); v > maxRush+8 { // a bump may add to it until the next step
				t.Fatalf("tick %d: %v units a second", w.Tick, v)
			}
			if p := w.Discs[i].Pos; p.Len() > 15.9 {
				t.Fatalf("tick %d: at %v, beyond the snapshot's grid", w.Tick, p)
			}
		}
	})
}

func TestOffTheIceIsInTheWaterAndThenOut(t *testing.T) {
	w := playing(3, Vec{-11, 0}, Vec{0, 5})
	w.Discs[0].Pos = Vec{-14, 0}

	w.run(1, Input{})
	fell, ok := w.told(Fell)
	if !ok || fell.Who != 1 || fell.By != 0 || w.Discs[0].State != Sinking {
		t.Fatalf("told %+v, state %v", fell, w.Discs[0].State)
	}

	w.run(SinkTicks+1, right)
	if w.Discs[0].State != Out {
		t.Errorf("state %v after %d ticks", w.Discs[0].State, SinkTicks+1)
	}
}

func TestTheLastHitBeforeAFallIsCredited(t *testing.T) {
	for _, c := range []struct {
		ago    uint8
		wantBy uint16
	}{{0, 2}, {creditFor - 1, 2}, {creditFor, 0}} {
		w := playing(3, Vec{-14, 0}, Vec{0, 5})
		w.Discs[0].HitBy, w.Discs[0].HitAgo = 2, c.ago

		w.run(1, Input{})

		fell, _ := w.told(Fell)
		if fell.By != c.wantBy || w.Discs[1].Pushes != uint8(c.wantBy/2) {
			t.Errorf("hit %d ticks ago: credited to %d, pushes %d", c.ago, fell.By, w.Discs[1].Pushes)
		}
	}
}

func TestAStepAllocatesNothing(t *testing.T) {
	w := New(5)
	brain := NewBrain(1)
	for i := range MaxPlayers {
		w.Join(uint16(i + 1))
	}
	var in [MaxPlayers]Input
	buf := make([]byte, 0, SnapshotMax)
	var copied World

	got := testing.AllocsPerRun(2*CountdownTicks, func() {
		in[0] = brain.Think(w, 0)
		w.Step(&in)
		if err := copied.Decode(w.Append(buf[:0])); err != nil {
			t.Fatal(err)
		}
	})

	if got != 0 {
		t.Errorf("%v allocations a step", got)
	}
}

func BenchmarkStepOfTwelve(b *testing.B) {
	w := playing(MaxPlayers, Vec{-1, 0}, Vec{1, 0})
	var in [MaxPlayers]Input
	start := *w
	for i := 0; b.Loop(); i++ {
		if i%600 == 0 {
			*w = start
		}
		w.Step(&in)
	}
}
