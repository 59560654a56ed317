package netmsg

import (
	"math/rand/v2"
	"testing"
)

func TestEachPacketReplayedLaterIsRefused(t *testing.T) {
	for _, later := range []uint64{0, 1, 2046, 2047, 2048, 2049, 1 << 40} {
		var w replayWindow
		w.mark(5000)
		w.mark(5000 + later)

		if w.fresh(5000) {
			t.Errorf("number 5000 is fresh again %d numbers later", later)
		}
	}
}

func TestAForgedNumberMovesNoWindow(t *testing.T) {
	var w replayWindow
	w.mark(10)
	w.fresh(1 << 47)

	if !w.fresh(9) || !w.fresh(11) || w.fresh(10) {
		t.Error("asking about a number changed the window")
	}
}

func TestTheWindowAgreesWithASet(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var w replayWindow
	seen := map[uint64]bool{}
	newest := uint64(0)

	for range 50_000 {
		number := newest + uint64(rng.ExpFloat64()*40)
		if rng.IntN(2) == 0 {
			number -= min(number, uint64(rng.ExpFloat64()*900))
		}
		if rng.IntN(500) == 0 {
			number += 1900 + rng.Uint64N(400)
		}

		want := !seen[number] && (number > newest || len(seen) == 0 || newest-number < replayWindowSize)
		if got := w.fresh(number); got != want {
			t.Fatalf("number %d, newest %d: fresh is %v, want %v", number, newest, got, want)
		}
		if want {
			w.mark(number)
			seen[number] = true
			newest = max(newest, number)
		}

		if rng.IntN(20) == 0 {
			wantRuns(t, &w, seen, newest-min(newest, rng.Uint64N(2040)))
		}
	}
}

func wantRuns(t *testing.T, w *replayWindow, seen map[uint64]bool, number uint64) {
	t.Helper()
	limit := w.oldest()
	for _, present := range []bool{true, false} {
		run := uint64(0)
		for run <= number-limit && seen[number-run] == present {
			run++
		}
		if got := w.runDown(number, limit, present); got != run {
			t.Fatalf("run of present=%v down from %d to %d is %d, want %d", present, number, limit, got, run)
		}
	}
	bits := w.before64(number)
	for k := range uint64(64) {
		want := number >= 1+k && number-1-k >= limit && seen[number-1-k]
		if got := bits>>k&1 != 0; got != want {
			t.Fatalf("bit %d before %d is %v, want %v (oldest %d)", k, number, got, want, limit)
		}
	}
}
