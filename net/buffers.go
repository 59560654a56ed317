package netmsg

import "math/bits"

const (
	smallestBuffer = 5       // log2 of the smallest buffer, in bytes
	largestBuffer  = 16      // log2 of the largest one that is kept
	buffersKept    = 1 << 17 // bytes kept for use again; what comes back beyond that is let go
)

// buffers keeps byte slices that are done with, in sizes of powers of two, for
// use again. The zero value has none.
type buffers struct {
	free [largestBuffer - smallestBuffer + 1][][]byte
	kept int
}

// sizeClass gives the place in free of buffers that hold n bytes.
func sizeClass(n int) int {
	return max(0, bits.Len(uint(n-1))-smallestBuffer)
}

// copyOf gives a buffer with data's bytes in it. It is the caller's until put.
func (p *buffers) copyOf(data []byte) []byte {
	b := p.get(len(data))
	copy(b, data)
	return b
}

// get gives a buffer of n bytes with anything in them.
func (p *buffers) get(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	class := sizeClass(n)
	if class >= len(p.free) {
		return make([]byte, n)
	}
	stack := p.free[class]
	if len(stack) == 0 {
		return make([]byte, n, 1<<(class+smallestBuffer))
	}
	b := stack[len(stack)-1]
	p.free[class] = stack[:len(stack)-1]
	p.kept -= cap(b)
	return b[:n]
}

// put takes back a buffer that get gave. Nobody may look at it any more.
func (p *buffers) put(b []byte) {
	if cap(b) == 0 || cap(b) > 1<<largestBuffer || p.kept+cap(b) > buffersKept {
		return
	}
	class := sizeClass(cap(b))
	p.free[class] = append(p.free[class], b[:0])
	p.kept += cap(b)
}
