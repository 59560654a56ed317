package netmsg

import (
	"crypto/ecdh"
	"testing"
)

func TestEveryKeyThatX25519MapsToZeroIsOfLowOrder(t *testing.T) {
	private, err := ecdh.X25519().NewPrivateKey(make([]byte, keySize))
	if err != nil {
		t.Fatal(err)
	}
	zeros := 0
	for _, key := range lowOrderKeys {
		for _, top := range []byte{0, 0x80} {
			key[keySize-1] = key[keySize-1]&0x7F | top
			public, _ := ecdh.X25519().NewPublicKey(key[:])
			if _, err := private.ECDH(public); err == nil {
				continue // in a form that is only harmless because the top bit is not read
			}
			zeros++
			if !lowOrder(key[:]) {
				t.Errorf("% x gives zero and is let through", key)
			}
		}
	}
	if zeros != 14 {
		t.Errorf("%d of the encodings give zero, want 14: seven with and without the top bit", zeros)
	}
	for _, key := range lowOrderKeys {
		if !lowOrder(key[:]) {
			t.Errorf("% x is in the list and is let through", key)
		}
	}
}

func TestOrdinaryKeysAreNotOfLowOrder(t *testing.T) {
	for seed := byte(0); seed < 200; seed++ {
		id, err := identityOf(filled(keySize, seed))
		if err != nil || lowOrder(id.public[:]) {
			t.Errorf("the key of %d is refused: %v", seed, err)
		}
	}
}
