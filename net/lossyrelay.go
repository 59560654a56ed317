package netmsg

import (
	"fmt"
	"net/netip"
	"sync"
	"time"
)

// relayClients is how many clients a LossyRelay carries at most. When one more
// comes, the one that has been silent the longest is let go.
const relayClients = 256

// A LossyRelay is a UDP relay in front of a server, to try real programs over a
// bad network on one machine. Each client that sends to it gets a socket
// towards the server and a simulated link each way.
type LossyRelay struct {
	server             netip.AddrPort
	toServer, toClient LinkConfig
	seed               uint64
	front              Socket
	epoch              time.Time
	stopping           chan struct{}
	running            sync.WaitGroup

	mu      sync.Mutex
	stopped bool
	clients map[netip.AddrPort]*relayClient
	joined  uint64 // clients so far
	alarm   *time.Timer
	armed   time.Duration
	buf     []byte
	out     [1]Datagram // kept here, so that sending allocates nothing
}

// A relayClient is the relay's side of one client.
type relayClient struct {
	addr      netip.AddrPort
	back      Socket // towards the server
	up, down  *LinkSim
	lastHeard time.Duration
}

// StartLossyRelay starts a relay on a port that the system chooses, on
// 127.0.0.1 or, for an IPv6 server, on [::1]. What clients send to its Addr
// goes to server over a link that does what toServer says, and the server's
// answers go back over one that does what toClient says, with links of their
// own for each client; the nth client's fates are drawn from seed and n. It
// carries up to 256 clients. It returns an error if server is no address with a
// port, or no socket can be bound.
func StartLossyRelay(server netip.AddrPort, toServer, toClient LinkConfig, seed uint64) (*LossyRelay, error) {
	if !server.IsValid() || server.Port() == 0 {
		return nil, fmt.Errorf("netmsg: a relay to %v: want an address and a port", server)
	}
	server = canonical(server)
	front, err := bindOne(netip.AddrPortFrom(loopbackFor(server.Addr()), 0))
	if err != nil {
		return nil, err
	}
	r := &LossyRelay{
		server: server, toServer: toServer, toClient: toClient, seed: seed,
		front: front, epoch: time.Now(), stopping: make(chan struct{}),
		clients: make(map[netip.AddrPort]*relayClient),
		alarm:   time.NewTimer(never), armed: never,
		buf: make([]byte, maxMaxPacket),
	}
	r.running.Go(r.readFront)
	r.running.Go(r.deliverInTime)
	return r, nil
}

func loopbackFor(a netip.Addr) netip.Addr {
	if a.Is4() {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.IPv6Loopback()
}

// Addr is where clients send to, in place of the server's address.
func (r *LossyRelay) Addr() netip.AddrPort { return r.front.LocalAddr() }

// Stop ends the relay and frees its ports. What is still on a link is lost.
func (r *LossyRelay) Stop() {
	r.mu.Lock()
	if r.stopped {
		r.mu.Unlock()
		return
	}
	r.stopped = true
	close(r.stopping)
	r.front.Close()
	for _, c := range r.clients {
		c.back.Close()
	}
	r.mu.Unlock()
	r.running.Wait()
}

func (r *LossyRelay) now() time.Duration { return time.Since(r.epoch) }

// readFront puts what clients send on their links to the server.
func (r *LossyRelay) readFront() {
	r.read(r.front, func(d Datagram) {
		c := r.client(d.Addr)
		if c != nil {
			c.lastHeard = r.now()
			c.up.Send(c.lastHeard, d.Data)
		}
	})
}

// readBack puts what the server sends to one client on the link to it.
func (r *LossyRelay) readBack(c *relayClient) {
	r.read(c.back, func(d Datagram) {
		if d.Addr == r.server {
			c.down.Send(r.now(), d.Data)
		}
	})
}

// read gives each datagram of sock to take, under the lock, until the socket is
// closed.
func (r *LossyRelay) read(sock Socket, take func(Datagram)) {
	batch := newBatch(4, maxMaxPacket)
	for {
		n := nextRead(sock, batch, r.stopping)
		if n == 0 {
			return
		}
		r.mu.Lock()
		for _, d := range batch[:n] {
			take(d)
		}
		r.deliver()
		r.mu.Unlock()
	}
}

// client finds the client at addr, or makes it. Nil: no socket for it.
func (r *LossyRelay) client(addr netip.AddrPort) *relayClient {
	if c := r.clients[addr]; c != nil || r.stopped {
		return c
	}
	if len(r.clients) == relayClients {
		r.dropOldest()
	}
	back, err := bindOne(netip.AddrPortFrom(unspecifiedFor(r.server.Addr()), 0))
	if err != nil {
		return nil
	}
	r.joined++
	c := &relayClient{
		addr: addr, back: back,
		up:   NewLinkSim(r.toServer, r.seed+2*r.joined),
		down: NewLinkSim(r.toClient, r.seed+2*r.joined+1),
	}
	r.clients[addr] = c
	r.running.Go(func() { r.readBack(c) })
	return c
}

func unspecifiedFor(a netip.Addr) netip.Addr {
	if a.Is4() {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

// dropOldest lets the client go that has been silent the longest.
func (r *LossyRelay) dropOldest() {
	var oldest *relayClient
	for _, c := range r.clients {
		if oldest == nil || c.lastHeard < oldest.lastHeard {
			oldest = c
		}
	}
	oldest.back.Close()
	delete(r.clients, oldest.addr)
}

// deliverInTime delivers what arrives, when it does.
func (r *LossyRelay) deliverInTime() {
	for {
		select {
		case <-r.stopping:
			return
		case <-r.alarm.C:
		}
		r.mu.Lock()
		r.armed = never
		r.deliver()
		r.mu.Unlock()
	}
}

// deliver sends on what has arrived at the ends of the links, and sets the
// alarm for what comes next. The lock is held.
func (r *LossyRelay) deliver() {
	now, next := r.now(), never
	for _, c := range r.clients {
		r.deliverLink(now, c.up, c.back, r.server)
		r.deliverLink(now, c.down, r.front, c.addr)
		next = min(next, c.up.Deadline(), c.down.Deadline())
	}
	if next < r.armed {
		r.armed = next
		r.alarm.Reset(max(0, next-now))
	}
}

func (r *LossyRelay) deliverLink(now time.Duration, link *LinkSim, by Socket, to netip.AddrPort) {
	for {
		n, ok := link.Deliver(now, r.buf)
		if !ok {
			return
		}
		r.out[0] = Datagram{Addr: to, Data: r.buf[:n]}
		by.WriteBatch(r.out[:])
	}
}
