package netmsg

import (
	"net"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// plainSocketVar is the environment variable that switches the batch calls off
// when it is 1.
const plainSocketVar = "PARTYLINE_PLAIN_SOCKET"

// writePatience is how long WriteBatch waits for room in the system's buffer.
// An endpoint writes under its lock, so it is short; what has not gone by then
// is lost.
const writePatience = 5 * time.Millisecond

// newUDPSocket makes a Socket of conn.
func newUDPSocket(conn *net.UDPConn) Socket {
	raw, err := conn.SyscallConn()
	if err != nil || os.Getenv(plainSocketVar) == "1" {
		return newPlainSocket(conn)
	}
	return newBatchSocket(conn, raw)
}

// A batchSocket reads and writes many datagrams with one system call, recvmmsg
// and sendmmsg. The calls never wait in the kernel, so they are made raw: a
// call that the Go scheduler is told of and that lasts over 20 µs may cost the
// goroutine its processor, and the hand-over costs more than the datagrams.
// Waiting is done in the runtime's poller.
type batchSocket struct {
	conn  *net.UDPConn
	raw   syscall.RawConn
	local netip.AddrPort
	whole bool

	waiting *batchReader // ReadBatch's own
	trying  *batchReader // tryReadBatch's own: it may be called beside ReadBatch

	writing sync.Mutex
	writer  *batchWriter
}

func newBatchSocket(conn *net.UDPConn, raw syscall.RawConn) *batchSocket {
	return &batchSocket{
		conn: conn, raw: raw, local: localAddrOf(conn), whole: neverCutSocket(conn),
		waiting: newBatchReader(), trying: newBatchReader(), writer: newBatchWriter(),
	}
}

func (s *batchSocket) neverCuts() bool { return s.whole }

func (s *batchSocket) ReadBatch(b []Datagram) (int, error) {
	r := s.waiting
	r.offer(b)
	if err := s.raw.Read(r.untilRead); err != nil {
		return 0, err
	}
	return r.take(b)
}

func (s *batchSocket) tryReadBatch(b []Datagram) (int, error) {
	r := s.trying
	r.offer(b)
	if err := s.raw.Control(r.once); err != nil {
		return 0, err
	}
	if r.errno == unix.EAGAIN {
		return 0, nil
	}
	return r.take(b)
}

func (s *batchSocket) WriteBatch(b []Datagram) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	n, err := s.write(b, false)
	if err == errNotNow {
		s.conn.SetWriteDeadline(time.Now().Add(writePatience))
		var more int
		more, err = s.write(b[n:], true)
		n += more
	}
	return n, err
}

func (s *batchSocket) tryWriteBatch(b []Datagram) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.write(b, false)
}

// write sends b, at most batchSize datagrams a call. With wait it gives the
// system until the write deadline to make room.
func (s *batchSocket) write(b []Datagram, wait bool) (sent int, err error) {
	w := s.writer
	for sent < len(b) {
		n := w.offer(b[sent:min(len(b), sent+batchSize)], s.local.Addr().Is4())
		if n == 0 {
			return sent, syscall.EAFNOSUPPORT
		}
		if wait {
			err = s.raw.Write(w.untilWritten)
		} else {
			err = s.raw.Control(w.once)
		}
		sent += w.sent
		switch {
		case err != nil:
			return sent, err
		case w.errno == unix.EAGAIN:
			return sent, errNotNow
		case w.errno != 0:
			return sent, w.errno
		}
	}
	return sent, nil
}

func (s *batchSocket) LocalAddr() netip.AddrPort { return s.local }

func (s *batchSocket) Close() error { return s.conn.Close() }

// An mmsghdr is the kernel's struct mmsghdr: a message and how many bytes of
// it went.
type mmsghdr struct {
	hdr unix.Msghdr
	len uint32
}

// A batchReader holds what recvmmsg reads into. Its funcs are made once, so
// that a call allocates nothing.
type batchReader struct {
	hdrs  [batchSize]mmsghdr
	iovs  [batchSize]unix.Iovec
	names [batchSize]unix.RawSockaddrInet6 // the larger of the two families
	want  int

	got   int
	errno syscall.Errno

	untilRead func(fd uintptr) bool
	once      func(fd uintptr)
}

func newBatchReader() *batchReader {
	r := &batchReader{}
	for i := range r.hdrs {
		h := &r.hdrs[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&r.names[i]))
		h.Iov = &r.iovs[i]
		h.SetIovlen(1)
	}
	r.untilRead = func(fd uintptr) bool {
		r.call(fd)
		return r.errno != unix.EAGAIN
	}
	r.once = r.call
	return r
}

// offer lends the buffers of b to the next call.
func (r *batchReader) offer(b []Datagram) {
	r.want, r.got, r.errno = min(len(b), batchSize), 0, 0
	for i := range b[:r.want] {
		buf := b[i].Data[:cap(b[i].Data)]
		r.iovs[i].Base = unsafe.SliceData(buf)
		r.iovs[i].SetLen(len(buf))
		r.hdrs[i].hdr.Namelen = unix.SizeofSockaddrInet6
	}
}

func (r *batchReader) call(fd uintptr) {
	for {
		n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&r.hdrs)), uintptr(r.want), unix.MSG_DONTWAIT, 0, 0)
		if errno == unix.EINTR {
			continue
		}
		r.got, r.errno = int(n), errno
		return
	}
}

// take puts what the call read into b.
func (r *batchReader) take(b []Datagram) (int, error) {
	if r.errno != 0 {
		return 0, r.errno
	}
	for i := range b[:r.got] {
		size := int(r.hdrs[i].len)
		if r.hdrs[i].hdr.Flags&unix.MSG_TRUNC != 0 {
			size = 0 // nothing of the protocol's is so large
		}
		b[i].Data = b[i].Data[:size]
		b[i].Addr = addrOf(&r.names[i])
	}
	return r.got, nil
}

// A batchWriter holds what sendmmsg sends from.
type batchWriter struct {
	hdrs  [batchSize]mmsghdr
	iovs  [batchSize]unix.Iovec
	names [batchSize]unix.RawSockaddrInet6
	want  int

	sent  int
	errno syscall.Errno

	untilWritten func(fd uintptr) bool
	once         func(fd uintptr)
}

func newBatchWriter() *batchWriter {
	w := &batchWriter{}
	for i := range w.hdrs {
		h := &w.hdrs[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&w.names[i]))
		h.Iov = &w.iovs[i]
		h.SetIovlen(1)
	}
	w.untilWritten = func(fd uintptr) bool {
		w.call(fd)
		return w.errno != unix.EAGAIN
	}
	w.once = w.call
	return w
}

// offer prepares the datagrams of b up to the first that a socket of this
// family cannot send, and returns how many they are.
func (w *batchWriter) offer(b []Datagram, v4 bool) int {
	w.want, w.sent, w.errno = 0, 0, 0
	for i := range b {
		if b[i].Addr.Addr().Is4() != v4 {
			break
		}
		w.iovs[i].Base = unsafe.SliceData(b[i].Data)
		w.iovs[i].SetLen(len(b[i].Data))
		w.hdrs[i].hdr.Namelen = putAddr(&w.names[i], b[i].Addr)
		w.want++
	}
	return w.want
}

// call sends what is left of the offer, until all is sent or a datagram fails.
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

// addrOf reads the address that the kernel wrote, IPv4 as such.
func addrOf(name *unix.RawSockaddrInet6) netip.AddrPort {
	if name.Family == unix.AF_INET {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		return netip.AddrPortFrom(netip.AddrFrom4(v4.Addr), swapPort(v4.Port))
	}
	addr := netip.AddrFrom16(name.Addr).Unmap()
	if name.Scope_id != 0 {
		addr = addr.WithZone(strconv.FormatUint(uint64(name.Scope_id), 10))
	}
	return netip.AddrPortFrom(addr, swapPort(name.Port))
}

// putAddr writes addr for the kernel and returns the length it has.
func putAddr(name *unix.RawSockaddrInet6, addr netip.AddrPort) uint32 {
	if addr.Addr().Is4() {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		*v4 = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: swapPort(addr.Port()), Addr: addr.Addr().As4()}
		return unix.SizeofSockaddrInet4
	}
	*name = unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: swapPort(addr.Port()), Addr: addr.Addr().As16()}
	if zone := addr.Addr().Zone(); zone != "" {
		id, _ := strconv.ParseUint(zone, 10, 32) // zones are numeric by the time they come here
		name.Scope_id = uint32(id)
	}
	return unix.SizeofSockaddrInet6
}

// swapPort turns a port from the machine's byte order to the network's and
// back.
func swapPort(p uint16) uint16 {
	b := (*[2]byte)(unsafe.Pointer(&p))
	return uint16(b[0])<<8 | uint16(b[1])
}
