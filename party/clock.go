package party

import "time"

// A clock is the party's time: that of the machine, which is monotonic, or,
// stepped, the sum of what it was moved by.
type clock struct {
	stepped bool
	start   time.Time     // live
	sum     time.Duration // stepped
}

// stepFrame is how far a KeepAlive moves a stepped clock: it is called at most
// as often as frames are, so that the party never runs ahead of its world.
const stepFrame = time.Second / 60

func newClock(stepped bool) clock { return clock{stepped: stepped, start: time.Now()} }

// move moves a stepped clock.
func (c *clock) move(dt time.Duration) {
	if c.stepped {
		c.sum += max(dt, 0)
	}
}

func (c *clock) now() time.Duration {
	if c.stepped {
		return c.sum
	}
	return time.Since(c.start)
}
