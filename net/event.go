package netmsg

import "fmt"

// EventKind says what an Event tells.
type EventKind uint8

const (
	Joined  EventKind = iota + 1 // the connection is open; Conn sends through it
	Left                         // it has ended, for Reason; nothing follows for this ID
	Message                      // a message: Data, on Channel
	Update                       // the newest value of Stream: Data
	Refused                      // a send of this side's was refused; nothing was sent
)

// String gives the constant's name.
func (k EventKind) String() string {
	switch k {
	case Joined:
		return "Joined"
	case Left:
		return "Left"
	case Message:
		return "Message"
	case Update:
		return "Update"
	case Refused:
		return "Refused"
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}

// CloseReason says why a connection ended.
type CloseReason uint8

const (
	Local    CloseReason = iota + 1 // closed on this side
	Remote                          // closed by the peer
	TimedOut                        // nothing was heard for Config.Timeout
	Overflow                        // the peer did not keep up with what was queued
	Denied                          // the server would not take the client
	NoAnswer                        // nobody answered for Config.ConnectTimeout
	Stalled                         // a side was alive but did not poll for Config.StallTimeout
	Replaced                        // a newer connection took this one's place
	Protocol                        // the peer broke the protocol's rules
)

// String gives the constant's name.
func (r CloseReason) String() string {
	switch r {
	case Local:
		return "Local"
	case Remote:
		return "Remote"
	case TimedOut:
		return "TimedOut"
	case Overflow:
		return "Overflow"
	case Denied:
		return "Denied"
	case NoAnswer:
		return "NoAnswer"
	case Stalled:
		return "Stalled"
	case Replaced:
		return "Replaced"
	case Protocol:
		return "Protocol"
	}
	return fmt.Sprintf("CloseReason(%d)", uint8(r))
}

// RefuseReason says why a send was refused.
type RefuseReason uint8

const (
	TooLarge       RefuseReason = iota + 1 // Size is over Limit bytes
	TooManyStreams                         // a stream beyond the Limit streams of a connection
	QueueFull                              // Limit messages (or bytes) wait already
)

// String gives the constant's name.
func (r RefuseReason) String() string {
	switch r {
	case TooLarge:
		return "TooLarge"
	case TooManyStreams:
		return "TooManyStreams"
	case QueueFull:
		return "QueueFull"
	}
	return fmt.Sprintf("RefuseReason(%d)", uint8(r))
}

// Codes of a Left whose Reason is NoAnswer, for what was heard though nobody
// answered as they should. PROTOCOL.md, The client.
const (
	NoAnswerKey     = 1 // a server with another key than the one that is known
	NoAnswerDemands = 2 // a server that asks for what this client does not have
)

// A Channel orders reliable messages: each channel is independent of the
// others. NMS1 has Ordered1 alone.
type Channel uint8

const (
	Unordered Channel = iota // each message once, as it comes (NMS2)
	Ordered1                 // in sending order; SendReliable uses it
	Ordered2                 // in sending order (NMS2)
	Ordered3                 // in sending order (NMS2)

	// Unreliable is the channel of what SendUnreliable sent: a message of it
	// comes at most once, in any order, or not at all (NMS2).
	Unreliable
)

// ConnID names a connection in events. A server numbers its clients from 1; a
// client's one connection is 1.
type ConnID uint64

// An Event is something that happened to a connection. Fields that Kind does
// not name are zero.
type Event struct {
	Kind     EventKind
	ID       ConnID
	Conn     *Conn // nil in the core's own events
	Reason   CloseReason
	Code     uint16 // Left: the code of the peer's CLOSE, of its refusal (an Admission's status), or a NoAnswer constant (NMS2)
	Text     string // Left: the text of the peer's CLOSE or verdict (NMS2)
	Channel  Channel
	Stream   uint16 // Update, Refused
	Data     []byte // Message, Update: borrowed, see the Handler that got it
	Reliable bool   // Refused: it was a message, not a value
	Why      RefuseReason
	Size     int // Refused: what was offered
	Limit    int // Refused: what is allowed
}

// A RefusedError is what a refused send returns; the connection's handler
// hears the same as a Refused event. Nothing was sent and the connection goes
// on.
type RefusedError struct {
	Reliable   bool
	Unreliable bool // it was an unreliable message
	Stream     uint16
	Why        RefuseReason
	Size       int
	Limit      int
}

// Error says in words what was refused, its size and the limit.
func (e *RefusedError) Error() string {
	what := "latest value"
	if e.Reliable {
		what = "message"
	} else if e.Unreliable {
		what = "unreliable message"
	}
	switch e.Why {
	case TooLarge:
		return fmt.Sprintf("netmsg: %s of %d bytes is too large: at most %d", what, e.Size, e.Limit)
	case TooManyStreams:
		return fmt.Sprintf("netmsg: stream %d is one too many: at most %d streams a connection", e.Stream, e.Limit)
	case QueueFull:
		return fmt.Sprintf("netmsg: the queue is full: %d offered, at most %d wait", e.Size, e.Limit)
	}
	return fmt.Sprintf("netmsg: %s refused: %v", what, e.Why)
}
