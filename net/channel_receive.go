package netmsg

import "time"

// Receiving reliable messages. PROTOCOL.md, Reliable channels.
const (
	oldNumber     = 1 << 15 // an id so far ahead of the floor is behind it
	creditAfter   = 256     // messages delivered, and CREDIT is sent
	creditPart    = 4       // or bytes, of the window this part
	creditAgain   = 2       // packets that go anyway repeat it: a lost one may hold up the peer
	noteEvery     = 8192    // messages between two notes of the packet number
	maxAutoWindow = 4 << 20 // bytes to which a window may be raised
	fillingTrips  = 4       // round trips in which a window delivered raises it
	fillingPart   = 3       // so does holding all of it but this part
)

// takeResult says what became of a RELIABLE frame.
type takeResult uint8

const (
	takeOK     takeResult = iota + 1 // kept, or had before
	takeBroken                       // it contradicts an earlier one: Close(2)
	takeOver                         // it is over a limit: Close(3)
)

// A receiveChannel is the receiving side of one reliable channel. It keeps
// every message from the floor, the lowest that the application has not
// pulled, to the newest that any of has come: what is incomplete or waits for
// its turn here, what is ready in the inbox. The floor moves only as messages
// are pulled, and with it the peer's credit.
type receiveChannel struct {
	slots []inSlot // a power of two of them; message n is at n modulo that
	floor uint64
	next  uint64 // ordered: the next to hand over
	end   uint64 // one more than the highest heard of

	handed ring[uint64] // unordered: those in the inbox, in its order
	taken  uint64       // of them, or of the ordered ones, pulled so far

	maxMessage int
	window     int // bytes that this side holds
	held       int // bytes of the messages from floor up that it knows of
	came       int // of those, that are here

	credited   uint64 // the floor that the last CREDIT told
	pulled     int    // bytes since then
	creditDue  bool
	creditMore uint8 // packets that carry it again

	notes [2]uint64 // packet numbers at the last two multiples of noteEvery: see old

	filling   windowFilling
	unordered bool
}

// A windowFilling watches whether the peer fills a window again and again: then
// it is the window that holds the peer back.
type windowFilling struct {
	since time.Duration
	bytes int // delivered since then
	most  int // held at once since then
}

// An inSlot is a message that comes in.
type inSlot struct {
	state slotState
	total uint32
	data  []byte      // whole and waiting for its turn
	parts *reassembly // incomplete
}

type slotState uint8

const (
	slotEmpty   slotState = iota // nothing of it has come
	slotPartial                  // some of it
	slotWhole                    // all of it, and it waits for those before
	slotHanded                   // it is in the inbox
	slotPulled                   // unordered: pulled, and those before are not yet
)

func newReceiveChannel(unordered bool, maxMessage, window int) *receiveChannel {
	return &receiveChannel{unordered: unordered, maxMessage: maxMessage, window: window}
}

func (c *receiveChannel) slot(number uint64) *inSlot {
	return &c.slots[number&uint64(len(c.slots)-1)]
}

// resolve gives the number that an id stands for. known is false for one that
// has been delivered long since, ok for one too far ahead.
func (c *receiveChannel) resolve(id uint16) (number uint64, known, ok bool) {
	ahead := id - uint16(c.floor)
	return c.floor + uint64(ahead), ahead < messageWindow, ahead < messageWindow || ahead >= oldNumber
}

// old says that a packet was sent so long before the newest that the ids in it
// cannot be told from later ones.
func (c *receiveChannel) old(packet uint64) bool { return packet < c.notes[0] }

// refuses says that a fragment has to be forgotten with its packet, which
// brings n fragments, because the message would be in too many ranges.
func (c *receiveChannel) refuses(f *frame, n int) bool {
	number, known, _ := c.resolve(f.id)
	if !known || number >= c.end {
		return false
	}
	s := c.slot(number)
	return s.state == slotPartial && s.parts.refuses(span{f.offset, f.offset + uint32(len(f.data))}, n)
}

// take keeps what a RELIABLE frame brings.
func (c *receiveChannel) take(f *frame, s *messageStore) takeResult {
	number, known, ok := c.resolve(f.id)
	if !ok {
		return takeOver
	}
	if !known {
		return takeOK
	}
	c.reach(number)
	slot := c.slot(number)
	if slot.state == slotEmpty {
		if int(f.total) > c.maxMessage || c.held+int(f.total) > c.window {
			return takeOver
		}
		slot.state, slot.total = slotPartial, f.total
		c.held += int(f.total)
		c.filling.most = max(c.filling.most, c.held)
	}
	switch {
	case slot.total != f.total:
		return takeBroken
	case slot.state != slotPartial:
		return takeOK
	case !f.fragment:
		c.came += int(f.total)
		if slot.parts != nil {
			c.came -= slot.parts.got
		}
		s.dropParts(slot.parts)
		slot.parts, slot.data, slot.state = nil, s.pool.copyOf(f.data), slotWhole
	default:
		c.takeFragment(slot, f, s)
	}
	return takeOK
}

func (c *receiveChannel) takeFragment(slot *inSlot, f *frame, s *messageStore) {
	if slot.parts == nil {
		slot.parts = s.newParts()
	}
	before := slot.parts.got
	whole := slot.parts.add(f.offset, f.data, int(f.total), s.pool)
	c.came += slot.parts.got - before
	if whole {
		slot.data, slot.parts.data, slot.state = slot.parts.data, nil, slotWhole
		s.dropParts(slot.parts)
		slot.parts = nil
	}
}

// reach makes room for slots up to number, which is within the window.
func (c *receiveChannel) reach(number uint64) {
	c.end = max(c.end, number+1)
	if int(c.end-c.floor) <= len(c.slots) {
		return
	}
	n := max(8, len(c.slots))
	for n < int(c.end-c.floor) {
		n *= 2
	}
	slots := make([]inSlot, n)
	if len(c.slots) > 0 {
		for i := c.floor; i < c.floor+uint64(len(c.slots)); i++ {
			slots[i&uint64(n-1)] = *c.slot(i)
		}
	}
	c.slots = slots
}

// ready gives the next message to hand over; false if there is none. number is
// where to begin looking: on an ordered channel it makes no difference.
func (c *receiveChannel) ready(number uint64) (n uint64, ok bool) {
	if !c.unordered {
		return c.next, c.next < c.end && c.slot(c.next).state == slotWhole
	}
	return number, number < c.end && c.slot(number).state == slotWhole
}

// handOver gives the data of a message that is ready, which goes to the inbox
// now.
func (c *receiveChannel) handOver(number uint64) []byte {
	slot := c.slot(number)
	data := slot.data
	slot.data, slot.state = nil, slotHanded
	if c.unordered {
		*c.handed.push() = number
	} else {
		c.next++
	}
	return data
}

// pull notes that the application has pulled so many messages of the channel
// in all. largest is the newest packet number.
func (c *receiveChannel) pull(taken, largest uint64) {
	for ; c.taken < taken; c.taken++ {
		number := c.taken
		if c.unordered {
			number = c.handed.pop()
		}
		c.slot(number).state = slotPulled
		c.raiseFloor(largest)
	}
	if c.floor-c.credited >= creditAfter || c.pulled >= c.window/creditPart {
		c.creditDue = true
	}
}

func (c *receiveChannel) raiseFloor(largest uint64) {
	for c.floor < c.end && c.slot(c.floor).state == slotPulled {
		slot := c.slot(c.floor)
		c.held -= int(slot.total)
		c.came -= int(slot.total)
		c.pulled += int(slot.total)
		c.filling.bytes += int(slot.total)
		*slot = inSlot{}
		c.floor++
		if c.floor%noteEvery == 0 {
			c.notes[0], c.notes[1] = c.notes[1], largest
		}
	}
}

// credit gives what a CREDIT tells now.
func (c *receiveChannel) credit() (floor uint16, window uint32) {
	if c.creditDue {
		c.credited, c.pulled, c.creditDue, c.creditMore = c.floor, 0, false, creditAgain
	} else {
		c.creditMore--
	}
	return uint16(c.floor), uint32(c.window)
}

// stuck says that a message of which something is lost holds up so many others
// that the window is almost full: what came of them fills two thirds of it.
func (c *receiveChannel) stuck() bool {
	return c.came >= c.window-c.window/fillingPart && c.floor < c.end && c.slot(c.floor).state <= slotPartial
}

// raise doubles the window, up to most, when it is what holds the peer back: when
// most of it was taken up at once, as behind a loss, or a whole one was
// delivered within four round trips.
func (c *receiveChannel) raise(now, srtt time.Duration, most int) {
	f := &c.filling
	late := now-f.since > fillingTrips*srtt
	full := f.most >= c.window-c.window/fillingPart || f.bytes >= c.window && !late
	if full && c.window < most {
		c.window = min(2*c.window, most)
		c.creditDue = true
	}
	if full || late {
		*f = windowFilling{since: now}
	}
}
