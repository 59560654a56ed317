package netmsg

import "time"

const (
	// readFailures is how many reads in a row may fail before the reader
	// pauses, so that an error that stays does not take a processor. Some
	// systems report an unreachable peer as an error of the next read.
	readFailures = 64

	readPause = 10 * time.Millisecond
)

// nextRead reads until something comes, however many reads fail. It returns 0
// when the socket is closed, or closing is.
func nextRead(sock Socket, batch []Datagram, closing <-chan struct{}) int {
	for failed := 1; ; failed++ {
		lend(batch)
		n, err := sock.ReadBatch(batch)
		switch {
		case isClosed(err) || isDone(closing):
			return 0
		case err == nil && n > 0:
			return n
		case failed >= readFailures:
			time.Sleep(readPause)
		}
	}
}

// read takes in what comes to one socket until that is closed. What it wakes
// for it also finishes: it hands out events and sends what is due, answers of
// handlers included.
func (e *Endpoint) read(sock Socket) {
	batch := newBatch(firstBatch, e.bufferSize())
	for {
		n := nextRead(sock, batch, e.closing)
		if n == 0 {
			return
		}
		e.mu.Lock()
		e.beginTurn()
		now := e.now()
		for i := range n {
			e.arrive(now, &batch[i])
		}
		e.outbox.send() // answers to handshakes; a connection's come after the handlers
		e.mu.Unlock()
		e.finishTurn()
		if n == len(batch) {
			batch = grown(batch)
		}
	}
}

// isDone says whether c is closed.
func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// wakeAtDeadlines sends what is due when it is due, and hands out what was
// queued outside of any turn.
func (e *Endpoint) wakeAtDeadlines() {
	for {
		select {
		case <-e.closing:
			e.out.run()
			return
		case <-e.alarm.C:
		}
		e.wake()
		e.finishTurn()
	}
}

// lateReading is how far behind the readers may be before something is done
// about it.
const lateReading = 100 * time.Millisecond

// wake begins a turn at a deadline. When a handler has kept a reader for long,
// it reads in his place: a handler must not wait, but one that does holds up
// its own events and nothing else.
func (e *Endpoint) wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	if e.turns > 0 && now-e.turning > lateReading {
		e.readAhead(now)
	}
	e.armed = never
	e.beginTurn()
}

// readAhead reads what the sockets hold, as far as they can be read without
// waiting.
func (e *Endpoint) readAhead(now time.Duration) {
	for _, sock := range e.socks {
		if s, ok := sock.(frameSocket); ok && !e.closed {
			e.readBatches(now, s)
		}
	}
}

// catchUp is how long the readers may take for what has arrived while the
// process did not run: more than it takes to empty a full socket.
const catchUp = 50 * time.Millisecond

// behind says whether deadlines are to wait for the readers. When one is long
// over, the process was suspended, and to judge time-outs before reading what
// has arrived meanwhile would end connections that live.
func (e *Endpoint) behind(now time.Duration) bool {
	if now-e.timers.next() <= lateReading {
		e.judgeAt = 0
		return false
	}
	if e.judgeAt == 0 {
		e.judgeAt = now + catchUp
	}
	return now < e.judgeAt
}

// beginTurn notes that somebody will look at the timers before he rests. The
// lock is held.
func (e *Endpoint) beginTurn() {
	if e.turns == 0 {
		e.turning = e.now()
	}
	e.turns++
}

// finishTurn hands out what is queued and sends what is due until neither is
// left, and sets the alarm for what comes next.
func (e *Endpoint) finishTurn() {
	for more := true; more; {
		e.out.run()
		more = e.restTurn()
	}
}

// restTurn sends what is due. It returns true if that has left something to
// hand out; otherwise the turn is over.
func (e *Endpoint) restTurn() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := e.now(); !e.closed && !e.behind(now) {
		e.transmitDue(now)
		e.outbox.send()
	}
	if e.out.waits() {
		return true
	}
	e.turns--
	e.arm(e.now()) // even if another turn is on: its handler may wait
	return false
}

// nudge sees to it that somebody wakes for what is queued or due. While a turn
// is on nobody has to: it looks again before it rests. The lock is held.
func (e *Endpoint) nudge() {
	if e.mode == reading && e.turns == 0 && !e.closed {
		e.arm(e.now())
	}
}

// arm sets the alarm for what comes next, if that is before it rings anyway.
func (e *Endpoint) arm(now time.Duration) {
	e.settle()
	at := max(e.timers.next(), e.judgeAt)
	if e.out.waits() {
		at = now
	}
	if at < e.armed && !e.closed {
		e.armed = at
		e.alarm.Reset(max(0, at-now))
	}
}
