package netmsg

import "time"

// A crashed program that is started again may have the address and port that it
// had. One program has all the connections of an address at a time, so those
// that began later than one that answers live, and of those that began earlier
// nothing is known. Many dials from one socket are usual, and cost a question
// each.

// questionOther doubts the newest other connection of the address that p has
// come from.
func (e *Endpoint) questionOther(now time.Duration, p *peer) {
	q := olderOpen(p)
	if q == nil {
		return
	}
	ask := askAlone
	if olderOpen(q) != nil {
		ask = askFirst
	}
	e.question(now, q, ask)
}

// olderOpen gives the next older open connection of an address; nil: there is
// none.
func olderOpen(p *peer) *peer {
	q := p.next
	for q != nil && q.state != peerOpen {
		q = q.next
	}
	return q
}

func (e *Endpoint) question(now time.Duration, q *peer, ask doubtAsk) {
	q.core.question(now, ask)
	e.timers.set(q, q.deadline())
}

// hearDoubt takes note of what p's doubt says of the others of its address.
func (e *Endpoint) hearDoubt(p *peer, news doubtNews) {
	if news == 0 {
		return
	}
	now := e.now()
	for q := e.byAddr[p.conn.addr]; q != nil; q = q.next {
		switch {
		case q == p || q.state != peerOpen:
		case news == doubtAsksAll:
			e.question(now, q, askWithAll)
		case q.conn.id > p.conn.id:
			q.core.vouched()
		}
	}
}
