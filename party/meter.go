package party

// BytesOut is how many bytes of UDP payload this session has sent so far.
func (p *Party) BytesOut() uint64 { return 0 }

// KindBytes is how many bytes of messages of a kind, with their headers, were
// sent since the last ClearKindBytes: once for each peer.
func (p *Party) KindBytes(kind Kind) uint64 { return 0 }

// ClearKindBytes sets KindBytes back to 0 for all kinds.
func (p *Party) ClearKindBytes() {}
