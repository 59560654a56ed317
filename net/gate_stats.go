package netmsg

// GateStats counts what a server's side of the handshake did: the datagrams it
// answered, the handshakes it computed, and the datagrams it dropped, by why.
// Counters never fall.
type GateStats struct {
	Challenges uint64 // Requests answered
	Denials    uint64 // Requests and Responses answered with Denied
	Handshakes uint64 // Noise messages computed: the dear part
	Accepted   uint64 // clients taken, to be confirmed by a packet
	Refused    uint64 // clients refused inside an Accept: full, or by Config.Admit
	Repeated   uint64 // Accepts sent again
	Opened     uint64 // clients confirmed
	Forgotten  uint64 // clients never confirmed

	// Dropped without an answer.
	Malformed     uint64 // size, reserved bytes, lengths, parameters, a connection id that is none
	OverReplies   uint64 // over the replies of a second
	OtherDemands  uint64 // a Response whose revision, patterns or flags are not this server's
	BadCookie     uint64 // another's, or too old
	Known         uint64 // a Response of a connection that is open or has just ended, or repeated too soon
	TooManyOfSalt uint64 // a fifth unconfirmed handshake of one address and salt
	OverBudget    uint64 // over the handshakes of a prefix or of the endpoint
	BadNoise      uint64 // Noise message 1 does not verify: another key, another psk, or altered
	ShuttingDown  uint64 // a Response that came after the shutdown began
}
