package netmsg

import (
	"crypto/hmac"
	"crypto/sha256"
)

// A keyChain makes the packet keys of one direction. Each epoch, 65,536
// packet numbers, has a key of its own; a step cannot be taken back, so what
// leaks today opens nothing of earlier epochs.
type keyChain [32]byte // C(e), first the key that the handshake gave

// key is the AEAD key of the chain's epoch: HMAC-SHA256(C(e), "NMS2 key").
func (c *keyChain) key() [32]byte { return c.derive("NMS2 key") }

// next is the chain of the epoch after: HMAC-SHA256(C(e), "NMS2 next").
func (c *keyChain) next() keyChain { return c.derive("NMS2 next") }

func (c *keyChain) derive(label string) (out [32]byte) {
	mac := hmac.New(sha256.New, c[:])
	mac.Write([]byte(label))
	mac.Sum(out[:0])
	return out
}

// epochOf is the epoch of a packet.
func epochOf(number uint64) uint64 { return number / packetsPerEpoch }
