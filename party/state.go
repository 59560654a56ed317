package party

import "fmt"

// A State says what a party is doing.
type State uint8

const (
	StateIdle    State = iota // no session: before Host or Join, and after its end
	StateHosting              // this side is the host
	StateJoining              // on the way to a host
	StateJoined               // a guest: a message has gone both ways
)

// Active says that there is a session, or one on the way.
func (s State) Active() bool { return s != StateIdle }

// Live says that there is a session: hosting, or joined.
func (s State) Live() bool { return s == StateHosting || s == StateJoined }

// Hosting says that this side is the host.
func (s State) Hosting() bool { return s == StateHosting }

// Joining says that this side is on its way to a host.
func (s State) Joining() bool { return s == StateJoining }

// Joined says that this side is a guest in a party.
func (s State) Joined() bool { return s == StateJoined }

// String names it in a word, for logs.
func (s State) String() string {
	switch s {
	case StateIdle:
		return "idle"
	case StateHosting:
		return "hosting"
	case StateJoining:
		return "joining"
	case StateJoined:
		return "joined"
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}
