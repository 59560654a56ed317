package netmsg

// EndpointStats counts the datagrams of an endpoint's sockets, and those that
// no connection owns by why they were dropped. What is malformed within a
// connection is in its Stats.Rejected. Counters never fall.
type EndpointStats struct {
	Received, BytesReceived uint64 // all that came, and their UDP payload
	Sent, BytesSent         uint64 // all that the system took

	Unsent       uint64 // the system did not take them
	TooShort     uint64 // under five bytes, or too long to be the protocol's
	UnknownKind  uint64 // another protocol's, or another version's
	Forged       uint64 // NMS2: for a connection not confirmed yet, and not of its client
	Punches      uint64 // NMS2: of a peer that opens its NAT
	BadSize      uint64 // a Request or Response that is not 1,200 bytes
	NotAccepting uint64 // a client's, while the endpoint takes none
	BadCookie    uint64 // a Response whose cookie is wrong or old, or of a connection that has ended
	Full         uint64 // a Response while there is no place: the client was denied
	NoConnection uint64 // from an address without a connection, or an answer nobody waits for

	WrongKey     uint64 // NMS2: Challenges to a dial with another key than the one it knows
	BadChallenge uint64 // NMS2: Challenges whose demands a dial cannot meet
	BadAccept    uint64 // NMS2: Accepts that did not verify

	Gate GateStats // NMS2: what the server's side of handshakes did
}

// Stats tells what has come and gone so far. It may be asked after Close too.
func (e *Endpoint) Stats() EndpointStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.stats
	if e.sealed != nil && e.sealed.gate != nil {
		s.Gate = e.sealed.gate.stats
	}
	s.Sent, s.BytesSent, s.Unsent = e.outbox.sent, e.outbox.bytes, e.outbox.unsent
	return s
}

// noteAttempt counts what a dial that is over heard and did not use.
func (s *EndpointStats) noteAttempt(seen dialSeen) {
	s.WrongKey += uint64(seen.wrongKey)
	s.BadChallenge += uint64(seen.unusable)
	s.BadAccept += uint64(seen.unproven)
}
