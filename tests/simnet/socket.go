package simnet

import (
	"net"
	"net/netip"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/inbox"
)

// A Socket is one address of a Network: a netmsg.StepSocket.
type Socket struct {
	inbox.Inbox // what has come

	Sent Count // what this socket has sent, lost or not

	net  *Network
	addr netip.AddrPort
}

// Count is a number of datagrams and their bytes.
type Count struct{ Datagrams, Bytes, Largest int }

// Socket opens a socket at an address and port such as "10.0.0.1:27415". It
// panics if the address is taken or is none: a test is wrong then.
func (n *Network) Socket(addr string) *Socket {
	at := netip.MustParseAddrPort(addr)
	if n.sockets[at] != nil {
		panic("simnet: " + addr + " is taken")
	}
	s := &Socket{Inbox: inbox.New(n.buffers), net: n, addr: at}
	n.sockets[at] = s
	return s
}

// WriteBatch sends.
func (s *Socket) WriteBatch(b []netmsg.Datagram) (int, error) {
	if s.Closed {
		return 0, net.ErrClosed
	}
	for _, d := range b {
		s.Sent.Datagrams++
		s.Sent.Bytes += len(d.Data)
		s.Sent.Largest = max(s.Sent.Largest, len(d.Data))
		s.net.send(way{s.addr, d.Addr}, d.Data)
	}
	return len(b), nil
}

// LocalAddr is the socket's address.
func (s *Socket) LocalAddr() netip.AddrPort { return s.addr }

// Close frees the address; what has come is lost. A process that dies without
// a word is one whose party is not called again and whose socket is closed.
func (s *Socket) Close() error {
	if !s.Closed {
		s.Closed = true
		delete(s.net.sockets, s.addr)
	}
	return nil
}
