package netmsg

import (
	"encoding/binary"

	"github.com/dchest/siphash"
)

// SipHash24 is SipHash-2-4 of data (Aumasson and Bernstein, 2012): a 64-bit
// code that nobody can make or check without the key. As the paper has it, the
// key's first eight bytes are k0 and the last eight k1, least significant byte
// first.
func SipHash24(key [16]byte, data []byte) uint64 {
	k0 := binary.LittleEndian.Uint64(key[:8])
	k1 := binary.LittleEndian.Uint64(key[8:])
	return siphash.Hash(k0, k1, data)
}
