package netmsg

import "time"

// Packets that await their fate, and the ids of messages they carried, at
// most. The oldest are forgotten beyond that, which costs at worst a resend:
// an acknowledgement names no more than 33 packets anyway.
const (
	plainSentPackets = 1024
	plainSentIDs     = 8192
)

// plainSent remembers the packets that were sent, until each is acknowledged
// and can be named no more, or is lost.
type plainSent struct {
	next    uint16 // sequence of the next packet
	packets ring[plainSentPacket]
	ids     ring[uint16] // of the messages in those packets, packet after packet
	idBase  uint32       // number of the first of ids
	newest  uint16       // newest sequence acknowledged, once anyAck
	anyAck  bool
}

type plainSentPacket struct {
	at    time.Duration
	ids   uint32 // number of its first id
	count uint8  // messages it carried
	acked bool
}

// begin makes the record of the packet that is about to be sent; carry adds
// what is in it.
func (s *plainSent) begin(now time.Duration) {
	if s.packets.len() == plainSentPackets {
		s.forget()
	}
	for s.packets.len() > 0 && s.ids.len() > plainSentIDs-plainMaxCount {
		s.forget()
	}
	p := s.packets.push()
	p.at, p.ids = now, s.idBase+uint32(s.ids.len())
	s.next++
}

// carry notes that the newest packet carries the message id.
func (s *plainSent) carry(id uint16) {
	s.packets.at(s.packets.len()-1).count++
	*s.ids.push() = id
}

// forget drops the oldest record.
func (s *plainSent) forget() plainSentPacket {
	p := s.packets.pop()
	for range p.count {
		s.ids.pop()
	}
	s.idBase += uint32(p.count)
	return p
}

// oldest is the sequence of the oldest record.
func (s *plainSent) oldest() uint16 { return s.next - uint16(s.packets.len()) }

// find gives the record of a sequence, nil if there is none: it is forgotten,
// or was never sent.
func (s *plainSent) find(seq uint16) *plainSentPacket {
	at := int(seq - s.oldest())
	if at >= s.packets.len() {
		return nil
	}
	return s.packets.at(at)
}

// id gives the ith message that a recorded packet carried.
func (s *plainSent) id(p *plainSentPacket, i int) uint16 {
	return *s.ids.at(int(p.ids-s.idBase) + i)
}

// seen notes that seq, of which there is a record, was acknowledged.
func (s *plainSent) seen(seq uint16) {
	if !s.anyAck || SeqNewer(seq, s.newest) {
		s.newest, s.anyAck = seq, true
	}
}

// decide takes away the oldest record if its packet is too far behind to be
// acknowledged any more, and says whether it was lost.
func (s *plainSent) decide() (lost, decided bool) {
	if !s.anyAck || s.packets.len() == 0 {
		return false, false
	}
	behind := s.newest - s.oldest()
	if behind < plainLostBehind || behind >= 1<<15 {
		return false, false
	}
	return !s.forget().acked, true
}
