package matchmaker

import "time"

// account is what one network (prefixOf) has used up.
type account struct {
	sockets int
	rooms   int
	opens   bucket
	guesses guessing
	used    time.Duration // last touched
}

// idle says that it may be forgotten.
func (a *account) idle(now time.Duration) bool {
	return a.sockets == 0 && a.rooms == 0 && now-a.used > 10*time.Minute && now >= a.guesses.until
}

// guessing counts wrong room codes: five a minute are free, after that each
// wait is twice the one before. A quiet quarter of an hour forgives all.
type guessing struct {
	wrong int
	since time.Duration // of the minute being counted
	until time.Duration // no join is answered before
	wait  time.Duration
}

const (
	freeGuesses = 5
	firstWait   = time.Minute
	longestWait = 24 * time.Hour
	forgiven    = 15 * time.Minute
)

// blocked says how long the prefix must wait before its next try.
func (g *guessing) blocked(now time.Duration) time.Duration { return max(0, g.until-now) }

// miss notes a wrong code.
func (g *guessing) miss(now time.Duration) {
	if g.wait > 0 && now-g.until > forgiven {
		*g = guessing{}
	}
	if now-g.since > time.Minute {
		g.wrong, g.since = 0, now
	}
	g.wrong++
	if g.wait == 0 && g.wrong < freeGuesses {
		return
	}
	g.wait = min(max(firstWait, 2*g.wait), longestWait)
	g.until = now + g.wait
	g.wrong = 0
}
