package netmsg

import "encoding/binary"

// Flags in the first byte of the frames that carry messages.
const (
	flagFragment = 0x20 // RELIABLE, LATEST
	flagSized    = 0x10 // RELIABLE, LATEST
	flagNumbered = 0x08 // RELIABLE
	maskChannel  = 0x03 // RELIABLE

	reliableFlags = flagFragment | flagSized | flagNumbered | maskChannel
	latestFlags   = flagFragment | flagSized

	maxLatestFragments = 32   // of one value
	maxLatestBack      = 1024 // packets from fragment 0 to any other of its value
	minFragment        = 64   // bytes of a fragment that is not the last
)

// UNRELIABLE: 0x20, data to the end of the packet; or 0x21, length varint, data.

func appendUnreliable(b []byte, sized bool, data []byte) []byte {
	if !sized {
		return append(append(b, byte(frameUnreliable)), data...)
	}
	b = append(b, byte(frameUnreliable)|1)
	b = appendVarint(b, uint32(len(data)))
	return append(b, data...)
}

func (r *frameReader) unreliable(f *frame, first byte) {
	f.sized = first&1 != 0
	f.data = r.sizedData(f.sized)
}

// RELIABLE: 01FLI0CC, [id u16], [total varint, offset varint], [length varint],
// data.

func appendReliable(b []byte, f *frame) []byte {
	first := byte(frameReliable) | byte(f.channel)
	if f.fragment {
		first |= flagFragment
	}
	if f.sized {
		first |= flagSized
	}
	if f.numbered {
		first |= flagNumbered
	}
	b = append(b, first)
	if f.numbered {
		b = binary.BigEndian.AppendUint16(b, f.id)
	}
	if f.fragment {
		b = appendVarint(b, f.total)
		b = appendVarint(b, f.offset)
	}
	if f.sized {
		b = appendVarint(b, uint32(len(f.data)))
	}
	return append(b, f.data...)
}

func (r *frameReader) reliable(f *frame, first byte) {
	if first&^(byte(frameReliable)|reliableFlags) != 0 {
		r.bad = true
		return
	}
	f.channel = Channel(first & maskChannel)
	f.fragment, f.sized, f.numbered = first&flagFragment != 0, first&flagSized != 0, first&flagNumbered != 0
	r.readID(f)
	if f.fragment {
		f.total, f.offset = r.varint(maxVarint), r.varint(maxVarint)
	}
	f.data = r.sizedData(f.sized)
	if !f.fragment {
		f.total = uint32(len(f.data))
		return
	}
	n := uint32(len(f.data))
	if !f.numbered || n == 0 || n > f.total || f.offset > f.total-n {
		r.bad = true
	}
}

// readID takes the id, or reckons it from the RELIABLE frame before it in its
// channel, which there must be.
func (r *frameReader) readID(f *frame) {
	if f.numbered {
		f.id = r.u16()
	} else {
		f.id = r.ids[f.channel] + 1
		if r.hasID>>f.channel&1 == 0 {
			r.bad = true
		}
	}
	r.ids[f.channel] = f.id
	r.hasID |= 1 << f.channel
}

// LATEST: 10FL0000, stream varint, [back varint, index u8, count u8], [length
// varint], data.

func appendLatest(b []byte, f *frame) []byte {
	first := byte(frameLatest)
	if f.fragment {
		first |= flagFragment
	}
	if f.sized {
		first |= flagSized
	}
	b = append(b, first)
	b = appendVarint(b, uint32(f.stream))
	if f.fragment {
		b = appendVarint(b, uint32(f.back))
		b = append(b, f.index, f.count)
	}
	if f.sized {
		b = appendVarint(b, uint32(len(f.data)))
	}
	return append(b, f.data...)
}

func (r *frameReader) latest(f *frame, first byte) {
	if first&^(byte(frameLatest)|latestFlags) != 0 {
		r.bad = true
		return
	}
	f.fragment, f.sized = first&flagFragment != 0, first&flagSized != 0
	f.stream = uint16(r.varint(1<<16 - 1))
	if f.fragment {
		f.back = uint16(r.varint(maxLatestBack))
		f.index, f.count = r.u8(), r.u8()
		if uint64(f.back) > r.number || f.count < 2 || f.count > maxLatestFragments || f.index >= f.count {
			r.bad = true
		}
	}
	f.data = r.sizedData(f.sized)
}
