package netmsg

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	segmentsMost = 64    // datagrams that the kernel cuts one into, at most
	segmentsRoom = 65000 // and their bytes: an IP packet, with its headers

	// segmentFailures in a row mean that the kernel, or the way that most
	// datagrams take, never will. One or two are a path that has become
	// narrower.
	segmentFailures = 8
)

// A batchWriter holds what sendmmsg sends from: messages of one datagram, or of
// several of one size to one address, which the kernel cuts (UDP_SEGMENT). Of
// those only the last may be shorter.
type batchWriter struct {
	hdrs   [batchSize]mmsghdr
	iovs   [batchSize]unix.Iovec // one for each datagram
	names  [batchSize]unix.RawSockaddrInet6
	sizes  [batchSize]sizeControl
	counts [batchSize]int // datagrams of each message
	want   int            // messages

	segments bool // the kernel can, and has not failed to
	failed   int  // messages in a row that it would not cut

	sent  int // messages
	errno syscall.Errno

	untilWritten func(fd uintptr) bool
	once         func(fd uintptr)
}

func newBatchWriter(segments bool) *batchWriter {
	w := &batchWriter{segments: segments}
	for i := range w.hdrs {
		w.hdrs[i].hdr.Name = (*byte)(unsafe.Pointer(&w.names[i]))
	}
	w.untilWritten = func(fd uintptr) bool {
		w.call(fd)
		return w.errno != unix.EAGAIN
	}
	w.once = w.call
	return w
}

// canSegment asks whether the kernel knows UDP_SEGMENT.
func canSegment(raw syscall.RawConn) bool {
	return setOption(raw, func(fd uintptr) error {
		_, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT)
		return err
	})
}

// offer prepares the datagrams of b up to the first that a socket of this
// family cannot send, and returns how many they are. With segments, those that
// can go together do.
func (w *batchWriter) offer(b []Datagram, v4, segments bool) (n int) {
	w.want, w.sent, w.errno = 0, 0, 0
	for n < len(b) && b[n].Addr.Addr().Is4() == v4 {
		count := 1
		if segments {
			count = segmentsOf(b[n:])
		}
		w.message(b[n:n+count], n)
		n += count
	}
	return n
}

// segmentsOf counts the datagrams at the front of b that can go as one.
func segmentsOf(b []Datagram) int {
	size, all := len(b[0].Data), len(b[0].Data)
	n := 1
	for n < min(len(b), segmentsMost) && size > 0 {
		next := len(b[n].Data)
		if next > size || next == 0 || all+next > segmentsRoom || b[n].Addr != b[0].Addr {
			break
		}
		all += next
		n++
		if next < size {
			break // a shorter one is the last
		}
	}
	return n
}

// message prepares the next message, of b. Its datagrams are those from first
// on of the offer.
func (w *batchWriter) message(b []Datagram, first int) {
	i := w.want
	w.want++
	w.counts[i] = len(b)
	for k := range b {
		w.iovs[first+k].Base = unsafe.SliceData(b[k].Data)
		w.iovs[first+k].SetLen(len(b[k].Data))
	}
	h := &w.hdrs[i].hdr
	h.Iov = &w.iovs[first]
	h.SetIovlen(len(b))
	h.Namelen = putAddr(&w.names[i], b[0].Addr)
	h.Control = nil
	h.SetControllen(0)
	if len(b) > 1 {
		c := &w.sizes[i]
		c.head.Level, c.head.Type = unix.SOL_UDP, unix.UDP_SEGMENT
		c.head.SetLen(unix.CmsgLen(2))
		*(*uint16)(unsafe.Pointer(&c.size)) = uint16(len(b[0].Data))
		h.Control = (*byte)(unsafe.Pointer(c))
		h.SetControllen(unix.CmsgSpace(2))
	}
}

// call sends what is left of the offer, until all is sent or a message fails.
func (w *batchWriter) call(fd uintptr) {
	for w.sent < w.want {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, fd, uintptr(unsafe.Pointer(&w.hdrs[w.sent])), uintptr(w.want-w.sent), unix.MSG_DONTWAIT, 0, 0)
		if errno == unix.EINTR {
			continue
		}
		w.errno = errno
		if errno != 0 {
			return
		}
		w.sent += int(n)
	}
}

// gone counts the datagrams of the messages that were sent.
func (w *batchWriter) gone() (n int) {
	for _, count := range w.counts[:w.sent] {
		n += count
		if count > 1 {
			w.failed = 0
		}
	}
	return n
}

// mustCut says that the kernel did not take datagrams together: the message that
// failed has several. They may go one by one. EIO means that it never will: the
// network device cannot do its part.
func (w *batchWriter) mustCut() bool {
	if w.errno == 0 || w.errno == unix.EAGAIN || w.sent == w.want || w.counts[w.sent] == 1 {
		return false
	}
	if w.failed++; w.errno == unix.EIO || w.failed == segmentFailures {
		w.segments = false
	}
	return true
}
