package netmsg

import "time"

// Constants of the path MTU search, sizes in bytes of UDP payload. PROTOCOL.md,
// Path MTU.
const (
	mtuFloor = 1200 // what every path has to carry
	mtuFirst = 1452 // right for Ethernet over IPv4 and IPv6: decides most paths at once

	mtuStart     = time.Second // after the connection opens
	mtuAgain     = 600 * time.Second
	mtuProbeGap  = 200 * time.Millisecond // and at least 5 srtt
	mtuTries     = 3                      // lost probes that make a size fail
	mtuHole      = 10                     // large packets lost in a row that show a black hole
	mtuHoleLossy = 24                     // the same while over mtuMuchLoss is lost in any case
	mtuMuchLoss  = 0.25
	mtuHoleSmall = 3 // small packets acknowledged meanwhile
)

// mtuCandidates are the sizes that real paths carry, ascending.
var mtuCandidates = [...]int{1232, 1252, 1332, 1372, 1392, 1412, 1432, 1444, mtuFirst, 1464, 1472}

// mtuHoleWaits is how long after the first, second and any further black hole
// the search begins again.
var mtuHoleWaits = [...]time.Duration{5 * time.Second, 60 * time.Second, 600 * time.Second}

// An mtuSearch finds the largest packet that a path carries, with probes that
// may be lost, and falls back when the path comes to swallow large packets.
//
// The connection core sends no packet over size but the probes asked for. It
// tells of those by the methods named for probes, of every other ack-eliciting
// packet by onSent, onAcked and onLost, and of probe timeouts by onPTO.
type mtuSearch struct {
	size     int // what the path carries, as far as is known
	base     int // what it has to carry in any case
	ceiling  int // what both sides would take
	mayProbe bool
	relayed  bool // the path is not plain UDP: its size is not asked for
	began    bool
	out      bool // a probe is in flight
	trial    bool // a large packet has gone since the last one that arrived

	since  time.Duration // what was sent before says nothing about this search
	begin  time.Duration // no probe before
	next   time.Duration // no probe before, by the pace
	failed int           // the smallest size that did not pass; over the ceiling: none
	lost   int32         // probes of the present candidate

	holes      int32         // so far
	largeLost  int32         // in a row
	smallAcked int32         // of those sent since trialFrom
	trialFrom  time.Duration // when the trial's packet went
}

// newMTUSearch starts at now. base is the size to begin with and to fall back
// to: 1,200, or less where the socket takes less. ceiling is the smaller of the
// peer's max_datagram and this side's own limit. Without mayProbe, on a socket
// that lets IP fragment, the size stays as it is.
func newMTUSearch(now time.Duration, base, ceiling int, mayProbe bool) mtuSearch {
	return mtuSearch{
		size:     base,
		base:     base,
		ceiling:  ceiling,
		mayProbe: mayProbe && base >= mtuFloor,
		since:    now,
		begin:    now + mtuStart,
		failed:   ceiling + 1,
	}
}

// restart forgets the path: the connection has moved to another.
func (m *mtuSearch) restart(now time.Duration) {
	*m = newMTUSearch(now, m.base, m.ceiling, m.mayProbe)
}

// probe is the size of the probe to send now; 0 if none is due.
func (m *mtuSearch) probe(now time.Duration) int {
	if now < m.probeTime() {
		return 0
	}
	return m.candidate()
}

// probeTime is when a probe is due if nothing is heard before; never if
// none will be.
func (m *mtuSearch) probeTime() time.Duration {
	if !m.mayProbe || m.relayed || m.out || m.candidate() == 0 {
		return never
	}
	return max(m.begin, m.next)
}

// bulkWaits says that there is bulk to send: the first search need not wait.
func (m *mtuSearch) bulkWaits(now time.Duration) {
	if !m.began {
		m.begin = min(m.begin, now)
	}
}

// onProbeSent: the probe asked for went.
func (m *mtuSearch) onProbeSent(now, srtt time.Duration) {
	m.began, m.out = true, true
	m.next = now + max(5*srtt, mtuProbeGap)
}

// onProbeAcked: a probe of size, sent at sent, arrived; perhaps it had been
// called lost.
func (m *mtuSearch) onProbeAcked(now, sent time.Duration, size int) {
	if sent < m.since {
		return
	}
	m.out = false
	if size > m.size {
		m.size, m.lost = size, 0
		if m.failed <= size {
			m.failed = m.ceiling + 1
		}
		m.maybeEnd(now)
	}
}

// onProbeLost: a probe sent at sent is called lost.
func (m *mtuSearch) onProbeLost(now, sent time.Duration) {
	if sent < m.since || !m.out {
		return
	}
	m.out = false
	m.lost++
	if m.lost == mtuTries {
		m.fail(now, m.candidate())
	}
}

// onTooLong: the system refuses to send a packet of size.
func (m *mtuSearch) onTooLong(now time.Duration, size int) {
	if size > m.size {
		m.out = false
		m.fail(now, size)
	} else if size > m.base {
		m.blackHole(now)
	}
}

// onSent counts a packet of size that was sent.
func (m *mtuSearch) onSent(now time.Duration, size int) {
	if size > m.base && !m.trial {
		m.trial, m.trialFrom, m.smallAcked = true, now, 0
	}
}

// onAcked counts a packet of size, sent at sent, that arrived.
func (m *mtuSearch) onAcked(sent time.Duration, size int) {
	if size > m.base {
		m.trial, m.largeLost = false, 0
	} else if m.trial && sent >= m.trialFrom {
		m.smallAcked++
	}
}

// onLost counts a packet of size, sent at sent, that is called lost. share is
// the loss measured on the path, 0 to 1.
func (m *mtuSearch) onLost(now, sent time.Duration, size int, share float64) {
	if size <= m.base || sent < m.since {
		return
	}
	m.largeLost++
	hole := int32(mtuHole)
	if share >= mtuMuchLoss {
		hole = mtuHoleLossy
	}
	if m.largeLost >= hole && m.smallAcked >= mtuHoleSmall {
		m.blackHole(now)
	}
}

// onPTO counts the inARow'th probe timeout since anything was acknowledged.
func (m *mtuSearch) onPTO(now time.Duration, inARow int) {
	if inARow == 3 && m.size > m.base {
		m.blackHole(now)
	}
}

// candidate is the size to try next; 0 if there is none. First comes the one
// that decides most paths, then those above it one by one, or the middle of
// those below.
func (m *mtuSearch) candidate() int {
	var left [len(mtuCandidates) + 1]int
	n := 0
	for _, c := range mtuCandidates {
		if m.size < c && c < m.failed && c < m.ceiling {
			left[n] = c
			n++
		}
	}
	if m.size < m.ceiling && m.ceiling < m.failed {
		left[n] = m.ceiling
		n++
	}
	first := min(mtuFirst, m.ceiling)
	switch {
	case n == 0:
		return 0
	case m.size >= first:
		return left[0]
	case first < m.failed:
		return first
	}
	return left[n/2]
}

// fail rules a size out, and all above it.
func (m *mtuSearch) fail(now time.Duration, size int) {
	m.failed, m.lost = size, 0
	m.maybeEnd(now)
}

// maybeEnd ends a search that has nothing left to try, until the next one.
func (m *mtuSearch) maybeEnd(now time.Duration) {
	if m.candidate() == 0 {
		m.begin = now + mtuAgain
		m.failed = m.ceiling + 1
	}
}

// blackHole gives up the size found: large packets vanish.
func (m *mtuSearch) blackHole(now time.Duration) {
	m.size, m.failed = m.base, m.ceiling+1
	m.since = now
	m.began, m.out, m.lost = true, false, 0
	m.trial, m.largeLost = false, 0
	m.begin = now + mtuHoleWaits[min(int(m.holes), len(mtuHoleWaits)-1)]
	m.holes++
}
