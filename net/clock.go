package netmsg

import (
	"fmt"
	"time"
)

// ClockState says how far a connection's shared clock may be relied on. Zero:
// nothing is known of the peer's clock yet.
type ClockState uint8

const (
	ClockRough    ClockState = iota + 1 // known from the handshake alone
	ClockGood                           // measured
	ClockStepping                       // about to jump, standing still instead of running back, or a jump is less than a second ago
)

// String gives the constant's name.
func (s ClockState) String() string {
	switch s {
	case 0:
		return "ClockUnknown"
	case ClockRough:
		return "ClockRough"
	case ClockGood:
		return "ClockGood"
	case ClockStepping:
		return "ClockStepping"
	}
	return fmt.Sprintf("ClockState(%d)", uint8(s))
}

// Constants of the clock that the application reads. PROTOCOL.md, Time
// synchronisation.
const (
	clockEnough   = 3                     // samples that make a clock
	clockSlew     = 0.005                 // of the time that passes, an error is made good
	clockStep     = 50 * time.Millisecond // an error over this is jumped
	clockConfirms = 3                     // good samples that confirm such an error
	clockBack     = time.Second           // a jump back is stood out if it is not over this
	clockNews     = time.Second           // how long a jump is told
)

// A sharedClock is a client's idea of its server's game clock. It moves towards
// what the samples say by at most 0.5 % of the time that passes and never runs
// back, but for an announced jump of over a second. Its zero value knows
// nothing. A server needs none: its game clock is the now of its turns.
//
// The connection core gives it the server_clock of Accept (guess) and each
// sample (onSample); the application reads it.
type sharedClock struct {
	filter clockFilter

	known    time.Duration // the estimate: the peer's clock less ours
	bound    time.Duration // what known may have been off by
	knownAt  time.Duration // at this time
	offset   time.Duration // what the application is given of it
	movedAt  time.Duration // when offset last moved
	state    ClockState
	doubts   int           // good samples in a row that ask for a jump
	jumpedAt time.Duration // the last jump
	jumped   bool          // jumpedAt is set
	given    time.Duration // the newest time read
	read     bool          // given is set
}

// guess starts the clock from the server_clock of an Accept, in microseconds,
// that came rtt after the Response went.
func (c *sharedClock) guess(now time.Duration, serverClock uint64, rtt time.Duration) {
	if c.state != 0 || serverClock >= clockFarthest {
		return
	}
	c.known = time.Duration(serverClock)*time.Microsecond + rtt/2 - now
	c.bound, c.knownAt = rtt/2, now
	c.offset, c.movedAt = c.known, now
	c.state = ClockRough
}

// onSample takes what a ping and pong said. alone says that nothing is left of
// what was known before: it is time for another burst of pings.
func (c *sharedClock) onSample(s clockSample) (alone bool) {
	alone = c.filter.add(s)
	c.slew(s.at)
	if c.filter.n < clockEnough {
		return alone
	}
	c.known, c.bound = c.filter.estimate(s.at)
	c.knownAt = s.at
	switch {
	case c.state == 0 || c.state == ClockRough:
		c.jump(s.at)
	case (c.known - c.offset).Abs() <= clockStep:
		c.doubts, c.state = 0, ClockGood
	case c.state == ClockGood:
		c.state = ClockStepping
	case c.filter.good(s.rtt):
		c.doubt(s)
	}
	return alone
}

// doubt counts a good sample after an error was seen: three confirm it.
func (c *sharedClock) doubt(s clockSample) {
	if (s.offset - c.offset).Abs() <= clockStep {
		c.doubts = 0
		return
	}
	c.doubts++
	if c.doubts == clockConfirms {
		c.jumpedAt, c.jumped = s.at, true
		c.jump(s.at)
	}
}

// jump gives the application what is known at once. Where that is back, the
// clock stands still until the time has come, unless it would for too long.
func (c *sharedClock) jump(now time.Duration) {
	c.offset = c.known
	c.doubts, c.state = 0, ClockGood
	if c.given-(now+c.offset) > clockBack {
		c.read = false
	}
}

// forget throws the samples away: the machine slept. The clock runs on as it
// is until there are new ones.
func (c *sharedClock) forget() { c.filter.n, c.doubts = 0, 0 }

// slew moves what the application is given towards the estimate.
func (c *sharedClock) slew(now time.Duration) {
	most := time.Duration(clockSlew * float64(now-c.movedAt))
	c.offset += min(max(c.known-c.offset, -most), most)
	c.movedAt = now
}

// at is the peer's clock at now, how far it may be off, and whether that can be
// relied on. It never gives less than before, but for an announced jump.
func (c *sharedClock) at(now time.Duration) (t, uncertainty time.Duration, state ClockState) {
	if c.state == 0 {
		return 0, 0, 0
	}
	c.slew(now)
	t, state = now+c.offset, c.state
	if c.jumped && now-c.jumpedAt < clockNews {
		state = ClockStepping
	}
	if c.read && t < c.given {
		t, state = c.given, ClockStepping
	}
	c.given, c.read = t, true
	drifted := time.Duration(clockDrift * float64(now-c.knownAt))
	return t, c.bound + drifted + (t - now - c.known).Abs(), state
}
