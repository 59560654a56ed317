package netmsg

import "time"

// Limits of unreliable messages.
const (
	unreliableLife  = 500 * time.Millisecond // a message that waited so long unsent is dropped
	unreliableBytes = 65536                  // that wait unsent: beyond it the oldest is dropped
	unreliableHeld  = 65536                  // bytes that wait to be pulled: beyond it new ones are dropped
	unreliableCount = 1024                   // messages, in both cases
)

// An unreliableQueue holds the unreliable messages that wait to be sent. Its
// zero value is empty.
type unreliableQueue struct {
	messages ring[unreliableMessage]
	bytes    int
}

type unreliableMessage struct {
	data []byte
	at   time.Duration // queued
}

// queue adds a message; data is the queue's from now on.
func (q *unreliableQueue) queue(now time.Duration, data []byte, pool *buffers) {
	m := q.messages.push()
	m.data, m.at = data, now
	q.bytes += len(data)
	for q.bytes > unreliableBytes || q.messages.len() > unreliableCount {
		q.drop(pool)
	}
}

// drop lets the oldest message go.
func (q *unreliableQueue) drop(pool *buffers) {
	m := q.messages.pop()
	q.bytes -= len(m.data)
	pool.put(m.data)
}

// expire drops the messages that have waited too long.
func (q *unreliableQueue) expire(now time.Duration, pool *buffers) {
	for q.messages.len() > 0 && now-q.messages.at(0).at >= unreliableLife {
		q.drop(pool)
	}
}

// first gives the oldest message; there must be one.
func (q *unreliableQueue) first() []byte { return q.messages.at(0).data }
