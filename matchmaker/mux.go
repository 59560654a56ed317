package matchmaker

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/netip"
	"sync"
	"time"
)

// A split listener takes one TCP port for two services: a connection whose
// first byte is 0 or 1 speaks STUN (or TURN), anything else HTTP or TLS.
type split struct {
	inner net.Listener
	gate  *gate
	stun  *half
	http  *half
}

// sniffTime is how long a connection may wait with its first byte.
const sniffTime = 10 * time.Second

func newSplit(inner net.Listener, g *gate) *split {
	s := &split{inner: inner, gate: g}
	s.stun = &half{split: s, conns: make(chan net.Conn), closed: make(chan struct{})}
	s.http = &half{split: s, conns: make(chan net.Conn), closed: make(chan struct{})}
	return s
}

// run accepts until the listener is closed.
func (s *split) run() {
	defer s.stun.end()
	defer s.http.end()
	for {
		c, err := s.inner.Accept()
		if err != nil {
			return
		}
		conn := &sniffed{Conn: c}
		if !s.gate.enter(conn) {
			c.Close()
			continue
		}
		go s.sniff(conn)
	}
}

func (s *split) sniff(c *sniffed) {
	var first [1]byte
	c.SetReadDeadline(time.Now().Add(sniffTime))
	if n, err := c.Conn.Read(first[:]); n != 1 || err != nil {
		c.Close()
		return
	}
	c.SetReadDeadline(time.Time{})
	to := s.http
	if first[0] <= 1 {
		to = s.stun
		s.gate.asked(c)
	}
	c.first = first[:]
	to.give(c)
}

// half is the listener of one of the two services.
type half struct {
	split  *split
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (h *half) give(c net.Conn) {
	select {
	case h.conns <- c:
	case <-h.closed:
		c.Close()
	}
}

func (h *half) Accept() (net.Conn, error) {
	select {
	case c := <-h.conns:
		return c, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h *half) end()           { h.once.Do(func() { close(h.closed) }) }
func (h *half) Close() error   { h.end(); return nil }
func (h *half) Addr() net.Addr { return h.split.inner.Addr() }

// sniffed is a connection whose first byte was read already.
type sniffed struct {
	net.Conn
	first []byte

	gate    *gate
	network netip.Prefix  // that it counts for; not valid: none
	place   *list.Element // among those who wait; nil: it is none of them
}

// Close also gives its place at the gate free.
func (c *sniffed) Close() error {
	c.gate.left(c)
	return c.Conn.Close()
}

// sniffedOf finds the connection at the gate that a connection of HTTP is.
func sniffedOf(c net.Conn) *sniffed {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	s, _ := c.(*sniffed)
	return s
}

func (c *sniffed) Read(b []byte) (int, error) {
	if len(c.first) > 0 && len(b) > 0 {
		n := copy(b, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(b)
}
