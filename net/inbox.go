package netmsg

import "slices"

// refusedKept is how many Refused events wait at most; the send has returned
// the error already.
const refusedKept = 64

// An inbox holds what a connection has to tell until it is pulled: Joined
// first, then messages, values and refusals in the order they happened, Left
// last and once. It is bounded by those who fill it: of each stream only the
// newest value waits, in the place of the newest; messages wait up to the room
// that the protocol gives its peer (see held and taken). What it hands out is
// borrowed until settle.
//
// Three queues, each in order, are merged by the stamps of their heads. In
// steady state nothing is allocated.
type inbox struct {
	joined bool   // Joined waits to be told
	leaves bool   // left waits to be told, after all else
	left   *Event // Left, when it is known
	ended  bool   // Left has been told, or waits

	stamp    uint64
	messages ring[inMessage]
	refused  ring[inRefused]
	values   inValues

	pool  *buffers
	limit int    // messages that may wait
	lent  []byte // a message's buffer, handed out

	held  [channels]inHeld
	taken [channels]uint64 // messages pulled so far
}

// channels is the number of values that a Channel has.
const channels = 5

// inHeld counts the messages of a channel that wait in an inbox.
type inHeld struct{ messages, bytes int32 }

type inMessage struct {
	stamp   uint64
	data    []byte
	channel Channel
}

type inRefused struct {
	stamp uint64
	what  RefusedError
}

// message adds a message that is to be heard now. data is a buffer of the
// pool's, and the inbox's from now on.
func (in *inbox) message(ch Channel, data []byte) {
	in.stamp++
	m := in.messages.push()
	m.stamp, m.channel, m.data = in.stamp, ch, data
	in.held[ch].messages++
	in.held[ch].bytes += int32(len(data))
}

// value sets stream's newest value, which it copies. version tells the values
// of a stream apart, and one that is not above the last is not taken. False:
// not taken, or a stream beyond limit of them.
func (in *inbox) value(stream uint16, version uint64, data []byte, limit int) bool {
	in.stamp++
	return in.values.set(stream, version, data, in.stamp, limit)
}

// refuse adds a Refused event, if there is room.
func (in *inbox) refuse(what RefusedError) {
	if in.ended || in.refused.len() == refusedKept {
		return
	}
	in.stamp++
	r := in.refused.push()
	r.stamp, r.what = in.stamp, what
}

// room says whether one more message may wait.
func (in *inbox) room() bool { return in.messages.len() < in.limit }

// leave adds Left. Only the first counts.
func (in *inbox) leave(left Event) {
	if in.ended {
		return
	}
	left.Kind = Left
	in.left, in.leaves, in.ended = &left, true, true
}

// pending says that next would give something.
func (in *inbox) pending() bool {
	return in.joined || in.leaves || in.messages.len() > 0 || in.refused.len() > 0 || in.values.waiting()
}

// told says that Left has been pulled.
func (in *inbox) told() bool { return in.ended && !in.leaves }

// settle ends the loan of what next has given.
func (in *inbox) settle() {
	if in.lent != nil {
		in.pool.put(in.lent)
		in.lent = nil
	}
}

// next takes the next event out, and ends the loan of the one before.
func (in *inbox) next(e *Event) bool {
	in.settle()
	*e = Event{}
	if in.joined {
		in.joined = false
		e.Kind = Joined
		return true
	}
	switch in.oldest() {
	case Message:
		in.nextMessage(e)
	case Update:
		v := in.values.pop()
		e.Kind, e.Stream, e.Data = Update, v.stream, v.data
	case Refused:
		r := in.refused.pop().what
		e.Kind, e.Reliable, e.Stream, e.Why, e.Size, e.Limit = Refused, r.Reliable, r.Stream, r.Why, r.Size, r.Limit
	default:
		if !in.leaves {
			return false
		}
		in.leaves = false
		*e = *in.left
	}
	return true
}

func (in *inbox) nextMessage(e *Event) {
	m := in.messages.pop()
	in.held[m.channel].messages--
	in.held[m.channel].bytes -= int32(len(m.data))
	in.taken[m.channel]++
	in.lent = m.data
	e.Kind, e.Channel, e.Data = Message, m.channel, m.data
}

// oldest says in which queue the oldest event is, 0 if all are empty.
func (in *inbox) oldest() EventKind {
	kind, stamp := EventKind(0), ^uint64(0)
	if in.messages.len() > 0 {
		kind, stamp = Message, in.messages.at(0).stamp
	}
	if in.values.waiting() && in.values.first().stamp < stamp {
		kind, stamp = Update, in.values.first().stamp
	}
	if in.refused.len() > 0 && in.refused.at(0).stamp < stamp {
		kind = Refused
	}
	return kind
}

// inValues holds the newest value of each stream, and those not yet pulled in
// the order they came. Streams keep their place to the end of the connection.
type inValues struct {
	ids   []uint16 // ids[i] is slots[i].stream, close together for the search
	slots []inValue
	order []uint16 // indexes of slots that wait, oldest first
}

type inValue struct {
	stream  uint16
	waits   bool
	version uint64
	stamp   uint64
	data    []byte
}

func (v *inValues) waiting() bool   { return len(v.order) > 0 }
func (v *inValues) first() *inValue { return &v.slots[v.order[0]] }

// pop takes the oldest waiting value out. Its data is borrowed until the next
// set.
func (v *inValues) pop() *inValue {
	s := v.first()
	s.waits = false
	v.order = slices.Delete(v.order, 0, 1)
	return s
}

func (v *inValues) set(stream uint16, version uint64, data []byte, stamp uint64, limit int) bool {
	i := slices.Index(v.ids, stream)
	switch {
	case i < 0 && len(v.ids) >= limit:
		return false
	case i < 0:
		i = len(v.ids)
		v.ids = append(v.ids, stream)
		v.slots = append(v.slots, inValue{stream: stream})
	case version <= v.slots[i].version:
		return false
	}
	s := &v.slots[i]
	if s.waits {
		at := slices.Index(v.order, uint16(i))
		v.order = slices.Delete(v.order, at, at+1)
	}
	v.order = append(v.order, uint16(i))
	s.waits, s.version, s.stamp = true, version, stamp
	s.data = append(s.data[:0], data...)
	return true
}

// version gives the last one taken of stream; false if it is not known.
func (v *inValues) version(stream uint16) (uint64, bool) {
	i := slices.Index(v.ids, stream)
	if i < 0 {
		return 0, false
	}
	return v.slots[i].version, true
}
