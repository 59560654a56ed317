package netmsg

import "time"

// readPause is how long a reader waits after an error that is not the socket's
// end, so that one that stays does not take a processor.
const readPause = 10 * time.Millisecond

// read takes in what comes to one socket until that is closed. What it wakes
// for it also finishes: it hands out events and sends what is due, answers of
// handlers included.
func (e *Endpoint) read(sock Socket) {
	batch := newBatch(firstBatch, e.bufferSize())
	for {
		n, err := sock.ReadBatch(batch)
		if isClosed(err) || isDone(e.closing) {
			return
		}
		if err != nil {
			time.Sleep(readPause)
			continue
		}
		e.mu.Lock()
		e.turns++
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
		e.mu.Lock()
		e.turns++
		e.armed = never
		e.transmitDue(e.now())
		e.outbox.send()
		e.mu.Unlock()
		e.finishTurn()
	}
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
	if !e.closed {
		e.transmitDue(e.now())
		e.outbox.send()
	}
	if e.out.waits() {
		return true
	}
	e.turns--
	e.nudge()
	return false
}

// nudge sees to it that somebody wakes for what is queued or due: nobody has
// to while a turn is on, which looks again before it rests. The lock is held.
func (e *Endpoint) nudge() {
	if e.mode != reading || e.turns > 0 || e.closed {
		return
	}
	now, at := e.now(), e.timers.next()
	if e.out.waits() {
		at = now
	}
	if at < e.armed {
		e.armed = at
		e.alarm.Reset(max(0, at-now))
	}
}
