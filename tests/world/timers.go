package world

import (
	"container/heap"
	"time"
)

// timers are what is to be done later, the first first; of those due at the
// same time the one that was added first.
type timers struct {
	heap  timerHeap
	added uint64
}

type timer struct {
	due   time.Duration
	order uint64
	do    func()
}

func (t *timers) add(due time.Duration, do func()) {
	t.added++
	heap.Push(&t.heap, timer{due, t.added, do})
}

func (t *timers) due() time.Duration {
	if len(t.heap) == 0 {
		return never
	}
	return t.heap[0].due
}

func (t *timers) fire() { heap.Pop(&t.heap).(timer).do() }

type timerHeap []timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].due < h[j].due || h[i].due == h[j].due && h[i].order < h[j].order
}
func (h timerHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *timerHeap) Push(x any)   { *h = append(*h, x.(timer)) }
func (h *timerHeap) Pop() any {
	last := len(*h) - 1
	t := (*h)[last]
	(*h)[last] = timer{}
	*h = (*h)[:last]
	return t
}
