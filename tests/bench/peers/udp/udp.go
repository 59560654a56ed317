// Package udp is bare datagrams by net.UDPConn, one call each: what a program
// does that has no library. Nothing of it arrives for sure.
package udp

import (
	"errors"
	"net"
	"net/netip"
	"sync"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// Library is net.UDPConn.
var Library = peer.Library{
	Name: "udp", About: "net.UDPConn, a goroutine a socket; nothing is acknowledged", Lossy: true,
	Listen: listen, Dial: dial,
}

const socketBuffer = 4 << 20

type endpoint struct {
	in    peer.Inbox
	socks []*net.UDPConn // a server's, or one for each client

	mu      sync.Mutex
	addrs   []netip.AddrPort       // server: of each connection
	numbers map[netip.AddrPort]int // server
	buf     []byte                 // what Send sends
}

func newEndpoint(s peer.Setup) *endpoint {
	return &endpoint{in: peer.Inbox{Handler: s.Handler}, numbers: map[netip.AddrPort]int{}}
}

func (e *endpoint) add(sock *net.UDPConn, err error) error {
	if err != nil {
		return err
	}
	_ = sock.SetReadBuffer(socketBuffer) // less does too
	_ = sock.SetWriteBuffer(socketBuffer)
	e.socks = append(e.socks, sock)
	return nil
}

func listen(s peer.Setup) (peer.Endpoint, error) {
	e := newEndpoint(s)
	if err := e.add(net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})); err != nil {
		return nil, err
	}
	go e.serve()
	return e, nil
}

func dial(port int, s peer.Setup) (peer.Endpoint, error) {
	e := newEndpoint(s)
	for i := range s.Conns {
		if err := e.add(net.DialUDP("udp4", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})); err != nil {
			return nil, err
		}
		if _, err := e.socks[i].Write(peer.Hello); err != nil {
			return nil, err
		}
	}
	for i := range e.socks {
		go e.read(i)
	}
	if s.Handler != nil {
		return e, nil
	}
	return e, peer.AwaitOpen(e, s.Conns, func(int) {})
}

// serve hears the server's socket, and answers a hello with one.
func (e *endpoint) serve() {
	buf := make([]byte, 2048)
	for {
		n, from, err := e.socks[0].ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil || n == 0 {
			continue
		}
		conn, news := e.numberOf(from)
		if news {
			_, _ = e.socks[0].WriteToUDPAddrPort(peer.Hello, from)
		}
		e.in.Put(e, peer.Untag(conn, buf[:n]))
	}
}

func (e *endpoint) numberOf(from netip.AddrPort) (conn int, news bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	conn, ok := e.numbers[from]
	if !ok {
		conn = len(e.addrs)
		e.addrs = append(e.addrs, from)
		e.numbers[from] = conn
	}
	return conn, !ok
}

// read hears a client's socket.
func (e *endpoint) read(conn int) {
	buf := make([]byte, 2048)
	for {
		n, err := e.socks[conn].Read(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil && n > 0 {
			e.in.Put(e, peer.Untag(conn, buf[:n]))
		}
	}
}

func (e *endpoint) Port() int { return e.socks[0].LocalAddr().(*net.UDPAddr).Port }

func (e *endpoint) Poll(h peer.Handler) { e.in.Poll(e, h) }

func (e *endpoint) Send(conn int, kind peer.Kind, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.buf = peer.AppendTagged(e.buf[:0], kind, data)
	if len(e.addrs) == 0 {
		_, err := e.socks[conn].Write(e.buf)
		return err
	}
	_, err := e.socks[0].WriteToUDPAddrPort(e.buf, e.addrs[conn])
	return err
}

func (e *endpoint) Flush() {}

func (e *endpoint) Close() {
	for _, s := range e.socks {
		_ = s.Close()
	}
}
