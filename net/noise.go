package netmsg

import (
	"bytes"
	"errors"
	"io"

	"github.com/flynn/noise"
)

// A pattern is one of the four Noise handshakes inside Response and Accept. In
// each the client knows the server's static key before message 1.
type pattern uint8

const (
	patternNK     pattern = iota + 1 // the client proves nothing
	patternNKpsk0                    // the psk
	patternIK                        // its static key
	patternIKpsk1                    // both
)

// patternFor is the pattern by which a client proves a static key, a psk, both
// or neither.
func patternFor(key, psk bool) pattern {
	p := patternNK
	if psk {
		p++
	}
	if key {
		p += 2
	}
	return p
}

func (p pattern) valid() bool { return patternNK <= p && p <= patternIKpsk1 }
func (p pattern) psk() bool   { return p == patternNKpsk0 || p == patternIKpsk1 }
func (p pattern) key() bool   { return p == patternIK || p == patternIKpsk1 }

// bit is the pattern's place in the patterns byte of a Challenge.
func (p pattern) bit() byte { return 1 << p }

const (
	noiseTag = 16

	// Message 2: an ephemeral key, and a payload of 5 bytes or more with its tag.
	minNoise2 = keySize + minVerdict + noiseTag
)

// minNoise1 is the size of the smallest message 1: an ephemeral key, the
// client's static key and its tag where it has one, and a payload of 4 bytes
// or more with its tag.
func (p pattern) minNoise1() int {
	if p.key() {
		return keySize + keySize + noiseTag + minClientHello + noiseTag
	}
	return keySize + minClientHello + noiseTag
}

var (
	errNoisePSK = errors.New("netmsg: this pattern takes a psk of 32 bytes")
	errNoiseKey = errors.New("netmsg: a public key of low order")
)

// config is what both sides set alike; own is the side's static key, nil where
// it has none. It refuses a psk that is not one: flynn/noise takes a missing psk
// for a pattern that has none.
func (p pattern) config(prologue, psk []byte, own *identity) (noise.Config, error) {
	c := noise.Config{CipherSuite: suiteFor(own), Pattern: noise.HandshakeNK, Prologue: prologue}
	if p.key() {
		c.Pattern = noise.HandshakeIK
	}
	if !p.psk() {
		return c, nil
	}
	if len(psk) != keySize {
		return c, errNoisePSK
	}
	c.PresharedKey = psk
	if p.key() {
		c.PresharedKeyPlacement = 1
	}
	return c, nil
}

// sessionKeys are what a handshake ends with, the same at both sides.
type sessionKeys struct {
	toServer, toClient [keySize]byte
	binding            [32]byte
}

func splitKeys(hs *noise.HandshakeState, toServer, toClient *noise.CipherState) sessionKeys {
	return sessionKeys{
		toServer: toServer.UnsafeKey(),
		toClient: toClient.UnsafeKey(),
		binding:  [32]byte(hs.ChannelBinding()),
	}
}

func noiseKeyPair(id *identity) noise.DHKey {
	return noise.DHKey{Private: id.private[:], Public: id.public[:]}
}

// A clientNoise is the client's half after message 1. Any number of messages
// that do not verify leave it as it was.
type clientNoise struct {
	message []byte // Noise message 1

	cfg       noise.Config
	ephemeral [keySize]byte
	payload   []byte // of message 1

	// The state that message 1 left, until a message 2 has been tried on it:
	// flynn/noise does not undo all that a failed one did, so the next try is
	// made on a state made anew from the same ephemeral key.
	fresh *noise.HandshakeState
}

// newClientNoise writes message 1. static is nil for patterns without a key.
// The ephemeral key is 32 bytes read from random.
func newClientNoise(p pattern, prologue []byte, server *[keySize]byte, static *identity, psk, payload []byte, random io.Reader) (*clientNoise, error) {
	cfg, err := p.config(prologue, psk, static)
	if err != nil {
		return nil, err
	}
	if lowOrder(server[:]) {
		return nil, errNoiseKey
	}
	cfg.Initiator = true
	cfg.PeerStatic = server[:]
	if p.key() {
		cfg.StaticKeypair = noiseKeyPair(static)
	}
	c := &clientNoise{cfg: cfg, payload: payload}
	if _, err := io.ReadFull(random, c.ephemeral[:]); err != nil {
		return nil, err
	}
	c.message, c.fresh, err = c.begin()
	return c, err
}

// begin makes the state behind message 1, the same each time.
func (c *clientNoise) begin() ([]byte, *noise.HandshakeState, error) {
	cfg := c.cfg
	cfg.Random = bytes.NewReader(c.ephemeral[:])
	hs, err := noise.NewHandshakeState(cfg)
	if err != nil {
		return nil, nil, err
	}
	message, _, _, err := hs.WriteMessage(nil, c.payload)
	return message, hs, err
}

// read opens message 2.
func (c *clientNoise) read(message []byte) (payload []byte, keys sessionKeys, ok bool) {
	if len(message) < minNoise2 || lowOrder(message[:keySize]) {
		return nil, keys, false
	}
	hs := c.fresh
	c.fresh = nil
	if hs == nil {
		var err error
		if _, hs, err = c.begin(); err != nil {
			return nil, keys, false
		}
	}
	payload, toServer, toClient, err := hs.ReadMessage(nil, message)
	if err != nil {
		return nil, keys, false
	}
	return payload, splitKeys(hs, toServer, toClient), true
}

// A serverNoise is the server's half after message 1 verified.
type serverNoise struct {
	hs        *noise.HandshakeState
	clientKey [keySize]byte // zeros where the pattern has none
}

// openNoise reads message 1. The ephemeral key of the answer will be 32 bytes
// read from random.
func openNoise(p pattern, prologue []byte, own *identity, psk, message []byte, random io.Reader) (s serverNoise, payload []byte, ok bool) {
	if len(message) < p.minNoise1() || lowOrder(message[:keySize]) {
		return s, nil, false
	}
	cfg, err := p.config(prologue, psk, own)
	if err != nil {
		return s, nil, false
	}
	cfg.StaticKeypair = noiseKeyPair(own)
	cfg.Random = random
	s.hs, err = noise.NewHandshakeState(cfg)
	if err != nil {
		return s, nil, false
	}
	payload, _, _, err = s.hs.ReadMessage(nil, message)
	if err != nil {
		return s, nil, false
	}
	copy(s.clientKey[:], s.hs.PeerStatic())
	return s, payload, true
}

// answer appends message 2 to b. It fails only when the source of randomness does.
func (s *serverNoise) answer(b, payload []byte) ([]byte, sessionKeys, error) {
	b, toServer, toClient, err := s.hs.WriteMessage(b, payload)
	if err != nil {
		return nil, sessionKeys{}, err
	}
	return b, splitKeys(s.hs, toServer, toClient), nil
}
