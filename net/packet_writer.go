package netmsg

// A packetWriter fills one packet with frames. The frame that ends the packet
// is written without a length: one that fills it at once, else the length is
// taken out again when the packet is finished.
type packetWriter struct {
	b      []byte // header and frames so far
	limit  int    // of len(b)
	number uint64
	flags  sentFlags
	full   bool // the last frame takes all that is left

	ids   [4]uint16 // RELIABLE: the last id of each channel
	hasID uint8     // RELIABLE: channels that have one, a bit each

	lastFrame  int // where the last frame begins
	lastLength int // where its length is, 0 if it has none
}

// begin starts a packet of at most size bytes in buf, which has room for it.
func (w *packetWriter) begin(buf []byte, size int, cid uint32, number uint64) {
	*w = packetWriter{b: buf[:sealedHeader], limit: size - sealedTag, number: number}
	putSealedHeader(w.b, cid, number)
}

// room is how many bytes of frames still fit.
func (w *packetWriter) room() int {
	if w.full {
		return 0
	}
	return w.limit - len(w.b)
}

func (w *packetWriter) empty() bool { return len(w.b) == sealedHeader }

// wrote takes the frames that were appended to w.b and carry no message.
func (w *packetWriter) wrote(b []byte, flags sentFlags) {
	if len(b) != len(w.b) {
		w.b, w.lastLength = b, 0
		w.flags |= flags
	}
}

// fits says whether a frame of head bytes without its length, and n bytes of
// data, fits, and whether with its length.
func (w *packetWriter) fits(head, n int) (ok, sized bool) {
	room := w.room()
	return head+n <= room, head+varintLen(uint32(n))+n <= room
}

// message notes that a frame with data was appended to w.b.
func (w *packetWriter) message(b []byte, sized bool, dataLen int) {
	w.lastFrame = len(w.b)
	w.b = b
	w.full = !sized
	w.lastLength = 0
	if sized {
		w.lastLength = len(b) - dataLen - varintLen(uint32(dataLen))
	}
	w.flags |= sentEliciting | sentInFlight
}

// reliable writes a RELIABLE frame, whose flags it decides; false if it does
// not fit.
func (w *packetWriter) reliable(f *frame) bool {
	head := w.reliableHead(f)
	ok, sized := w.fits(head, len(f.data))
	if !ok {
		return false
	}
	f.sized = sized
	w.ids[f.channel] = f.id
	w.hasID |= 1 << f.channel
	w.message(appendReliable(w.b, f), sized, len(f.data))
	w.flags |= sentReliable
	return true
}

// reliableHead decides whether f carries its id, and gives the bytes before its
// length.
func (w *packetWriter) reliableHead(f *frame) int {
	f.numbered = f.fragment || w.hasID>>f.channel&1 == 0 || f.id != w.ids[f.channel]+1
	head := 1
	if f.numbered {
		head += 2
	}
	if f.fragment {
		head += varintLen(f.total) + varintLen(f.offset)
	}
	return head
}

// latest writes a LATEST frame; false if it does not fit.
func (w *packetWriter) latest(f *frame) bool {
	head := 1 + varintLen(uint32(f.stream))
	if f.fragment {
		head += varintLen(uint32(f.back)) + 2
	}
	ok, sized := w.fits(head, len(f.data))
	if !ok {
		return false
	}
	f.sized = sized
	w.message(appendLatest(w.b, f), sized, len(f.data))
	return true
}

// unreliable writes an UNRELIABLE frame; false if it does not fit.
func (w *packetWriter) unreliable(data []byte) bool {
	ok, sized := w.fits(1, len(data))
	if ok {
		w.message(appendUnreliable(w.b, sized, data), sized, len(data))
	}
	return ok
}

// finish takes the length of the last frame out: its data ends the packet.
func (w *packetWriter) finish() {
	if w.lastLength == 0 {
		return
	}
	_, n := parseVarint(w.b[w.lastLength:])
	w.b = append(w.b[:w.lastLength], w.b[w.lastLength+n:]...)
	sized := byte(flagSized)
	if kindOf(w.b[w.lastFrame]) == frameUnreliable {
		sized = 1
	}
	w.b[w.lastFrame] &^= sized
	w.lastLength = 0
}
