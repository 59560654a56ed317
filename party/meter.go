package party

import "sync/atomic"

// A meter counts what a session costs the upload.
type meter struct {
	closed uint64 // bytes sent by connections that have ended
	kinds  [256]uint64

	// What went again; whoever sends counts it, a watchdog too.
	again [256]atomic.Uint64
}

// countAgain counts n bytes of a message that go once more: every message
// begins with its kind.
func (m *meter) countAgain(message []byte, n int) {
	if len(message) > 0 {
		m.again[message[0]].Add(uint64(n))
	}
}

// reset begins at 0.
func (m *meter) reset() {
	m.closed = 0
	m.clearKinds()
}

func (m *meter) clearKinds() {
	clear(m.kinds[:])
	for i := range m.again {
		m.again[i].Store(0)
	}
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
// were sent to all peers since the last ClearKindBytes: what went again, because
// it was lost or might be, counts again.
func (p *Party) KindBytes(kind Kind) uint64 {
	return p.meter.kinds[kind] + p.meter.again[kind].Load()
}

// ClearKindBytes sets KindBytes back to 0 for all kinds.
func (p *Party) ClearKindBytes() { p.meter.clearKinds() }
