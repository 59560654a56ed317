package party

import (
	"fmt"

	netmsg "github.com/partyline-go/partyline/net"
)

// A PID names a member of the party. The host that opened it is 1 and hands
// out 2, 3 and so on; none is handed out twice, and a member keeps its own
// when another becomes host. 0 is nobody.
type PID uint16

// hostPID is the pid of the host that opened the party.
const hostPID PID = 1

// A Kind says what a message is. 0 is the library's own and never seen by the
// game, 1 is the hello, the others are the game's.
type Kind uint8

const (
	kindLibrary Kind = 0

	// Hello is what a stranger says to a host, once (Writer.SetHello). The game
	// answers it with Party.Accept or Party.Refuse.
	Hello Kind = 1
)

// A Mode says how a message travels: Reliable, Unreliable, Latest or On. The
// zero Mode is none of them and refused.
type Mode uint16

const (
	// Reliable messages arrive once, in the order sent, and are kept until the
	// peer has acknowledged them.
	Reliable Mode = modeOn | Mode(netmsg.Ordered1)

	// Unreliable messages arrive at most once. One that could not be sent within
	// half a second is dropped.
	Unreliable Mode = modeLoose
)

// The upper byte of a Mode is how, the lower a channel or a stream.
const (
	modeOn Mode = (iota + 1) << 8
	modeLoose
	modeLatest
	modeHow Mode = 0xFF00
)

// Latest is for values of which only the newest counts, such as a position: a
// newer value on the same stream replaces one that has not been sent yet, and
// an older never arrives after a newer. Each member has its own streams 0 to
// MaxStream.
func Latest(stream uint16) Mode {
	if stream > MaxStream {
		return modeLatest | 0xFF // refused when something is sent
	}
	return modeLatest | Mode(stream)
}

// On is Reliable on a channel of its own: messages on one channel do not wait
// for those on another. Ordered1 is Reliable itself; Unordered arrives as it
// comes.
func On(channel netmsg.Channel) Mode {
	if channel > netmsg.Ordered3 {
		return modeOn | 0xFF // refused when something is sent
	}
	return modeOn | Mode(channel)
}

func (m Mode) how() Mode               { return m & modeHow }
func (m Mode) stream() uint16          { return uint16(m & 0xFF) }
func (m Mode) channel() netmsg.Channel { return netmsg.Channel(m & 0xFF) }

// limit is the most bytes that a message of mode m may have.
func (p *Party) limit(m Mode) int {
	switch m.how() {
	case modeLatest:
		return MaxLatest
	case modeLoose:
		return MaxUnreliable
	}
	return p.cfg.MaxMessage
}

// check says what is wrong with a mode.
func (m Mode) check() error {
	switch {
	case m.how() == modeOn && m.channel() <= netmsg.Ordered3, m == Unreliable:
		return nil
	case m.how() == modeLatest && m.stream() <= MaxStream:
		return nil
	case m.how() == modeLatest:
		return fmt.Errorf("party: no such stream: streams are 0 to %d", MaxStream)
	case m.how() == modeOn:
		return fmt.Errorf("party: no such channel: channels are 0 to %d", netmsg.Ordered3)
	}
	return fmt.Errorf("party: %d is no mode: Reliable, Unreliable, Latest(stream) and On(channel) are", uint16(m))
}

// String names the mode and its stream or channel.
func (m Mode) String() string {
	switch {
	case m == Reliable:
		return "Reliable"
	case m == Unreliable:
		return "Unreliable"
	case m.check() != nil:
		return fmt.Sprintf("Mode(%d)", uint16(m))
	case m.how() == modeLatest:
		return fmt.Sprintf("Latest(%d)", m.stream())
	}
	return fmt.Sprintf("On(%d)", m.channel())
}
