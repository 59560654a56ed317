package session

import "github.com/partyline-go/partyline/demo/ebiten/arena"

// A history keeps this side's newest inputs, by number.
type history [64]arena.Input

func (h *history) at(seq uint16) arena.Input      { return h[seq%uint16(len(h))] }
func (h *history) set(seq uint16, in arena.Input) { h[seq%uint16(len(h))] = in }

// An inputQueue is one guest's inputs at the host, which uses one each tick.
// The guest's frames and the host's do not run in step and datagrams come
// unevenly, so a few inputs wait; how many, finds itself: whenever the queue is
// empty the last input counts again, which leaves one more waiting from then on,
// and when there have been some too many for a while, one is left out.
type inputQueue struct {
	started bool
	newest  uint16 // the newest that came
	next    uint16 // the next to be used
	used    uint16 // the last that was used: what the guest need not play again
	last    arena.Input
	ring    [32]queued
	spare   int // the fewest that waited, lately
	turns   int // since spare was last judged
}

type queued struct {
	seq uint16
	in  arena.Input
	set bool
}

const (
	mostWaiting = 12     // more are old: skip them (a fifth of a second)
	keepWaiting = 1      // after skipping
	judgeEvery  = 2 * 60 // ticks
)

// put takes an input in, unless it is one whose turn is over.
func (q *inputQueue) put(seq uint16, in arena.Input) {
	if !q.started {
		q.started, q.newest, q.next, q.used = true, seq, seq, seq-1
		q.spare = mostWaiting
	}
	if int16(seq-q.next) < 0 {
		return
	}
	if int16(seq-q.newest) > 0 {
		q.newest = seq
	}
	q.ring[seq%uint16(len(q.ring))] = queued{seq, in, true}
}

// take gives the input of this tick.
func (q *inputQueue) take() arena.Input {
	waiting := int(int16(q.newest-q.next)) + 1
	if !q.started || waiting <= 0 {
		q.spare = 0
		return q.last
	}
	if waiting > mostWaiting {
		q.next = q.newest - keepWaiting
	}
	q.settle(waiting - 1)
	if e := q.ring[q.next%uint16(len(q.ring))]; e.set && e.seq == q.next {
		q.last = e.in
	}
	q.used = q.next
	q.next++
	return q.last
}

// settle leaves one input out when more than one waited all the time.
func (q *inputQueue) settle(waiting int) {
	q.spare = min(q.spare, waiting)
	if q.turns++; q.turns < judgeEvery {
		return
	}
	if q.spare > 1 {
		q.next++
	}
	q.turns, q.spare = 0, mostWaiting
}
