package netmsg

import (
	"testing"
	"time"
)

const ms = time.Millisecond

func TestBulkFillsTheLinkAndKeepsTheQueueShort(t *testing.T) {
	deep := func(loss float64) simLink { return simLink{rate: 10e6, buffer: 200 * ms, rtt: 40 * ms, loss: loss} }
	for _, c := range []struct {
		name  string
		link  simLink
		use   float64 // of what the link can carry, at least
		queue time.Duration
	}{
		{"10 Mbit/s, 40 ms, no loss", deep(0), 0.98, 15 * ms},
		{"10 Mbit/s, 40 ms, 1 % lost", deep(0.01), 0.97, 15 * ms},
		{"10 Mbit/s, 40 ms, 5 % lost", deep(0.05), 0.96, 15 * ms},
		{"10 Mbit/s, 40 ms, 20 % lost", deep(0.2), 0.9, 15 * ms},
		{"10 Mbit/s, 40 ms, 30 % lost", deep(0.3), 0.85, 15 * ms},
		{"10 Mbit/s, 100 ms and jitter, 5 % lost", simLink{10e6, 200 * ms, 100 * ms, 20 * ms, 0.05}, 0.9, 15 * ms},
		{"10 Mbit/s, 60 ms, a buffer of 10 ms, no loss", simLink{10e6, 10 * ms, 60 * ms, 0, 0}, 0.9, 10 * ms},
		{"10 Mbit/s, 60 ms, a buffer of 10 ms, 10 % lost", simLink{10e6, 10 * ms, 60 * ms, 0, 0.1}, 0.85, 10 * ms},
		{"50 Mbit/s, 40 ms, 5 % lost", simLink{50e6, 100 * ms, 40 * ms, 0, 0.05}, 0.95, 8 * ms},
		{"2 Mbit/s, 60 ms, 5 % lost", simLink{2e6, 300 * ms, 60 * ms, 0, 0.05}, 0.93, 30 * ms},
		{"64 kbit/s, 100 ms, no loss", simLink{64e3, 2000 * ms, 100 * ms, 0, 0}, 0.95, 2000 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			var use float64
			var queue time.Duration
			const seeds = 2
			for seed := range uint64(seeds) {
				s := newBulkSim(c.link, seed, 0)
				s.runUntil(30 * time.Second)
				use += s.use(s.flows[0].received(), 30*time.Second) / seeds
				queue += s.meanQueue() / seeds
			}
			t.Logf("%.1f %% of what the link can carry, mean queue %v", 100*use, queue.Round(100*time.Microsecond))
			if use < c.use {
				t.Errorf("it used %.1f %%, want %.0f at least", 100*use, 100*c.use)
			}
			if queue > c.queue {
				t.Errorf("mean queue %v, want at most %v", queue, c.queue)
			}
		})
	}
}

func TestBulkIgnoresLossThatSendingLessDoesNotCure(t *testing.T) {
	s := newBulkSim(simLink{rtt: 80 * ms, jitter: 20 * ms, loss: 0.2}, 1, 0)

	s.runUntil(3 * time.Second)

	got := float64(s.flows[0].received()) * simPacketBits / 3 / 1e6
	t.Logf("%.0f Mbit/s on a link without a bottleneck that loses a fifth", got)
	if got < 20 {
		t.Errorf("it reached %.0f Mbit/s, want 20", got)
	}
}

func TestBulkSendsLittleTwiceIntoAShallowBuffer(t *testing.T) {
	s := newBulkSim(simLink{rate: 10e6, buffer: 10 * ms, rtt: 60 * ms}, 1, 0)

	s.runUntil(30 * time.Second)

	f := s.flows[0]
	if sent := float64(len(f.sent)) / float64(f.received()); sent > 1.1 {
		t.Errorf("it sent %.2f packets for each that arrived, want at most 1.1", sent)
	}
}

func TestBulkFlowsShareTheLink(t *testing.T) {
	for seed := range uint64(2) {
		s := newBulkSim(simLink{rate: 10e6, buffer: 200 * ms, rtt: 40 * ms, loss: 0.01}, seed, 0, 2*time.Second)
		s.runUntil(10 * time.Second)
		before := [2]int{s.flows[0].received(), s.flows[1].received()}

		s.runUntil(40 * time.Second)

		a, b := s.flows[0].received()-before[0], s.flows[1].received()-before[1]
		share := float64(a) / float64(a+b)
		t.Logf("seed %d: %.0f / %.0f, use %.1f %%, mean queue %v", seed, 100*share, 100-100*share, 100*s.use(a+b, 30*time.Second), s.meanQueue())
		if share < 0.4 || share > 0.6 {
			t.Errorf("seed %d: the older flow has %.0f %%, want 40 to 60", seed, 100*share)
		}
	}
}

func TestBulkLetsValuesBesideItThrough(t *testing.T) {
	link := simLink{rate: 10e6, buffer: 200 * ms, rtt: 40 * ms, loss: 0.01}
	alone := newBulkSim(link, 1)
	alone.addValues()
	alone.runUntil(30 * time.Second)
	beside := newBulkSim(link, 1, 0)
	beside.addValues()
	beside.runUntil(30 * time.Second)

	idle, busy := percentile(alone.values, 0.95), percentile(beside.values, 0.95)

	t.Logf("a value's delay: p95 %v alone, %v beside bulk", idle, busy)
	if busy > idle+40*ms {
		t.Errorf("p95 %v beside bulk, want at most %v", busy, idle+40*ms)
	}
}

// settled is a control that has reached a window of 100 on a clean path of 40
// ms, where bulk has always been held back.
func settled() (*bulkControl, time.Duration) {
	b := newBulkControl(nil, guessedRTT)
	now := time.Second
	for b.window < 100 {
		b.held = true
		b.usedAt = now
		b.onAcked(now)
		b.onAck(now, 40*ms, 40*ms)
		now += ms
	}
	return &b, now
}

func TestBulkWindowBounds(t *testing.T) {
	b := newBulkControl(nil, guessedRTT)

	for n, full := range map[int]bool{0: false, 31: false, 32: true, 33: true} {
		if b.windowFull(0, n) != full {
			t.Errorf("a fresh window of 32 with %d in flight: full %v", n, !full)
		}
	}
	if b.nextSend(0, 32) != never {
		t.Error("a full window opens by itself")
	}
}

func TestBulkWindowDoesNotGrowWhileItIsNotTheLimit(t *testing.T) {
	b, now := settled()
	b.rest(now)
	before := b.window

	for range 1000 { // ticks alone go and are acknowledged
		now += ms
		b.onSent(now, false)
		b.onAcked(now - 40*ms)
		b.onAck(now, 40*ms, 40*ms)
	}

	if b.window > before+50 { // what was under way when it rested still counts
		t.Errorf("the window grew from %.0f to %.0f", before, b.window)
	}
}

func TestBulkWindowIsHalvedAfterASecondUnused(t *testing.T) {
	b, now := settled()
	b.maySend(now, 0)
	before := b.window

	b.maySend(now+999*ms, 0)
	if b.window != before {
		t.Errorf("after 999 ms the window is %.0f, want %.0f", b.window, before)
	}
	b.maySend(now+2*time.Second, 0)

	if b.window != before/2 || !b.steady {
		t.Errorf("after a second the window is %.0f, want %.0f; steady %v", b.window, before/2, b.steady)
	}
}

func TestBulkWindowUnusedIsNotUnderTheFirst(t *testing.T) {
	b := newBulkControl(nil, guessedRTT)
	b.maySend(0, 0)
	b.window = 4

	b.maySend(time.Hour, 0)

	if b.window != bulkFirstWindow {
		t.Errorf("window %.0f, want %d", b.window, bulkFirstWindow)
	}
}

func TestBulkFirstNeedIsNoRestart(t *testing.T) {
	b := newBulkControl(nil, guessedRTT)

	b.maySend(time.Hour, 0) // the connection is an hour old

	if b.steady {
		t.Error("slow start is over before it began")
	}
}

func TestBulkWindowIsHalvedAtTheThirdProbeTimeout(t *testing.T) {
	b, _ := settled()
	before := b.window

	b.onPTO(1)
	b.onPTO(2)
	if b.window != before {
		t.Errorf("window %.0f after two, want %.0f", b.window, before)
	}
	b.onPTO(3)
	b.onPTO(4)

	if b.window != before/2 || !b.steady {
		t.Errorf("window %.0f after four, want %.0f once", b.window, before/2)
	}
}

func TestBulkStartsAgainAfterAMove(t *testing.T) {
	b, now := settled()

	b.restart()

	if b.window != bulkFirstWindow || b.steady || b.minRTT != 0 || b.windowFull(now, 9) {
		t.Errorf("window %.0f, steady %v, smallest round trip %v", b.window, b.steady, b.minRTT)
	}
}

func TestBulkPaceSpreadsPackets(t *testing.T) {
	b, now := settled()
	b.steady = true
	for b.maySend(now, 0) {
		b.onSent(now, true)
	}
	b.rest(now)
	want := 1.1 * b.window / 0.040 / 10 // in a tenth of a second

	sent := 0
	now += time.Second / 2
	for end := now + 100*ms; now < end; now += 100 * time.Microsecond {
		burst := 0
		for b.maySend(now, 0) {
			b.onSent(now, true)
			burst++
		}
		sent += burst
		if burst > 3 {
			t.Fatalf("%d packets at once", burst)
		}
	}

	if float64(sent) < 0.95*want || float64(sent) > 1.05*want+3 {
		t.Errorf("%d packets in 100 ms, want %.0f", sent, want)
	}
}

func TestBulkThatIsTurnedOnceAFrameKeepsItsPace(t *testing.T) {
	b, now := settled()
	b.steady = true
	b.maySend(now, 0)
	want := 1.1 * b.window / 0.040

	sent := 0
	for range 60 {
		now += time.Second / 60
		for b.maySend(now, 0) {
			b.onSent(now, true)
			sent++
		}
	}

	if float64(sent) < 0.95*want || float64(sent) > 1.05*want {
		t.Errorf("%d packets in sixty frames, want %.0f", sent, want)
	}
}

func TestBulkNeverFallsUnder16KiBASecond(t *testing.T) {
	b := newBulkControl(nil, guessedRTT)
	b.window = bulkMinWindow
	b.onAck(time.Second, 2*time.Second, 2*time.Second)

	if got := 1200 * b.pace(time.Second); got < 16384 {
		t.Errorf("the pace is %.0f bytes a second, want 16,384", got)
	}
	if got := 1200 * b.limit(time.Second) / 2; got < 16384 {
		t.Errorf("the window is %.0f bytes a second, want 16,384", got)
	}
}

func TestBulkAllocatesNothing(t *testing.T) {
	b := newBulkControl(new(pacer), guessedRTT)
	now := time.Duration(0)

	allocs := testing.AllocsPerRun(1000, func() {
		now += ms
		for b.maySend(now, 5) {
			b.onSent(now, true)
		}
		b.nextSend(now, 5)
		b.onAcked(now)
		b.onLost(now)
		b.onSpurious(now)
		b.onAck(now, 40*ms, 40*ms)
	})

	if allocs != 0 {
		t.Errorf("%v allocations a round, want none", allocs)
	}
}

func TestBulkPaceIsFiniteOnAPathWithoutDelay(t *testing.T) {
	b := newBulkControl(new(pacer), 0)
	b.onAck(time.Second, 0, 0)

	if rate := b.pace(time.Second); rate > 1e7 {
		t.Errorf("the pace is %v packets a second", rate)
	}
}

func TestBulkBeginsWithMoreWhereTheRoundTripIsLong(t *testing.T) {
	for rtt, want := range map[time.Duration]float64{0: 32, 20 * ms: 32, 50 * ms: 32, 75 * ms: 48, 100 * ms: 64, time.Second: 64} {
		if got := firstWindowOf(rtt); got != want {
			t.Errorf("on a round trip of %v it begins with %v, want %v", rtt, got, want)
		}
	}
}
