package world

import (
	"fmt"
	"net"
	"net/netip"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/inbox"
)

// A Socket is a host's UDP socket: a netmsg.StepSocket.
type Socket struct {
	inbox.Inbox // what has come, where nobody answers

	// Sent and Heard count its datagrams, those lost on their way included.
	Sent, Heard int

	host   *Host
	addr   netip.AddrPort
	answer func(from netip.AddrPort, data []byte) // takes what comes; nil: the Inbox
	seen   func(from netip.AddrPort)              // hears from where something comes; nil: nobody
}

// Socket binds a port of the host's. It panics if that is taken.
func (h *Host) Socket(port uint16) *Socket {
	if h.sockets[port] != nil || h.dead {
		panic(fmt.Sprintf("world: %v has no port %d to give", h.addr, port))
	}
	s := &Socket{Inbox: inbox.New(h.world.buffers), host: h, addr: netip.AddrPortFrom(h.addr, port)}
	h.sockets[port] = s
	return s
}

// anySocket binds the first free port from first on.
func (h *Host) anySocket(first uint16) *Socket {
	for h.sockets[first] != nil {
		first++
	}
	return h.Socket(first)
}

// Serve binds a port whose datagrams answer takes. It must not keep data.
func (h *Host) Serve(port uint16, answer func(s *Socket, from netip.AddrPort, data []byte)) *Socket {
	s := h.Socket(port)
	s.answer = func(from netip.AddrPort, data []byte) { answer(s, from, data) }
	return s
}

func (s *Socket) arrive(from netip.AddrPort, data []byte) {
	if s.Full() {
		return
	}
	s.Heard++
	if s.seen != nil {
		s.seen(from)
	}
	if s.answer != nil {
		s.answer(from, data)
		return
	}
	s.Put(from, data)
}

// WriteBatch sends.
func (s *Socket) WriteBatch(b []netmsg.Datagram) (int, error) {
	for i, d := range b {
		if s.Closed {
			return i, net.ErrClosed
		}
		s.Send(d.Addr, d.Data)
	}
	return len(b), nil
}

// Send sends one datagram.
func (s *Socket) Send(to netip.AddrPort, data []byte) {
	s.Sent++
	w := s.host.world
	w.Note("%v %v %x", s.addr, to, data)
	if len(data) <= maxDatagram {
		s.host.Out.send(packet{origin: s.host, from: s.addr, to: to, data: data})
	}
}

// LocalAddr is the address that the socket is bound to.
func (s *Socket) LocalAddr() netip.AddrPort { return s.addr }

// Close frees the port; what has come is lost.
func (s *Socket) Close() error {
	if !s.Closed {
		s.Closed = true
		delete(s.host.sockets, s.addr.Port())
	}
	return nil
}
