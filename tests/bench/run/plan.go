package run

import (
	"time"

	"github.com/partyline-go/partyline/tests/bench/load"
	"github.com/partyline-go/partyline/tests/bench/relay"
)

// A Case is one workload at one size, for some peers.
type Case struct {
	ID     string // its letter, and what sets it apart
	Title  string
	Job    load.Job
	Peers  []string
	Rounds int  // at most; 0: as many as are asked for
	AtOnce bool // the peers of a round run beside each other: no processor time is measured
}

// The names of peers, as the plan and the targets use them.
const (
	Partyline = "partyline"
	Plain     = "partyline-plain"
	ENet      = "enet"
	KCP       = "kcp-go"
	QUIC      = "quic-go"
	UDP       = "udp"
	Raw       = "raw"
	TLS       = "tls-tcp"
)

// CoreID is the case that needs no processes: the core alone.
const CoreID = "F"

const (
	party   = 11 // guests of a full party
	bulk    = 64 << 20
	mapSize = 4 << 20 // that goes through the slow link
)

func lossy(loss float64) *relay.Link {
	return &relay.Link{Loss: loss, Latency: 40 * time.Millisecond, Jitter: 30 * time.Millisecond}
}

// Plan is everything that is measured, in order.
func Plan() []Case {
	slow := &relay.Link{Loss: 0.01, Latency: 50 * time.Millisecond, Rate: 10e6 / 8, Queue: 100 * time.Millisecond}
	return []Case{
		{
			ID: "A", Title: "a host with 11 guests at 60 frames a second",
			Job:   load.Job{Workload: "party", Conns: party, For: 3 * time.Second},
			Peers: []string{load.Bare, Partyline, Plain, ENet, KCP, QUIC, UDP, Raw},
		},
		{
			ID: "A-44", Title: "the same with 44",
			Job:   load.Job{Workload: "party", Conns: 4 * party, For: 3 * time.Second},
			Peers: []string{load.Bare, Partyline},
		},
		{
			ID: "A-wire", Title: "the bytes of A on the wire, IP and UDP headers included",
			Job:   load.Job{Workload: "party", Conns: party, For: 5 * time.Second, Link: &relay.Link{}},
			Peers: []string{Partyline, Plain, ENet, KCP, QUIC}, Rounds: 1, AtOnce: true,
		},
		{
			ID: "A-idle", Title: "a full party that says nothing, its endpoint by itself",
			Job:   load.Job{Workload: "idle", Conns: party, For: 4 * time.Second},
			Peers: []string{Partyline}, Rounds: 1,
		},
		{
			ID: "A-idle-60", Title: "the same, driven by frames",
			Job:   load.Job{Workload: "idle", Conns: party, Hz: 60, For: 4 * time.Second},
			Peers: []string{load.Bare, Partyline}, Rounds: 1,
		},
		{
			ID: "B", Title: "ping-pong of a reliable message, 32 B",
			Job:   load.Job{Workload: "pingpong", For: 1500 * time.Millisecond},
			Peers: []string{Partyline, Plain, ENet, KCP, QUIC, UDP, Raw},
		},
		{
			ID: "C", Title: "64 MiB in reliable messages of 1,024 B",
			Job:   load.Job{Workload: "bulk", Bytes: bulk, For: 30 * time.Second},
			Peers: []string{Partyline, ENet, KCP, QUIC, UDP, TLS, Raw},
		},
		{
			ID: "D-5", Title: "60 reliable messages of 64 B a second, 40 to 70 ms each way, 5 % loss",
			Job:   load.Job{Workload: "trickle", For: 40 * time.Second, Link: lossy(0.05)},
			Peers: []string{Partyline, ENet, KCP, QUIC}, Rounds: 1, AtOnce: true,
		},
		{
			ID: "D-20", Title: "the same with 20 % loss",
			Job:   load.Job{Workload: "trickle", For: 40 * time.Second, Link: lossy(0.20)},
			Peers: []string{Partyline, ENet, KCP, QUIC}, Rounds: 1, AtOnce: true,
		},
		{
			ID: "D-bulk", Title: "4 MiB through 10 Mbit/s, 50 ms each way, 1 % loss, a queue of 100 ms",
			Job:   load.Job{Workload: "bulk", Bytes: mapSize, For: 40 * time.Second, Link: slow},
			Peers: []string{Partyline, ENet, KCP, QUIC}, AtOnce: true,
		},
		{
			ID: "E", Title: "1,000 connections, ten values of 32 B a second each way",
			Job:   load.Job{Workload: "crowd", Conns: 1000, Hz: 10, For: 3 * time.Second},
			Peers: []string{Partyline, Plain, ENet, KCP, QUIC, UDP, Raw}, Rounds: 2,
		},
		{
			ID: "E-16384", Title: "16,384 connections, two values a second each way",
			Job:   load.Job{Workload: "crowd", Conns: 16384, Hz: 2, For: 4 * time.Second},
			Peers: []string{Partyline, Raw}, Rounds: 1,
		},
	}
}

// Letter is the workload's letter.
func (c Case) Letter() string { return c.ID[:1] }
