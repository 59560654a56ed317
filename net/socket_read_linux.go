package netmsg

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An mmsghdr is the kernel's struct mmsghdr: a message and how many bytes of
// it went.
type mmsghdr struct {
	hdr unix.Msghdr
	len uint32
}

// sizeControl holds one control message that tells a size.
type sizeControl struct {
	head unix.Cmsghdr
	size int32
	_    int32
}

// A batchReader holds what recvmmsg reads into. Its funcs are made once, so
// that a call allocates nothing.
type batchReader struct {
	hdrs  [batchSize]mmsghdr
	iovs  [batchSize]unix.Iovec
	names [batchSize]unix.RawSockaddrInet6 // the larger of the two families
	merge *merging

	into  []Datagram // whose buffers are lent
	got   int        // messages that the call read
	errno syscall.Errno

	// While the socket merges: messages land in slots, and are handed out from
	// there datagram by datagram.
	sizes [batchSize]sizeControl
	slots [][]byte
	next  int    // the message that comes next
	rest  []byte // of the one that is being handed out
	each  int    // bytes of its datagrams
	large bool   // the last call read into slots

	look      *lookout // before untilRead waits
	untilRead func(fd uintptr) bool
	once      func(fd uintptr)
}

func newBatchReader(m *merging, l *lookout) *batchReader {
	r := &batchReader{merge: m, look: l}
	for i := range r.hdrs {
		h := &r.hdrs[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&r.names[i]))
		h.Iov = &r.iovs[i]
		h.SetIovlen(1)
	}
	r.untilRead = func(fd uintptr) bool {
		r.call(fd)
		for r.errno == unix.EAGAIN && r.look.again() {
			letOthersRun()
			r.receive(fd)
		}
		return r.errno != unix.EAGAIN
	}
	r.once = r.call
	return r
}

// offer lends the buffers of b to the next call.
func (r *batchReader) offer(b []Datagram) {
	r.into, r.errno = b[:min(len(b), batchSize)], 0
}

// holds says that datagrams which were read before have not been taken.
func (r *batchReader) holds() bool { return r.large && (len(r.rest) > 0 || r.next < r.got) }

// call reads what is there into the buffers, or into slots.
func (r *batchReader) call(fd uintptr) {
	r.merge.begin(fd)
	r.large, r.next, r.got = r.merge.on.Load(), 0, 0
	r.prepare()
	r.receive(fd)
}

// receive is a call for which all is prepared. If it finds nothing, all still is.
func (r *batchReader) receive(fd uintptr) {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&r.hdrs)), uintptr(len(r.into)), unix.MSG_DONTWAIT, 0, 0)
		if errno == unix.EINTR {
			continue
		}
		if r.errno = errno; errno == 0 {
			r.got = int(n)
		}
		return
	}
}

func (r *batchReader) prepare() {
	for len(r.slots) < len(r.into) && r.large {
		r.slots = append(r.slots, make([]byte, mergedSize))
	}
	for i := range r.into {
		buf := r.into[i].Data[:cap(r.into[i].Data)]
		h := &r.hdrs[i].hdr
		h.Control = nil
		h.SetControllen(0)
		if r.large {
			buf = r.slots[i]
			h.Control = (*byte)(unsafe.Pointer(&r.sizes[i]))
			h.SetControllen(int(unsafe.Sizeof(r.sizes[i])))
		}
		r.iovs[i].Base = unsafe.SliceData(buf)
		r.iovs[i].SetLen(len(buf))
		h.Namelen = uint32(unsafe.Sizeof(r.names[i]))
	}
}

// take puts what the call read into b.
func (r *batchReader) take(b []Datagram) (int, error) {
	if r.errno != 0 {
		return 0, r.errno
	}
	if r.large {
		return r.split(b), nil
	}
	for i := range b[:r.got] {
		b[i].Data = b[i].Data[:r.size(i)]
		b[i].Addr = addrOf(&r.names[i])
	}
	r.merge.note(b[:r.got])
	return r.got, nil
}

// size is how many bytes of message i have come: none if it was too large, as
// nothing of the protocol's is.
func (r *batchReader) size(i int) int {
	if r.hdrs[i].hdr.Flags&unix.MSG_TRUNC != 0 {
		return 0
	}
	return int(r.hdrs[i].len)
}

// split hands out as many of the datagrams in the slots as b has places for.
func (r *batchReader) split(b []Datagram) (n int) {
	for n < len(b) {
		if len(r.rest) == 0 {
			if r.next == r.got {
				break
			}
			r.open()
		}
		d := &b[n]
		size := min(r.each, len(r.rest))
		d.Data = d.Data[:copy(d.Data[:cap(d.Data)], r.rest[:size])]
		if size > cap(d.Data) {
			d.Data = d.Data[:0] // cut, so nothing
		}
		d.Addr = addrOf(&r.names[r.next-1])
		r.rest = r.rest[size:]
		n++
	}
	return n
}

// open begins with the next message: one datagram, or many of one size.
func (r *batchReader) open() {
	i := r.next
	r.next++
	r.rest = r.slots[i][:r.size(i)]
	r.each = max(len(r.rest), 1)
	c := &r.sizes[i]
	if r.hdrs[i].hdr.Controllen >= uint64(unix.SizeofCmsghdr+4) && c.head.Level == unix.SOL_UDP && c.head.Type == unix.UDP_GRO && c.size > 0 {
		r.each = int(c.size)
	}
}
