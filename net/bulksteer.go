package netmsg

import (
	"math"
	"time"
)

// How the window moves: with each round trip that is measured, each ACK frame
// while bulk is held back, and once a round trip.

// observe takes a round-trip sample and reckons the queue that stands.
func (b *bulkControl) observe(now, sample time.Duration) {
	b.long.add(now, bulkRecall, sample)
	b.minRTT, _, _ = b.long.over(now, bulkRecall)

	span := max(b.srtt/2, 10*time.Millisecond)
	b.short.add(now, span, sample)
	least, mean, n := b.short.over(now, span)
	noise := time.Duration(1.25 * float64(mean-least) / math.Sqrt(float64(n)))
	b.stand = least
	b.queue = max(0, least-b.minRTT-noise)
}

// steer moves the window after k packets were acknowledged.
func (b *bulkControl) steer(now time.Duration, k float64) {
	target := math.Inf(1)
	if b.queue > bulkQuiet {
		target = 1 / (bulkDelta * b.queue.Seconds())
	}
	up := b.window/b.stand.Seconds() <= target && b.queue <= bulkQueue
	speed := 1.0 // what was gained one way counts that way only
	if up == (b.sameWay > 0) {
		speed = b.speed
	}
	if !up && !b.steady {
		b.endSlowStart(now)
		return
	}
	step := min(speed/(bulkDelta*b.window), speed/8, 0.5)
	switch {
	case !b.steady:
		b.window += k * b.slowGain()
	case up && b.window >= b.ceiling:
		b.window += k / b.window
	case up:
		b.window += k * step
	default:
		b.window -= k * step
	}
	b.window = min(max(b.window, bulkMinWindow), bulkMaxWindow)
}

// slowGain is by what part of itself slow start lets the window grow in a round
// trip.
func (b *bulkControl) slowGain() float64 {
	if b.window < bulkFastWindow {
		return 1
	}
	return 0.5
}

// endSlowStart leaves slow start because of the queue. What is heard now became
// of packets that the window of a round trip ago let go: what has grown since is
// too much, unless more was delivered. What this was too much for is no sign of
// what the path loses.
func (b *bulkControl) endSlowStart(now time.Duration) {
	b.steady = true
	b.window = max(b.window/(1+b.slowGain()), min(b.deliveredLately(now), b.window), bulkMinWindow)
	b.settleTill = now + b.srtt
	b.loss.forget(now)
}

// deliveredLately is what a round trip delivers. While the window grows, the
// round that goes on tells more than those before it, once half of it is over.
func (b *bulkControl) deliveredLately(now time.Duration) float64 {
	since := now - b.roundStart
	if since < b.srtt/2 {
		return b.delivered
	}
	return max(b.delivered, float64(b.acked)*b.srtt.Seconds()/since.Seconds())
}

// endRound does what is done once per round trip.
func (b *bulkControl) endRound(now time.Duration) {
	acked := float64(b.acked)
	if b.rounds > 0 && b.srtt > 0 { // rounds end late where acknowledgements are few
		acked *= b.srtt.Seconds() / (now - b.roundStart).Seconds()
	}
	b.rising = acked > 1.25*b.delivered
	b.delivered, b.lastAcked = max(acked, b.lastAcked), acked
	b.acked = 0
	b.loss.begin(now)
	for r, ok := b.loss.next(); ok; r, ok = b.loss.next() {
		b.test.add(r)
	}
	b.rounds++
	b.roundStart = now

	if b.test.on {
		b.judge(now)
	} else if b.limited(now) && now >= b.settleTill {
		b.turnSpeed(now)
		b.watchLoss(now)
		b.maybeDrain(now)
	}
	b.roundFrom = b.window
}

// turnSpeed lets a window that keeps moving one way move faster, and takes a
// queue that is too long down at once.
func (b *bulkControl) turnSpeed(now time.Duration) {
	switch {
	case b.window > b.roundFrom:
		b.sameWay = max(b.sameWay, 0) + 1
	case b.window < b.roundFrom:
		b.sameWay = min(b.sameWay, 0) - 1
	default:
		b.sameWay = 0
	}
	if b.steady {
		// The first of a run has no round before that went the same way.
		if b.sameWay > 3 || b.sameWay < -3 {
			b.speed = min(2*b.speed, max(1, b.window*bulkDelta/2))
		} else {
			b.speed = 1
		}
	}
	switch {
	case b.queue > bulkQueue && !b.steady:
		b.endSlowStart(now)
	case b.queue > bulkQueue:
		b.window = max(bulkMinWindow, b.window*0.95)
		b.speed = 1
	}
}

// maybeDrain begins a drain when one is due.
func (b *bulkControl) maybeDrain(now time.Duration) {
	if now < b.nextDrain || b.test.on {
		return
	}
	b.nextDrain = now + drainEvery
	b.drainEnd = now + max(b.srtt, drainAtLeast)
	b.speed = 1
}
