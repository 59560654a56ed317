package netmsg

import "time"

// A matchmaker gives two sides that are to meet a salt and a psk of their own.
// The server registers them; the guest's Request carries the salt.

const (
	pairLife = 30 * time.Second
	maxPairs = 1_024 // registered at one time; a further one takes the oldest's place
)

// A pair is one registration. It is good for one opened connection.
type pair struct {
	psk  [keySize]byte
	due  time.Duration // when it dies
	used bool          // a connection of it has opened
}

type pairTable map[[8]byte]*pair

// expect registers a psk of 32 bytes for a salt, in place of an earlier one.
func (t pairTable) expect(now time.Duration, salt [8]byte, psk []byte) error {
	if len(psk) != keySize {
		return errPSK
	}
	if len(t) >= maxPairs {
		t.makeRoom(now)
	}
	t[salt] = &pair{psk: [keySize]byte(psk), due: now + pairLife}
	return nil
}

// makeRoom forgets the dead ones, or else the oldest.
func (t pairTable) makeRoom(now time.Duration) {
	var oldest [8]byte
	first := true
	for salt, p := range t {
		if p.due <= now {
			delete(t, salt)
		} else if first || p.due < t[oldest].due {
			oldest, first = salt, false
		}
	}
	if len(t) >= maxPairs {
		delete(t, oldest)
	}
}

// of is the living pair of a salt; nil: none.
func (t pairTable) of(now time.Duration, salt [8]byte) *pair {
	p := t[salt]
	if p == nil || p.used || p.due <= now {
		return nil
	}
	return p
}
