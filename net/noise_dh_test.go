package netmsg

import (
	"bytes"
	"testing"

	"github.com/flynn/noise"
)

func TestTheKeptKeysOfAHandshakeAreFlynnNoisesOwn(t *testing.T) {
	kept := new(handshakeDH)
	peer, err := noise.DH25519.GenerateKeypair(seeded(9))
	if err != nil {
		t.Fatal(err)
	}

	for seed := range byte(5) {
		want, errWant := noise.DH25519.GenerateKeypair(seeded(seed))
		got, errGot := kept.GenerateKeypair(seeded(seed))
		if errWant != nil || errGot != nil || !bytes.Equal(got.Private, want.Private) || !bytes.Equal(got.Public, want.Public) {
			t.Fatalf("seed %d: got %x, %v, want %x, %v", seed, got, errGot, want, errWant)
		}
		for range 2 { // kept, and kept again
			shared, err := kept.DH(got.Private, peer.Public)
			wantShared, _ := noise.DH25519.DH(want.Private, peer.Public)
			if err != nil || !bytes.Equal(shared, wantShared) {
				t.Fatalf("seed %d: got %x, %v, want %x", seed, shared, err, wantShared)
			}
		}
	}
	first, _ := noise.DH25519.GenerateKeypair(seeded(0))
	shared, err := kept.DH(first.Private, peer.Public) // kept no more
	if want, _ := noise.DH25519.DH(first.Private, peer.Public); err != nil || !bytes.Equal(shared, want) {
		t.Errorf("a key that was forgotten gives %x, %v, want %x", shared, err, want)
	}
}

func TestTheKeptKeysOfAHandshakeRefuseWhatIsNoKey(t *testing.T) {
	kept := new(handshakeDH)
	pair, _ := kept.GenerateKeypair(seeded(1))

	if _, err := kept.DH(pair.Private, make([]byte, keySize)); err == nil {
		t.Error("a public key of low order gives no error")
	}
	if _, err := kept.DH(pair.Private, make([]byte, keySize-1)); err == nil {
		t.Error("a public key of 31 bytes gives no error")
	}
	if _, err := kept.GenerateKeypair(bytes.NewReader(make([]byte, keySize-1))); err == nil {
		t.Error("31 random bytes give no error")
	}
}
