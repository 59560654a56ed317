package party

import "fmt"

// Why says why something ended, or why a call failed. It is a code: the words
// shown to a player are the game's. Of several reasons the first that was
// known counts.
//
// A Why is also an error, so that errors.Is(err, party.WhyPortInUse) tells why
// Host failed.
type Why uint8

const (
	WhyNone         Why = iota // nothing has ended
	WhyGame                    // the game said why itself (Party.Lose)
	WhyNoAnswer                // nobody answered in time, or the host's game did not
	WhySilent                  // nothing was heard for Config.SilenceTimeout
	WhyStalled                 // a side was alive, but without a frame for Config.StallTimeout
	WhyClosed                  // the other side left
	WhyKicked                  // the host let this guest go (Party.ClosePeer)
	WhyFull                    // all twelve seats are taken
	WhyProto                   // the other side has another Config.Proto
	WhyVersion                 // the other side has another version of this library
	WhyRefused                 // the host's game refused the hello (Party.Refuse)
	WhyReplaced                // the same member came back over a newer connection
	WhyMoved                   // the party went to another host
	WhyBadCode                 // what was typed is no code and no address
	WhyNoRoom                  // nobody has a room of that code
	WhyRoomClosed              // the room was closed
	WhyNoMatchmaker            // a room code needs a matchmaker, and none is set or answers
	WhyThrottled               // the matchmaker wants us to wait
	WhyNoPath                  // no way was found through the routers
	WhyPortInUse               // another program has the port
	WhySocket                  // the socket cannot be opened
	WhyOverflow                // a peer did not keep up with what was queued for it
	WhyProtocol                // the other side broke the protocol's rules
	WhyKey                     // the host's key is not the expected one
	WhyCancelled               // the game took its join back (Party.Cancel, Party.Leave)

	whyEnd // one past the last
)

var whyNames = [whyEnd]string{
	WhyNone:         "none",
	WhyGame:         "game",
	WhyNoAnswer:     "no answer",
	WhySilent:       "silent",
	WhyStalled:      "stalled",
	WhyClosed:       "closed",
	WhyKicked:       "kicked",
	WhyFull:         "full",
	WhyProto:        "other protocol",
	WhyVersion:      "other version",
	WhyRefused:      "refused",
	WhyReplaced:     "replaced",
	WhyMoved:        "moved",
	WhyBadCode:      "bad code",
	WhyNoRoom:       "no room",
	WhyRoomClosed:   "room closed",
	WhyNoMatchmaker: "no matchmaker",
	WhyThrottled:    "throttled",
	WhyNoPath:       "no path",
	WhyPortInUse:    "port in use",
	WhySocket:       "socket",
	WhyOverflow:     "overflow",
	WhyProtocol:     "protocol",
	WhyKey:          "key",
	WhyCancelled:    "cancelled",
}

// String names the reason in a word or two of English, for logs.
func (w Why) String() string {
	if w < whyEnd {
		return whyNames[w]
	}
	return fmt.Sprintf("Why(%d)", uint8(w))
}

// Error is String with the package's name before it.
func (w Why) Error() string { return "party: " + w.String() }
