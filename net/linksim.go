package netmsg

import (
	"math/rand/v2"
	"time"
)

// A LinkConfig says what a simulated link does to the datagrams that go one
// way over it. The zero LinkConfig is a perfect link, and a field under zero is
// as zero. Chances are from 0 to 1 and fall for each datagram on its own.
type LinkConfig struct {
	Loss      float64 // chance that a datagram is lost, ahead of the queue of Rate
	Duplicate float64 // chance that it arrives twice, each with a delay of its own
	Reorder   float64 // chance that it is held back by ReorderDelay, so that later ones pass it

	Latency      time.Duration // delay of each datagram
	Jitter       time.Duration // random extra delay, from 0 up to this
	ReorderDelay time.Duration // extra delay of those held back

	Rate   int           // bytes a second that the link carries; no limit if zero
	Buffer time.Duration // with Rate: a datagram that would wait longer than this is lost; no limit if zero
	MTU    int           // larger datagrams are lost, bytes; no limit if zero
}

// Lossy gives a link that loses, delays and jitters.
func Lossy(loss float64, latency, jitter time.Duration) LinkConfig {
	return LinkConfig{Loss: loss, Latency: latency, Jitter: jitter}
}

// A LinkSim is one way of a simulated link, on the caller's clock. The same
// datagrams sent at the same times with the same seed meet the same fate. A
// time before the last one given is taken as the last one. In steady state
// nothing is allocated.
type LinkSim struct {
	cfg  LinkConfig
	rand *rand.Rand
	now  time.Duration
	free time.Duration // Rate: what was sent so far has left by then
	heap []flight      // a heap: the next to arrive is first
	sent uint64
	pool buffers
}

// A flight is a datagram under way.
type flight struct {
	due   time.Duration
	order uint64 // of those due at the same time the one sent first arrives first
	data  []byte
}

func (f *flight) before(g *flight) bool {
	if f.due != g.due {
		return f.due < g.due
	}
	return f.order < g.order
}

// NewLinkSim gives an empty link.
func NewLinkSim(cfg LinkConfig, seed uint64) *LinkSim {
	for _, t := range []*time.Duration{&cfg.Latency, &cfg.Jitter, &cfg.ReorderDelay} {
		*t = clamp(*t, 0, longestTime)
	}
	return &LinkSim{cfg: cfg, rand: rand.New(rand.NewPCG(seed, 0x6e65746d7367))}
}

// Send puts a datagram, which it copies, on the link.
func (l *LinkSim) Send(now time.Duration, datagram []byte) {
	l.now = max(l.now, now)
	// Each datagram draws the same numbers whatever they are used for, so that
	// a change of one chance changes nothing else.
	lost := l.rand.Float64() < l.cfg.Loss
	twice := l.rand.Float64() < l.cfg.Duplicate
	first, second := l.delay(), l.delay()

	if l.cfg.MTU > 0 && len(datagram) > l.cfg.MTU {
		return
	}
	if lost {
		return
	}
	left, room := l.queue(len(datagram))
	if !room {
		return
	}
	l.launch(left+first, datagram)
	if twice {
		l.launch(left+second, datagram)
	}
}

// delay draws how long a datagram is under way.
func (l *LinkSim) delay() time.Duration {
	jitter, held := l.rand.Float64(), l.rand.Float64() < l.cfg.Reorder
	d := l.cfg.Latency + time.Duration(jitter*float64(l.cfg.Jitter))
	if held {
		d += l.cfg.ReorderDelay
	}
	return d
}

// queue lets a datagram wait for those before it, and gives the time at which
// its last byte has left.
func (l *LinkSim) queue(size int) (left time.Duration, room bool) {
	if l.cfg.Rate <= 0 {
		return l.now, true
	}
	start := max(l.now, l.free)
	if l.cfg.Buffer > 0 && start-l.now > l.cfg.Buffer {
		return 0, false
	}
	l.free = start + time.Duration(float64(size)/float64(l.cfg.Rate)*float64(time.Second))
	return l.free, true
}

func (l *LinkSim) launch(due time.Duration, datagram []byte) {
	l.sent++
	l.heap = append(l.heap, flight{due, l.sent, l.pool.copyOf(datagram)})
	for i := len(l.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !l.heap[i].before(&l.heap[up]) {
			break
		}
		l.heap[i], l.heap[up] = l.heap[up], l.heap[i]
		i = up
	}
}

// Deliver copies the next datagram that has arrived by now into buf and gives
// its length, cut to buf's as a socket cuts it. False: none has. Call it until
// then.
func (l *LinkSim) Deliver(now time.Duration, buf []byte) (int, bool) {
	l.now = max(l.now, now)
	if len(l.heap) == 0 || l.heap[0].due > l.now {
		return 0, false
	}
	data := l.land()
	n := copy(buf, data)
	l.pool.put(data)
	return n, true
}

// land takes the next to arrive off the heap.
func (l *LinkSim) land() []byte {
	data := l.heap[0].data
	last := len(l.heap) - 1
	l.heap[0] = l.heap[last]
	l.heap[last] = flight{}
	l.heap = l.heap[:last]
	for i := 0; ; {
		next := i
		for _, down := range []int{2*i + 1, 2*i + 2} {
			if down < last && l.heap[down].before(&l.heap[next]) {
				next = down
			}
		}
		if next == i {
			return data
		}
		l.heap[i], l.heap[next] = l.heap[next], l.heap[i]
		i = next
	}
}

// Deadline is when the next datagram arrives; math.MaxInt64 if none is under
// way.
func (l *LinkSim) Deadline() time.Duration {
	if len(l.heap) == 0 {
		return never
	}
	return max(l.now, l.heap[0].due)
}
