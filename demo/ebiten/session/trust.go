package session

import (
	"fmt"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

// A Lock says how safe the connection to a player is.
type Lock uint8

const (
	NoLock   Lock = iota // this side has no connection to the player: the host passes on what it says
	Sealed               // encrypted, with a key that was taken on trust
	Verified             // encrypted, and nobody is in between: the key was known, or the invitation was shown
)

// String gives the lock in a word; "" for none.
func (l Lock) String() string {
	switch l {
	case Sealed:
		return "sealed"
	case Verified:
		return "verified"
	}
	return ""
}

// Lock says how safe this side's own connection to a player is.
func (s *Session) Lock(pid party.PID) Lock {
	peer := s.party.PeerOf(pid)
	switch {
	case peer == nil || peer.Fingerprint() == "":
		return NoLock
	case peer.Verified():
		return Verified
	}
	return Sealed
}

// Sealed says that this side has connections, and that each has a key.
func (s *Session) Sealed() bool {
	for peer := range s.party.Peers() {
		if s.Lock(peer.PID()) == NoLock {
			return false
		}
	}
	return s.party.PeerCount() > 0
}

// Clock is the host's game clock as this side knows it, and within what it does.
func (s *Session) Clock() (t, uncertainty time.Duration, state netmsg.ClockState) {
	return s.party.Clock()
}

// ClockWords gives Clock in a line.
func (s *Session) ClockWords() string {
	t, within, state := s.Clock()
	word, ok := map[netmsg.ClockState]string{
		netmsg.ClockRough: "rough", netmsg.ClockGood: "good", netmsg.ClockStepping: "being set",
	}[state]
	if !ok {
		return "clock not known yet"
	}
	return fmt.Sprintf("clock %.1f s ± %.1f ms, %s", t.Seconds(), within.Seconds()*1000, word)
}
