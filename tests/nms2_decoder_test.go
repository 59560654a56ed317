package tests

import (
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// A second decoder of NMS2's packets, written from net/PROTOCOL.md alone. The
// numbers in comments are sections of that page's part on packets and frames.

// The first bytes of frames (2); those of the last three have flags.
const (
	nms2Padding       = 0x00
	nms2Ping          = 0x01
	nms2AckAll        = 0x02
	nms2AckBits       = 0x03
	nms2AckRanges     = 0x04
	nms2TimePing      = 0x05
	nms2TimePong      = 0x06
	nms2MTUProbe      = 0x07
	nms2PathChallenge = 0x08
	nms2PathResponse  = 0x09
	nms2Credit        = 0x0a
	nms2Close         = 0x0b
	nms2Unreliable    = 0x20
	nms2Reliable      = 0x40
	nms2Latest        = 0x80
)

// An nms2Frame is one frame. Fields that its kind has not are zero.
type nms2Frame struct {
	kind           byte
	sized          bool // a length is written
	fragment       bool
	channel        byte
	id             uint16
	total, offset  int
	stream         uint16
	back           uint64
	index, count   int
	largest, delay uint16
	bits           []byte
	first          uint64
	pairs          [][2]uint64 // gap and run
	t1, t2         uint64
	hold           uint32
	size           int
	path           [8]byte
	floor          uint16
	window         int
	code           int
	data           []byte // the text of CLOSE too
	withoutID      bool
}

// asks says whether a packet with such a frame is to be acknowledged (2).
func (f *nms2Frame) asks() bool {
	switch f.kind {
	case nms2Padding, nms2AckAll, nms2AckBits, nms2AckRanges, nms2Close:
		return false
	}
	return true
}

func (f *nms2Frame) isAck() bool {
	return f.kind == nms2AckAll || f.kind == nms2AckBits || f.kind == nms2AckRanges
}

func (f *nms2Frame) hasData() bool {
	return f.kind == nms2Unreliable || f.kind == nms2Reliable || f.kind == nms2Latest
}

// decodeNMS2 reads the frames of packet number (2), and says why they are
// malformed.
func decodeNMS2(number uint64, b []byte) (all []nms2Frame, err error) {
	r := nms2Reading{b: b}
	once := map[byte]bool{}
	ids := map[byte]uint16{}
	for len(r.b) > 0 {
		first := byte(r.number(1))
		f := nms2Frame{kind: nms2Kind(first)}
		r.frame(&f, first, number, ids)
		if r.err != nil {
			return nil, fmt.Errorf("frame %d, %02x: %w", len(all), first, r.err)
		}
		if once[nms2Close] && f.kind != nms2Padding {
			return nil, fmt.Errorf("frame %02x behind CLOSE", first)
		}
		kind := f.kind
		if f.isAck() {
			kind = nms2AckAll
		}
		switch kind {
		case nms2AckAll, nms2TimePing, nms2TimePong, nms2MTUProbe, nms2PathChallenge, nms2PathResponse, nms2Close:
			if once[kind] {
				return nil, fmt.Errorf("frame %02x a second time", first)
			}
			once[kind] = true
		}
		all = append(all, f)
	}
	return all, nil
}

// nms2Kind takes the flags off a first byte.
func nms2Kind(first byte) byte {
	switch {
	case first >= 0x80 && first <= 0xbf:
		return nms2Latest
	case first >= 0x40 && first <= 0x7f:
		return nms2Reliable
	case first == 0x21:
		return nms2Unreliable
	}
	return first
}

// frame reads what follows a first byte.
func (r *nms2Reading) frame(f *nms2Frame, first byte, number uint64, ids map[byte]uint16) {
	switch f.kind {
	case nms2Padding, nms2Ping:
	case nms2AckAll, nms2AckBits, nms2AckRanges:
		r.ack(f)
	case nms2TimePing:
		f.t1 = r.number(8)
	case nms2TimePong:
		f.t1, f.t2, f.hold = r.number(8), r.number(8), uint32(r.number(4))
	case nms2MTUProbe:
		f.size = int(r.number(2))
	case nms2PathChallenge, nms2PathResponse:
		copy(f.path[:], r.take(8))
	case nms2Credit:
		f.channel, f.floor, f.window = byte(r.number(1)), uint16(r.number(2)), int(r.varint())
		r.want(f.channel <= 3, "a channel over 3")
		r.want(f.window <= 67108864, "a window over 67,108,864")
	case nms2Close:
		f.code = int(r.varint())
		n := r.varint()
		r.want(n <= 200, "a text over 200 bytes")
		f.data = r.take(n)
	case nms2Unreliable:
		r.data(f, first&1 != 0)
	case nms2Reliable:
		r.reliable(f, first, ids)
	case nms2Latest:
		r.latest(f, first, number)
	default:
		r.want(false, "there is no such frame")
	}
}

func (r *nms2Reading) ack(f *nms2Frame) {
	f.largest, f.delay = uint16(r.number(2)), uint16(r.number(2))
	switch f.kind {
	case nms2AckBits:
		n := r.number(1)
		r.want(n >= 1 && n <= 64, "n is not from 1 to 64")
		f.bits = r.take(n)
	case nms2AckRanges:
		n := r.number(1)
		r.want(n <= 64, "n is over 64")
		f.first = r.varint()
		for range n {
			f.pairs = append(f.pairs, [2]uint64{r.varint(), r.varint()})
			if r.err != nil {
				return
			}
		}
	}
}

func (r *nms2Reading) reliable(f *nms2Frame, first byte, ids map[byte]uint16) {
	r.want(first&0x04 == 0, "the reserved bit is set")
	f.channel, f.fragment = first&0x03, first&0x20 != 0
	last, known := ids[f.channel]
	f.id, f.withoutID = last+1, first&0x08 == 0
	if f.withoutID {
		r.want(known && !f.fragment, "the id is missing")
	} else {
		f.id = uint16(r.number(2))
	}
	ids[f.channel] = f.id
	if f.fragment {
		f.total, f.offset = int(r.varint()), int(r.varint())
	}
	r.data(f, first&0x10 != 0)
	if !f.fragment {
		f.total = len(f.data)
	}
	r.want(!f.fragment || len(f.data) > 0, "a fragment of nothing")
	r.want(f.offset+len(f.data) <= f.total, "a fragment beyond its total")
}

func (r *nms2Reading) latest(f *nms2Frame, first byte, number uint64) {
	r.want(first&0x0f == 0, "a reserved bit is set")
	stream := r.varint()
	r.want(stream <= 65535, "a stream over 65,535")
	f.stream = uint16(stream)
	if f.fragment = first&0x20 != 0; f.fragment {
		f.back, f.index, f.count = r.varint(), int(r.number(1)), int(r.number(1))
		r.want(f.back <= 1024 && f.back <= number, "back is too far")
		r.want(f.count >= 2 && f.count <= 32 && f.index < f.count, "no such index or count")
	}
	r.data(f, first&0x10 != 0)
}

// An nms2Reading is what is left of a packet, and what was wrong with it first.
type nms2Reading struct {
	b   []byte
	err error
}

func (r *nms2Reading) want(ok bool, why string) {
	if !ok && r.err == nil {
		r.err = errors.New(why)
	}
}

func (r *nms2Reading) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.want(false, "it reaches past the end")
		n = uint64(len(r.b))
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *nms2Reading) number(n int) (v uint64) {
	for _, c := range r.take(uint64(n)) {
		v = v<<8 | uint64(c)
	}
	return v
}

// varint is the handshake's section 1.
func (r *nms2Reading) varint() uint64 {
	if len(r.b) == 0 {
		r.want(false, "it reaches past the end")
		return 0
	}
	form := r.b[0] >> 6
	size := 1 << form
	if form == 3 || size > len(r.b) {
		r.want(false, "a varint is malformed")
		return 0
	}
	v := r.number(size) & (1<<(8*size-2) - 1)
	r.want(form == 0 || form == 1 && v > 63 || form == 2 && v > 16383, "a varint is longer than need be")
	return v
}

// data reads a length, if there is one, and the data (2).
func (r *nms2Reading) data(f *nms2Frame, sized bool) {
	n := uint64(len(r.b))
	if f.sized = sized; sized {
		n = r.varint()
	}
	f.data = r.take(n)
}

// nms2Number is the number of a packet (1): the nearest to e with these low
// bits, the lower of two, none below 0. It tries them all.
func nms2Number(e uint64, low uint16) uint64 {
	best, found := uint64(0), false
	around := e &^ 65535
	for _, base := range []uint64{around - 65536, around, around + 65536} {
		c := base | uint64(low)
		if base > around+65536 { // below 0
			continue
		}
		if !found || nms2Far(c, e) < nms2Far(best, e) {
			best, found = c, true
		}
	}
	return best
}

func nms2Far(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// nms2Below is the greatest number below next with these low bits (4).
func nms2Below(next uint64, low uint16) (number uint64, ok bool) {
	for number = next; number > 0 && next-number < 65536; {
		if number--; uint16(number) == low {
			return number, true
		}
	}
	return 0, false
}

// told gives what an ACK frame says of each number, to a sender whose next
// number is next (4).
func (f *nms2Frame) told(next uint64) (come map[uint64]bool, largest uint64, err error) {
	largest, ok := nms2Below(next, f.largest)
	if !ok {
		return nil, 0, fmt.Errorf("%04x was never sent", f.largest)
	}
	come = map[uint64]bool{largest: true}
	at, below := largest, false
	say := func(n uint64, has bool) {
		for range n {
			if below = below || at == 0; below {
				return
			}
			at--
			come[at] = has
		}
	}
	switch f.kind {
	case nms2AckAll:
		say(min(32, largest), true)
	case nms2AckBits:
		for k := range uint64(8 * len(f.bits)) {
			if has := f.bits[k/8]>>(k%8)&1 != 0; has || largest > k {
				say(1, has)
			}
		}
	case nms2AckRanges:
		say(f.first, true)
		for _, p := range f.pairs {
			say(p[0]+1, false)
			say(p[1]+1, true)
		}
	}
	if below {
		return nil, 0, errors.New("it reaches below number 0")
	}
	return come, largest, nil
}

// An nms2Way has the keys of one direction (1).
type nms2Way struct {
	chain [][]byte // C(0), C(1) and so on, as far as they were needed
}

func newNMS2Way(split []byte) *nms2Way { return &nms2Way{[][]byte{split}} }

func nms2MAC(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// at gives the AEAD and the nonce of packet number.
func (w *nms2Way) at(number uint64) (aead cipher.AEAD, nonce []byte) {
	for uint64(len(w.chain)) <= number/65536 {
		w.chain = append(w.chain, nms2MAC(w.chain[len(w.chain)-1], "NMS2 next"))
	}
	aead, err := chacha20poly1305.New(nms2MAC(w.chain[number/65536], "NMS2 key"))
	if err != nil {
		panic(err) // an HMAC-SHA256 has 32 bytes
	}
	return aead, binary.LittleEndian.AppendUint64(make([]byte, 4), number)
}

// seal makes packet number of frames.
func (w *nms2Way) seal(cid uint32, number uint64, frames []byte) []byte {
	header := binary.BigEndian.AppendUint32(nil, cid)
	header = binary.BigEndian.AppendUint16(header, uint16(number))
	aead, nonce := w.at(number)
	return append(header, aead.Seal(nil, nonce, frames, header)...)
}

// open gives the frames of a packet whose number is nearest to e.
func (w *nms2Way) open(cid uint32, e uint64, packet []byte) (number uint64, frames []byte, err error) {
	switch {
	case len(packet) < 23:
		return 0, nil, fmt.Errorf("a packet of %d bytes", len(packet))
	case binary.BigEndian.Uint32(packet) != cid:
		return 0, nil, fmt.Errorf("the cid is %x, not %x", packet[:4], cid)
	}
	number = nms2Number(e, binary.BigEndian.Uint16(packet[4:]))
	aead, nonce := w.at(number)
	frames, err = aead.Open(nil, nonce, packet[6:], packet[:6])
	return number, frames, err
}

// appendNMS2Varint writes a varint in the fewest bytes.
func appendNMS2Varint(b []byte, v uint64) []byte {
	switch {
	case v < 1<<6:
		return append(b, byte(v))
	case v < 1<<14:
		return binary.BigEndian.AppendUint16(b, uint16(v)|1<<14)
	}
	return binary.BigEndian.AppendUint32(b, uint32(v)|2<<30)
}
