package netmsg

import (
	"encoding/binary"
	"io"
)

// A connection id (cid) is what a packet begins with: 31 random bits below a
// top bit of 1. The side that receives by it chooses it. It finds the
// connection and proves nothing.

const (
	cidBit      = 1 << 31 // tells a packet's first byte from everything else's
	maxCIDDraws = 64      // never so many, but with a source that repeats itself
)

// drawCID draws a connection id that inUse does not know. It fails only when
// the source of randomness does.
func drawCID(random io.Reader, inUse func(uint32) bool) (cid uint32, ok bool) {
	for range maxCIDDraws {
		var b [4]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return 0, false
		}
		if cid = binary.BigEndian.Uint32(b[:]) | cidBit; inUse == nil || !inUse(cid) {
			return cid, true
		}
	}
	return 0, false
}
