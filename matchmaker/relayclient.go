package matchmaker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/pion/turn/v5"

	netmsg "github.com/partyline-go/partyline/net"
)

const (
	allocateTime = 8 * time.Second         // for one TURN server
	tcpAfter     = 1500 * time.Millisecond // UDP has this head start
	giveBackTime = 750 * time.Millisecond  // for an allocation that nobody waits for any more
	relayQueue   = 256                     // datagrams that wait, each way
	relayBuffer  = 2048                    // bytes of one datagram, more than any has
	maxPermits   = 32                      // peers of one allocation
)

// A RelayClient is an address at a TURN server, by pion/turn. It is a
// [netmsg.StepSocket] that never waits: datagrams to peers' real addresses, and
// from them, go over the relay. Of peers whose address was not permitted nothing
// comes, and what goes to them is lost. Any goroutine may use it.
type RelayClient struct {
	stop context.CancelFunc
	done <-chan struct{}
	in   chan netmsg.Datagram
	out  chan netmsg.Datagram

	mu      sync.Mutex
	local   netip.AddrPort
	relayed netip.AddrPort
	err     error
	permits map[netip.Addr]permit
	create  func(netip.Addr) error // nil until there is an allocation
}

// A permit says how far a peer's permission is.
type permit uint8

const (
	permitWanted permit = iota
	permitAsked
	permitGranted
	permitRefused
)

// A relayWay is one way to one TURN server.
type relayWay struct {
	server     serverURL
	user, pass string
}

// AllocateRelay asks the servers for an address, those over UDP first, those
// over TCP a second and a half later, and keeps the first that is given. It does
// not wait: Relayed tells what has come of it.
func AllocateRelay(servers []TURNServer) *RelayClient {
	ctx, stop := context.WithCancel(context.Background())
	c := &RelayClient{
		stop: stop, done: ctx.Done(),
		in: make(chan netmsg.Datagram, relayQueue), out: make(chan netmsg.Datagram, relayQueue),
		permits: make(map[netip.Addr]permit),
	}
	go c.run(ctx, waysTo(servers))
	return c
}

// waysTo lists the ways to the servers; what cannot be read is left out.
func waysTo(servers []TURNServer) (ways []relayWay) {
	for _, s := range servers {
		for _, uri := range s.URLs {
			if u, err := parseServer(uri); err == nil {
				ways = append(ways, relayWay{u, s.User, s.Pass})
			}
		}
	}
	return ways
}

// Relayed is the address at which peers reach this client. It is not valid as
// long as it is being asked for, and when err says why there is none.
func (c *RelayClient) Relayed() (addr netip.AddrPort, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.relayed, c.err
}

// Permit lets the peers at an IP address send. The relay refuses addresses that
// it does not serve, private ones for example. At most 32 are asked for.
func (c *RelayClient) Permit(to netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to = to.Unmap()
	if _, known := c.permits[to]; !known && len(c.permits) < maxPermits {
		c.permits[to] = permitWanted
		c.askPermits()
	}
}

// askPermits asks for the permissions that are wanted. The lock is held.
func (c *RelayClient) askPermits() {
	if c.create == nil {
		return
	}
	for to, state := range c.permits {
		if state != permitWanted {
			continue
		}
		c.permits[to] = permitAsked
		go func(create func(netip.Addr) error) {
			state := permitGranted
			if create(to) != nil {
				state = permitRefused
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.permits[to] = state
		}(c.create)
	}
}

// run allocates, and then passes datagrams until the client is closed.
func (c *RelayClient) run(ctx context.Context, ways []relayWay) {
	a, err := allocateAny(ctx, ways)
	if err != nil {
		c.mu.Lock()
		c.err = err
		c.mu.Unlock()
		return
	}
	defer a.close()
	c.mu.Lock()
	c.local, c.relayed = addrPort(a.local), addrPort(a.relayed.LocalAddr())
	c.create = func(to netip.Addr) error {
		return a.client.CreatePermission(net.UDPAddrFromAddrPort(netip.AddrPortFrom(to, 9)))
	}
	c.askPermits()
	c.mu.Unlock()

	go c.read(ctx, a.relayed)
	for {
		select {
		case <-ctx.Done():
			for len(c.out) > 0 {
				a.send(<-c.out)
			}
			return
		case d := <-c.out:
			a.send(d)
		}
	}
}

// read keeps what comes. What finds the queue full is lost.
func (c *RelayClient) read(ctx context.Context, conn net.PacketConn) {
	buf := make([]byte, relayBuffer)
	for ctx.Err() == nil {
		n, from, err := conn.ReadFrom(buf)
		switch {
		case err == nil:
			select {
			case c.in <- netmsg.Datagram{Addr: addrPort(from), Data: append([]byte(nil), buf[:n]...)}:
			default:
			}
		case ctx.Err() == nil:
			c.mu.Lock()
			c.err, c.relayed = fmt.Errorf("matchmaker: the relay ended: %w", err), netip.AddrPort{}
			c.mu.Unlock()
			return
		}
	}
}

// TryRead gives the next datagram that came over the relay.
func (c *RelayClient) TryRead(d *netmsg.Datagram) bool {
	select {
	case got := <-c.in:
		d.Addr, d.Data = got.Addr, append(d.Data[:0], got.Data...)
		return true
	default:
		return false
	}
}

// ReadBatch reads what has come, without waiting.
func (c *RelayClient) ReadBatch(b []netmsg.Datagram) (n int, err error) {
	for n < len(b) && c.TryRead(&b[n]) {
		n++
	}
	return n, nil
}

// WriteBatch queues datagrams for peers that were permitted. Others, and those
// that find the queue full, are lost.
func (c *RelayClient) WriteBatch(b []netmsg.Datagram) (int, error) {
	for _, d := range b {
		if !c.permitted(d.Addr.Addr()) {
			continue
		}
		select {
		case c.out <- netmsg.Datagram{Addr: d.Addr, Data: append([]byte(nil), d.Data...)}:
		default:
		}
	}
	return len(b), nil
}

func (c *RelayClient) permitted(to netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.permits[to.Unmap()] == permitGranted
}

// LocalAddr is the address of the client's own socket, not valid before there
// is one.
func (c *RelayClient) LocalAddr() netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.local
}

// Close gives the address back, after what was queued. It does not wait.
func (c *RelayClient) Close() error {
	c.stop()
	return nil
}

// An allocation is a relayed address, and what it takes to keep it.
type allocation struct {
	client  *turn.Client
	relayed net.PacketConn
	local   net.Addr
	socket  net.PacketConn
}

// send sends a datagram. What fails is a lost packet.
func (a *allocation) send(d netmsg.Datagram) {
	a.relayed.WriteTo(d.Data, net.UDPAddrFromAddrPort(d.Addr))
}

func (a *allocation) close() {
	a.relayed.Close()
	a.client.Close()
	a.socket.Close()
}

var errNoRelay = errors.New("matchmaker: there is no relay to ask")

// allocateAny tries all ways and keeps the first allocation; the others are
// given back.
func allocateAny(ctx context.Context, ways []relayWay) (*allocation, error) {
	if len(ways) == 0 {
		return nil, errNoRelay
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type result struct {
		a   *allocation
		err error
	}
	results := make(chan result, len(ways))
	for _, w := range ways {
		go func() {
			a, err := w.allocate(ctx)
			results <- result{a, err}
		}()
	}
	var errs []error
	for range ways {
		r := <-results
		if r.err == nil {
			stop()
			go giveBack(len(ways)-len(errs)-1, func() *allocation { return (<-results).a })
			return r.a, nil
		}
		errs = append(errs, r.err)
	}
	return nil, errors.Join(errs...)
}

// giveBack closes the allocations that came after the first.
func giveBack(n int, next func() *allocation) {
	for range n {
		if a := next(); a != nil {
			a.close()
		}
	}
}

// allocate asks one server over one way.
func (w relayWay) allocate(ctx context.Context) (*allocation, error) {
	if w.server.tcp {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(tcpAfter):
		}
	}
	ctx, cancel := context.WithTimeout(ctx, allocateTime)
	defer cancel()
	socket, to, err := w.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("matchmaker: relay %s: %w", w.server.host, err)
	}
	client, err := turn.NewClient(&turn.ClientConfig{
		STUNServerAddr: to, TURNServerAddr: to, Username: w.user, Password: w.pass,
		Conn: socket, RTO: 200 * time.Millisecond, LoggerFactory: quiet{},
	})
	if err == nil {
		err = client.Listen()
	}
	if err != nil {
		socket.Close()
		return nil, fmt.Errorf("matchmaker: relay %s: %w", to, err)
	}
	asked, end := lingering(ctx)
	defer end()
	relayed, err := client.AllocateWithContext(asked)
	if err != nil {
		client.Close()
		socket.Close()
		return nil, fmt.Errorf("matchmaker: relay %s: %w", to, err)
	}
	a := &allocation{client, relayed, socket.LocalAddr(), socket}
	if ctx.Err() != nil {
		a.close()
		return nil, ctx.Err()
	}
	return a, nil
}

// lingering ends giveBackTime after ctx. A request that is on its way when nobody
// waits for its answer any more may still have opened an allocation, which would
// stay for minutes: it is waited for, to be given back.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	asked, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(giveBackTime, end)
		context.AfterFunc(asked, func() { timer.Stop() })
	})
	return asked, func() { stop(); end() }
}

// open opens the socket to the server, and says what address to write to.
func (w relayWay) open(ctx context.Context) (socket net.PacketConn, to string, err error) {
	at := net.JoinHostPort(w.server.host, strconv.Itoa(int(w.server.port)))
	var d net.Dialer
	if w.server.tcp {
		var conn net.Conn
		if w.server.tls {
			conn, err = (&tls.Dialer{NetDialer: &d}).DialContext(ctx, "tcp", at)
		} else {
			conn, err = d.DialContext(ctx, "tcp", at)
		}
		if err != nil {
			return nil, "", err
		}
		return turn.NewSTUNConn(conn), conn.RemoteAddr().String(), nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", w.server.host)
	if err != nil {
		return nil, "", err
	}
	network := "udp4"
	if !ips[0].Unmap().Is4() {
		network = "udp6"
	}
	socket, err = net.ListenPacket(network, ":0")
	return socket, netip.AddrPortFrom(ips[0].Unmap(), w.server.port).String(), err
}

func addrPort(a net.Addr) netip.AddrPort {
	switch a := a.(type) {
	case *net.UDPAddr:
		at := a.AddrPort()
		return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	case *net.TCPAddr:
		at := a.AddrPort()
		return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	}
	return netip.AddrPort{}
}
