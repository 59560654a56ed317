package netmsg

import (
	"cmp"
	"math"
	"time"
)

// Constants of bulk control. PROTOCOL.md, Bulk.
const (
	bulkDelta = 0.1                   // a flow keeps about 1/delta packets in the queue
	bulkQueue = 20 * time.Millisecond // queueing delay that is always too much
	bulkQuiet = 5 * time.Millisecond  // queueing delay too small to steer by

	bulkFirstWindow = 32  // packets: with 10, a 4 MiB message on a path of 100 ms loses 7 % to the start
	bulkFirstPace   = 640 // packets a second: the first window is larger, up to twice, where this lets more go in a round trip
	bulkFastWindow  = 64  // slow start doubles the window up to here
	bulkMinWindow   = 4
	bulkMaxWindow   = 12288

	bulkMinRate = 16384.0 / 1200 // packets a second: a floor of 16 KiB a second

	bulkMinRTT = 100 * time.Microsecond // to reckon a pace by
	bulkRecall = 10 * time.Second       // how long the smallest round trip is remembered
	bulkUnused = time.Second            // a window unused this long is no longer trusted
	bulkCalm   = time.Second            // without loss of our own doing: the ceiling rises

	drainEvery   = 5 * time.Second
	drainAtLeast = 20 * time.Millisecond

	// A driver that turns a connection less often than the pace asks for, once
	// a frame say, may make up for at most this much of the time it was late.
	bulkCatchUp = 20 * time.Millisecond
)

// bulkControl decides when a connection's bulk may go: reliable data beyond
// what its ticks carry. It holds a window, of packets in flight, and a pace. It
// aims at a small standing queue at the bottleneck (after Copa), ignores loss
// that sending less does not cure, and empties the queue every five seconds to
// see the true round trip. newBulkControl makes one.
//
// The connection core drives it:
//
//   - maySend while bulk waits, before each packet of it; if it says no,
//     nextSend tells when to ask again. rest when no bulk waits any more.
//   - windowFull before each packet of a tick, which no pace holds back.
//   - onSent for every ack-eliciting packet that counts as in flight: all but
//     MTU probes and packets to other paths.
//   - for an ACK frame: onAcked for each such packet that it newly acknowledges
//     (onSpurious if the packet had been called lost), onLost for each that is
//     now called lost, then onAck once. Losses found without an ACK: onLost.
//   - onPTO at each probe timeout, restart after a move to another path.
//
// inFlight is the number of those packets sent and neither acknowledged nor
// called lost. Packets count as one, whatever their size. Nothing allocates.
type bulkControl struct {
	share *pacer // the endpoint's; nil: this connection paces itself alone
	place paceShare

	window  float64 // cwnd: packets in flight that the path bears
	steady  bool    // slow start is over
	speed   float64 // v: how fast the window moves
	ceiling float64 // hi: above this the window only creeps; a loss of our own doing set it

	srtt   time.Duration // as last told
	minRTT time.Duration // the smallest sample of bulkRecall
	stand  time.Duration // the smallest of half a round trip: what the queue does not fall below
	queue  time.Duration // dq: the standing queue's delay, less noise
	long   rttSpan       // samples behind minRTT
	short  rttSpan       // samples behind stand

	rounds     int // ended so far; one lasts an srtt
	roundStart time.Duration
	roundFrom  float64 // the window then
	sameWay    int     // rounds in a row that moved the window up; negative: down
	newly      int     // packets acknowledged since the last onAck
	acked      int     // packets acknowledged in this round
	lastAcked  float64 // packets acknowledged in the last round, per srtt
	delivered  float64 // the same, of the better of the last two
	rising     bool    // the last round's were many more than those before

	loss      lossMeter
	test      lossTest
	calmSince time.Duration // since when loss has been no more than the path's own

	settleTill time.Duration // until then the queue that slow start left goes down by itself
	nextDrain  time.Duration
	drainEnd   time.Duration

	usedAt time.Duration // when bulk last waited
	held   bool          // window or pace hold bulk back
	heldTo time.Duration // when they last ceased to
	next   time.Duration // by the pace, the next packet's time
	late   bool          // bulk waits for the pace and for nothing else
}

// newBulkControl makes a fresh connection's control. share is the endpoint's
// pacer, or nil; srtt the round trip as far as it is known.
func newBulkControl(share *pacer, srtt time.Duration) bulkControl {
	return bulkControl{
		share:   share,
		srtt:    srtt,
		window:  bulkFirstWindow,
		speed:   1,
		ceiling: math.Inf(1),
	}
}

// firstWindowOf is the window to begin with on a path whose round trip is known,
// 0 if it is not. The longer one is, the more a transfer loses to its start.
func firstWindowOf(rtt time.Duration) float64 {
	return min(max(bulkFirstWindow, bulkFirstPace*rtt.Seconds()), 2*bulkFirstWindow)
}

// maySend says whether one packet of bulk may be sent now. It is asked only
// while bulk waits.
func (b *bulkControl) maySend(now time.Duration, inFlight int) bool {
	b.wake(now)
	full := b.windowFull(now, inFlight)
	if !full && b.due(now) <= now {
		return true
	}
	b.held, b.late = true, !full
	return false
}

// nextSend is when maySend may say yes if nothing is heard before;
// never if only an acknowledgement or a loss can bring that about.
func (b *bulkControl) nextSend(now time.Duration, inFlight int) time.Duration {
	if b.windowFull(now, inFlight) {
		return never
	}
	return b.due(now)
}

// windowFull says that the window has no room for one more packet.
func (b *bulkControl) windowFull(now time.Duration, inFlight int) bool {
	return float64(inFlight+1) > b.limit(now)
}

// packetTime is how long one packet takes at the present pace. Bulk that comes
// less than this before a tick waits for the tick.
func (b *bulkControl) packetTime(now time.Duration) time.Duration {
	return gapOf(b.pace(now))
}

// rest says that no bulk waits any more.
func (b *bulkControl) rest(now time.Duration) {
	if b.held {
		b.held, b.late, b.heldTo = false, false, now
	}
	if b.share != nil {
		b.share.leave(&b.place)
	}
}

// onSent counts a packet sent; bulk says that maySend was asked for it.
func (b *bulkControl) onSent(now time.Duration, bulk bool) {
	b.loss.sent()
	if !bulk {
		return
	}
	pace := b.pace(now)
	b.next = max(b.next, now-b.arrears(pace)) + gapOf(pace)
	if b.share != nil {
		b.share.used(&b.place)
	}
}

// onAcked counts a packet, sent at sent, that is newly acknowledged.
func (b *bulkControl) onAcked(sent time.Duration) {
	b.newly++
	b.acked++
	b.loss.count(sent, lossCount{acked: 1})
}

// onLost counts a packet, sent at sent, that is called lost.
func (b *bulkControl) onLost(sent time.Duration) {
	b.loss.count(sent, lossCount{lost: 1})
}

// onSpurious takes back the loss of a packet that is acknowledged after all.
func (b *bulkControl) onSpurious(sent time.Duration) {
	b.newly++
	b.acked++
	b.loss.count(sent, lossCount{acked: 1, lost: -1})
}

// onAck ends the handling of an ACK frame. sample is its round trip, zero if it
// gave none; srtt the smoothed one.
func (b *bulkControl) onAck(now, sample, srtt time.Duration) {
	b.srtt = srtt
	if sample > 0 {
		b.observe(now, sample)
	}
	if now-b.roundStart >= srtt {
		b.endRound(now)
	}
	if b.newly > 0 && b.limited(now) && !b.test.on && !b.draining(now) && now >= b.settleTill {
		b.steer(now, float64(b.newly))
	}
	b.newly = 0
}

// onPTO counts the inARow'th probe timeout since anything was acknowledged.
func (b *bulkControl) onPTO(inARow int) {
	if inARow == 3 {
		b.window = max(bulkMinWindow, b.window/2)
		b.steady = true
	}
}

// restart forgets the path: the connection has moved to another.
func (b *bulkControl) restart() {
	if b.share != nil {
		b.share.leave(&b.place)
	}
	*b = newBulkControl(b.share, guessedRTT)
}

// overloads says that the path loses packets because this side sends too many.
func (b *bulkControl) overloads() bool { return b.test.ours }

// wake notes that bulk waits, and starts again with a window that has not been
// used for a while.
func (b *bulkControl) wake(now time.Duration) {
	if b.nextDrain == 0 { // the first bulk of all
		b.usedAt, b.nextDrain = now, now+drainEvery
	}
	if now-b.usedAt >= bulkUnused {
		b.abandonTest()
		b.window = max(bulkFirstWindow, b.window/2)
		b.steady = true
		b.speed = 1
		b.nextDrain = now + drainEvery
	}
	b.usedAt = now
}

// limited says that bulk is held back, or was a round trip ago: only then does
// what comes back say whether the window should move.
func (b *bulkControl) limited(now time.Duration) bool {
	return b.held || b.heldTo > 0 && now-b.heldTo <= b.srtt
}

func (b *bulkControl) draining(now time.Duration) bool { return now < b.drainEnd }

// limit is the window in effect.
func (b *bulkControl) limit(now time.Duration) float64 {
	w := b.window
	if b.draining(now) {
		w = max(bulkMinWindow, w/2)
	}
	return max(w, bulkMinRate*b.minRTT.Seconds())
}

// pace is the rate of bulk in packets a second: a little more than the window
// needs, so that the window decides.
func (b *bulkControl) pace(now time.Duration) float64 {
	rtt := max(cmp.Or(b.stand, b.srtt), bulkMinRTT)
	gain := 2.0
	if b.steady {
		gain = 1.1
	}
	return max(bulkMinRate, gain*b.limit(now)/rtt.Seconds())
}

// due is when pace and pacer let the next packet go.
func (b *bulkControl) due(now time.Duration) time.Duration {
	if b.next > now || b.share == nil {
		return b.next
	}
	pace := b.pace(now)
	return b.share.ask(&b.place, now, pace, b.arrears(pace))
}

// arrears is how far behind its pace, in packets a second, bulk may be and still
// catch up at once.
func (b *bulkControl) arrears(pace float64) time.Duration {
	burst := burstOf(pace)
	if b.late {
		return max(burst, bulkCatchUp)
	}
	return burst
}
