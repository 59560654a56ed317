package world

import (
	"net/netip"
	"time"
)

// A Behaviour says on how much of the other side's address something depends.
// RFC 4787 has these three for the mapping of a NAT, and for its filtering.
type Behaviour uint8

const (
	EndpointIndependent Behaviour = iota + 1
	AddressDependent
	AddressAndPortDependent
)

func (b Behaviour) String() string {
	return [...]string{"?", "endpoint-independent", "address-dependent", "address-and-port-dependent"}[b]
}

// of is what of an address the behaviour looks at.
func (b Behaviour) of(a netip.AddrPort) netip.AddrPort {
	switch b {
	case EndpointIndependent:
		return netip.AddrPort{}
	case AddressDependent:
		return netip.AddrPortFrom(a.Addr(), 0)
	}
	return a
}

// mappingLife is how long a mapping lives without a packet from inside.
// (RFC 4787, REQ-5: not less than two minutes)
const mappingLife = 2 * time.Minute

// A NAT is what a router does to UDP.
type NAT struct {
	// Mapping says when packets from one inside address and port come from one
	// port outside: always, or only those to one address, or to one address and port.
	Mapping Behaviour

	// Filtering says who outside may send to such a port: anybody, or only
	// those to whose address, or address and port, it has sent.
	Filtering Behaviour

	Hairpin     bool          // inside hosts reach each other at the outside address
	RandomPorts bool          // outside ports are drawn; else the inside port is kept where it is free
	Timeout     time.Duration // of a mapping, since the last packet from inside; two minutes if zero
	NoUDP       bool          // no UDP passes at all
}

// A Router has a LAN, and an address in the network outside.
type Router struct {
	*Cable // to the network outside

	LAN *Network

	NAT     NAT
	outside *Network
	addr    netip.Addr
	byPort  map[uint16]*mapping
	byKey   map[mappingKey]*mapping
}

// A mappingKey is a packet from inside, as far as Mapping looks at it.
type mappingKey struct{ inside, remote netip.AddrPort }

// A mapping is a port outside that stands for one inside.
type mapping struct {
	key     mappingKey
	port    uint16
	used    time.Duration                    // the last packet from inside
	sentTo  map[netip.AddrPort]time.Duration // as far as Filtering looks, and when last
	timeout time.Duration
}

// Router puts a router into the network, with a LAN behind it.
func (n *Network) Router(addr string, nat NAT) *Router {
	if (nat.Mapping == 0 || nat.Filtering == 0) && !nat.NoUDP {
		panic("world: a NAT of no kind")
	}
	if nat.Timeout == 0 {
		nat.Timeout = mappingLife
	}
	r := &Router{NAT: nat, outside: n, addr: netip.MustParseAddr(addr)}
	r.Forget()
	r.LAN = newNetwork(n.world, r)
	r.Cable = n.join(r.addr, r.in)
	return r
}

// Forget drops all mappings, as a router does that starts again: the next
// packet of a host inside comes from another port.
func (r *Router) Forget() {
	taken := r.byPort
	r.byPort, r.byKey = make(map[uint16]*mapping), make(map[mappingKey]*mapping)
	for port := range taken {
		r.byPort[port] = nil // not given again
	}
}

// Readdress gives the router another address outside, as a provider does over
// night. All mappings are gone.
func (r *Router) Readdress(addr string) {
	delete(r.outside.nodes, r.addr)
	r.addr = netip.MustParseAddr(addr)
	if r.outside.nodes[r.addr] != nil {
		panic("world: " + addr + " is taken")
	}
	r.outside.nodes[r.addr] = r.Cable
	r.Forget()
	r.breakStreams()
}

// breakStreams ends the streams of the hosts inside: their peers do not know
// them at another address.
func (r *Router) breakStreams() {
	for _, h := range r.outside.world.hosts {
		for n := h.network; n.router != nil; n = n.router.outside {
			if n.router == r {
				h.breakStreams()
			}
		}
	}
}

// out takes a packet from inside that goes outside.
func (r *Router) out(p packet) {
	if r.NAT.NoUDP {
		return
	}
	now := r.outside.world.now
	m := r.mappingOf(p, now)
	m.used = now
	m.sentTo[r.NAT.Filtering.of(p.to)] = now
	p.from = netip.AddrPortFrom(r.addr, m.port)
	if p.to.Addr() != r.addr {
		r.Out.send(p)
	} else if r.NAT.Hairpin {
		r.in(p)
	}
}

// in takes a packet from outside: it goes to whom its port stands for, if the
// filter lets it.
func (r *Router) in(p packet) {
	m := r.byPort[p.to.Port()]
	if m == nil || !m.lives(r.outside.world.now) || !r.admits(m, p.from) {
		return
	}
	p.to = m.key.inside
	r.LAN.carry(p)
}

func (r *Router) admits(m *mapping, from netip.AddrPort) bool {
	if r.NAT.Filtering == EndpointIndependent {
		return true
	}
	at, ok := m.sentTo[r.NAT.Filtering.of(from)]
	return ok && r.outside.world.now-at < m.timeout
}

// mappingOf finds the mapping for a packet from inside, or makes it.
func (r *Router) mappingOf(p packet, now time.Duration) *mapping {
	key := mappingKey{p.from, r.NAT.Mapping.of(p.to)}
	if m := r.byKey[key]; m != nil {
		if m.lives(now) {
			return m
		}
		delete(r.byPort, m.port)
	}
	m := &mapping{
		key: key, port: r.freePort(p.from.Port()),
		used: now, timeout: r.NAT.Timeout, sentTo: make(map[netip.AddrPort]time.Duration),
	}
	r.byKey[key], r.byPort[m.port] = m, m
	return m
}

func (m *mapping) lives(now time.Duration) bool { return now-m.used < m.timeout }

// freePort chooses a port outside: the wanted one or the first after it that is
// free, or any.
func (r *Router) freePort(wanted uint16) uint16 {
	for {
		if r.NAT.RandomPorts {
			wanted = uint16(1024 + r.outside.world.dice.IntN(1<<16-1024))
		}
		if _, taken := r.byPort[wanted]; !taken && wanted >= 1024 {
			return wanted
		}
		wanted++
	}
}
