package netmsg

import "time"

// timers is a heap of an endpoint's peers, the one with the earliest deadline first. A peer
// knows its place in it, so that a deadline that moves costs no search. The
// zero value is empty.
//
// With thousands of connections each look at another peer is a miss of the
// processor's cache. So the deadlines stand in the heap itself, each entry has
// four below it, which are neighbours, and a peer is touched only when its
// entry moves.
type timers struct{ heap []timer }

// A timer is when a peer has something to do.
type timer struct {
	due  time.Duration
	peer *peer
}

// timersBelow is how many entries an entry of the heap has below it.
const timersBelow = 4

// next gives the earliest deadline, never when there is none.
func (t *timers) next() time.Duration {
	if len(t.heap) == 0 {
		return never
	}
	return t.heap[0].due
}

// due gives the peer with the earliest deadline if that has come, or nil.
func (t *timers) due(now time.Duration) *peer {
	if t.next() > now {
		return nil
	}
	return t.heap[0].peer
}

// appendDue adds all peers whose deadline has come to list, in no order. Their
// parents in the heap are due as well, so it looks at few others.
func (t *timers) appendDue(list []*peer, now time.Duration) []*peer {
	return t.appendDueFrom(list, 0, now)
}

func (t *timers) appendDueFrom(list []*peer, i int, now time.Duration) []*peer {
	if i >= len(t.heap) || t.heap[i].due > now {
		return list
	}
	list = append(list, t.heap[i].peer)
	for k := range timersBelow {
		list = t.appendDueFrom(list, timersBelow*i+1+k, now)
	}
	return list
}

// set gives p the deadline at. With never, p leaves the heap.
func (t *timers) set(p *peer, at time.Duration) {
	if at == never {
		t.remove(p)
		return
	}
	if p.place == 0 {
		t.heap = append(t.heap, timer{})
		p.place = len(t.heap)
	} else if t.heap[p.place-1].due == at {
		return
	}
	t.settle(p.place-1, timer{due: at, peer: p})
}

func (t *timers) remove(p *peer) {
	if p.place == 0 {
		return
	}
	at, last := p.place-1, len(t.heap)-1
	moved := t.heap[last]
	t.heap[last] = timer{}
	t.heap = t.heap[:last]
	p.place = 0
	if at < last {
		t.settle(at, moved)
	}
}

// settle puts an entry where it belongs, looking from i, whose own entry is
// given up.
func (t *timers) settle(i int, x timer) {
	for i > 0 {
		above := (i - 1) / timersBelow
		if t.heap[above].due <= x.due {
			break
		}
		t.put(i, t.heap[above])
		i = above
	}
	for {
		first := t.firstBelow(i)
		if first < 0 || t.heap[first].due >= x.due {
			break
		}
		t.put(i, t.heap[first])
		i = first
	}
	t.put(i, x)
}

// firstBelow gives the earliest of the entries below that at i, -1 if there is
// none.
func (t *timers) firstBelow(i int) int {
	first := timersBelow*i + 1
	if first >= len(t.heap) {
		return -1
	}
	for k := first + 1; k < min(first+timersBelow, len(t.heap)); k++ {
		if t.heap[k].due < t.heap[first].due {
			first = k
		}
	}
	return first
}

func (t *timers) put(i int, x timer) {
	t.heap[i] = x
	x.peer.place = i + 1
}
