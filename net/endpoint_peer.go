package netmsg

import (
	"cmp"
	"slices"
	"time"
)

// A peer is one connection in an endpoint's tables: its Conn, the core or the
// dial behind it, and its places.
type peer struct {
	conn     Conn
	e        *Endpoint
	state    peerState
	accepted bool // the gate counts it
	used     bool // since the timers were settled
	wasTold  bool // see after

	dial    *dialLine       // until it is open, if it was dialled
	core    *ConnectionCore // from then on
	session Session
	punches *punchWait

	place int   // in the timers, from 1; 0: nowhere
	next  *peer // another one of the same address

	// Left of a connection that was replaced is told before Joined of the one
	// that took its place.
	after  *peer // must be told first
	before *peer // waits for this one
}

// A peerState says how far a connection is.
type peerState uint8

const (
	peerDialing peerState = iota + 1
	peerOpen
	peerOver // it has ended; what tells the other side may still have to go
)

func comparePeer(p *peer, id ConnID) int { return cmp.Compare(p.conn.id, id) }

// newPeer puts a connection into the table of all. The lock is held.
func (e *Endpoint) newPeer(id ConnID, state peerState, l line) *peer {
	if id == 0 {
		id = e.freeID()
	}
	p := &peer{e: e, state: state}
	p.conn = Conn{id: id, out: e.out, owner: p, mu: &e.mu, line: l}
	at, _ := slices.BinarySearchFunc(e.peers, id, comparePeer)
	e.peers = slices.Insert(e.peers, at, p)
	e.untold++
	return p
}

// freeID gives the next number, past those that dials have taken by name.
func (e *Endpoint) freeID() ConnID {
	for {
		e.lastID++
		if _, taken := slices.BinarySearchFunc(e.peers, e.lastID, comparePeer); !taken {
			return e.lastID
		}
	}
}

// becomeOpen gives p the core of a connection that is open from now on.
func (e *Endpoint) becomeOpen(p *peer, s Session, now time.Duration) {
	p.core, p.session = NewConnectionCore(e.cfg, s, now), s
	if c, ok := p.core.machine.(*sealedConn); ok {
		p.session.secure = c.session // without the keys that it began with
	}
	if most := e.out.limit(); most > 0 {
		p.core.setInboxLimit(most)
	}
	p.state, p.dial, p.conn.line = peerOpen, nil, p.core
	if s.secure != nil {
		e.sealed.byCID[s.secure.ownCID] = p
		p.core.share(e.sealed)
	}
	e.route(p)
	e.log("joined", p)
	e.open++
}

// touched notes that p's line was used: it is called whenever it was. When p
// wants to transmit after that is asked later, once for all the uses of a turn;
// settle does it.
func (p *peer) touched() {
	p.look()
	if p.state == peerOver {
		p.reschedule()
	} else if !p.used {
		p.used = true
		p.e.used = append(p.e.used, p)
	}
	p.e.nudge()
}

// look looks at what has become of p: whether it has ended, or has something to
// tell.
func (p *peer) look() {
	if p.core != nil {
		p.core.refill()
	}
	if p.state != peerOver && p.conn.line.ended() {
		p.e.noteEnd(p)
	}
	if p.after == nil {
		p.conn.offer()
	}
	if p.conn.told && !p.wasTold {
		p.wasTold = true
		p.e.noteTold(p)
	}
	if p.core != nil {
		p.e.hearDoubt(p, p.core.takeDoubt())
	}
}

// reschedule asks p when it wants to transmit. One that has ended and never will
// leaves the tables.
func (p *peer) reschedule() { p.schedule(p.deadline()) }

// schedule notes when p wants to transmit.
func (p *peer) schedule(at time.Duration) {
	p.e.timers.set(p, at)
	if p.state == peerOver && at == never {
		p.e.forget(p)
	}
}

// settle brings the timers up to date with what connections were used for. It
// comes before each look at them.
func (e *Endpoint) settle() {
	for i := 0; i < len(e.used); i++ {
		p := e.used[i]
		p.used = false
		if p.state != peerOver { // that was done at once
			p.reschedule()
		}
	}
	clear(e.used)
	e.used = e.used[:0]
}

// noteEnd takes p out of what is open.
func (e *Endpoint) noteEnd(p *peer) {
	if p.state == peerOpen {
		e.open--
	}
	if p.accepted {
		e.noteLeft(p)
	}
	p.state = peerOver
	e.hangUpDial(p)
	e.log("ended", p)
}

// log notes what has become of p, at the level of debugging: handlers hear it
// anyway.
func (e *Endpoint) log(what string, p *peer) {
	if e.cfg.Log != nil {
		e.cfg.Log.Debug("netmsg: connection "+what, "local", e.Addr(), "id", uint64(p.conn.id), "peer", p.conn.addr)
	}
}

// noteLeft tells the gate that a client's connection has ended.
func (e *Endpoint) noteLeft(p *peer) {
	if s := p.session.secure; s != nil {
		e.sealed.gate.closed(e.now(), s.ownCID)
		return
	}
	e.gate.Left(e.now(), p.conn.addr, p.session)
}

// noteTold lets the connection be heard that waited for p's Left.
func (e *Endpoint) noteTold(p *peer) {
	e.untold--
	if next := p.before; next != nil {
		p.before, next.after = nil, nil
		next.touched()
	}
}

// flush sends what is due of p at once, where frames would otherwise. The lock is
// held.
func (p *peer) flush() {
	if p.e.mode == reading || p.e.closed {
		return
	}
	p.e.transmit(p, p.e.now())
	p.e.outbox.send()
}

// now is the time of p's line. The lock is held.
func (p *peer) now() time.Duration { return p.e.now() }

// deadline is when p wants to transmit.
func (p *peer) deadline() time.Duration {
	switch {
	case p.e.closed:
		return never
	case p.dial != nil:
		return p.dial.deadline()
	}
	return p.core.Deadline()
}

// transmit sends what is due of p.
func (e *Endpoint) transmit(p *peer, now time.Duration) {
	if p.dial != nil {
		e.transmitDial(p, now)
		p.look()
		p.reschedule()
	} else {
		at := e.transmitOpen(p, now)
		p.look()
		p.schedule(at)
	}
	e.nudge()
}

// transmitOpen sends what is due of a connection that has a core, and gives its
// next deadline. Mostly it is one packet that is due, and the deadline then says
// so for less than a second try would. An endpoint that closes asks for all.
func (e *Endpoint) transmitOpen(p *peer, now time.Duration) time.Duration {
	for first := true; ; first = false {
		n, to := p.core.transmitTo(now, e.outbox.room())
		if n == 0 {
			return p.deadline()
		}
		if !to.IsValid() {
			to = p.conn.addr
		}
		e.outbox.add(n, to)
		if !first || e.closed {
			continue
		}
		if at := p.core.Deadline(); at > now {
			return at
		}
	}
}

// transmitDue sends what is due of all connections.
func (e *Endpoint) transmitDue(now time.Duration) {
	e.settle()
	read := e.mode != reading // a frame has read before
	for p := e.timers.due(now); p != nil; p = e.timers.due(now) {
		if !read && p.state == peerOpen && p.core.judges(now) {
			read = true
			e.readAhead(now) // what has come by now counts first
			e.settle()
			continue
		}
		e.transmit(p, now)
	}
}

// hurry ends p, with everything that it still sends due now.
func (p *peer) hurry(now time.Duration) {
	if p.dial != nil {
		p.dial.CloseWith(0, "")
		return
	}
	p.core.hurry(now)
}

// forget takes p, of which nothing remains to be sent, out of the tables. What
// it has to tell stays in its outlet's queue.
func (e *Endpoint) forget(p *peer) {
	e.timers.remove(p)
	if at, ok := slices.BinarySearchFunc(e.peers, p.conn.id, comparePeer); ok && e.peers[at] == p {
		e.peers = slices.Delete(e.peers, at, at+1)
	}
	e.unroute(p)
	if s := p.session.secure; s != nil {
		delete(e.sealed.byCID, s.ownCID)
	}
}

// route puts p with the connections of its address.
func (e *Endpoint) route(p *peer) {
	p.next = e.byAddr[p.conn.addr]
	e.byAddr[p.conn.addr] = p
}

// unroute takes p out of the connections of its address.
func (e *Endpoint) unroute(p *peer) {
	first := e.byAddr[p.conn.addr]
	if first == p {
		if p.next == nil {
			delete(e.byAddr, p.conn.addr)
		} else {
			e.byAddr[p.conn.addr] = p.next
		}
	}
	for q := first; q != nil; q = q.next {
		if q.next == p {
			q.next = p.next
		}
	}
	p.next = nil
}
