package netmsg

import (
	"crypto/ecdh"
	"crypto/subtle"
	"io"

	"github.com/flynn/noise"
)

// A handshakeDH is the X25519 of one handshake, for flynn/noise. That names a
// private key by its bytes, and to make a key of them is as dear as an exchange
// with it, because its public half is worked out. So the keys are kept: the
// side's static one, and the ephemeral one that it draws.
type handshakeDH struct {
	kept [2]keptKey
}

type keptKey struct {
	private [keySize]byte
	key     *ecdh.PrivateKey // nil: none
}

// keep makes the key of 32 private bytes, or gives it again.
func (d *handshakeDH) keep(private []byte) (*ecdh.PrivateKey, error) {
	for i := range d.kept {
		k := &d.kept[i]
		if k.key != nil && subtle.ConstantTimeCompare(k.private[:], private) == 1 {
			return k.key, nil
		}
	}
	key, err := ecdh.X25519().NewPrivateKey(private)
	if err != nil {
		return nil, err
	}
	d.put(private, key)
	return key, nil
}

// put keeps a key, in the place of the oldest.
func (d *handshakeDH) put(private []byte, key *ecdh.PrivateKey) {
	d.kept[1] = d.kept[0]
	d.kept[0] = keptKey{[keySize]byte(private), key}
}

// GenerateKeypair makes a pair of the next 32 bytes of random, as flynn/noise's
// own does.
func (d *handshakeDH) GenerateKeypair(random io.Reader) (noise.DHKey, error) {
	private := make([]byte, keySize)
	if _, err := io.ReadFull(random, private); err != nil {
		return noise.DHKey{}, err
	}
	key, err := d.keep(private)
	if err != nil {
		return noise.DHKey{}, err
	}
	return noise.DHKey{Private: private, Public: key.PublicKey().Bytes()}, nil
}

// DH is an error for a public key of low order.
func (d *handshakeDH) DH(private, public []byte) ([]byte, error) {
	mine, err := d.keep(private)
	if err != nil {
		return nil, err
	}
	theirs, err := ecdh.X25519().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	return mine.ECDH(theirs)
}

// DHLen is the size of a key and of what an exchange gives.
func (*handshakeDH) DHLen() int { return keySize }

// DHName is the name of X25519 in a Noise protocol's.
func (*handshakeDH) DHName() string { return "25519" }

// suiteFor gives the primitives of one handshake. own is the side's static key,
// nil if it has none.
func suiteFor(own *identity) noise.CipherSuite {
	d := new(handshakeDH)
	if own != nil && own.key != nil {
		d.put(own.private[:], own.key)
	}
	return noise.NewCipherSuite(d, noise.CipherChaChaPoly, noise.HashSHA256)
}
