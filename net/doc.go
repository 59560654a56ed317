// Package netmsg is a datagram protocol for games: latest-wins values and
// reliable messages on one connection, over UDP, in process, or across a
// simulated link.
//
// The package has two layers. The core is plain data and functions, with no
// socket, clock, goroutine or lock: [ConnectionCore], [ChallengeGate],
// [ClientHandshake], [LinkSim] and [SimPair], driven by the verbs Receive,
// Transmit, Deadline, Events and Close. The edge puts a core on a socket:
// [Listen], [Dial], [NewEndpoint], [PairInProcess], [PairSimulated] and
// [StartLossyRelay].
//
// On Linux a UDP socket reads and writes many datagrams with one system call,
// and bulk goes as large packets that the kernel cuts and puts together
// (UDP_SEGMENT, UDP_GRO), where it can. In a quick exchange with one peer a
// reader looks again for up to 50 µs before it waits, while that pays. The
// environment variable PARTYLINE_PLAIN_SOCKET switches these off when a socket is
// opened: with 1 each datagram has a call of its own, as on other systems; with 2
// they go in batches, but nothing is cut or put together, and nobody looks.
//
// Time is a time.Duration since an epoch of the caller's, randomness an
// io.Reader, so everything in the core runs on a clock that a test moves.
package netmsg
