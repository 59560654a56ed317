package netmsg

// Sending reliable messages. PROTOCOL.md, Reliable channels.
const (
	maxRepeated    = 256 // bytes of a message that is repeated before it is known to be lost
	maxRepeats     = 12  // times that it is
	maxRepeatBytes = 512 // of repeats in one packet
	repeatLossy    = 0.10

	maxQueuedMessages = 4096 // not acknowledged, of a connection
)

// How many packets after the last that carried it a message rides again: the
// first time, the second and so on; the last holds for the rest. Most that are
// lost need but one repeat, which comes soon; the acknowledgement is on its way by
// the second. While more than repeatLossy are lost, the first have to be quick for
// the third and fourth not to be late; from then on most are repeated in vain, for
// the acknowledgement is on its way.
var (
	repeatGaps      = [...]uint64{2, 5, 4}
	repeatGapsLossy = [...]uint64{1, 1, 3, 3, 4}
)

// A sendChannel is the sending side of one reliable channel: its messages from
// the lowest that the peer may not have delivered to the newest queued. Each is
// sent whole or in fragments, and kept until every byte of it is acknowledged.
type sendChannel struct {
	messages ring[outMessage] // from floor on
	floor    uint64           // of the newest CREDIT: the first of messages
	next     uint64           // the lowest that no packet has carried any of
	window   int              // bytes that the peer holds
	used     int              // bytes of the messages from floor, below next
	credited uint64           // one more than the packet of the newest CREDIT

	due   messageBits // messages below next with bytes to send: never sent, or lost
	small messageBits // messages below next that may be repeated

	priority int     // lower goes first
	weight   int     // share among those of one priority
	spent    float64 // bytes sent per weight
}

// An outMessage is a reliable message on its way.
type outMessage struct {
	data  []byte // nil once acknowledged
	size  uint32
	done  bool
	times uint8     // repeated
	last  uint64    // the newest packet that carried it whole
	split *splitOut // sent in fragments; nil: whole, or not yet sent
}

// A splitOut says which bytes of a message sent in fragments need what.
type splitOut struct {
	sent  uint32 // bytes that have been in a packet: those below
	lost  spans  // of them, to be sent again
	acked spans  // of them, known to have arrived
}

func newSendChannel(window int) *sendChannel {
	return &sendChannel{window: window, weight: 1}
}

// at gives a message, which must be in the ring.
func (c *sendChannel) at(number uint64) *outMessage {
	return c.messages.at(int(number - c.floor))
}

// find gives the message whose number ends in low, nil if it is no longer kept
// or was acknowledged.
func (c *sendChannel) find(low uint32) (number uint64, m *outMessage) {
	i := low - uint32(c.floor)
	if uint64(i) >= c.next-c.floor {
		return 0, nil
	}
	m = c.messages.at(int(i))
	if m.done {
		return 0, nil
	}
	return c.floor + uint64(i), m
}

// queue adds a message; data is the channel's from now on.
func (c *sendChannel) queue(data []byte) {
	m := c.messages.push()
	m.data, m.size = data, uint32(len(data))
}

// ready gives the oldest message that has bytes to send, and that the peer has
// room for; false if there is none.
func (c *sendChannel) ready() (number uint64, ok bool) {
	if number, ok = c.due.first(c.floor, c.next); ok {
		return number, true
	}
	return c.next, c.mayStart()
}

// mayStart says whether the peer has room for the next message.
func (c *sendChannel) mayStart() bool {
	i := c.next - c.floor
	return i < uint64(c.messages.len()) && i < messageWindow &&
		c.used+int(c.messages.at(int(i)).size) <= c.window
}

// start notes that a packet carries the first of a message.
func (c *sendChannel) start(number uint64) {
	if number == c.next {
		c.next++
		c.used += int(c.at(number).size)
	}
}

// sentWhole notes that packet carries the whole message.
func (c *sendChannel) sentWhole(number, packet uint64) {
	c.start(number)
	m := c.at(number)
	m.last = packet
	c.due.clear(number)
	if m.size <= maxRepeated && m.times < maxRepeats {
		c.small.set(number)
	}
}

// part gives the next bytes of a message in fragments that have to go.
func (s *splitOut) part(size uint32) span {
	if len(s.lost) > 0 {
		return s.lost[0]
	}
	return span{s.sent, size}
}

// sentPart notes that a packet carries these bytes of the message, which have
// been given by part, or the first of them.
func (c *sendChannel) sentPart(number uint64, p span) {
	c.start(number)
	m := c.at(number)
	m.split.lost.remove(p)
	m.split.sent = max(m.split.sent, p.to)
	if len(m.split.lost) == 0 && m.split.sent == m.size {
		c.due.clear(number)
	} else {
		c.due.set(number)
	}
}

// lost notes that a packet is lost that carried these bytes of a message. It is
// true when a fragment is due again.
func (c *sendChannel) lost(low uint32, p span, packet uint64) (fragment bool) {
	number, m := c.find(low)
	switch {
	case m == nil:
	case m.split == nil:
		if m.last == packet { // no later one has carried it
			c.due.set(number)
			c.small.clear(number)
		}
	default:
		for gap, ok := m.split.acked.missing(p); ok; gap, ok = m.split.acked.missing(p) {
			m.split.lost.add(gap)
			c.due.set(number)
			p.from = gap.to
			fragment = true
		}
	}
	return fragment
}

// acked notes that these bytes of a message have arrived. It is true when all
// of the message has: then the caller finishes it.
func (c *sendChannel) acked(low uint32, p span) (number uint64, all bool) {
	number, m := c.find(low)
	switch {
	case m == nil:
		return 0, false
	case m.split == nil:
		return number, true
	}
	m.split.acked.add(p)
	m.split.lost.remove(p)
	if m.split.acked.is(m.size) {
		return number, true
	}
	if len(m.split.lost) == 0 && m.split.sent == m.size {
		c.due.clear(number)
	}
	return number, false
}

// forget marks a message as done and gives what it held.
func (c *sendChannel) forget(number uint64) (data []byte, split *splitOut) {
	m := c.at(number)
	data, split = m.data, m.split
	m.data, m.split, m.done = nil, nil, true
	c.due.clear(number)
	c.small.clear(number)
	return data, split
}

// credit takes the floor and window that packet's CREDIT says. Messages below
// the new floor are delivered: the caller finishes those, then calls drop. False:
// the floor is beyond what was sent.
func (c *sendChannel) credit(packet uint64, floor uint16, window int) (to uint64, ok bool) {
	to = c.floor + uint64(floor-uint16(c.floor))
	if packet < c.credited {
		return c.floor, true
	}
	if to > c.next {
		return 0, false
	}
	c.credited = packet + 1
	c.window = max(c.window, window)
	return to, true
}

// drop takes the oldest message, which is done, out of the ring.
func (c *sendChannel) drop() {
	c.used -= int(c.messages.pop().size)
	c.floor++
}

// repeatable gives the oldest message at or after from that packet may repeat,
// so long after the last one that carried it as gaps say.
func (c *sendChannel) repeatable(from, packet uint64, gaps []uint64) (number uint64, ok bool) {
	for number, ok = c.small.first(from, c.next); ok; number, ok = c.small.first(number+1, c.next) {
		m := c.at(number)
		if m.last+gaps[min(int(m.times), len(gaps)-1)] <= packet {
			return number, true
		}
	}
	return 0, false
}

// repeated notes that packet carries a message once more.
func (c *sendChannel) repeated(number, packet uint64) {
	m := c.at(number)
	m.last = packet
	m.times++
	if m.times == maxRepeats {
		c.small.clear(number)
	}
}

// unacked gives the first bytes at or after (number, from) that were sent and
// are neither acknowledged nor due; false if there are none.
func (c *sendChannel) unacked(number uint64, from uint32) (n uint64, p span, ok bool) {
	for n = max(number, c.floor); n < c.next; n, from = n+1, 0 {
		m := c.at(n)
		switch {
		case m.done:
		case m.split == nil:
			if from == 0 {
				return n, span{0, m.size}, true
			}
		default:
			if p, ok = m.split.acked.missing(span{from, m.split.sent}); ok {
				return n, p, true
			}
		}
	}
	return 0, span{}, false
}
