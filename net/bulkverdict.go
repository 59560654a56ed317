package netmsg

import (
	"math"
	"time"
)

// Constants of the loss test. PROTOCOL.md, Bulk.
const (
	testRounds    = 2 // at least
	testRoundsMax = 8

	retestEvery = 15 * time.Second // a path that loses much of itself is asked again
)

// A lossTest asks whether loss is this side's doing: it sends less than was
// delivered for a while, and looks whether the loss stays.
type lossTest struct {
	on      bool
	ours    bool          // the last verdict: too much was sent, and loss has not gone since
	floor   float64       // loss that is known to be the path's own
	waits   int           // verdicts in a row that it was the path's
	notTill int           // round before which no other test begins
	verdict time.Duration // when the last one fell

	start     time.Duration // packets sent from here on count
	round     int           // the round it began in
	window    float64       // before it, to be restored
	delivered float64       // packets a round trip before it
	loss      float64       // that gave rise to it
	rounds    int           // of packets whose fate is known
	seen      lossCount     // what became of them
}

// add takes a round whose packets' fate is known.
func (t *lossTest) add(r lossRound) {
	if t.on && r.from >= t.start {
		t.rounds++
		t.seen.add(r.seen)
	}
}

// watchLoss compares the measured loss with the path's own, once per round.
func (b *bulkControl) watchLoss(now time.Duration) {
	sum := b.loss.sum()
	t := &b.test
	if !b.steady && b.rising {
		t.floor = sum.share() // the path still takes more: what it loses is its own
		return
	}
	if sum.packets() < lossNeeds {
		return
	}
	loss := sum.share()
	p := max(t.floor, 0.01)
	margin := max(0.02, 4*math.Sqrt(p*(1-p)/float64(sum.packets())))

	// Chance moves the measure about, so what is taken for the path's own
	// follows it both ways; what goes up with our own doing is found out by the
	// test that comes every retestEvery.
	switch {
	case loss < t.floor-margin/2:
		t.floor += (loss - t.floor) / 8
	case loss > t.floor && loss <= p+margin:
		t.floor += (loss - t.floor) / 16
	}
	b.liftCeiling(now, loss)
	retest := t.floor > 0.03 && now-t.verdict >= retestEvery
	if (loss > p+margin || retest) && b.rounds >= t.notTill {
		b.beginTest(now, loss)
	}
}

// liftCeiling raises the ceiling when loss has been the path's own for long.
func (b *bulkControl) liftCeiling(now time.Duration, loss float64) {
	if loss > b.test.floor+0.01 {
		b.calmSince = now
		return
	}
	b.test.ours = false
	if !math.IsInf(b.ceiling, 1) && now-b.calmSince >= max(bulkCalm, 8*b.srtt) {
		b.ceiling *= 1.25
		b.calmSince = now
	}
}

func (b *bulkControl) beginTest(now time.Duration, loss float64) {
	t := &b.test
	t.on, t.start, t.round = true, now, b.rounds
	// Bulk that comes in bursts had rounds in which little of it was under way.
	t.window, t.delivered, t.loss = b.window, max(b.delivered, b.window/2), loss
	t.rounds, t.seen = 0, lossCount{}
	b.window = max(bulkMinWindow, 0.75*min(b.window, t.delivered))
}

// abandonTest ends a test without a verdict.
func (b *bulkControl) abandonTest() {
	if b.test.on {
		b.test.on = false
		b.window = b.test.window
	}
}

// judge ends the test when enough has been seen.
func (b *bulkControl) judge(now time.Duration) {
	t := &b.test
	enough := int(min(max(8/t.loss, 96), 256))
	known := t.rounds >= testRounds && t.seen.packets() >= enough
	if !known && b.rounds-t.round < testRoundsMax {
		return
	}
	t.on, t.verdict = false, now
	b.calmSince = now
	b.speed = 1
	if left := t.seen.share(); left > t.loss/2 {
		b.lossIsThePaths(left)
	} else {
		b.lossIsOurs(left)
	}
}

// lossIsThePaths: sending less did not cure it, so it is ignored.
func (b *bulkControl) lossIsThePaths(left float64) {
	t := &b.test
	t.ours, t.floor = false, left
	b.window = t.window
	t.notTill = b.rounds + 16<<min(t.waits, 2)
	t.waits++
}

// lossIsOurs: sending less cured it, so the window stays under what caused it.
func (b *bulkControl) lossIsOurs(left float64) {
	t := &b.test
	t.ours, t.floor = true, min(t.floor, left)
	b.window = max(bulkMinWindow, min(t.delivered/(1-t.floor), 0.9*t.window))
	b.ceiling = 1.05 * b.window
	b.steady = true
	t.notTill = b.rounds + 4
	t.waits = 0
}
