package netmsg

import (
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
)

// keySize is the size of an X25519 key, private or public, and of a psk.
const keySize = 32

// An identity is a static X25519 key pair: a server's, or that by which a
// player is known.
type identity struct {
	private, public [keySize]byte
	key             *ecdh.PrivateKey // both, ready for use; nil: of the zero identity
}

// identityOf makes the pair of a private key of 32 bytes.
func identityOf(private []byte) (id identity, err error) {
	key, err := ecdh.X25519().NewPrivateKey(private)
	if err != nil {
		return identity{}, fmt.Errorf("netmsg: a private key has %d bytes: %w", keySize, err)
	}
	copy(id.private[:], private)
	copy(id.public[:], key.PublicKey().Bytes())
	id.key = key
	return id, nil
}

// newIdentity draws a pair. The private key is the next 32 bytes of random, so
// that a seeded run is the same run; ecdh's own GenerateKey ignores its reader.
func newIdentity(random io.Reader) (identity, error) {
	var private [keySize]byte
	if _, err := io.ReadFull(random, private[:]); err != nil {
		return identity{}, err
	}
	return identityOf(private[:])
}

// PublicKey gives the public half of a static X25519 private key, both of 32
// bytes: what a client pins in Config.ServerKey when the server has the
// private key as its Config.Identity. Any other size is an error.
func PublicKey(identity []byte) ([]byte, error) {
	id, err := identityOf(identity)
	if err != nil {
		return nil, err
	}
	return id.public[:], nil
}

var errPublicKey = fmt.Errorf("netmsg: Config.ServerKey is not a usable public key of %d bytes", keySize)

// publicKeyOf checks a static public key that the application gives.
func publicKeyOf(b []byte) (key [keySize]byte, err error) {
	if len(b) != keySize || lowOrder(b) {
		return key, errPublicKey
	}
	copy(key[:], b)
	return key, nil
}

// keyHint says in a Request which server key the client expects: the first 8
// bytes of SHA-256("NMS2 key" || public key).
func keyHint(public *[keySize]byte) (hint [8]byte) {
	sum := sha256.Sum256(append([]byte("NMS2 key"), public[:]...))
	copy(hint[:], sum[:])
	return hint
}

// Fingerprint shortens a server's static public key to what people compare and
// invitations carry: the first 60 bits of SHA-256("NMS2 fingerprint" || public
// key), as a number. PROTOCOL.md, Keys.
func Fingerprint(publicKey []byte) uint64 {
	sum := sha256.Sum256(append([]byte("NMS2 fingerprint"), publicKey...))
	return binary.BigEndian.Uint64(sum[:]) >> 4
}

// fingerprintAlphabet has no I, L, O or U.
const fingerprintAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// FingerprintText writes a fingerprint as 12 symbols, the most significant
// first. Bits above the 60 are not looked at.
func FingerprintText(fingerprint uint64) string {
	var text [12]byte
	for i := range text {
		text[i] = fingerprintAlphabet[fingerprint>>(55-5*i)&31]
	}
	return string(text[:])
}
