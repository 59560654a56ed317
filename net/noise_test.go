package netmsg

import (
	"bytes"
	"slices"
	"testing"
)

// A noisePair is a client that waits for message 2, and the message.
type noisePair struct {
	client  *clientNoise
	message []byte
	keys    sessionKeys
}

func newNoisePair(t testing.TB, p pattern) noisePair {
	t.Helper()
	server, _ := identityOf(filled(32, 0))
	static, _ := identityOf(filled(32, 50))
	psk := filled(32, 100)
	if !p.psk() {
		psk = nil
	}
	c, err := newClientNoise(p, []byte("prologue"), &server.public, &static, psk, filled(10, 0), seeded(3))
	if err != nil {
		t.Fatal(err)
	}
	s, _, ok := openNoise(p, []byte("prologue"), &server, psk, c.message, seeded(4))
	if !ok {
		t.Fatal("message 1 does not verify")
	}
	message, keys, err := s.answer(nil, filled(20, 7))
	if err != nil {
		t.Fatal(err)
	}
	return noisePair{c, message, keys}
}

// wantGenuine checks that the genuine message 2 still verifies.
func (p *noisePair) wantGenuine(t *testing.T, after string) {
	t.Helper()
	payload, keys, ok := p.client.read(p.message)
	if !ok || keys != p.keys || !bytes.Equal(payload, filled(20, 7)) {
		t.Errorf("after %s: the genuine message reads as %x, %v", after, payload, ok)
	}
}

func TestForgedSecondMessagesNeverSpoilTheGenuineOne(t *testing.T) {
	for _, p := range allOfThePatterns {
		pair := newNoisePair(t, p)
		other := newNoisePair(t, patternFor(!p.key(), p.psk()))
		forged := map[string][]byte{
			"an empty message": nil,
			"random bytes":     filled(100, 9),
			"another's":        other.message,
			"a key alone":      pair.message[:32],
			"a zero key":       make([]byte, 100),
		}
		for i := range lowOrderKeys {
			m := slices.Clone(pair.message)
			copy(m, lowOrderKeys[i][:])
			forged["a low-order key"+string(rune('A'+i))] = m
		}
		for i := 0; i < len(pair.message); i += 11 {
			m := slices.Clone(pair.message)
			m[i] ^= 0x10
			forged["a flipped bit"+string(rune('A'+i))] = m
			forged["a cut message"+string(rune('A'+i))] = m[:i]
		}
		for name, m := range forged {
			if _, _, ok := pair.client.read(m); ok {
				t.Errorf("pattern %d: %s verifies", p, name)
			}
			pair.wantGenuine(t, name)
		}
		pair.wantGenuine(t, "the genuine one")
	}
}

func TestNoiseRefusesAPSKThatIsNone(t *testing.T) {
	server, _ := identityOf(filled(32, 0))
	for _, p := range []pattern{patternNKpsk0, patternIKpsk1} {
		for _, psk := range [][]byte{nil, {}, filled(31, 0), filled(33, 0)} {
			if _, err := newClientNoise(p, nil, &server.public, &server, psk, filled(4, 0), seeded(1)); err == nil {
				t.Errorf("pattern %d: a client with a psk of %d bytes", p, len(psk))
			}
			if _, _, ok := openNoise(p, nil, &server, psk, make([]byte, 200), seeded(1)); ok {
				t.Errorf("pattern %d: a server with a psk of %d bytes", p, len(psk))
			}
		}
	}
}

func TestNoiseRefusesKeysOfLowOrder(t *testing.T) {
	server, _ := identityOf(filled(32, 0))
	pair := newNoisePair(t, patternIK)
	for _, key := range lowOrderKeys {
		if pair.client.read(append(key[:], make([]byte, 100)...)); pair.client.fresh == nil {
			t.Errorf("%x came to the library", key)
		}
		if _, err := newClientNoise(patternNK, nil, &key, nil, nil, filled(4, 0), seeded(1)); err == nil {
			t.Errorf("%x is taken as a server's", key)
		}
		if _, _, ok := openNoise(patternNK, nil, &server, nil, append(key[:], make([]byte, 100)...), seeded(1)); ok {
			t.Errorf("%x is taken as a client's", key)
		}
	}
}

func TestPatternsOfOneNameDoNotMeetWithoutThePSK(t *testing.T) {
	server, _ := identityOf(filled(32, 0))
	c, _ := newClientNoise(patternNK, nil, &server.public, nil, nil, filled(4, 0), seeded(1))
	if _, _, ok := openNoise(patternNKpsk0, nil, &server, make([]byte, 32), c.message, seeded(1)); ok {
		t.Error("NK verifies as NKpsk0 with a psk of zeros")
	}
}

func TestOneSourceMakesOneHandshake(t *testing.T) {
	for _, p := range allOfThePatterns {
		a, b := newNoisePair(t, p), newNoisePair(t, p)
		if !bytes.Equal(a.client.message, b.client.message) || !bytes.Equal(a.message, b.message) || a.keys != b.keys {
			t.Errorf("pattern %d: two runs differ", p)
		}
	}
}

// FuzzNoise: whatever is read first, the genuine message then verifies, at
// both sides.
func FuzzNoise(f *testing.F) {
	f.Add(uint8(1), []byte("anything"), uint16(3))
	f.Add(uint8(4), make([]byte, 200), uint16(40))
	f.Fuzz(func(t *testing.T, which uint8, forged []byte, flip uint16) {
		p := allOfThePatterns[which%4]
		pair := newNoisePair(t, p)
		altered := slices.Clone(pair.message)
		altered[int(flip)%len(altered)] ^= byte(flip>>8) | 1
		for _, m := range [][]byte{forged, altered, altered[:int(flip)%len(altered)]} {
			if _, _, ok := pair.client.read(m); ok {
				t.Errorf("%x verifies", m)
			}
		}
		pair.wantGenuine(t, "forgeries")

		server, _ := identityOf(filled(32, 0))
		first := slices.Clone(pair.client.message)
		first[int(flip)%len(first)] ^= byte(flip>>8) | 1
		for _, m := range [][]byte{forged, first} {
			if _, _, ok := openNoise(p, []byte("prologue"), &server, filled(32, 100), m, seeded(1)); ok {
				t.Errorf("%x verifies", m)
			}
		}
	})
}
