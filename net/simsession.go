package netmsg

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
)

// The addresses of the two sides of a simulated pair; nothing is sent there.
var (
	simAddrA = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 1}), 1)
	simAddrB = netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 2}), 2)
)

// simSessions gives what a handshake might have agreed between a client, a, and
// a server, b, that have heard each other. In plain mode that is a number, else
// keys, all from seed: whoever knows it can read everything, so it is for
// simulations alone.
func simSessions(cfg *Config, seed uint64) (a, b Session) {
	if cfg.Plain {
		s := Session{ID: seed ^ 0x5e55105e55105e55}
		return s, s
	}
	rng := rand.New(rand.NewPCG(seed, 0x7365616c6564))
	client := secureSession{
		keys: &firstKeys{send: simKey(rng), receive: simKey(rng)}, binding: simKey(rng),
		ownCID: rng.Uint32() | 1<<31, peerCID: rng.Uint32() | 1<<31,
		own: announced(cfg, false, 0), peer: announced(cfg, true, 0),
		addr: simAddrB, verified: true, confirmed: true,
	}
	server := secureSession{
		server: true,
		keys:   &firstKeys{send: client.keys.receive, receive: client.keys.send}, binding: client.binding,
		ownCID: client.peerCID, peerCID: client.ownCID,
		own: client.peer, peer: client.own,
		addr: simAddrA, verified: true, confirmed: true,
	}
	return Session{secure: &client}, Session{secure: &server}
}

func simKey(rng *rand.Rand) (key [32]byte) {
	for i := 0; i < len(key); i += 8 {
		binary.LittleEndian.PutUint64(key[i:], rng.Uint64())
	}
	return key
}

// A simRandom is a Config.Random of a simulation: the same seed gives the same
// bytes.
type simRandom struct{ rand.PCG }

func newSimRandom(seed uint64) *simRandom { return &simRandom{*rand.NewPCG(seed, 0x72616e646f6d)} }

// Read fills b.
func (r *simRandom) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r.Uint64())
	}
	return len(b), nil
}
