package netmsg

import "time"

// plainOutbox holds the reliable messages of a side that sends: from the
// oldest that is not acknowledged to the newest, at most plainWindow of them.
//
// A message is due again when its resend delay is over. While nothing at all
// is acknowledged, resends go in rounds: all that are due when a round begins
// go in it, in as many packets as they need, and the pauses between rounds
// double up to plainMaxPause. So a peer that has fallen silent is not flooded,
// however many messages wait for it.
type plainOutbox struct {
	messages ring[plainMessage]
	oldest   uint16 // id of the first of messages
	unsent   int    // so many at the end were never in a packet

	rounds int           // since anything was acknowledged
	round  time.Duration // the newest of them began then
	pause  time.Duration // and the next begins so long after it

	due      time.Duration // earliest time at which one is due again, if dueKnown
	dueKnown bool
}

type plainMessage struct {
	data  []byte
	at    time.Duration // last in a packet
	acked bool
}

func (o *plainOutbox) len() int   { return o.messages.len() }
func (o *plainOutbox) full() bool { return o.messages.len() == plainWindow }

// add queues a message. data is the outbox's from now on.
func (o *plainOutbox) add(data []byte) {
	o.messages.push().data = data
	o.unsent++
}

// first gives the place from which messages may be due at now: sent ones are
// looked at only if one of them is.
func (o *plainOutbox) first(now, delay time.Duration) int {
	if o.resendAt(delay) <= now {
		return 0
	}
	return o.messages.len() - o.unsent
}

// isDue says whether the message at place i should be in a packet that goes
// now: it never was in one, or is due again.
func (o *plainOutbox) isDue(i int, now, delay time.Duration) bool {
	m := o.messages.at(i)
	return !m.acked && (o.isUnsent(i) || o.dueAt(m, delay) <= now)
}

func (o *plainOutbox) isUnsent(i int) bool { return i >= o.messages.len()-o.unsent }

// dueAt is when m, which was sent, is due again.
func (o *plainOutbox) dueAt(m *plainMessage, delay time.Duration) time.Duration {
	at := m.at + delay
	if o.rounds == 0 || m.at < o.round && at <= o.round {
		return at
	}
	return max(at, o.round+o.pause)
}

// sent notes that the message at place i is in the packet that goes now. They
// come in order, so an unsent one is the first of those.
func (o *plainOutbox) sent(i int, now, delay time.Duration) {
	o.dueKnown = false
	o.messages.at(i).at = now
	if o.isUnsent(i) {
		o.unsent--
		return
	}
	if o.rounds > 0 && now < o.round+o.pause {
		return // of the round that goes on
	}
	if o.rounds == 0 {
		o.pause = delay
	}
	o.rounds++
	o.round = now
	o.pause = max(delay, min(2*o.pause, plainMaxPause))
}

// progress notes that the peer has acknowledged something.
func (o *plainOutbox) progress() {
	o.rounds = 0
	o.dueKnown = false
}

// acked notes that a packet with the message id has arrived. Those that need
// no longer be kept go back to the pool.
func (o *plainOutbox) acked(id uint16, pool *buffers) {
	at := int(id - o.oldest)
	if at >= o.messages.len() {
		return // acknowledged before, by another packet
	}
	m := o.messages.at(at)
	if !m.acked {
		m.acked = true
		pool.put(m.data)
		m.data = nil
	}
	for o.messages.len() > 0 && o.messages.at(0).acked {
		o.messages.pop()
		o.oldest++
	}
}

// resendAt is the earliest time at which a message is due again, never if none
// waits for its acknowledgement.
func (o *plainOutbox) resendAt(delay time.Duration) time.Duration {
	if o.dueKnown {
		return o.due
	}
	o.due, o.dueKnown = never, true
	for i := range o.messages.len() - o.unsent {
		if m := o.messages.at(i); !m.acked {
			o.due = min(o.due, o.dueAt(m, delay))
		}
	}
	return o.due
}
