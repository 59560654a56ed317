package netmsg

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
)

const (
	minSecret   = 10 // bytes of a random secret that stands alone
	shortSecret = 8  // 60 bits and four zeros: an invitation's, beside a fingerprint
)

// pskOf makes the psk of a secret: HKDF-SHA256 without salt, info "NMS2 psk"
// and the app id. A secret is at least 10 random bytes, or the 8 of an
// invitation: 60 bits, big-endian, the last four bits zero. Whoever holds an
// 8-byte one must know a key or a fingerprint too. A passphrase is not a secret: it can be
// guessed from one recorded handshake.
func pskOf(secret []byte, app [8]byte) ([]byte, error) {
	short := len(secret) == shortSecret && secret[shortSecret-1]&15 == 0
	if !short && len(secret) < minSecret {
		return nil, fmt.Errorf("netmsg: a secret of %d bytes: it has %d or more, or 60 bits in %d", len(secret), minSecret, shortSecret)
	}
	return hkdf.Key(sha256.New, secret, nil, "NMS2 psk"+string(app[:]), keySize)
}
