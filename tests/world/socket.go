package world

import (
	"fmt"
	"net"
	"net/netip"

	netmsg "github.com/partyline-go/partyline/net"
)

// maxHeld is how many datagrams a socket holds before it loses what comes.
const maxHeld = 4096

// A Socket is a host's UDP socket: a netmsg.StepSocket.
type Socket struct {
	// Sent and Heard count its datagrams, those lost on their way included.
	Sent, Heard int

	host   *Host
	addr   netip.AddrPort
	answer func(from netip.AddrPort, data []byte) // takes what comes; nil: the inbox
	seen   func(from netip.AddrPort)              // hears from where something comes; nil: nobody
	inbox  []netmsg.Datagram
	read   int
	closed bool
}

// Socket binds a port of the host's. It panics if that is taken.
func (h *Host) Socket(port uint16) *Socket {
	if h.sockets[port] != nil || h.dead {
		panic(fmt.Sprintf("world: %v has no port %d to give", h.addr, port))
	}
	s := &Socket{host: h, addr: netip.AddrPortFrom(h.addr, port)}
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
	if len(s.inbox)-s.read == maxHeld {
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
	s.inbox = append(s.inbox, netmsg.Datagram{Addr: from, Data: s.host.world.copy(data)})
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
	s.host.world.free = append(s.host.world.free, got.Data)
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
	for i, d := range b {
		if s.closed {
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
	if !s.closed {
		s.closed = true
		delete(s.host.sockets, s.addr.Port())
	}
	return nil
}
