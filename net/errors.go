package netmsg

import (
	"errors"
	"fmt"
)

var (
	// ErrClosed is what a send returns once the connection has ended. Left
	// tells why.
	ErrClosed = errors.New("netmsg: the connection has ended")

	// ErrNotInPlain is what a plain (NMS1) connection returns for what only
	// NMS2 has: other channels than Ordered1, and unreliable messages.
	ErrNotInPlain = errors.New("netmsg: NMS1 has one reliable channel and latest values, nothing else")

	// ErrNoChannel is what SendOn and SetChannel return for a channel that does
	// not exist.
	ErrNoChannel = errors.New("netmsg: there is no such channel")

	// ErrWeight is what SetStreamWeight and SetChannel return for a weight under 1.
	ErrWeight = errors.New("netmsg: a weight is at least 1")
)

// errOverflow is what the send returns that ends a connection as Overflow.
var errOverflow = fmt.Errorf("%w: %d messages wait and the peer does not keep up", ErrClosed, plainWindow)
