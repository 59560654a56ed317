package netmsg

import (
	"sync"
	"time"
)

// A Pair is two connections of this process, joined to each other without
// sockets: [PairInProcess] and [PairSimulated]. What is sent through A is heard
// by B's handler, and the other way round, as over a network, so a program runs
// on it unchanged.
type Pair struct {
	A, B *Conn

	mu       sync.Mutex
	ends     [2]*pairEnd
	work     func() // under the lock, before events are handed out
	clock    func() time.Duration
	wake     chan struct{}
	stopping chan struct{}
	stopped  chan struct{}
	once     sync.Once
}

// A pairEnd owns one Conn of a Pair.
type pairEnd struct {
	pair *Pair
	conn Conn
}

func (e *pairEnd) touched() {
	for _, end := range e.pair.ends {
		end.conn.offer()
		if end.conn.out.waits() {
			stir(e.pair.wake)
		}
	}
}

func (e *pairEnd) flush() {}

// now is the time of the pair's clock: since its beginning if it is simulated.
func (e *pairEnd) now() time.Duration {
	if e.pair.clock == nil {
		return 0
	}
	return e.pair.clock()
}

// newPair makes the two connections of a pair around their lines.
func newPair(a, b Handler, idA, idB ConnID) *Pair {
	p := &Pair{wake: make(chan struct{}, 1), stopping: make(chan struct{}), stopped: make(chan struct{})}
	for i, id := range [2]ConnID{idA, idB} {
		h := [2]Handler{a, b}[i]
		p.ends[i] = &pairEnd{pair: p}
		p.ends[i].conn = Conn{id: id, out: newOutlet(h, false), owner: p.ends[i], mu: &p.mu}
	}
	p.A, p.B = &p.ends[0].conn, &p.ends[1].conn
	return p
}

// run works and hands out events whenever something has happened, and every
// tick if there is one, until Stop.
func (p *Pair) run(tick <-chan time.Time) {
	defer close(p.stopped)
	for {
		p.turn()
		select {
		case <-tick:
		case <-p.wake:
		case <-p.stopping:
			p.turn()
			return
		}
	}
}

func (p *Pair) turn() {
	p.mu.Lock()
	if p.work != nil {
		p.work()
	}
	for _, end := range p.ends {
		end.conn.offer()
	}
	p.mu.Unlock()
	for _, end := range p.ends {
		end.conn.out.run()
	}
}

// closeBoth closes the two sides at once, so that neither hears of the other's
// end before its own.
func (p *Pair) closeBoth() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, end := range p.ends {
		if l, ok := end.conn.line.(*localLine); ok {
			l.leave(Event{Reason: Local})
		}
	}
	for _, end := range p.ends {
		end.conn.line.CloseWith(0, "")
		end.touched()
	}
}

// Stop ends both connections, as Local, and the pair's goroutine. Handlers hear
// what was pending and Left before it returns, unless a handler is what calls
// or is busy for long. More calls do nothing.
func (p *Pair) Stop() {
	p.once.Do(func() {
		p.closeBoth()
		close(p.stopping)
		if !insideHandler() {
			awaitClosed(p.stopped, closePatience)
		}
		for _, end := range p.ends {
			end.conn.out.end(closePatience)
		}
	})
}
