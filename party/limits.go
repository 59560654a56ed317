package party

import (
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// Sizes are bytes of the game's own data: the library's headers come on top.
// They stand for the party that New(Config{}) makes.
const (
	// MaxMembers is the number of seats: the host's and eleven for guests.
	MaxMembers = 12

	// MaxMessage is the default of Config.MaxMessage, the largest reliable
	// message. A larger one is refused by the call that sends it, with both sizes.
	MaxMessage = 65535

	// MaxUnreliable is the largest unreliable message: what every datagram holds.
	MaxUnreliable = 1136

	// MaxLatest is the largest latest value.
	MaxLatest = 16384

	// FragmentPayload is what the first of the datagrams of a large reliable
	// message of a host carries of it, when a datagram has 1,200 bytes: what is
	// left beside 22 bytes of sealing, 10 of acknowledgement, 10 of the fragment
	// and 3 of the party. A smaller message goes whole.
	FragmentPayload = 1155

	// MaxDatagram is the largest UDP payload that a party ever sends: it begins
	// with 1,200 and goes up to this where the path takes it.
	MaxDatagram = 1472

	// MaxQueued is how many bytes of reliable messages may wait for one peer,
	// headers included, in at most 65,536 messages. A peer that falls further
	// behind is let go with WhyOverflow.
	MaxQueued = 8 << 20

	// MaxString is the longest string that Writer.Str takes. Writer.Text takes
	// longer ones, with a limit of the game's.
	MaxString = 200

	// SilenceTimeout is the default of Config.SilenceTimeout.
	SilenceTimeout = 10 * time.Second

	// StallTimeout is the default of Config.StallTimeout.
	StallTimeout = 60 * time.Second

	// JoinTimeout is how long a join takes at most, if HelloWait is not called:
	// then it ends in Down(WhyNoAnswer). A stranger's hello waits as long for the
	// host's Accept.
	JoinTimeout = 10 * time.Second

	// MaxHelloWait is what HelloWait can extend that to, in all.
	MaxHelloWait = 60 * time.Second

	// DefaultPort is the default of Config.Port.
	DefaultPort = 27415

	// StunPort is the default of Config.StunPort: a matchmaker's.
	StunPort = matchmaker.DefaultPort

	// MaxStream is the highest stream of latest values: each member has streams 0
	// to 63.
	MaxStream = 63
)

const (
	maxGuests     = MaxMembers - 1
	maxStrangers  = 16 // connections not yet accepted that a host keeps
	maxLingering  = 4  // connections that are being told why they end
	maxRecipients = MaxMembers - 1

	streamsEach  = MaxStream + 1
	valueStreams = MaxMembers * streamsEach // netmsg streams of all members' latest values

	// headerRoom is the longest header of a game's message: kind, count and
	// maxRecipients pids.
	headerRoom = 2 + 2*maxRecipients

	usualMessage = 4 << 10 // the writer begins with room for one
	leastMessage = 8 << 10 // the roster has to fit
	mostMessage  = 16<<20 - headerRoom
)
