package party

import (
	"errors"
	"fmt"
)

var (
	// ErrIdle: the call needs a session, and there is none.
	ErrIdle = errors.New("party: no session: call Host or Join first")

	// ErrBusy: the call begins a session, and there is one.
	ErrBusy = errors.New("party: a session is on, call Leave first")

	// ErrNotJoined: the call needs a guest that is in the party.
	ErrNotJoined = errors.New("party: not joined")

	// ErrNotHosting: only the host may do this.
	ErrNotHosting = errors.New("party: not hosting")

	// ErrNoHost: the host is gone and the members seek another; nothing can be
	// sent until Facts tell NewHost or Down.
	ErrNoHost = errors.New("party: there is no host now")

	// ErrGone: the peer has gone, or has not been accepted.
	ErrGone = errors.New("party: no such peer in the party")
)

// A SizeError is what a call returns for something too large. Nothing was
// sent, and the session goes on.
type SizeError struct {
	What  string // "message", "unreliable message", "latest value", "string", "text", "recipients"
	Size  int    // what was given
	Limit int    // what is allowed
}

// Error says what was too large, its size and the limit.
func (e *SizeError) Error() string {
	if e.What == "recipients" {
		return fmt.Sprintf("party: too many recipients: %d, at most %d", e.Size, e.Limit)
	}
	return fmt.Sprintf("party: %s too large: %d, at most %d", e.What, e.Size, e.Limit)
}
