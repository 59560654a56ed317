package netmsg

import "slices"

// maxWeight is the largest weight of a stream; a larger one is taken as this.
const maxWeight = 1000000

// latestValues are the streams of a side that sends: of each the value that
// waits, if any, and its priority. Each packet that a waiting stream waits
// through adds its weight, the highest goes first, and one that goes falls to
// zero; what did not fit keeps what it has gathered, so every stream goes in
// the end and the important ones often (Fiedler's priority accumulator).
type latestValues struct {
	ids     []uint16 // ids[i] is streams[i].stream, close together for the search
	streams []latestValue
	waits   int    // streams that wait
	went    uint64 // values that have gone so far
}

type latestValue struct {
	stream   uint16
	weight   int32
	waits    bool
	priority int64  // gathered since it last went
	went     uint64 // order in which it last went; ties go to the one longest ago
	version  uint64 // of the value, counted by the protocol as it goes
	data     []byte
}

// set lets data, which it copies, wait on stream, in the place of what waits
// there. False: it is one more stream than limit.
func (l *latestValues) set(stream uint16, data []byte, limit int) bool {
	v := l.stream(stream, limit)
	if v == nil {
		return false
	}
	if !v.waits {
		v.waits = true
		l.waits++
	}
	v.data = append(v.data[:0], data...)
	return true
}

// stream gives the place of stream, made if there is none, nil if it is one
// more than limit.
func (l *latestValues) stream(stream uint16, limit int) *latestValue {
	if i := slices.Index(l.ids, stream); i >= 0 {
		return &l.streams[i]
	}
	if len(l.ids) >= limit {
		return nil
	}
	l.ids = append(l.ids, stream)
	l.streams = append(l.streams, latestValue{stream: stream, weight: 1})
	return &l.streams[len(l.streams)-1]
}

// gather begins a packet: each stream that waits gains its weight.
func (l *latestValues) gather() {
	for i := range l.streams {
		if v := &l.streams[i]; v.waits {
			v.priority += int64(v.weight)
		}
	}
}

// highest gives the waiting stream that goes next, nil if none waits.
func (l *latestValues) highest() *latestValue {
	if l.waits == 0 {
		return nil
	}
	var best *latestValue
	for i := range l.streams {
		if v := &l.streams[i]; v.waits && (best == nil || v.before(best)) {
			best = v
		}
	}
	return best
}

func (v *latestValue) before(w *latestValue) bool {
	if v.priority != w.priority {
		return v.priority > w.priority
	}
	return v.went < w.went
}

// gone notes that v's value went: it is forgotten.
func (l *latestValues) gone(v *latestValue) {
	l.waits--
	l.went++
	v.waits, v.priority, v.went = false, 0, l.went
}
