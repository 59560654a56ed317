package world

import (
	"net/netip"
)

// A Host is a machine with one address, and a process on it.
type Host struct {
	*Cable

	world   *World
	number  int
	network *Network
	addr    netip.Addr
	sockets map[uint16]*Socket
	streams []*stream
	dead    bool
}

// Host puts a machine into the network.
func (n *Network) Host(addr string) *Host {
	h := &Host{
		world: n.world, number: len(n.world.hosts), network: n,
		addr: netip.MustParseAddr(addr), sockets: make(map[uint16]*Socket),
	}
	n.world.hosts = append(n.world.hosts, h)
	h.Cable = n.join(h.addr, h.receive)
	return h
}

// Addr is the host's own address.
func (h *Host) Addr() netip.Addr { return h.addr }

// Outside is the address by which the Internet knows the host.
func (h *Host) Outside() netip.Addr {
	at := h.addr
	for n := h.network; n.router != nil; n = n.router.outside {
		at = n.router.addr
	}
	return at
}

// Kill ends the process, as kill -9 does: its sockets and streams are gone.
func (h *Host) Kill() {
	h.dead = true
	for _, s := range h.sockets {
		s.Closed = true
	}
	clear(h.sockets)
	for _, s := range h.streams {
		s.close(h)
	}
	h.streams = nil
}

// breakStreams ends the host's streams without a word to the other side.
func (h *Host) breakStreams() {
	streams := h.streams
	h.streams = nil
	for _, s := range streams {
		s.breakOff()
	}
}

// Dead says whether the process was killed.
func (h *Host) Dead() bool { return h.dead }

// receive puts a packet into its socket.
func (h *Host) receive(p packet) {
	s := h.sockets[p.to.Port()]
	if s == nil || p.to.Addr() != h.addr || h.world.cuts[[2]*Host{p.origin, h}] {
		return
	}
	s.arrive(p.from, p.data)
}
