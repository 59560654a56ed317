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
	Identity  []byte  // NMS2: static X25519 private key, 32 bytes; nil: made new
	ServerKey []byte  // NMS2: the server's static public key, pinned
	Secret    []byte  // NMS2: what the psk is made of
	Token     []byte  // NMS2: connect token of this client
	TokenKey  []byte  // NMS2: key that opens clients' tokens, 32 bytes

	Random io.Reader    // salts, keys, cookies; nil: crypto/rand
	Log    *slog.Logger // nil: silence
}
