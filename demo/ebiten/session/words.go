package session

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/party"
)

// EndWords says in a sentence for players why a session ended. text is what the
// other side said to it, which is shown where it adds something.
func EndWords(why party.Why, text string) string {
	words, ok := endWords[why]
	if !ok {
		words = "The game ended."
	}
	if text != "" && why == party.WhyReplaced {
		return "The game went on under another host, in room " + text + "."
	}
	if text != "" && (why == party.WhyRefused || why == party.WhyKicked || why == party.WhyClosed || why == party.WhyNoPath) {
		return words + " (“" + text + "”)"
	}
	return words
}

var endWords = map[party.Why]string{
	party.WhyNone:         "The game ended.",
	party.WhyGame:         "The game ended.",
	party.WhyNoAnswer:     "Nobody answered at that address. Is the game still open there?",
	party.WhySilent:       "The connection was lost: nothing was heard for ten seconds.",
	party.WhyStalled:      "This game stood still for too long, and the others went on.",
	party.WhyClosed:       "The host closed the game.",
	party.WhyKicked:       "The host sent you away.",
	party.WhyFull:         "The game is full: all twelve places are taken.",
	party.WhyProto:        "The host plays another version of Floe.",
	party.WhyVersion:      "The host's Partyline is of another version.",
	party.WhyRefused:      "The host did not let you in.",
	party.WhyReplaced:     "You came back from another place, and play on there.",
	party.WhyMoved:        "The game went on at another host.",
	party.WhyBadCode:      "That is no code and no address.",
	party.WhyNoRoom:       "Nobody has a game with that code.",
	party.WhyRoomClosed:   "That game has been closed.",
	party.WhyNoMatchmaker: "Room codes need a matchmaker, and none can be reached. Ask for the join code or the address.",
	party.WhyThrottled:    "Too many tries. Wait a moment.",
	party.WhyNoPath:       "No way was found through the routers between you.",
	party.WhyPortInUse:    "Another program uses that port.",
	party.WhySocket:       "This machine would not open a network socket.",
	party.WhyOverflow:     "The connection was too slow to keep up.",
	party.WhyProtocol:     "The other side sent something that makes no sense.",
	party.WhyKey:          "The host is not the one that the code names.",
	party.WhyCancelled:    "Joining was cancelled.",
}

// goneWords says why a player left, to follow the player's name.
func goneWords(why party.Why) string {
	switch why {
	case party.WhySilent:
		return "has not been heard of for ten seconds and is gone"
	case party.WhyStalled:
		return "stood still for too long and is gone"
	case party.WhyReplaced:
		return "is coming back"
	case party.WhyKicked:
		return "was sent away"
	case party.WhyOverflow:
		return "could not keep up and is gone"
	case party.WhyProtocol:
		return "made no sense and is gone"
	}
	return "left"
}

// ParseCode reads what a player typed or pasted: a code or an address.
// ErrorWords makes a sentence of its error.
func ParseCode(text string) (codes.Target, error) {
	to, err := codes.Parse(text, party.DefaultPort)
	if err != nil {
		return to, errors.New(strings.TrimPrefix(err.Error(), "codes: "))
	}
	return to, nil
}

// ErrorWords says in a sentence for players why a call failed.
func ErrorWords(err error) string {
	var why party.Why
	if errors.As(err, &why) {
		return EndWords(why, "")
	}
	first, size := utf8.DecodeRuneInString(err.Error())
	return string(unicode.ToUpper(first)) + err.Error()[size:] + "."
}
