package simnet

import (
	"net"
	"net/netip"

	netmsg "github.com/partyline-go/partyline/net"
)

// maxHeld is how many datagrams a socket holds before it loses what comes.
const maxHeld = 4096

// A Socket is one address of a Network: a netmsg.StepSocket.
type Socket struct {
	net    *Network
	addr   netip.AddrPort
	inbox  []netmsg.Datagram
	read   int
	closed bool
	Sent   Count // what this socket has sent, lost or not
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
	s := &Socket{net: n, addr: at}
	n.sockets[at] = s
	return s
}

// TryRead gives the oldest datagram that has come, cut to the room there is;
// false: there is none.
func (s *Socket) TryRead(d *netmsg.Datagram) bool {
	if s.read == len(s.inbox) {
		s.inbox, s.read = s.inbox[:0], 0
		return false
	}
	got := s.inbox[s.read]
	s.read++
	d.Addr = got.Addr
	d.Data = d.Data[:copy(d.Data[:cap(d.Data)], got.Data)]
	s.net.free = append(s.net.free, got.Data)
	return true
}

// ReadBatch gives what has come, without waiting.
func (s *Socket) ReadBatch(b []netmsg.Datagram) (int, error) {
	if s.closed {
		return 0, net.ErrClosed
	}
	for i := range b {
		if !s.TryRead(&b[i]) {
			return i, nil
		}
	}
	return len(b), nil
}

// WriteBatch sends.
func (s *Socket) WriteBatch(b []netmsg.Datagram) (int, error) {
	if s.closed {
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
	if !s.closed {
		s.closed = true
		delete(s.net.sockets, s.addr)
	}
	return nil
}
