// Package peer is the one face that all measured libraries have for the
// workloads.
package peer

import (
	"errors"
	"fmt"
	"time"
)

// A Kind says what an Event is.
type Kind uint8

const (
	Joined   Kind = iota + 1 // the connection is open
	Reliable                 // a message that is sent until it arrives, in order
	Latest                   // a value of which the newest counts
)

// An Event is what an endpoint has heard. Data is borrowed until the handler
// returns.
type Event struct {
	Conn int // from 0 on, in the order of joining
	Kind Kind
	Data []byte
}

// A Handler hears events one at a time. It may send through e.
type Handler func(e Endpoint, ev Event)

// An Endpoint is one side: a server and its connections, or the clients of one
// process.
//
// With a Setup.Handler it runs by itself and the handler is called as soon as
// something arrives; sends go when the handler returns, or sooner. Without one,
// frames drive it: Poll at the start, Send, and Flush at the end, from one
// goroutine.
type Endpoint interface {
	Port() int // that clients dial
	Poll(h Handler)
	Send(conn int, kind Kind, data []byte) error
	Flush()
	Close()
}

// A Setup is what the endpoints of a workload are made for.
type Setup struct {
	Conns   int     // connections that will be opened
	Bulk    bool    // for throughput: large buffers, whatever settings the library has
	Handler Handler // nil: driven by frames
}

// A Library makes endpoints on 127.0.0.1.
type Library struct {
	Name  string
	About string // version and settings
	Lossy bool   // its reliable messages are not: a limit to compare with, not a peer
	TCP   bool   // it cannot go through a UDP relay

	Listen func(Setup) (Endpoint, error)
	// Dial opens Setup.Conns connections to the port. Driven by frames, it
	// returns when all are open.
	Dial func(port int, s Setup) (Endpoint, error)
}

// dialPatience is how long all of an endpoint's connections may take to open.
const dialPatience = 60 * time.Second

// ErrNotOpen is what Dial returns when not all connections have opened.
var ErrNotOpen = errors.New("not all connections have opened")

// AwaitOpen turns e until n connections have joined. It calls more before each
// turn with the number open so far, for whoever opens them one by one.
func AwaitOpen(e Endpoint, n int, more func(open int)) error {
	open := 0
	until := time.Now().Add(dialPatience)
	for open < n {
		if time.Now().After(until) {
			return fmt.Errorf("%w: %d of %d", ErrNotOpen, open, n)
		}
		more(open)
		e.Poll(func(_ Endpoint, ev Event) {
			if ev.Kind == Joined {
				open++
			}
		})
		e.Flush()
		time.Sleep(200 * time.Microsecond)
	}
	return nil
}
