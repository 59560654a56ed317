package party

// A meter counts what a session costs the upload.
type meter struct {
	closed uint64 // bytes sent by connections that have ended
	kinds  [256]uint64
}

// BytesOut is how many bytes of UDP payload this session, or the last one, has
// sent so far.
func (p *Party) BytesOut() uint64 {
	n := p.meter.closed
	for _, r := range p.peers {
		if r.role != roleEnded && r.conn != nil {
			n += r.conn.Stats().BytesSent
		}
	}
	return n
}

// KindBytes is how many bytes of messages of a kind, with the library's header,
// were sent to all peers since the last ClearKindBytes.
func (p *Party) KindBytes(kind Kind) uint64 { return p.meter.kinds[kind] }

// ClearKindBytes sets KindBytes back to 0 for all kinds.
func (p *Party) ClearKindBytes() { clear(p.meter.kinds[:]) }
