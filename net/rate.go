package netmsg

import "time"

// How long the round trip must have stayed good before the good rate comes
// back.
const (
	firstPenalty = 4 * time.Second
	minPenalty   = time.Second
	maxPenalty   = time.Minute
	goodSpell    = 10 * time.Second // shorter ones double the penalty, each whole one halves it
)

// A tickRate is Fiedler's two-state controller: GoodRate packets a second
// while the smoothed round trip is at most BadRTT, BadRate while it is over
// and until it has stayed under for a penalty time.
type tickRate struct {
	limit  time.Duration // BadRTT; negative: never bad
	bad    bool
	turned bool // it has turned good again at least once
	calm   bool // calmAt is set

	penalty  time.Duration
	goodAt   time.Duration // it turned good then, at first the opening
	halvedAt time.Duration // the penalty was halved then, at first goodAt
	calmAt   time.Duration // bad: the round trip has been good since
}

func newTickRate(badRTT, now time.Duration) tickRate {
	return tickRate{limit: badRTT, penalty: firstPenalty, goodAt: now, halvedAt: now}
}

// update takes the smoothed round trip as it is now.
func (r *tickRate) update(now, rtt time.Duration) {
	over := r.limit >= 0 && rtt > r.limit
	if r.bad {
		r.updateBad(now, over)
		return
	}
	for r.penalty > minPenalty && now-r.halvedAt >= goodSpell {
		r.halvedAt += goodSpell
		r.penalty = max(r.penalty/2, minPenalty)
	}
	if !over {
		return
	}
	if r.turned && now-r.goodAt < goodSpell {
		r.penalty = min(r.penalty*2, maxPenalty)
	}
	r.bad, r.calm = true, false
}

func (r *tickRate) updateBad(now time.Duration, over bool) {
	switch {
	case over:
		r.calm = false
	case !r.calm:
		r.calm, r.calmAt = true, now
	case now-r.calmAt >= r.penalty:
		r.bad, r.turned = false, true
		r.goodAt, r.halvedAt = now, now
	}
}
