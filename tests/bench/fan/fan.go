// Package fan is many UDP sockets towards one port, read and written without
// waiting: the clients of one process, each with an address of its own.
package fan

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// few is how many sockets are read one after the other, as a library that knows
// nothing of the others reads each of its own. Of more the system is asked which
// have something.
const few = 64

// A Fan is sockets 0 to n-1, each connected to the same port of 127.0.0.1. One
// goroutine uses it at a time.
type Fan struct {
	fds    []int
	poll   int // -1: they are few
	events [256]unix.EpollEvent
	ready  []unix.EpollEvent
	told   int  // so many had something in this round
	last   bool // the round ends with these
	at     int  // the socket that is read next
}

// New opens n sockets.
func New(port, n int) (*Fan, error) {
	f := &Fan{poll: -1}
	if n > 512 {
		allowFiles(n + 256)
	}
	if n > few {
		var err error
		if f.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
			return nil, err
		}
	}
	to := &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	for i := range n {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("socket %d of %d: %w", i, n, err)
		}
		f.fds = append(f.fds, fd)
		if err := unix.Connect(fd, to); err != nil {
			f.Close()
			return nil, err
		}
		if n <= few {
			continue
		}
		ready := &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}
		if err := unix.EpollCtl(f.poll, unix.EPOLL_CTL_ADD, fd, ready); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// allowFiles lets the process open n files, as far as the system allows it.
func allowFiles(n int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur >= uint64(n) {
		return
	}
	limit.Cur = min(uint64(n), limit.Max)
	_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &limit) // what it did not allow shows when a socket is opened
}

// Read reads one datagram into buf and says which socket it came to. False:
// none is there, or the round is over: the next Read begins another.
func (f *Fan) Read(buf []byte) (socket, n int, ok bool) {
	if f.poll < 0 {
		return f.readNext(buf)
	}
	for len(f.ready) > 0 || f.wait() {
		socket = int(f.ready[0].Fd)
		f.ready = f.ready[1:] // what else it has is told of again
		if n, ok = f.receive(socket, buf); ok {
			return socket, n, true
		}
	}
	f.last, f.told = false, 0
	return 0, 0, false
}

// readNext reads the first socket, from the one that was read last, that has
// something.
func (f *Fan) readNext(buf []byte) (socket, n int, ok bool) {
	for ; f.at < len(f.fds); f.at++ {
		if n, ok = f.receive(f.at, buf); ok {
			return f.at, n, true
		}
	}
	f.at = 0
	return 0, 0, false
}

func (f *Fan) receive(socket int, buf []byte) (n int, ok bool) {
	size, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(f.fds[socket]), uintptr(unsafe.Pointer(unsafe.SliceData(buf))), uintptr(len(buf)), unix.MSG_DONTWAIT, 0, 0)
	return int(size), errno == 0
}

// wait asks which sockets have something, without waiting, and says whether any
// has. Once it was told of all, or of as many as there are, it asks no more in
// this round: what comes in faster than it is read would never end.
func (f *Fan) wait() bool {
	if f.last {
		return false
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(f.poll), uintptr(unsafe.Pointer(&f.events[0])), uintptr(len(f.events)), 0, 0, 0)
	if errno != 0 {
		n = 0
	}
	f.told += int(n)
	f.ready, f.last = f.events[:n], int(n) < len(f.events) || f.told >= len(f.fds)
	return n > 0
}

// Write sends one datagram. One that the system has no room for is lost.
func (f *Fan) Write(socket int, datagram []byte) {
	unix.RawSyscall6(unix.SYS_SENDTO, uintptr(f.fds[socket]), uintptr(unsafe.Pointer(unsafe.SliceData(datagram))), uintptr(len(datagram)), unix.MSG_DONTWAIT, 0, 0)
}

// Close closes all sockets.
func (f *Fan) Close() {
	for _, fd := range f.fds {
		_ = unix.Close(fd)
	}
	if f.poll >= 0 {
		_ = unix.Close(f.poll)
	}
}
