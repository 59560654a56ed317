package matchmaker

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
)

// mostWaiting is how many TCP connections may wait, of all networks together,
// without having said what they want. A newcomer over it ends the one that has
// waited longest: a flood of silence keeps nobody out for long.
const mostWaiting = 4096

// A gate bounds what TCP connections cost: how many one network has open, and
// how many of all have not yet sent a whole request.
type gate struct {
	perNetwork  int // connections of one prefix
	mostWaiting int
	trusted     func(netip.Addr) bool // a proxy, which brings many

	mu      sync.Mutex
	open    map[netip.Prefix]int
	waiting list.List // of *sniffed, the longest first
}

// enter takes a new connection; false: its network has too many.
func (g *gate) enter(c *sniffed) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if a := addrOf(c.RemoteAddr()); a.IsValid() && !g.trusted(a) {
		p := prefixOf(a)
		if g.open[p] >= g.perNetwork {
			return false
		}
		g.open[p]++
		c.network = p
	}
	if g.waiting.Len() >= g.mostWaiting {
		oldest := g.waiting.Remove(g.waiting.Front()).(*sniffed)
		oldest.place = nil
		oldest.Conn.Close() // whoever reads it hears that, and leaves
	}
	c.gate, c.place = g, g.waiting.PushBack(c)
	return true
}

// asked: the connection has said what it wants.
func (g *gate) asked(c *sniffed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(c)
}

// shut ends all that wait; their readers hear it.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for e := g.waiting.Front(); e != nil; e = e.Next() {
		e.Value.(*sniffed).Conn.Close()
	}
}

// left: the connection is closed.
func (g *gate) left(c *sniffed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forget(c)
	if c.network.IsValid() {
		if g.open[c.network]--; g.open[c.network] == 0 {
			delete(g.open, c.network)
		}
		c.network = netip.Prefix{}
	}
}

// forget takes c out of those who wait.
func (g *gate) forget(c *sniffed) {
	if c.place != nil {
		g.waiting.Remove(c.place)
		c.place = nil
	}
}

func addrOf(a net.Addr) netip.Addr {
	if t, ok := a.(*net.TCPAddr); ok {
		return t.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}
