// Package relay is a UDP relay in front of a server, with a bad link each way
// and counts of what was sent into it.
package relay

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// headers is what IPv4 and UDP add to each datagram: bytes on the wire.
const headers = 28

// A Link says what each way does to datagrams. Zero: nothing.
type Link struct {
	Loss    float64       // share of datagrams lost
	Latency time.Duration // of each
	Jitter  time.Duration // random extra, from 0 up to this
	Rate    int           // bytes a second that it carries, headers included
	Queue   time.Duration // with Rate: what would wait longer is lost
}

func (l Link) config() netmsg.LinkConfig {
	return netmsg.LinkConfig{Loss: l.Loss, Latency: l.Latency, Jitter: l.Jitter, Rate: l.Rate, Buffer: l.Queue}
}

// A Relay is a relay that runs until Close.
type Relay struct {
	link   Link
	seed   uint64
	server netip.AddrPort
	front  *net.UDPConn
	begun  time.Time

	up, down Count

	mu      sync.Mutex
	clients map[netip.AddrPort]*client
	closed  bool
}

// A client is one of the relay's: its socket towards the server, and its links.
type client struct {
	back     *net.UDPConn
	up, down *lane
}

// Start opens a relay on 127.0.0.1 in front of the port there. Seed decides the
// fates of datagrams.
func Start(port int, link Link, seed uint64) (*Relay, error) {
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	front, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(loopback, 0)))
	if err != nil {
		return nil, err
	}
	r := &Relay{
		link: link, seed: seed, front: front, begun: time.Now(),
		server:  netip.AddrPortFrom(loopback, uint16(port)),
		clients: map[netip.AddrPort]*client{},
	}
	widen(front)
	go r.readFront()
	return r, nil
}

func widen(s *net.UDPConn) {
	_ = s.SetReadBuffer(4 << 20) // less does too
	_ = s.SetWriteBuffer(4 << 20)
}

// Port is where clients dial instead of the server's.
func (r *Relay) Port() int { return r.front.LocalAddr().(*net.UDPAddr).Port }

// Up is what clients have sent, before anything of it was lost.
func (r *Relay) Up() *Count { return &r.up }

// Down is what the server has sent.
func (r *Relay) Down() *Count { return &r.down }

// Close ends the relay.
func (r *Relay) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	_ = r.front.Close()
	for _, c := range r.clients {
		_ = c.back.Close()
		c.up.close()
		c.down.close()
	}
}

func (r *Relay) now() time.Duration { return time.Since(r.begun) }

func (r *Relay) readFront() {
	buf := make([]byte, 1<<16)
	for {
		n, from, err := r.front.ReadFromUDPAddrPort(buf[headers:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		if c := r.client(from); c != nil {
			r.up.add(r.now(), n+headers)
			c.up.send(r.now(), buf[:n+headers])
		}
	}
}

// client finds the client at an address, or makes it.
func (r *Relay) client(from netip.AddrPort) *client {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[from]; c != nil || r.closed {
		return c
	}
	back, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(r.server))
	if err != nil {
		return nil
	}
	widen(back)
	seed := r.seed + 2*uint64(len(r.clients))
	c := &client{back: back}
	c.up = newLane(r, seed, func(b []byte) { _, _ = back.Write(b) })
	c.down = newLane(r, seed+1, func(b []byte) { _, _ = r.front.WriteToUDPAddrPort(b, from) })
	r.clients[from] = c
	go r.readBack(c)
	return c
}

func (r *Relay) readBack(c *client) {
	buf := make([]byte, 1<<16)
	for {
		n, err := c.back.Read(buf[headers:])
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			r.down.add(r.now(), n+headers)
			c.down.send(r.now(), buf[:n+headers])
		}
	}
}

// A lane is one way of a client. What goes on it has room for the headers in
// front, so that they count.
type lane struct {
	relay *Relay
	out   func([]byte)

	mu    sync.Mutex
	sim   *netmsg.LinkSim
	alarm *time.Timer
	buf   []byte
	ended bool
}

func newLane(r *Relay, seed uint64, out func([]byte)) *lane {
	l := &lane{relay: r, out: out, sim: netmsg.NewLinkSim(r.link.config(), seed), buf: make([]byte, 1<<16)}
	l.alarm = time.AfterFunc(time.Hour, l.ring)
	return l
}

func (l *lane) send(now time.Duration, datagram []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sim.Send(now, datagram)
	l.deliver(now)
}

func (l *lane) ring() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deliver(l.relay.now())
}

// deliver passes on what has arrived, and sets the alarm for the next.
func (l *lane) deliver(now time.Duration) {
	if l.ended {
		return
	}
	for {
		n, ok := l.sim.Deliver(now, l.buf)
		if !ok {
			break
		}
		l.out(l.buf[headers:n])
	}
	l.alarm.Reset(min(l.sim.Deadline()-now, time.Hour))
}

func (l *lane) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.alarm.Stop()
}

// A Count is what went one way, second by second.
type Count struct {
	mu      sync.Mutex
	seconds []int // bytes
}

func (c *Count) add(now time.Duration, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.seconds) <= int(now/time.Second) {
		c.seconds = append(c.seconds, 0)
	}
	c.seconds[now/time.Second] += bytes
}

// Rate is the bytes of the median second, of those in which something went;
// the first and the last do not count. Headers are in it.
func (c *Count) Rate() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	var busy []int
	for _, n := range c.seconds[min(1, len(c.seconds)):] {
		if n > 0 {
			busy = append(busy, n)
		}
	}
	if len(busy) < 2 {
		return 0
	}
	busy = busy[:len(busy)-1]
	slices.Sort(busy)
	return float64(busy[len(busy)/2])
}

// Bytes is all that went, headers included.
func (c *Count) Bytes() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := 0
	for _, n := range c.seconds {
		all += n
	}
	return float64(all)
}
