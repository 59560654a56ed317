package netmsg

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"time"
)

// A Config sets up an endpoint, a pair or a core. In each field zero means the
// default and a negative number switches the thing off. The zero Config, and a
// nil *Config, are all defaults. It is read when it is given and may be reused.
// Both ends of a connection should have the same one.
//
// Times of over 70 years are taken as 70 years.
//
// [Config.Validate] says whether every field is within its limits; [Listen]
// and [Dial] ask it. What takes a Config and returns no error uses the nearest
// value that is allowed.
type Config struct {
	// Plain: NMS1 alone, unsealed: whoever can read the packets can read and
	// forge what is sent. For debugging and for links that are protected
	// otherwise. Both sides must ask for it; there is no falling back to it.
	Plain bool

	MaxPacket  int // largest datagram sent, bytes of UDP payload, 64 to 65,507 (NMS2: 256 at least); if zero 1,200 in plain mode, else 1,472 where the path takes that
	MaxClients int // connections that a listening endpoint takes, at most 16,777,216; 64 if zero, any number if negative

	GoodRate int // packets a second while the round trip is good, at most 10,000; 30 if zero, unlimited if negative
	BadRate  int // packets a second while it is over BadRTT, at most 10,000; 10 if zero, unlimited if negative

	BadRTT         time.Duration // smoothed round trip above which the rate is BadRate; 250ms if zero, never if negative
	KeepAlive      time.Duration // longest silence before a keep-alive goes; 100ms if zero, none goes if negative
	Timeout        time.Duration // silence of the peer that ends the connection; 10s if zero, never if negative
	ResendMin      time.Duration // shortest resend delay of a reliable message (NMS1); 40ms if zero, no minimum if negative
	ConnectRetry   time.Duration // between handshake datagrams; 250ms if zero, each goes once if negative
	ConnectTimeout time.Duration // for the whole handshake; 5s if zero, no end if negative
	StallTimeout   time.Duration // Driven: longest time without Drain or Flush before connections end as Stalled; 60s if zero, never if negative

	MaxMessage int // NMS2: largest reliable message, bytes, 1,024 to 16,777,216; 65,535 if zero, the most if negative
	MaxValue   int // NMS2: largest latest value, bytes, 1,024 to 65,535; 16,384 if zero, the most if negative
	MaxStreams int // latest-value streams a connection carries each way, 1 to 4,096; 64 if zero, 4,096 if negative
	MaxQueued  int // NMS2: bytes of reliable messages that may wait on a connection; 8 MiB if zero, any number if negative

	MaxWaiting int // NMS2: reliable messages that may wait or be unacknowledged on a connection; 4,096 if zero, any number if negative

	// OverflowEnds: a reliable message that finds the queue full (MaxWaiting
	// messages or MaxQueued bytes) ends the connection as Overflow, as it always does in
	// NMS1. Without it the send is refused as QueueFull (NMS2).
	OverflowEnds bool

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
	Unix        func() int64              // server: the wall clock in Unix seconds, read for tokens alone; nil: the system's

	// NMS2, server: what handshakes may cost. Addresses that are loopback or
	// private have no budget of their own.
	HandshakeRate int // handshakes computed a second; 200, or MaxClients/8 if that is more. Token holders have as many again
	PrefixRate    int // of those, from one IPv4 /24 or IPv6 /56; 4 a second
	PrefixBurst   int // and at once; 16
	Provisional   int // handshakes answered and not confirmed by a packet yet; 64, or twice MaxClients if that is more. Token holders: as many again

	// Foreign is given the datagrams that are not of this protocol, and says
	// whether they were meant for it; EndpointStats counts the others. It is
	// called under the endpoint's lock, from whoever reads the socket, so it must
	// not wait and not use the endpoint; datagram is borrowed until it returns.
	// SendForeign answers. Nil: all are dropped.
	Foreign func(from netip.AddrPort, datagram []byte) bool

	// Resent, NMS2, is told of every n bytes of a reliable message that go once
	// more, lost or perhaps lost: what a meter by kinds of messages has to count.
	// It is called under the endpoint's lock, from whoever sends, so it must not
	// wait and not use the endpoint; message is borrowed until it returns.
	Resent func(message []byte, n int)

	Random io.Reader    // salts, keys, cookies; nil: crypto/rand
	Log    *slog.Logger // nil: silence

	settled    bool // every field has its value; zero means zero
	freePacket bool // MaxPacket was not set: a sealed connection takes what the path does
}

// The defaults and the limits of Config. A limit of the protocol is where the
// protocol is.
const (
	defaultMaxPacket  = 1200 // with all headers it fits the smallest IPv6 path, 1,280 bytes
	defaultMaxClients = 64
	defaultGoodRate   = 30
	defaultBadRate    = 10

	defaultBadRTT         = 250 * time.Millisecond
	defaultKeepAlive      = 100 * time.Millisecond
	defaultTimeout        = 10 * time.Second
	defaultResendMin      = 40 * time.Millisecond
	defaultConnectRetry   = 250 * time.Millisecond
	defaultConnectTimeout = 5 * time.Second
	defaultStallTimeout   = 60 * time.Second

	defaultMaxMessage = 65535
	defaultMaxStreams = 64
	defaultMaxQueued  = 8 << 20

	minMaxPacket  = 64      // room for the headers and a little more
	maxMaxPacket  = 65507   // the largest UDP payload over IPv4
	maxRate       = 10000   // packets a second
	maxMaxClients = 1 << 24 // nobody has so many; bounds are up to 8 times this

	longestTime = 1 << 61 // 73 years: what is added to the clock does not run over
)

// Validate says which field is outside its limits, or nil. Zero and negative
// fields never are.
func (c *Config) Validate() error {
	if c == nil {
		return nil
	}
	for _, f := range []struct {
		name             string
		value, low, high int
	}{
		{"MaxPacket", c.MaxPacket, minMaxPacket, maxMaxPacket},
		{"GoodRate", c.GoodRate, 1, maxRate},
		{"BadRate", c.BadRate, 1, maxRate},
		{"MaxStreams", c.MaxStreams, 1, maxMaxStreams},
	} {
		if f.value > 0 && (f.value < f.low || f.value > f.high) {
			return fmt.Errorf("netmsg: Config.%s is %d, must be %d to %d", f.name, f.value, f.low, f.high)
		}
	}
	if err := c.checkSecrets(); err != nil {
		return err
	}
	s := c.settle()
	if s.KeepAlive > 0 && s.Timeout > 0 && s.KeepAlive >= s.Timeout {
		return fmt.Errorf("netmsg: Config.KeepAlive %v is not under Timeout %v: an idle connection would end", s.KeepAlive, s.Timeout)
	}
	return nil
}

// MaxReliable is the size in bytes of the largest reliable message that a
// connection of this Config takes: MaxMessage, so 65,535; plain, 27 bytes less
// than MaxPacket, so 1,173, and never over 16,383. A peer may take less.
func (c *Config) MaxReliable() int {
	if c == nil || !c.Plain {
		return announced(c.settle(), false, 0).maxMessage
	}
	return plainMaxReliable(c.settle())
}

// MaxLatest is the size in bytes of the largest latest value that a connection
// of this Config takes: MaxValue, so 16,384, but no more than 32 packets of at
// most 1,200 bytes hold, so 37,056; plain, 29 bytes less than MaxPacket, so
// 1,171, and never over 16,383. A peer may take less.
func (c *Config) MaxLatest() int {
	if c == nil || !c.Plain {
		s := c.settle()
		return min(announced(s, false, 0).maxLatest, largestValue(min(mtuFloor, packetLimit(s))))
	}
	return plainMaxLatest(c.settle())
}

// settle gives a Config in which every field has its value: the default where
// it was zero, the nearest one allowed where it was outside its limits. What
// is negative stays so and means off.
func (c *Config) settle() *Config {
	if c != nil && c.settled {
		return c
	}
	s := new(Config)
	if c != nil {
		*s = *c
	}
	s.settled, s.freePacket = true, s.MaxPacket <= 0
	s.settleNumbers()
	s.settleTimes()
	if s.Random == nil {
		s.Random = systemRandom
	}
	if s.Unix == nil {
		s.Unix = systemUnix
	}
	return s
}

func (c *Config) settleNumbers() {
	for _, f := range []struct {
		field             *int
		normal, low, high int
	}{
		{&c.MaxPacket, defaultMaxPacket, minMaxPacket, maxMaxPacket},
		{&c.MaxClients, defaultMaxClients, 1, maxMaxClients},
		{&c.GoodRate, defaultGoodRate, 1, maxRate},
		{&c.BadRate, defaultBadRate, 1, maxRate},
		{&c.MaxMessage, defaultMaxMessage, 0, 0},
		{&c.MaxStreams, defaultMaxStreams, 1, maxMaxStreams},
		{&c.MaxQueued, defaultMaxQueued, 0, 0},
		{&c.MaxWaiting, maxQueuedMessages, 0, 0},
	} {
		if *f.field == 0 {
			*f.field = f.normal
		}
		if *f.field > 0 && f.high > 0 {
			*f.field = min(max(*f.field, f.low), f.high)
		}
	}
	if c.MaxPacket < 0 {
		c.MaxPacket = defaultMaxPacket // a datagram without a largest size cannot be
	}
	if c.MaxStreams < 0 {
		c.MaxStreams = maxMaxStreams
	}
}

func (c *Config) settleTimes() {
	for _, f := range []struct {
		field  *time.Duration
		normal time.Duration
	}{
		{&c.BadRTT, defaultBadRTT},
		{&c.KeepAlive, defaultKeepAlive},
		{&c.Timeout, defaultTimeout},
		{&c.ResendMin, defaultResendMin},
		{&c.ConnectRetry, defaultConnectRetry},
		{&c.ConnectTimeout, defaultConnectTimeout},
		{&c.StallTimeout, defaultStallTimeout},
	} {
		if *f.field == 0 {
			*f.field = f.normal
		}
		*f.field = min(*f.field, longestTime)
	}
}
