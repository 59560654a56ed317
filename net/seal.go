package netmsg

import (
	"crypto/cipher"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"
)

// A sealed packet: the receiver's connection id (4), the low 16 bits of its
// number (2), the sealed frames (at least 1) and the tag (16).
const (
	sealedHeader = 6
	sealedTag    = chacha20poly1305.Overhead
	sealedExtra  = sealedHeader + sealedTag // 22 bytes beyond the frames
	minSealed    = sealedExtra + 1

	maxFailedOpens = 1 << 36 // forgeries over the life of a connection
	keepOldKey     = 2048    // numbers into an epoch for which the key before it is kept
)

// putSealedHeader writes the header of packet number at the start of b.
func putSealedHeader(b []byte, cid uint32, number uint64) {
	binary.BigEndian.PutUint32(b, cid)
	binary.BigEndian.PutUint16(b[4:], uint16(number))
}

// parseSealedHeader reads what a datagram of the size of a packet begins with.
func parseSealedHeader(b []byte) (cid uint32, low uint16, ok bool) {
	if len(b) < minSealed || b[0] < 0x80 {
		return 0, 0, false
	}
	return binary.BigEndian.Uint32(b), binary.BigEndian.Uint16(b[4:]), true
}

// A packetKey seals or opens the packets of one epoch.
type packetKey struct{ cipher.AEAD }

func newPacketKey(c *keyChain) packetKey {
	key := c.key()
	aead, err := chacha20poly1305.New(key[:])
	if err != nil {
		panic(err) // only for a key that is not 32 bytes long
	}
	return packetKey{aead}
}

// A packetNonce is four zero bytes and the packet number, little-endian as
// Noise has it. It lives in a struct so that handing it to the AEAD does not
// allocate.
type packetNonce [chacha20poly1305.NonceSize]byte

func (n *packetNonce) set(number uint64) []byte {
	binary.LittleEndian.PutUint64(n[4:], number)
	return n[:]
}

// A sealer seals the packets of one direction, stepping to the next key when
// the number enters its epoch. Numbers never fall.
type sealer struct {
	chain keyChain
	key   packetKey
	epoch uint64
	nonce packetNonce
}

func newSealer(split [32]byte) sealer {
	s := sealer{chain: split}
	s.key = newPacketKey(&s.chain)
	return s
}

// seal seals datagram, a header and frames, in place and gives it with its
// tag. There must be room for the tag behind the frames.
func (s *sealer) seal(datagram []byte, number uint64) []byte {
	if e := epochOf(number); e != s.epoch {
		for ; s.epoch != e; s.epoch++ {
			s.chain = s.chain.next()
		}
		s.key = newPacketKey(&s.chain)
	}
	header, frames := datagram[:sealedHeader], datagram[sealedHeader:]
	sealed := s.key.Seal(frames[:0], s.nonce.set(number), frames, header)
	return datagram[:sealedHeader+len(sealed)]
}

// An opener opens the packets of the other direction. It holds the key of the
// newest epoch that a packet has proven, the one before for packets that come
// late, and a candidate for the next, which becomes the key only when a packet
// verifies under it: forgeries cost one derivation, once.
type opener struct {
	chain     keyChain // of the key's epoch
	key       packetKey
	epoch     uint64
	before    packetKey // of epoch-1; nil: none, or too old
	candidate packetKey // of epoch+1; nil: not asked for yet
	nonce     packetNonce
	failed    uint64 // packets that did not verify
}

func newOpener(split [32]byte) opener {
	o := opener{chain: split}
	o.key = newPacketKey(&o.chain)
	return o
}

// open appends the frames of a datagram, packet number, to dst. It is false
// for a packet that does not verify or whose epoch is not next to the current
// one; such a packet changes nothing but the count of failures.
func (o *opener) open(dst, datagram []byte, number uint64) (frames []byte, ok bool) {
	key := o.keyFor(number)
	if key.AEAD == nil {
		return nil, false
	}
	frames, err := key.Open(dst, o.nonce.set(number), datagram[sealedHeader:], datagram[:sealedHeader])
	if err != nil {
		o.failed++
		return nil, false
	}
	o.verified(number)
	return frames, true
}

// keyFor finds the key of number's epoch, making the candidate when it is the
// next one.
func (o *opener) keyFor(number uint64) packetKey {
	switch epochOf(number) {
	case o.epoch:
		return o.key
	case o.epoch - 1:
		return o.before
	case o.epoch + 1:
		if o.candidate.AEAD == nil {
			next := o.chain.next()
			o.candidate = newPacketKey(&next)
		}
		return o.candidate
	}
	return packetKey{}
}

// verified commits to the next epoch at its first packet, and drops the key
// before when the numbers are well into the current one.
func (o *opener) verified(number uint64) {
	if epochOf(number) == o.epoch+1 {
		o.chain = o.chain.next()
		o.before, o.key, o.candidate = o.key, o.candidate, packetKey{}
		o.epoch++
	}
	if epochOf(number) == o.epoch && number%packetsPerEpoch >= keepOldKey {
		o.before = packetKey{}
	}
}

// exhausted says that so many packets failed to verify that the connection
// must end.
func (o *opener) exhausted() bool { return o.failed >= maxFailedOpens }
