package netmsg

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"
)

// A clockPath is what pings and pongs meet on their way.
type clockPath struct {
	oneWay time.Duration
	jitter time.Duration // extra each way, up to it
	loss   float64       // each way
	drift  float64       // of the peer's clock against ours
	up     func(now time.Duration) time.Duration
}

// A clockWorld is a client that follows its server's clock over a path. Both
// are turned sixty times a second; the truth is known.
type clockWorld struct {
	t      *testing.T
	path   clockPath
	rng    *rand.Rand
	now    time.Duration
	serial int
	events simEvents

	clock   sharedClock
	pinger  clockPinger
	ponger  clockPonger
	epoch   time.Duration // the peer's clock when ours is zero
	arrived time.Duration // the peer's clock when the newest ping came

	last    time.Duration   // the newest reading
	errors  []time.Duration // of every reading
	worst   time.Duration
	mayFall bool // a reading may be less than the last, if it says so
	wrong   bool // the peer's clock has jumped: what the client believes is wrong
	stepped int  // readings that said so
}

func newClockWorld(t *testing.T, path clockPath, seed uint64) *clockWorld {
	w := &clockWorld{t: t, path: path, rng: rand.New(rand.NewPCG(seed, 2)), epoch: 1234 * time.Second}
	w.pinger = newClockPinger(0)
	w.frame()
	return w
}

func (w *clockWorld) at(t time.Duration, do func()) {
	w.serial++
	heap.Push(&w.events, simEvent{t, w.serial, do})
}

func (w *clockWorld) runFor(d time.Duration) {
	end := w.now + d
	for len(w.events) > 0 && w.events[0].at <= end {
		e := heap.Pop(&w.events).(simEvent)
		w.now = e.at
		e.do()
	}
	w.now = end
}

// truth is the peer's clock now.
func (w *clockWorld) truth() time.Duration {
	return w.epoch + w.now + time.Duration(float64(w.now)*w.path.drift)
}

// frame is a turn of the client's: it pings when that is due, and reads.
func (w *clockWorld) frame() {
	if w.pinger.turn(w.now) {
		w.clock.forget()
	}
	if w.pinger.may(w.now) {
		t1 := w.pinger.ping(w.now, false)
		w.carry(w.upDelay(), func() { w.ponger.onPing(w.now, t1); w.arrived = w.truth() })
	}
	w.read()
	w.at(w.now+time.Second/60, w.frame)
	// The server's frames are between the client's.
	w.at(w.now+7*time.Millisecond, func() {
		if w.ponger.may(w.now) {
			t1, _, hold := w.ponger.pong(w.now)
			t2 := uint64(w.arrived / time.Microsecond)
			w.carry(w.wobble(), func() { w.hear(t1, t2, hold) })
		}
	})
}

func (w *clockWorld) hear(t1, t2 uint64, hold uint32) {
	if s, ok := w.pinger.pong(w.now, t1, t2, hold); ok {
		if w.clock.onSample(s) {
			w.pinger.again(w.now)
		}
	}
}

func (w *clockWorld) upDelay() time.Duration {
	d := w.wobble()
	if w.path.up != nil {
		d += w.path.up(w.now)
	}
	return d
}

func (w *clockWorld) wobble() time.Duration {
	return time.Duration(w.rng.Float64() * float64(w.path.jitter))
}

func (w *clockWorld) carry(extra time.Duration, do func()) {
	if w.rng.Float64() >= w.path.loss {
		w.at(w.now+w.path.oneWay+extra, do)
	}
}

// read is what the application does in every frame.
func (w *clockWorld) read() {
	t, uncertainty, state := w.clock.at(w.now)
	if state == 0 {
		return
	}
	if state == ClockStepping {
		w.stepped++
	}
	if t < w.last && !(w.mayFall && state == ClockStepping) {
		w.t.Errorf("at %v the clock fell from %v to %v (%v)", w.now, w.last, t, state)
	}
	w.last = t
	off := (t - w.truth()).Abs()
	if state == ClockGood && !w.wrong && off > uncertainty {
		w.t.Errorf("at %v the clock is off by %v and says %v", w.now, off, uncertainty)
	}
	w.errors = append(w.errors, off)
	w.worst = max(w.worst, off)
}

func TestClockKeepsItsPromiseOnEveryPath(t *testing.T) {
	bloated := func(now time.Duration) time.Duration {
		if now/(3*time.Second)%2 == 1 {
			return 200 * time.Millisecond
		}
		return 0
	}
	for _, c := range []struct {
		name    string
		path    clockPath
		promise time.Duration // for 95 readings of 100, after five seconds
	}{
		{"LAN, 1 ms", clockPath{oneWay: ms / 2, jitter: ms / 3}, ms},
		{"clean, 30 ms", clockPath{oneWay: 15 * ms}, ms},
		{"fibre, 30 ms and up to 1 each way", clockPath{oneWay: 15 * ms, jitter: ms}, ms},
		{"wireless, 40 ms and up to 15 each way", clockPath{oneWay: 20 * ms, jitter: 15 * ms}, 5 * ms},
		{"mobile, 80 ms and up to 40 each way", clockPath{oneWay: 40 * ms, jitter: 40 * ms}, 5 * ms},
		{"mobile, 40 to 120 ms", clockPath{oneWay: 20 * ms, jitter: 40 * ms}, 5 * ms},
		{"uplink bloated half the time", clockPath{oneWay: 20 * ms, jitter: 2 * ms, up: bloated}, 5 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.path.loss, c.path.drift = 0.05, 30e-6
			var errors []time.Duration
			var worst time.Duration
			for seed := range uint64(20) {
				w := newClockWorld(t, c.path, seed)
				w.runFor(5 * time.Second)
				w.errors, w.worst = w.errors[:0], 0
				w.runFor(115 * time.Second)
				errors = append(errors, w.errors...)
				worst = max(worst, w.worst)
			}
			p50, p95 := percentile(errors, 0.5), percentile(errors, 0.95)
			t.Logf("off by %v (median), %v (p95), %v (worst)", p50, p95, worst)
			if p95 > c.promise {
				t.Errorf("off by %v in one reading of twenty, want at most %v", p95, c.promise)
			}
		})
	}
}

func TestClockJumpsToAClockThatJumped(t *testing.T) {
	w := newClockWorld(t, clockPath{oneWay: 15 * ms, jitter: 5 * ms}, 1)
	w.runFor(20 * time.Second)
	w.stepped = 0

	w.wrong = true
	w.epoch += 300 * ms
	w.runFor(6 * time.Second)

	w.wantWithin(3 * ms)
	if w.stepped < 60 {
		t.Errorf("%d readings told of the jump, want a second of them at least", w.stepped)
	}
	w.wantState(ClockGood)
}

func TestClockStandsStillInsteadOfRunningBack(t *testing.T) {
	w := newClockWorld(t, clockPath{oneWay: 15 * ms}, 1)
	w.runFor(20 * time.Second)

	w.wrong = true
	w.epoch -= 800 * ms
	w.runFor(6 * time.Second)

	w.wantWithin(ms)
	w.wantState(ClockGood)
}

func TestClockRunsBackOverASecondAndSaysSo(t *testing.T) {
	w := newClockWorld(t, clockPath{oneWay: 15 * ms}, 1)
	w.runFor(20 * time.Second)
	w.stepped, w.mayFall = 0, true

	w.wrong = true
	w.epoch -= 5 * time.Minute
	w.runFor(6 * time.Second)

	w.wantWithin(ms)
	if w.stepped == 0 {
		t.Error("no reading told of the jump back")
	}
}

func TestClockSlewsByHalfAPercentAtMost(t *testing.T) {
	w := newClockWorld(t, clockPath{oneWay: 15 * ms}, 1)
	w.runFor(20 * time.Second)

	w.wrong = true
	w.epoch += 40 * ms // under what is jumped
	for range 100 {
		before, at := w.last, w.now
		w.runFor(100 * ms)
		ran, passed := w.last-before, w.now-at
		if off := (ran - passed).Abs(); off > 17*ms+passed/200 { // a frame, and the slew
			t.Fatalf("the clock ran %v in %v", ran, passed)
		}
	}

	w.wantWithin(ms)
}

func TestClockRecoversFromTheMachinesSleep(t *testing.T) {
	for name, sleep := range map[string]func(w *clockWorld){
		"our clock ran on":     func(w *clockWorld) { w.skip(30 * time.Second) },
		"our clock stood":      func(w *clockWorld) { w.wrong = true; w.epoch += 30 * time.Second },
		"it stood for a while": func(w *clockWorld) { w.wrong = true; w.skip(3 * time.Second); w.epoch += 27 * time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			w := newClockWorld(t, clockPath{oneWay: 15 * ms, jitter: 2 * ms}, 1)
			w.runFor(20 * time.Second)

			sleep(w)
			w.runFor(4 * time.Second)

			w.wantWithin(2 * ms)
		})
	}
}

func TestClockJumpsWhenThreeGoodSamplesConfirmIt(t *testing.T) {
	var c sharedClock
	at := time.Duration(0)
	sample := func(offset, rtt time.Duration) {
		at += 100 * ms
		c.onSample(clockSample{at, offset, rtt})
	}
	for range 5 {
		sample(0, 30*ms)
	}
	for range 3 { // it takes three to make a clock, and the third to see the error
		sample(time.Second, 30*ms)
	}
	sample(time.Second, 30*ms)
	sample(time.Second, 30*ms)
	for range 5 {
		sample(time.Second, 300*ms) // not good
	}
	if c.offset > 100*ms {
		t.Fatalf("it jumped to %v before it was confirmed", c.offset)
	}

	sample(time.Second, 30*ms)

	if c.offset != time.Second {
		t.Errorf("confirmed thrice, the offset is %v, want 1s", c.offset)
	}
}

func TestClockForgetsWhatItKnewBeforeASleep(t *testing.T) {
	w := newClockWorld(t, clockPath{oneWay: 15 * ms}, 1)
	w.runFor(20 * time.Second)

	w.skip(3 * time.Second)
	w.runFor(950 * ms)

	if n := w.clock.filter.n; n != 5 {
		t.Errorf("%d samples a second after a sleep, want the burst's 5", n)
	}
}

func TestClockIsRoughAfterTheHandshakeAndThenGood(t *testing.T) {
	w := newClockWorld(t, clockPath{oneWay: 15 * ms}, 1)
	w.now = 30 * ms
	w.clock.guess(w.now, uint64(w.truth()/time.Microsecond)-15_000+4_000, 30*ms)
	w.read()
	w.wantWithin(5 * ms)
	w.wantState(ClockRough)

	w.runFor(500 * ms)

	w.wantWithin(ms)
	w.wantState(ClockGood)
}

func TestClockKnowsNothingBeforeItHears(t *testing.T) {
	var c sharedClock

	if now, uncertainty, state := c.at(time.Hour); now != 0 || uncertainty != 0 || state != 0 {
		t.Errorf("got %v, %v, %v, want nothing", now, uncertainty, state)
	}
	c.guess(time.Second, clockFarthest, 30*ms)
	if _, _, state := c.at(time.Hour); state != 0 {
		t.Errorf("a clock that is no clock is %v", state)
	}
}

func TestClockReadsWithoutAllocating(t *testing.T) {
	var c sharedClock
	at := time.Duration(0)

	allocs := testing.AllocsPerRun(100, func() {
		at += time.Second
		c.onSample(clockSample{at: at, offset: time.Hour, rtt: 30 * ms})
		c.at(at)
	})

	if allocs != 0 {
		t.Errorf("%v allocations a sample, want none", allocs)
	}
}

// skip lets time pass in which nobody is turned.
func (w *clockWorld) skip(d time.Duration) {
	for i := range w.events {
		w.events[i].at = max(w.events[i].at, w.now+d)
	}
	heap.Init(&w.events)
	w.now += d
}

func (w *clockWorld) wantWithin(d time.Duration) {
	w.t.Helper()
	now, _, _ := w.clock.at(w.now)
	if off := (now - w.truth()).Abs(); off > d {
		w.t.Errorf("at %v the clock is off by %v, want at most %v", w.now, off, d)
	}
}

func (w *clockWorld) wantState(want ClockState) {
	w.t.Helper()
	if _, _, state := w.clock.at(w.now); state != want {
		w.t.Errorf("at %v the clock is %v, want %v", w.now, state, want)
	}
}
