package party

import (
	"io"
	"log/slog"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// A Config sets up a Party. The zero Config is all defaults. It is read by New.
type Config struct {
	// Proto is the version of the game's own messages. A guest of another Proto
	// than the host's hears Down(WhyProto). 1 if zero.
	Proto uint16

	// Port is the one meant by an address without a port; DefaultPort if zero.
	Port uint16

	// MaxMessage is the largest reliable message that this side sends and takes,
	// in bytes, up to 16 MiB less 24: for levels and the like. All members should
	// have the same. The constant MaxMessage if zero.
	MaxMessage int

	// SignalURL is the matchmaker's, as "wss://play.example.com": it turns rooms
	// on. Host opens one, whose code the fact RoomOpen tells, and guests join by
	// the code through any router. Empty: no rooms; a room code is
	// Down(WhyNoMatchmaker).
	SignalURL string

	// Name is what a public list calls the party, at most 64 bytes of UTF-8; more
	// is left off. A master server of N64NL is told "Partyline" if it is empty.
	Name string

	// Announce is a master server of N64NL, "host:port" (6464 if there is no port),
	// at which this side is listed while it hosts: with Name, and with ListingHash
	// in place of a file's. The host's own socket then also tells anybody who asks
	// (DISCOVER) its name, how many members it has and how many it takes: at most
	// 50 answers a second. A router has to let others in, for the list knows no
	// room. A name is looked up behind the frames; a party on a StepSocket takes
	// addresses only. Empty: not listed, and no such question is answered.
	Announce string

	// Public shows the room, its name and its code in the matchmaker's list.
	Public bool

	// A STUN server says at which address others see this side: StunAt,
	// "203.0.113.1:27400", or StunHost with StunPort (27400 if zero), a name or an
	// address. Both empty: the matchmaker's.
	StunHost string
	StunPort uint16
	StunAt   string

	// NoStun asks no STUN server. Behind a router a guest then has only the relay
	// left, and a host is reached by those alone that are behind it as well.
	NoStun bool

	// ForceRelay joins by room code over the relay alone, so that neither the
	// host nor the other guests learn this side's address. A host with it reaches
	// its guests over their relay, but its own address is told to them.
	ForceRelay bool

	// Network is how the matchmaker and the relay are reached; the zero Network is
	// the machine's.
	Network Network

	// Identity is a private X25519 key of 32 bytes by which others know this
	// player again from one party to the next. Nil: Config.Seat's, or else made
	// new by New.
	Identity []byte

	// Plain asks for packets that anybody can read and forge. A party does not
	// heed it: it is always sealed, and the log warns. The field is for programs
	// that set up a party as they set up package netmsg, where it counts.
	Plain bool

	// InviteOnly: a host takes only guests that have its invitation
	// (Party.Invitation), not those with a bare join code.
	InviteOnly bool

	// Seat is what Party.Seat gave in an earlier run of the program, before a
	// crash: the host then knows the guest again and drops its ghost at once.
	// Nil, or of another size than Party.Seat's: a newcomer.
	Seat []byte

	// NoHandOff: the party ends with its host. Otherwise its members seek the
	// next one of themselves when the host leaves or falls silent.
	NoHandOff bool

	// SilenceTimeout is how long a peer may be silent before it counts as gone,
	// from 1s to 120s; 10s if zero, for ever if negative. Of the two ends of a
	// connection the smaller one rules.
	SilenceTimeout time.Duration

	// StallTimeout is how long this side may be without a frame and without
	// KeepAlive before it lets its peers go; 60s if zero, never if negative. A
	// party on a StepSocket has no clock but its frames, and never stalls.
	StallTimeout time.Duration

	// Socket carries the datagrams; nil: a UDP socket, opened by each session and
	// closed with it. A given socket stays open for the party's next session, and
	// is its giver's to close. On a netmsg.StepSocket the party is stepped: it has
	// no goroutine and no clock, and Begin moves its time by dt.
	Socket netmsg.Socket

	// Random is where tokens, seats and salts come from; nil: crypto/rand. With
	// the same Random, StepSocket and calls a party does the same again. A live
	// party draws from it in another goroutine too, when a frame is late.
	Random io.Reader

	// Log takes what happens to the session; at debug level also what the
	// protocol does. Nil: silence.
	Log *slog.Logger
}

// withDefaults fills in what is zero.
func (c Config) withDefaults() Config {
	if c.Proto == 0 {
		c.Proto = 1
	}
	if c.MaxMessage <= 0 {
		c.MaxMessage = MaxMessage
	}
	c.MaxMessage = min(max(c.MaxMessage, leastMessage), mostMessage)
	if c.Port == 0 {
		c.Port = DefaultPort
	}
	if c.SilenceTimeout == 0 {
		c.SilenceTimeout = SilenceTimeout
	}
	if c.StallTimeout == 0 {
		c.StallTimeout = StallTimeout
	}
	if c.StunPort == 0 {
		c.StunPort = StunPort
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
