package arena

import "testing"

func TestOnePlayerSkatesFreelyAndComesBackFromTheWater(t *testing.T) {
	w := New(1)
	w.Join(7)

	w.run(10*TicksPerSecond, right)

	if w.Phase != Lobby || w.Ice != 0 {
		t.Errorf("phase %v, ice %d", w.Phase, w.Ice)
	}
	w.Discs[0].Pos = Vec{15, 0}
	w.run(SinkTicks+3, Input{})
	if w.Discs[0].State != Skating {
		t.Errorf("state %v after a swim", w.Discs[0].State)
	}
}

func TestASecondPlayerStartsTheCountdownAndThenTheRound(t *testing.T) {
	w := New(1)
	w.Join(7)
	w.Join(9)

	w.run(1, Input{})
	if w.Phase != Countdown {
		t.Fatalf("phase %v", w.Phase)
	}

	w.run(CountdownTicks, Input{})
	if _, began := w.told(RoundBegan); w.Phase != Play || !began {
		t.Errorf("phase %v, began %v", w.Phase, began)
	}
}

func TestTheLastOneStandingScores(t *testing.T) {
	w := playing(3, Vec{-14, 0}, Vec{0, 0})
	w.Discs[2].Pos = Vec{14, 0}

	w.run(1, Input{})

	ended, ok := w.told(RoundEnded)
	if !ok || ended.Who != 2 || w.Winner != 2 || w.Discs[1].Wins != 1 || w.Phase != RoundOver {
		t.Errorf("told %+v; winner %d, wins %d, phase %v", ended, w.Winner, w.Discs[1].Wins, w.Phase)
	}
}

func TestNobodyScoresWhenTheLastTwoFallTogether(t *testing.T) {
	w := playing(2, Vec{-14, 0}, Vec{14, 0})

	w.run(1, Input{})

	if ended, ok := w.told(RoundEnded); !ok || ended.Who != 0 || w.Winner != 0 {
		t.Errorf("told %+v, winner %d", ended, w.Winner)
	}
}

func TestARoundEndsWithTheIceAtTheLatest(t *testing.T) {
	w := playing(2, Vec{-1, 0}, Vec{1, 0})

	ticks := 0
	for ; w.Phase == Play && ticks < 90*TicksPerSecond; ticks++ {
		w.run(1, Input{})
	}

	if s := ticks / TicksPerSecond; s < 60 || s > 75 {
		t.Errorf("two who only stand still play for %d s, want 60 to 75", s)
	}
}

func TestTheNextRoundHasNewIceAndEverybodyBack(t *testing.T) {
	w := playing(3, Vec{-14, 0}, Vec{0, 0})
	w.Discs[2].Pos = Vec{14, 0}
	seed := w.Floe().Seed

	w.run(OverTicks+2, Input{})

	if w.Phase != Countdown || w.Round != 2 || w.Floe().Seed == seed || w.Standing() != 3 || w.Ice != 0 {
		t.Errorf("phase %v, round %d, %d standing, ice %d", w.Phase, w.Round, w.Standing(), w.Ice)
	}
	if w.Discs[1].Wins != 1 {
		t.Error("the score is lost")
	}
}

func TestEnoughRoundsWinTheMatchAndScoresStartAnew(t *testing.T) {
	w := playing(2, Vec{-14, 0}, Vec{0, 0})
	w.Discs[1].Wins = MatchWins - 1

	w.run(1, Input{})
	if won, ok := w.told(MatchEnded); !ok || won.Who != 2 || w.Phase != MatchOver {
		t.Fatalf("told %+v, phase %v", won, w.Phase)
	}

	w.run(MatchOverTicks+1, Input{})
	if w.Discs[1].Wins != 0 || w.Phase != Countdown {
		t.Errorf("%d wins, phase %v", w.Discs[1].Wins, w.Phase)
	}
}

func TestWhoJoinsInARoundWaitsForTheNext(t *testing.T) {
	w := playing(2, Vec{-1, 0}, Vec{1, 0})

	at := w.Join(9)

	if w.Discs[at].State != Out {
		t.Errorf("state %v", w.Discs[at].State)
	}
}

func TestWhoJoinsInTheCountdownPlaysAndHasTimeToLook(t *testing.T) {
	w := New(1)
	w.Join(1)
	w.Join(2)
	w.run(CountdownTicks-1, Input{})

	at := w.Join(3)

	if w.Discs[at].State != Skating || CountdownTicks-w.Clock < 2*TicksPerSecond {
		t.Errorf("state %v, %d ticks left", w.Discs[at].State, CountdownTicks-w.Clock)
	}
}

func TestLeavingToOneEndsTheGameAndToTwoTheRound(t *testing.T) {
	w := playing(3, Vec{-1, 0}, Vec{1, 0})
	w.Leave(3)
	w.Leave(3)
	w.run(1, Input{})
	if w.Phase != Play {
		t.Fatalf("phase %v with two left", w.Phase)
	}

	w.Leave(2)
	w.run(1, Input{})
	if w.Phase != Lobby {
		t.Errorf("phase %v with one left", w.Phase)
	}
}

func TestAThirteenthPlayerHasNoPlace(t *testing.T) {
	w := New(1)
	for i := range MaxPlayers {
		if at := w.Join(uint16(i + 1)); at != i {
			t.Fatalf("player %d got place %d", i+1, at)
		}
	}

	if at := w.Join(13); at != -1 {
		t.Errorf("place %d", at)
	}
	if at := w.Join(5); at != 4 {
		t.Errorf("joining twice gives place %d", at)
	}
	if at := w.Join(0); at != -1 {
		t.Errorf("nobody got place %d", at)
	}
}

func TestALeaverIsForgottenAsTheLastHitter(t *testing.T) {
	w := playing(3, Vec{-1, 0}, Vec{1, 0})
	w.Discs[0].HitBy = 2

	w.Leave(2)

	if w.Discs[0].HitBy != 0 {
		t.Error("a hit by nobody")
	}
}

func TestARenamedPlayerKeepsDiscAndScore(t *testing.T) {
	w := playing(2, Vec{-1, 0}, Vec{1, 0})
	w.Discs[1].Wins = 2

	w.Rename(2, 9)
	w.Rename(1, 9) // taken
	w.Rename(5, 6) // nobody

	if d := w.Discs[1]; d.ID != 9 || d.Wins != 2 || d.State != Skating || w.Discs[0].ID != 1 || w.Place(6) >= 0 {
		t.Errorf("%+v", w.Discs[:3])
	}
}
