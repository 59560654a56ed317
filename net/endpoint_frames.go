package netmsg

import "time"

// maxDrain is how many datagrams a driven frame reads from one socket at most:
// as many small ones as its buffer holds. A flood does not hold up the frame.
const maxDrain = 8192

// Drain starts a frame: it reads everything that the socket holds, without
// waiting, and then judges time-outs, so that after a long gap what has
// arrived meanwhile counts first. A HandlerFunc and a ChannelHandler are given
// their events before it returns; a [Mailbox] has them. What it takes to answer
// goes in Flush. Driven: the clock is the endpoint's own and now is not looked
// at. Stepped: now is the time, and never turns back. On an endpoint that runs
// by itself it does nothing.
func (e *Endpoint) Drain(now time.Duration) {
	if e.mode == reading {
		return
	}
	e.mu.Lock()
	now = e.frame(now)
	e.readAll(now)
	e.expire(now)
	e.mu.Unlock()
	e.out.run()
}

// Flush ends a frame: every connection has a tick, within its rate, and all
// that is due is sent without waiting. now is as in Drain. On an endpoint that
// runs by itself it is Conn.Flush for every connection.
func (e *Endpoint) Flush(now time.Duration) {
	e.mu.Lock()
	now = e.frame(now)
	if e.sealed == nil {
		e.flushPlain(now)
	}
	if e.mode != reading {
		e.transmitDue(now)
		e.outbox.send()
	}
	e.mu.Unlock()
	if e.mode != reading {
		e.out.run()
	}
}

// flushPlain makes a tick due of every plain connection. A sealed one's always
// is when it has news, so of those only the ones that have anything are looked
// at.
func (e *Endpoint) flushPlain(now time.Duration) {
	for i := 0; i < len(e.peers); {
		p := e.peers[i]
		if p.state == peerOpen {
			p.core.Flush()
		}
		p.touched()
		if i < len(e.peers) && e.peers[i] == p { // not forgotten
			i++
		}
	}
}

// KeepAlive does what the watchdog does, in a long load: it reads, acknowledges
// and resends, hands nothing out, and puts off StallTimeout. now is as in
// Drain.
func (e *Endpoint) KeepAlive(now time.Duration) {
	if e.mode == reading {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.service(e.frame(now))
}

// frame notes that a frame is there, and gives the time. The lock is held.
func (e *Endpoint) frame(now time.Duration) time.Duration {
	if e.mode == stepped {
		e.clock = max(e.clock, now)
		if !e.timed {
			e.timed = true
			e.postponeDials(e.clock)
		}
		return e.clock
	}
	now = e.now()
	if e.mode == driven && !e.closed {
		e.polled, e.stalled = now, false
		e.alarm.Reset(lateFrame)
	}
	return now
}

// service does a frame's work on the network: it reads, and sends what is due.
func (e *Endpoint) service(now time.Duration) {
	e.readAll(now)
	e.transmitDue(now)
	e.outbox.send()
}

// expire judges the time-outs of connections that are due, and sends nothing.
func (e *Endpoint) expire(now time.Duration) {
	e.settle()
	e.late = e.timers.appendDue(e.late[:0], now)
	for _, p := range e.late {
		if p.state != peerOpen {
			continue
		}
		if p.core.expire(now); p.core.ended() {
			p.touched()
		}
	}
	clear(e.late)
}

// readAll takes in what the sockets hold, without waiting.
func (e *Endpoint) readAll(now time.Duration) {
	if e.closed {
		return
	}
	for _, sock := range e.socks {
		if s, ok := sock.(StepSocket); ok {
			e.readSteps(now, s)
		} else {
			e.readBatches(now, sock.(frameSocket))
		}
	}
	e.readPaths()
}

func (e *Endpoint) readSteps(now time.Duration, s StepSocket) {
	for d := e.lendOne(); s.TryRead(d); d = e.lendOne() {
		e.arrive(now, d)
	}
}

// lendOne gives a place to read one datagram into.
func (e *Endpoint) lendOne() *Datagram {
	lend(e.inbatch[:1])
	return &e.inbatch[0]
}

func (e *Endpoint) readBatches(now time.Duration, s frameSocket) {
	for read := 0; read < maxDrain; {
		n, err := s.tryReadBatch(e.inbatch)
		for i := range n {
			e.arrive(now, &e.inbatch[i])
		}
		if err != nil || n < len(e.inbatch) {
			return // it held no more when it was asked
		}
		read += n
		e.inbatch = grown(e.inbatch)
	}
}
