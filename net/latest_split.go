package netmsg

// valueFragmentHead is the most that a LATEST fragment has before its data when
// it ends the packet: type, stream, back, index and count.
const valueFragmentHead = 1 + 4 + 2 + 1 + 1

// A latestSplit is a latest value that is being sent in fragments, one a
// packet. It is sent to its end: a newer value of the stream waits. Its zero
// value sends nothing.
type latestSplit struct {
	data   []byte
	stream uint16
	index  uint8  // of the next fragment
	count  uint8  // 0: nothing is being sent
	first  uint64 // the packet that carried fragment 0
}

func (s *latestSplit) active() bool { return s.count > 0 }

// begin takes over the value that waits in v, in fragments of at most room
// bytes. False: that would be too many.
func (s *latestSplit) begin(v *latestValue, room int) bool {
	count := (len(v.data) + room - 1) / room
	if room < minFragment || count > maxLatestFragments {
		return false
	}
	s.data, v.data = v.data, s.data
	s.stream, s.index, s.count = v.stream, 0, uint8(max(count, 2))
	return true
}

// fragment gives the next fragment, to be carried by packet: all are of about
// the same size. False: the first one went too long ago, and the value is given
// up.
func (s *latestSplit) fragment(packet uint64, f *frame) bool {
	if s.index == 0 {
		s.first = packet
	}
	back := packet - s.first
	if back > maxLatestBack {
		s.count = 0
		return false
	}
	each := (len(s.data) + int(s.count) - 1) / int(s.count)
	from := min(int(s.index)*each, len(s.data))
	*f = frame{
		kind: frameLatest, fragment: true,
		stream: s.stream, back: uint16(back), index: s.index, count: s.count,
		data: s.data[from:min(from+each, len(s.data))],
	}
	return true
}

// sent notes that the fragment went. It is true if it was the last.
func (s *latestSplit) sent() (last bool) {
	s.index++
	if s.index < s.count {
		return false
	}
	s.count = 0
	return true
}

// nextBeside gives the waiting stream that goes next, nil if there is none. While
// s is being sent, its own stream waits, and so does every value of more than
// whole bytes, which would need fragments too.
func (l *latestValues) nextBeside(s *latestSplit, whole int) *latestValue {
	if !s.active() {
		return l.highest()
	}
	var best *latestValue
	for i := range l.streams {
		v := &l.streams[i]
		if v.waits && v.stream != s.stream && len(v.data) <= whole && (best == nil || v.before(best)) {
			best = v
		}
	}
	return best
}
