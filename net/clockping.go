package netmsg

import (
	"math"
	"time"
)

// Constants of pings and pongs. PROTOCOL.md, Time synchronisation.
const (
	pingBurst      = 5
	pingBurstEvery = 100 * time.Millisecond
	pingEarly      = 5 * time.Second // since the connection opened
	pingEarlyEvery = 500 * time.Millisecond
	pingEvery      = time.Second
	pingIdleEvery  = 2 * time.Second
	pingSleep      = 2 * time.Second // between two turns: the machine slept

	pongAnswers   = 10 * time.Millisecond // between two answers
	pongTooLate   = 2 * time.Second       // after the ping
	pongNoHold    = math.MaxUint32        // "unknown"
	clockFarthest = 1 << 53               // microseconds; a clock past this is no clock
)

// A clockPinger decides when to ask the peer for its clock, and reads the
// answers. Pings ride in packets that go anyway where possible: may allows one,
// by is when it goes alone. newClockPinger makes one; the zero value never asks.
type clockPinger struct {
	on     bool
	opened time.Duration // when the present schedule began
	pings  int           // since then
	next   time.Duration
	every  time.Duration // from the last ping to the next
	turned time.Duration
	flying [16]flyingPing // more than go in pongTooLate
	at     int            // the next place in flying
}

type flyingPing struct {
	t1   uint64        // as sent
	sent time.Duration // the same, exactly
	open bool          // not yet answered
}

// newClockPinger begins with the opening burst.
func newClockPinger(now time.Duration) clockPinger {
	return clockPinger{on: true, opened: now, next: now, turned: now}
}

// turn notes that the core is turned. slept says that it had not been for so
// long that the machine must have slept: the burst begins anew, and what was
// known of the peer's clock is in doubt.
func (p *clockPinger) turn(now time.Duration) (slept bool) {
	// A quiet connection may wait for its own next ping, and no longer.
	slept = p.on && now-p.turned > pingSleep && now-p.by() > pingBurstEvery
	p.turned = now
	if slept {
		p.again(now)
	}
	return slept
}

// again repeats the opening burst.
func (p *clockPinger) again(now time.Duration) {
	p.opened, p.next, p.pings = now, now, 0
}

// may says that a packet that goes now should carry a ping.
func (p *clockPinger) may(now time.Duration) bool { return p.on && now >= p.next }

// by is when a ping goes even if no packet does; never for never.
func (p *clockPinger) by() time.Duration {
	if !p.on {
		return never
	}
	return p.next + p.every/4
}

// ping makes a ping that goes now. idle says that the application has been
// quiet.
func (p *clockPinger) ping(now time.Duration, idle bool) (t1 uint64) {
	p.pings++
	switch {
	case p.pings < pingBurst:
		p.every = pingBurstEvery
	case now-p.opened < pingEarly:
		p.every = pingEarlyEvery
	case idle:
		p.every = pingIdleEvery
	default:
		p.every = pingEvery
	}
	p.next = now + p.every
	t1 = uint64(now / time.Microsecond)
	p.flying[p.at] = flyingPing{t1, now, true}
	p.at = (p.at + 1) % len(p.flying)
	return t1
}

// pong reads an answer; false if it answers nothing that was asked, or is of no
// use.
func (p *clockPinger) pong(now time.Duration, t1, t2 uint64, hold uint32) (clockSample, bool) {
	i := p.find(now, t1)
	if i < 0 {
		return clockSample{}, false
	}
	p.flying[i].open = false
	if hold == pongNoHold || t2 >= clockFarthest {
		return clockSample{}, false
	}
	sent := p.flying[i].sent
	held := time.Duration(hold) * time.Microsecond
	rtt := now - sent - held
	if rtt < 0 {
		return clockSample{}, false
	}
	// The middle of the peer's times less the middle of ours.
	offset := time.Duration(t2)*time.Microsecond + held/2 - (sent + (now-sent)/2)
	return clockSample{at: now, offset: offset, rtt: rtt}, true
}

func (p *clockPinger) find(now time.Duration, t1 uint64) int {
	for i, f := range p.flying {
		if f.open && f.t1 == t1 && now-f.sent <= pongTooLate {
			return i
		}
	}
	return -1
}

// A clockPonger answers the peer's pings: the newest only, and not too often.
// Its zero value is ready.
type clockPonger struct {
	waits    bool
	any      bool // answered is set
	t1       uint64
	came     time.Duration
	answered time.Duration // when the last answer went
}

// onPing notes a ping; one that waits is forgotten for it.
func (p *clockPonger) onPing(now time.Duration, t1 uint64) {
	p.waits, p.t1, p.came = true, t1, now
}

// may says that a packet that goes now should carry the answer.
func (p *clockPonger) may(now time.Duration) bool {
	return p.waits && (!p.any || now-p.answered >= pongAnswers)
}

// by is when the answer goes even if no packet does; never for never.
func (p *clockPonger) by() time.Duration {
	if !p.waits {
		return never
	}
	if !p.any {
		return p.came
	}
	return max(p.came, p.answered+pongAnswers)
}

// pong makes the answer that goes now: when the ping came by our clock, and how
// long ago that is, in microseconds.
func (p *clockPonger) pong(now time.Duration) (t1, t2 uint64, hold uint32) {
	p.waits, p.answered, p.any = false, now, true
	held := (now - p.came) / time.Microsecond
	return p.t1, uint64(p.came / time.Microsecond), uint32(min(held, pongNoHold))
}
