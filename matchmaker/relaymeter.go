package matchmaker

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/turn/v5"
)

// A meteredRelay gives relay sockets that carry so many bytes a second and
// no more, and count them. What is over the rate is lost.
type meteredRelay struct {
	turn.RelayAddressGenerator
	rate    float64 // bytes a second, each way
	carried *atomic.Uint64
}

func (m meteredRelay) AllocatePacketConn(conf turn.AllocateListenerConfig) (net.PacketConn, net.Addr, error) {
	conn, addr, err := m.RelayAddressGenerator.AllocatePacketConn(conf)
	if err != nil {
		return nil, nil, err
	}
	return &meteredConn{PacketConn: conn, meteredRelay: m, epoch: time.Now()}, addr, nil
}

var errNoTCP = errors.New("matchmaker: the relay carries datagrams only")

// AllocateListener and AllocateConn are for relayed TCP, which would be an open
// door past the rate: no game needs it.
func (meteredRelay) AllocateListener(turn.AllocateListenerConfig) (net.Listener, net.Addr, error) {
	return nil, nil, errNoTCP
}

func (meteredRelay) AllocateConn(turn.AllocateConnConfig) (net.Conn, error) { return nil, errNoTCP }

// A meteredConn is one allocation's socket.
type meteredConn struct {
	net.PacketConn
	meteredRelay
	epoch time.Time

	mu      sync.Mutex
	in, out bucket // in bytes
}

// pass says whether n bytes may go now.
func (c *meteredConn) pass(b *bucket, n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !b.takeSome(time.Since(c.epoch), float64(n), c.rate, c.rate) {
		return false
	}
	c.carried.Add(uint64(n))
	return true
}

func (c *meteredConn) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := c.PacketConn.ReadFrom(p)
		if err != nil || c.pass(&c.in, n) {
			return n, from, err
		}
	}
}

func (c *meteredConn) WriteTo(p []byte, to net.Addr) (int, error) {
	if !c.pass(&c.out, len(p)) {
		return len(p), nil
	}
	return c.PacketConn.WriteTo(p, to)
}
