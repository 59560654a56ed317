package world

import (
	"net/netip"
	"time"
)

// A Network is the Internet, a LAN, or what a carrier has between its NAT and
// its customers: nodes that reach each other by address, and perhaps a router
// that leads outside.
type Network struct {
	world  *World
	nodes  map[netip.Addr]*Cable
	router *Router // nil: the Internet
}

func newNetwork(w *World, router *Router) *Network {
	return &Network{world: w, nodes: make(map[netip.Addr]*Cable), router: router}
}

// carry takes a packet to whoever has its address; without anybody it is lost.
func (n *Network) carry(p packet) {
	if c := n.nodes[p.to.Addr()]; c != nil {
		c.In.send(p)
	} else if n.router != nil {
		n.router.out(p)
	}
}

// join puts a node into the network. It panics if the address is taken: a test
// is wrong then.
func (n *Network) join(addr netip.Addr, receive func(packet)) *Cable {
	if n.nodes[addr] != nil {
		panic("world: " + addr.String() + " is taken")
	}
	c := &Cable{Out: n.world.newWay(n.carry), In: n.world.newWay(receive)}
	n.nodes[addr] = c
	return c
}

// toInternet is the cables between a node of the network and the Internet, the
// node's own first.
func (n *Network) toInternet(own *Cable) []*Cable {
	cables := []*Cable{own}
	for ; n.router != nil; n = n.router.outside {
		cables = append(cables, n.router.Cable)
	}
	return cables
}

// latency of a stream's way over cables, and whether all of it is there.
func latency(ways ...*way) (d time.Duration, open bool) {
	open = true
	for _, y := range ways {
		d += y.cfg.Latency
		open = open && !y.cut
	}
	return d, open
}
