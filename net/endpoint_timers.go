package netmsg

import "time"

// timers is a heap of an endpoint's peers, the one with the earliest deadline first. A peer
// knows its place in it, so that a deadline that moves costs no search. The
// zero value is empty.
type timers struct{ heap []*peer }

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
	return t.heap[0]
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
	list = append(list, t.heap[i])
	list = t.appendDueFrom(list, 2*i+1, now)
	return t.appendDueFrom(list, 2*i+2, now)
}

// set gives p the deadline at. With never, p leaves the heap.
func (t *timers) set(p *peer, at time.Duration) {
	if at == never {
		t.remove(p)
		return
	}
	if p.place == 0 {
		t.heap = append(t.heap, p)
		p.place = len(t.heap)
	} else if p.due == at {
		return
	}
	p.due = at
	t.down(t.up(p.place - 1))
}

func (t *timers) remove(p *peer) {
	if p.place == 0 {
		return
	}
	at, last := p.place-1, len(t.heap)-1
	t.swap(at, last)
	t.heap[last] = nil
	t.heap = t.heap[:last]
	p.place = 0
	if at < last {
		t.down(t.up(at))
	}
}

// up moves the peer at i towards the top and returns where it stops.
func (t *timers) up(i int) int {
	for i > 0 && t.heap[i].due < t.heap[(i-1)/2].due {
		t.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	return i
}

// down moves the peer at i away from the top.
func (t *timers) down(i int) {
	for {
		first := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(t.heap) && t.heap[child].due < t.heap[first].due {
				first = child
			}
		}
		if first == i {
			return
		}
		t.swap(i, first)
		i = first
	}
}

func (t *timers) swap(i, j int) {
	t.heap[i], t.heap[j] = t.heap[j], t.heap[i]
	t.heap[i].place, t.heap[j].place = i+1, j+1
}
