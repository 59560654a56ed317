package netmsg

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func TestVectorFingerprint(t *testing.T) {
	v := readVectors(t, "secrets")
	server := v.identity(t, "server")
	print := Fingerprint(server.public[:])
	v.want(t, "fingerprint", binary.BigEndian.AppendUint64(nil, print))
	if got := FingerprintText(print); got != v["fingerprint_text"] {
		t.Errorf("got %s, want %s", got, v["fingerprint_text"])
	}
}

func TestVectorPSKOfASecret(t *testing.T) {
	v := readVectors(t, "secrets")
	app := [8]byte(v.bytes(t, "app_id"))
	for _, size := range []string{"10", "8"} {
		psk, err := pskOf(v.bytes(t, "secret_"+size), app)
		if err != nil {
			t.Fatal(err)
		}
		v.want(t, "psk_"+size, psk)
	}
}

func TestSecretsThatAreTooShortAreRefused(t *testing.T) {
	for _, secret := range [][]byte{nil, filled(7, 0), {1, 2, 3, 4, 5, 6, 7, 8}, filled(9, 0)} {
		if _, err := pskOf(secret, [8]byte{}); err == nil {
			t.Errorf("a psk was made of % x", secret)
		}
	}
}

func TestAppsWithOneSecretHaveDifferentPSKs(t *testing.T) {
	a, _ := pskOf(filled(10, 0), [8]byte{1})
	b, _ := pskOf(filled(10, 0), [8]byte{2})
	if bytes.Equal(a, b) {
		t.Error("they are equal")
	}
}

func TestPublicKeyGivesThePublicHalf(t *testing.T) {
	v := readVectors(t, "NK")
	public, err := PublicKey(v.bytes(t, "server_static_private"))
	if err != nil {
		t.Fatal(err)
	}
	v.want(t, "server_static_public", public)
	if _, err := PublicKey(filled(31, 0)); err == nil {
		t.Error("31 bytes have a public half")
	}
}

func TestOneSeedDrawsOneIdentity(t *testing.T) {
	a, errA := newIdentity(seeded(4))
	b, errB := newIdentity(seeded(4))
	if errA != nil || errB != nil || a.private != b.private || a.public != b.public || a.public == [32]byte{} {
		t.Errorf("got %x, %v and %x, %v", a.public, errA, b.public, errB)
	}
}
