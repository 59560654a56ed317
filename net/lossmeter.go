package netmsg

import "time"

// Constants of the measure of loss. PROTOCOL.md, Bulk.
const (
	lossWindow = 128 // packets in each of the two halves that loss is measured over
	lossNeeds  = 96  // packets before loss is spoken of
)

// A lossCount counts packets by their fate. A loss taken back may make one
// negative for a while.
type lossCount struct{ acked, lost int }

func (c *lossCount) add(d lossCount) { c.acked += d.acked; c.lost += d.lost }

func (c lossCount) packets() int { return c.acked + c.lost }

// share is the part that was lost, 0 to 1; 0 of none.
func (c lossCount) share() float64 {
	if c.packets() <= 0 || c.lost <= 0 {
		return 0
	}
	return min(1, float64(c.lost)/float64(c.packets()))
}

// A lossMeter measures loss, over the newest 128 to 256 packets of known fate.
// It counts by the round trip in which packets were sent, and a round's only
// when the fate of all is known: acknowledgements come before losses are found
// out, so whoever counts as they come sees too little loss while he speeds up,
// and too much while he slows down. Its zero value is ready.
type lossMeter struct {
	rounds [8]lossRound // the first n, oldest first; the last is being sent
	n      int

	older, newer lossCount
	since        time.Duration // what was sent before does not count
}

// A lossRound is what was sent in a round trip.
type lossRound struct {
	from time.Duration
	sent int
	seen lossCount
}

// begin starts a round. Should too many be open, the oldest counts as far as it
// is known.
func (m *lossMeter) begin(now time.Duration) {
	if m.n > 0 && m.rounds[m.n-1].sent == 0 {
		m.n--
	}
	if m.n == len(m.rounds) {
		m.settle(m.take())
	}
	m.rounds[m.n] = lossRound{from: now}
	m.n++
}

// forget leaves out of account all that was sent before now.
func (m *lossMeter) forget(now time.Duration) {
	*m = lossMeter{since: now}
	m.begin(now)
}

// sent counts a packet sent now.
func (m *lossMeter) sent() {
	if m.n > 0 {
		m.rounds[m.n-1].sent++
	}
}

// count counts the fate of a packet sent at sent.
func (m *lossMeter) count(sent time.Duration, c lossCount) {
	for i := m.n - 1; i >= 0; i-- {
		if m.rounds[i].from <= sent {
			m.rounds[i].seen.add(c)
			return
		}
	}
	if sent >= m.since {
		m.newer.add(c) // its round is settled
	}
}

// next takes the oldest round if the fate of all its packets is known.
func (m *lossMeter) next() (r lossRound, ok bool) {
	if m.n < 2 || m.rounds[0].seen.packets() < m.rounds[0].sent {
		return lossRound{}, false
	}
	r = m.take()
	m.settle(r)
	return r, true
}

func (m *lossMeter) take() lossRound {
	r := m.rounds[0]
	copy(m.rounds[:], m.rounds[1:m.n])
	m.n--
	return r
}

func (m *lossMeter) settle(r lossRound) {
	m.newer.add(r.seen)
	if m.newer.packets() >= lossWindow {
		m.older, m.newer = m.newer, lossCount{}
	}
}

func (m *lossMeter) sum() lossCount {
	sum := m.older
	sum.add(m.newer)
	return sum
}
