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
// Time is a time.Duration since an epoch of the caller's, randomness an
// io.Reader, so everything in the core runs on a clock that a test moves.
package netmsg
