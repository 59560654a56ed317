package netmsg

import (
	"io"
	"log/slog"
	"time"
)

// A Config sets up an endpoint, a pair or a core. In each field zero means the
// default and a negative number switches the thing off. The zero Config, and a
// nil *Config, are all defaults. It is read when it is given and may be reused.
type Config struct {
	Plain bool // NMS1 alone: unsealed, for debugging and protected links

	MaxPacket  int // largest datagram sent, bytes of UDP payload; 1,200
	MaxClients int // connections that a listening endpoint takes; 64

	GoodRate int // packets a second while the round trip is good; 30
	BadRate  int // packets a second while it is over BadRTT; 10

	BadRTT         time.Duration // smoothed round trip above which the rate is BadRate; 250ms
	KeepAlive      time.Duration // longest silence before a keep-alive; 100ms
	Timeout        time.Duration // silence of the peer that ends the connection; 10s
	ResendMin      time.Duration // shortest resend delay of a reliable message (NMS1); 40ms
	ConnectRetry   time.Duration // between handshake datagrams; 250ms
	ConnectTimeout time.Duration // for the whole handshake; 5s
	StallTimeout   time.Duration // Driven: longest time without Drain or Flush before connections end as Stalled; 60s

	MaxMessage int // NMS2: largest reliable message; 65,535
	MaxStreams int // latest-value streams a connection carries each way; 64
	MaxQueued  int // NMS2: bytes of reliable messages that may wait on a connection; 8 MiB

	// Driven: no goroutine reads the socket. The program calls Drain at the
	// start and Flush at the end of each frame; a watchdog does the same work
	// when a frame is more than 100 ms late.
	Driven bool

	AppID     [8]byte // NMS2: programs of different ids never connect
	Identity  []byte  // NMS2: static X25519 private key, 32 bytes; nil: a server makes a new one, a client proves none
	ServerKey []byte  // NMS2: the server's static public key, pinned
	Secret    []byte  // NMS2: what the psk is made of: 10 random bytes or more, or an invitation's 8
	Token     []byte  // NMS2: connect token of this client; PSK is then the token's
	TokenKey  []byte  // NMS2: key that opens clients' tokens, 32 bytes; its number is 0

	// NMS2, beside those. A client that was given a psk (Secret or PSK) never
	// connects without it; a server that has one, or a token key, asks every
	// client for it unless PSKOptional.
	PSK         []byte                    // the psk itself, 32 random bytes: a connect token's, or one from a matchmaker; in place of Secret
	Fingerprint uint64                    // client: Fingerprint of the server's key, where the key itself is not known; 0: none
	Hello       []byte                    // client: early data for the server's Admit, at most 512 bytes; may be replayed, and is readable by who steals the server's key later
	TokenKeys   map[uint8][]byte          // server: token keys by their number, beside TokenKey; 32 bytes each
	PSKOptional bool                      // server: clients that prove neither a psk nor a token are taken too; Applicant.Proven tells
	NeedKey     bool                      // server: clients must prove a static key; one without makes a new one
	Admit       func(Applicant) Admission // server: the verdict on each client, at once, under the endpoint's lock; nil: all are taken
	Roams       bool                      // server: its own address may change (a party's host's does); a client's always may
	Unix        func() int64              // server: the wall clock in Unix seconds, for tokens; nil: the core takes its own time as Unix time

	// NMS2, server: what handshakes may cost. Addresses that are loopback or
	// private have no budget of their own.
	HandshakeRate int // handshakes computed a second; 200, or MaxClients/8 if that is more. Token holders have as many again
	PrefixRate    int // of those, from one IPv4 /24 or IPv6 /56; 4 a second
	PrefixBurst   int // and at once; 16
	Provisional   int // handshakes answered and not confirmed by a packet yet; 64, or twice MaxClients if that is more. Token holders: as many again

	MaxValue int // NMS2: largest latest value, 1,024 to 65,535; 16,384

	Random io.Reader    // salts, keys, cookies; nil: crypto/rand
	Log    *slog.Logger // nil: silence
}
