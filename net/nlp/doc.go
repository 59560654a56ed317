// Package nlp speaks the game packets of N64NL, the network library of
// networked Nintendo 64 games: the codec, a [Session] that numbers,
// acknowledges and resends, a [Hub] that relays between clients by their
// recipients, and a [Server] that puts a Hub on a UDP socket.
//
// A packet has a type of the game's own (1 to 255; type 0 is for heartbeats and
// acknowledgements), flags, and a bit for each client that is to get it.
// Reliable packets arrive once, in no order; unreliable ones perhaps.
//
// # On the wire
//
// Every number has its most significant byte first.
//
//	offset size
//	0      3    "NLP"
//	3      1    version, 1; a receiver takes 0 and 1
//	4      1    type
//	5      1    flags: 01 unreliable, 02 an acknowledgement is wanted at once
//	6      2    sequence number
//	8      2    ack: the highest number received, FFFF before the first
//	10     2    bits: bit n tells that ack-1-n was received too
//	12     4    recipients: bit n-1 is client n; 0 is the server alone
//	16     2    length of the data
//	18          data; what follows is not looked at
//
// # Living with the older programs
//
// The programs of this kind that are in use take some acknowledgements for what
// they are not. So a Session starts at number 1 (a peer that has received
// nothing says it has number 0), leaves no gap between its numbers and has at
// most 15 on their way (further apart, shifts wrap around), gives an unreliable
// packet the number 256 below the next (its own number would count as
// received), never writes bit 15 (a program of that kind then takes everything
// as received) though it reads it, and does not count unreliable packets as
// received. A datagram is at most 4,096 bytes, since that is their buffer.
//
// Session and Hub are plain data with the time passed in, as a duration since an
// epoch of the caller's: no socket, clock or goroutine.
package nlp
