package netmsg

const maxRanges = 256 // separate ranges of bytes of one message that is put together

// A reassembly puts a message together from fragments of any cut. Memory is
// taken as bytes come and not for what the total promises: until a quarter of
// the message is there, its bytes lie packed, range after range; from then on
// each lies at its place in a buffer of the whole size.
type reassembly struct {
	have   spans
	data   []byte
	got    int  // bytes
	placed bool // each byte of data is at its place
}

// placedAfter is the share of a message after which its bytes are placed: a
// message takes at most so many times the memory that its bytes need.
const placedAfter = 4

// refuses says that a fragment would make too many ranges, if the packet brings
// n fragments in all.
func (r *reassembly) refuses(p span, n int) bool {
	return len(r.have)+n > maxRanges && r.have.grows(p)
}

// add takes the bytes at from of a message of total bytes. What is there
// already is left as it is. It is true when the message is whole.
func (r *reassembly) add(from uint32, b []byte, total int, pool *buffers) (whole bool) {
	at := span{from, from + uint32(len(b))}
	for gap, ok := r.have.missing(at); ok; gap, ok = r.have.missing(at) {
		r.put(gap, b[gap.from-from:gap.to-from], total, pool)
		at.from = gap.to
	}
	return r.got == total
}

// put takes bytes none of which are there.
func (r *reassembly) put(p span, b []byte, total int, pool *buffers) {
	if !r.placed && (r.got+len(b))*placedAfter >= total {
		r.place(total, pool)
	}
	if r.placed {
		copy(r.data[p.from:p.to], b)
	} else {
		r.pack(p, b, pool)
	}
	r.got += len(b)
	r.have.add(p)
}

// place moves the bytes packed so far to their places.
func (r *reassembly) place(total int, pool *buffers) {
	whole := pool.get(total)
	packed := r.data
	for _, p := range r.have {
		packed = packed[copy(whole[p.from:p.to], packed):]
	}
	pool.put(r.data)
	r.data, r.placed = whole, true
}

// pack inserts bytes behind those that belong before them.
func (r *reassembly) pack(p span, b []byte, pool *buffers) {
	before := 0
	for _, q := range r.have {
		if q.from > p.from {
			break
		}
		before += int(q.to - q.from)
	}
	n := r.got + len(b)
	if n > cap(r.data) {
		larger := pool.get(max(n, 2*cap(r.data)))[:n]
		copy(larger, r.data[:before])
		copy(larger[before+len(b):], r.data[before:r.got])
		pool.put(r.data)
		r.data = larger
	} else {
		r.data = r.data[:n]
		copy(r.data[before+len(b):], r.data[before:r.got])
	}
	copy(r.data[before:], b)
}
