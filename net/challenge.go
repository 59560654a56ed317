package netmsg

import "encoding/binary"

// A challenge is the server's answer to a Request: its demands and a cookie.
type challenge struct {
	demands demands
	salt    [8]byte
	cookie  uint64
	key     [keySize]byte // the server's static public key
}

// demands are what a server asks of every client.
type demands struct {
	revision byte
	patterns byte // pattern.bit of each that it takes
	token    bool // a connect token is required
}

const (
	allPatterns    = 1<<patternNK | 1<<patternNKpsk0 | 1<<patternIK | 1<<patternIKpsk1
	flagNeedsToken = 1 // bit 0 of the flags: a connect token is required
)

func appendDemands(b []byte, d demands) []byte {
	flags := byte(0)
	if d.token {
		flags = flagNeedsToken
	}
	return append(b, d.revision, d.patterns, flags)
}

func parseDemands(b []byte) (d demands, ok bool) {
	d = demands{revision: b[0], patterns: b[1], token: b[2] == flagNeedsToken}
	return d, d.patterns&^byte(allPatterns) == 0 && b[2] <= flagNeedsToken
}

func appendChallenge(b []byte, c *challenge) []byte {
	b = appendDemands(appendHello(b, helloChallenge), c.demands)
	b = append(b, c.salt[:]...)
	b = binary.BigEndian.AppendUint64(b, c.cookie)
	return append(b, c.key[:]...)
}

func parseChallenge(b []byte) (c challenge, ok bool) {
	if kind, ok := helloKind(b); !ok || kind != helloChallenge || len(b) != challengeSize {
		return c, false
	}
	c.demands, ok = parseDemands(b[5:])
	c.salt = [8]byte(b[8:])
	c.cookie = binary.BigEndian.Uint64(b[16:])
	c.key = [keySize]byte(b[24:])
	return c, ok
}
