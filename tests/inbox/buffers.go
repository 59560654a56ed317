package inbox

// Buffers are places for datagrams that serve again, for all sockets of one
// network.
type Buffers struct {
	size int
	free [][]byte
}

// NewBuffers makes Buffers for datagrams of up to size bytes; a larger one gets
// a place of its own.
func NewBuffers(size int) *Buffers { return &Buffers{size: size} }

// Copy keeps data in a buffer that was used before, if there is one.
func (b *Buffers) Copy(data []byte) []byte {
	var to []byte
	if last := len(b.free) - 1; last >= 0 {
		to, b.free = b.free[last], b.free[:last]
	} else {
		to = make([]byte, 0, b.size)
	}
	return append(to[:0], data...)
}

// Free takes back what Copy gave.
func (b *Buffers) Free(buf []byte) { b.free = append(b.free, buf) }
