// Package simnet is a network for tests: sockets that never wait, joined by
// links that delay, jitter, lose, repeat, reorder and cut, on one clock and one
// seed. Whole worlds of parties run on it, faster than time and the same each
// time.
//
// A [Network] makes [Socket]s, each a netmsg.StepSocket with an address of its
// own, to be given to party.Config.Socket or netmsg.NewEndpoint. There are no
// routers: an address reaches every other. Where routers matter, and rooms, take
// tests/world. Datagrams move only in Advance, which
// moves the clock; a socket holds what has come until it is read. What is sent
// to an address without a socket is lost, and so is what finds a socket full.
//
//	n := simnet.New(7)
//	n.SetDefault(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.05})
//	host := n.Socket("10.0.0.1:27415")
//	guest := n.Socket("10.0.0.2:27415")
//	n.SetLink(guest.LocalAddr(), host.LocalAddr(), netmsg.LinkConfig{}) // one way
//	n.Cut(host.LocalAddr(), guest.LocalAddr())                          // one way
//	for range 600 {
//		n.Advance(time.Second / 60)
//		… // a frame of everyone
//	}
//
// A Network is used from one goroutine.
package simnet

import (
	"fmt"
	"hash/fnv"
	"math"
	"net/netip"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/inbox"
)

// maxDatagram is the largest datagram that a link carries.
const maxDatagram = 2048

// A Network is a set of sockets and the links between them. Each direction
// between two addresses is a link of its own.
type Network struct {
	// Watch, if set, sees each datagram as it is sent and says what becomes of it
	// before its link has a say. It must not keep data.
	Watch func(from, to netip.AddrPort, data []byte) Fate

	seed    uint64
	now     time.Duration
	normal  netmsg.LinkConfig
	sockets map[netip.AddrPort]*Socket
	links   map[way]*link
	inOrder []*link // as they were made, so that a run repeats
	cuts    map[way]bool
	late    []parcel // held back by Watch
	buffers *inbox.Buffers
	buf     [maxDatagram]byte
}

// Fate is what Watch does with a datagram; the zero Fate lets it go its way.
type Fate struct {
	Drop  bool
	Delay time.Duration // before it enters its link
}

// way is one direction between two addresses.
type way struct{ from, to netip.AddrPort }

// link is what happens on a way.
type link struct {
	way
	own     bool // by SetLink
	perfect bool
	sim     *netmsg.LinkSim
}

// parcel is a datagram that enters its link later.
type parcel struct {
	way
	at   time.Duration
	data []byte
}

// New makes a network whose links are perfect, at time zero.
func New(seed uint64) *Network {
	return &Network{
		seed:    seed,
		buffers: inbox.NewBuffers(maxDatagram),
		sockets: make(map[netip.AddrPort]*Socket),
		links:   make(map[way]*link),
		cuts:    make(map[way]bool),
	}
}

// Now is the time, from zero.
func (n *Network) Now() time.Duration { return n.now }

// Advance moves the clock by d; what is due until then reaches its socket, in
// the order in which it is due.
func (n *Network) Advance(d time.Duration) {
	until := n.now + d
	for {
		l, due := n.next()
		if due > until {
			break
		}
		n.now = max(n.now, due)
		if l == nil {
			n.release()
		} else {
			n.deliver(l)
		}
	}
	n.now = until
}

// next is the link that delivers first, and when; nil: a parcel is due.
func (n *Network) next() (first *link, due time.Duration) {
	due = math.MaxInt64
	for _, l := range n.inOrder {
		if l.sim != nil && l.sim.Deadline() < due {
			first, due = l, l.sim.Deadline()
		}
	}
	for _, p := range n.late {
		if p.at < due {
			first, due = nil, p.at
		}
	}
	return first, due
}

// deliver moves one datagram from a link to its socket.
func (n *Network) deliver(l *link) {
	size, ok := l.sim.Deliver(n.now, n.buf[:])
	if ok {
		n.arrive(l.way, n.buf[:size])
	}
}

// release puts the parcels that are due on their links.
func (n *Network) release() {
	kept := n.late[:0]
	for _, p := range n.late {
		if p.at > n.now {
			kept = append(kept, p)
			continue
		}
		n.enter(p.way, p.data)
		n.buffers.Free(p.data)
	}
	n.late = kept
}

// SetDefault sets what links do that have no SetLink of their own, from now on.
// What is on its way is lost.
func (n *Network) SetDefault(cfg netmsg.LinkConfig) {
	n.normal = cfg
	for _, l := range n.inOrder {
		if !l.own {
			l.set(cfg, n.seedOf(l.way))
		}
	}
}

// SetLink sets what happens to datagrams from one address to another. What is
// on its way there already is lost.
func (n *Network) SetLink(from, to netip.AddrPort, cfg netmsg.LinkConfig) {
	l := n.linkOf(way{from, to})
	l.own = true
	l.set(cfg, n.seedOf(l.way))
}

// Cut loses all that is sent from one address to another, from now on, until
// Mend. The zero address stands for every address.
func (n *Network) Cut(from, to netip.AddrPort) { n.cuts[way{from, to}] = true }

// Mend undoes a Cut of the same addresses.
func (n *Network) Mend(from, to netip.AddrPort) { delete(n.cuts, way{from, to}) }

// cut says whether anything sent on a way is lost.
func (n *Network) cut(w way) bool {
	if len(n.cuts) == 0 {
		return false
	}
	var all netip.AddrPort
	return n.cuts[w] || n.cuts[way{w.from, all}] || n.cuts[way{all, w.to}] || n.cuts[way{all, all}]
}

// linkOf is the link of a way, made when it is first used.
func (n *Network) linkOf(w way) *link {
	l := n.links[w]
	if l == nil {
		l = &link{way: w}
		l.set(n.normal, n.seedOf(w))
		n.links[w] = l
		n.inOrder = append(n.inOrder, l)
	}
	return l
}

func (l *link) set(cfg netmsg.LinkConfig, seed uint64) {
	l.perfect, l.sim = cfg == netmsg.LinkConfig{}, nil
	if !l.perfect {
		l.sim = netmsg.NewLinkSim(cfg, seed)
	}
}

// seedOf gives each way dice of its own, whatever the order of their use.
func (n *Network) seedOf(w way) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, n.seed, w.from, w.to)
	return h.Sum64()
}

// send is a socket's sending.
func (n *Network) send(w way, data []byte) {
	if n.Watch != nil {
		fate := n.Watch(w.from, w.to, data)
		if fate.Drop {
			return
		}
		if fate.Delay > 0 {
			n.late = append(n.late, parcel{w, n.now + fate.Delay, n.buffers.Copy(data)})
			return
		}
	}
	n.enter(w, data)
}

// enter puts a datagram on its link.
func (n *Network) enter(w way, data []byte) {
	if n.cut(w) {
		return
	}
	if l := n.linkOf(w); l.perfect {
		n.arrive(w, data)
	} else {
		l.sim.Send(n.now, data)
	}
}

// arrive puts a datagram in its socket.
func (n *Network) arrive(w way, data []byte) {
	if s := n.sockets[w.to]; s != nil {
		s.Put(w.from, data)
	}
}
