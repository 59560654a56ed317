package arena

import "testing"

func TestTwelveBrainsPlayRoundsWorthWatching(t *testing.T) {
	rounds, ticks, pushed, stumbled := 0, 0, 0, 0
	winners := map[uint16]bool{}
	for seed := range uint32(2) {
		botGame(seed, MaxPlayers, 5*60*TicksPerSecond, func(w *World) {
			for _, e := range w.Events() {
				switch {
				case e.Kind == RoundEnded:
					rounds++
					ticks += int(w.Ice)
					winners[e.Who] = true
				case e.Kind == Fell && e.By != 0:
					pushed++
				case e.Kind == Fell:
					stumbled++
				}
			}
		})
	}

	if mean := ticks / max(rounds, 1) / TicksPerSecond; mean < 20 || mean > 60 {
		t.Errorf("a round takes %d s", mean)
	}
	if stumbled*10 > pushed {
		t.Errorf("%d pushed in, %d fell in by themselves", pushed, stumbled)
	}
	if len(winners) < 6 {
		t.Errorf("only %d different winners in %d rounds", len(winners), rounds)
	}
}

func TestABrainStaysOnTheIceWhenAlone(t *testing.T) {
	botGame(5, 1, 60*TicksPerSecond, func(w *World) {
		if w.Discs[0].State != Skating {
			t.Fatalf("in the water at tick %d", w.Tick)
		}
	})
}

func TestABrainWithoutADiscDoesNothing(t *testing.T) {
	b, w := NewBrain(1), New(1)
	if in := b.Think(w, -1); in != (Input{}) {
		t.Errorf("%+v", in)
	}
	if in := b.Think(w, 0); in != (Input{}) {
		t.Errorf("%+v in an empty place", in)
	}
}
