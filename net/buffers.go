package netmsg

import "math/bits"

const (
	smallestBuffer = 5       // log2 of the smallest buffer, in bytes
	largestBuffer  = 16      // log2 of the largest one that is kept
	buffersKept    = 1 << 17 // bytes kept for use again, or as many as are in use,
	buffersMost    = 1 << 22 // but never more than this; what comes back beyond that is let go
)

// buffers keeps byte slices that are done with, in sizes of powers of two, for
// use again. The zero value has none.
type buffers struct {
	free [largestBuffer - smallestBuffer + 1][][]byte
	kept int
	lent int // bytes of those in use
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
	p.lent += 1 << (class + smallestBuffer)
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
	if cap(b) == 0 || cap(b) > 1<<largestBuffer {
		return
	}
	class := sizeClass(cap(b))
	p.lent -= cap(b)
	if most := min(max(buffersKept, p.lent), buffersMost); p.kept+cap(b) > most {
		p.letGo(class, most)
		return
	}
	p.free[class] = append(p.free[class], b[:0])
	p.kept += cap(b)
}

// letGo drops a buffer of a class, if more than most bytes are kept.
func (p *buffers) letGo(class, most int) {
	stack := p.free[class]
	if p.kept <= most || len(stack) == 0 {
		return
	}
	last := len(stack) - 1
	p.kept -= cap(stack[last])
	stack[last] = nil
	p.free[class] = stack[:last]
}
