// Package raw is bare datagrams in batches, by the system calls that the kernel
// has for them: the limit of what a library over UDP can reach. Nothing of it
// arrives for sure.
package raw

import (
	"errors"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/partyline-go/partyline/tests/bench/fan"
	"github.com/partyline-go/partyline/tests/bench/peer"
)

// Library is recvmmsg and sendmmsg; for bulk with UDP_SEGMENT and UDP_GRO.
var Library = peer.Library{
	Name: "raw", About: "recvmmsg and sendmmsg of 64, for bulk with UDP_SEGMENT and UDP_GRO; nothing is acknowledged", Lossy: true,
	Listen: listen, Dial: dial,
}

const waitMillis = 50 // for datagrams, while it runs by itself

// An endpoint has a socket of its own, or a fan of clients.
type endpoint struct {
	in      *reader
	out     *writer
	fd      int
	server  bool
	clients *fan.Fan

	addrs   []address // server: of each connection
	numbers map[address]int

	buf     []byte
	closing atomic.Bool
	ended   chan struct{}
}

// newEndpoint opens a socket.
func newEndpoint(s peer.Setup, server bool) (*endpoint, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	for _, option := range []int{unix.SO_RCVBUF, unix.SO_SNDBUF} {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, 4<<20) // less does too
	}
	if s.Bulk {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_GRO, 1); err != nil {
			return nil, err
		}
	}
	return &endpoint{
		in: newReader(s.Bulk), out: newWriter(s.Bulk), fd: fd, server: server,
		numbers: map[address]int{}, buf: make([]byte, 0, 2048),
	}, nil
}

func listen(s peer.Setup) (peer.Endpoint, error) {
	e, err := newEndpoint(s, true)
	if err != nil {
		return nil, err
	}
	if err := unix.Bind(e.fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return nil, err
	}
	e.begin(s)
	return e, nil
}

func dial(port int, s peer.Setup) (peer.Endpoint, error) {
	if s.Conns > 1 {
		return dialFan(port, s)
	}
	e, err := newEndpoint(s, false)
	if err != nil {
		return nil, err
	}
	if err := unix.Connect(e.fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return nil, err
	}
	e.out.put(peer.Hello, address{})
	e.out.send(e.fd)
	if s.Handler != nil {
		e.begin(s)
		return e, nil
	}
	return e, peer.AwaitOpen(e, 1, func(int) {})
}

func dialFan(port int, s peer.Setup) (peer.Endpoint, error) {
	if s.Handler != nil {
		return nil, errors.New("raw: many clients are driven by frames")
	}
	clients, err := fan.New(port, s.Conns)
	if err != nil {
		return nil, err
	}
	e := &endpoint{clients: clients, buf: make([]byte, 0, 2048)}
	asked := 0
	return e, peer.AwaitOpen(e, s.Conns, func(open int) {
		for ; asked < s.Conns && asked < open+256; asked++ {
			clients.Write(asked, peer.Hello)
		}
	})
}

// begin lets e run by itself, if a handler wants that.
func (e *endpoint) begin(s peer.Setup) {
	if s.Handler == nil {
		return
	}
	e.ended = make(chan struct{})
	go func() {
		defer close(e.ended)
		ready := []unix.PollFd{{Fd: int32(e.fd), Events: unix.POLLIN}}
		for !e.closing.Load() {
			e.Poll(s.Handler)
			e.Flush()
			_, _ = unix.Poll(ready, waitMillis)
		}
	}()
}

func (e *endpoint) Poll(h peer.Handler) {
	if e.clients != nil {
		e.pollFan(h)
		return
	}
	for more := true; more; {
		more = e.in.read(e.fd, func(from address, datagram []byte) {
			conn := 0
			if e.server {
				conn = e.numberOf(from)
			}
			ev := peer.Untag(conn, datagram)
			if e.server && ev.Kind == peer.Joined {
				e.out.put(peer.Hello, from)
				e.out.send(e.fd)
			}
			h(e, ev)
		})
	}
}

func (e *endpoint) pollFan(h peer.Handler) {
	buf := e.buf[:cap(e.buf)]
	for conn, n, ok := e.clients.Read(buf); ok; conn, n, ok = e.clients.Read(buf) {
		if n > 0 {
			h(e, peer.Untag(conn, buf[:n]))
		}
	}
}

func (e *endpoint) numberOf(from address) int {
	conn, ok := e.numbers[from]
	if !ok {
		conn = len(e.addrs)
		e.addrs = append(e.addrs, from)
		e.numbers[from] = conn
	}
	return conn
}

func (e *endpoint) Port() int {
	a, err := unix.Getsockname(e.fd)
	if err != nil {
		return 0
	}
	return a.(*unix.SockaddrInet4).Port
}

func (e *endpoint) Send(conn int, kind peer.Kind, data []byte) error {
	datagram := peer.AppendTagged(e.buf[:0], kind, data)
	if e.clients != nil {
		e.clients.Write(conn, datagram)
		return nil
	}
	var to address
	if e.server {
		to = e.addrs[conn]
	}
	if !e.out.put(datagram, to) {
		e.out.send(e.fd)
		e.out.put(datagram, to)
	}
	return nil
}

func (e *endpoint) Flush() {
	if e.clients == nil {
		e.out.send(e.fd)
	}
}

func (e *endpoint) Close() {
	e.closing.Store(true)
	if e.ended != nil {
		<-e.ended
	}
	if e.clients != nil {
		e.clients.Close()
		return
	}
	_ = unix.Close(e.fd)
}
