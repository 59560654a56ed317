package netmsg

// A messageStore is what the channels of a connection keep for use again, so
// that they allocate nothing in steady state.
type messageStore struct {
	pool   *buffers
	parts  []*reassembly
	splits []*splitOut
}

const storeKept = 16 // reassemblies and splits kept

func (s *messageStore) newParts() *reassembly { return takeLast(&s.parts) }
func (s *messageStore) newSplit() *splitOut   { return takeLast(&s.splits) }

// dropParts takes a reassembly back; nil is none.
func (s *messageStore) dropParts(r *reassembly) {
	if r == nil {
		return
	}
	s.pool.put(r.data)
	*r = reassembly{have: r.have[:0]}
	if len(s.parts) < storeKept {
		s.parts = append(s.parts, r)
	}
}

// dropSplit takes a split back; nil is none.
func (s *messageStore) dropSplit(o *splitOut) {
	if o == nil {
		return
	}
	*o = splitOut{lost: o.lost[:0], acked: o.acked[:0]}
	if len(s.splits) < storeKept {
		s.splits = append(s.splits, o)
	}
}

// takeLast takes the last of those kept, or makes one.
func takeLast[T any](kept *[]*T) *T {
	n := len(*kept)
	if n == 0 {
		return new(T)
	}
	one := (*kept)[n-1]
	*kept = (*kept)[:n-1]
	return one
}
