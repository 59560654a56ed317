// Package load is what the libraries are measured at: workloads with a host's
// and a client's side, which run in processes of their own.
package load

import (
	"errors"
	"fmt"
	"time"

	"github.com/partyline-go/partyline/tests/bench/peer"
	"github.com/partyline-go/partyline/tests/bench/relay"
)

// A Job is one run of a workload, as its processes are told it.
type Job struct {
	Workload string
	Peer     string        // a library's name, or Bare
	Conns    int           // clients
	Bytes    int           // bulk: how many
	Hz       int           // crowd: values a second, each way and connection; a divisor of 50
	For      time.Duration // the measured time; bulk: the longest
	Link     *relay.Link   // between the two; nil: the loopback itself
	Seed     uint64
	Profile  string // where the sides write processor profiles, a name without its end; empty: none

	Port int // that the client dials
}

// Bare is the name of no library: the frame loop alone.
const Bare = "bare"

// Figures are what a side has measured, by name.
type Figures map[string]float64

// A Stage is what a side has of its surroundings.
type Stage struct {
	Ready func(port int)  // the host listens
	Stop  <-chan struct{} // closed when the other side has finished
}

// A side runs one side to its end.
type side func(peer.Library, Job, Stage) (Figures, error)

// A Workload is two sides.
type Workload struct {
	Host, Client side
	ClientEnds   bool // the client measures the time; else the host does
}

// Workloads by name.
var Workloads = map[string]Workload{
	"party":    {Host: partyHost, Client: partyClient},
	"idle":     {Host: idleHost, Client: idleClient},
	"pingpong": {Host: echoHost, Client: echoClient, ClientEnds: true},
	"bulk":     {Host: bulkHost, Client: bulkClient, ClientEnds: true},
	"trickle":  {Host: trickleHost, Client: trickleClient, ClientEnds: true},
	"crowd":    {Host: crowdHost, Client: crowdClient},
}

// joinPatience is how long a host waits for its clients.
const joinPatience = 90 * time.Second

// errStopped is what a side returns that was stopped before it had measured.
var errStopped = errors.New("stopped before the end")

func errJoined(got, want int) error { return fmt.Errorf("%d of %d have joined", got, want) }

// nothing is the library called Bare: its host has as many guests as it should
// and hears nothing.
var nothing = peer.Library{
	Name: Bare, About: "the frame loop alone",
	Listen: func(s peer.Setup) (peer.Endpoint, error) { return &silence{joins: s.Conns}, nil },
	Dial:   func(int, peer.Setup) (peer.Endpoint, error) { return &silence{}, nil },
}

type silence struct{ joins int }

func (s *silence) Port() int { return 1 }

func (s *silence) Poll(h peer.Handler) {
	for i := range s.joins {
		h(s, peer.Event{Conn: i, Kind: peer.Joined})
	}
	s.joins = 0
}

func (s *silence) Send(int, peer.Kind, []byte) error { return nil }
func (s *silence) Flush()                            {}
func (s *silence) Close()                            {}

// Library finds a library among those given, or Bare.
func Library(all []peer.Library, name string) (peer.Library, error) {
	if name == Bare {
		return nothing, nil
	}
	for _, l := range all {
		if l.Name == name {
			return l, nil
		}
	}
	return peer.Library{}, fmt.Errorf("no library %q", name)
}
