package matchmaker

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"time"
)

// silent opens TCP connections that say words and no more.
func silent(t *testing.T, s *Server, n int, words string) (all []net.Conn) {
	t.Helper()
	for range n {
		c, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		io.WriteString(c, words)
		all = append(all, c)
	}
	return all
}

func (g *gate) counts() (networks, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open), g.waiting.Len()
}

func TestAFloodOfHalfHandshakesIsBoundedAndKeepsNobodyOut(t *testing.T) {
	s := startServer(t, ServerConfig{NoRelay: true, Limits: Limits{Sockets: -1}})
	const most = 50
	s.split.gate.mu.Lock()
	s.split.gate.mostWaiting = most
	s.split.gate.mu.Unlock()
	before := runtime.NumGoroutine()

	silent(t, s, 200, "")
	silent(t, s, 200, "GET / HTTP/1.1\r\nUpgrade: webso")
	until(t, "all have been taken or ended", func() bool { return runtime.NumGoroutine() < before+3*most })
	if _, waiting := s.split.gate.counts(); waiting > most {
		t.Errorf("%d connections wait, want at most %d", waiting, most)
	}

	dialLine(t, s.URL())
}

func TestOneNetworkHasSoManyConnections(t *testing.T) {
	s := startServer(t, ServerConfig{Limits: Limits{Sockets: 3}})
	silent(t, s, 6, "GET / ")
	until(t, "they are at the gate", func() bool { _, n := s.split.gate.counts(); return n == 6 })

	over := silent(t, s, 1, "")[0]

	over.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := over.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the seventh was let in: %v", err)
	}
}

func TestAConnectionThatEndsGivesItsPlaceFree(t *testing.T) {
	s := startServer(t, ServerConfig{})
	for _, words := range []string{"", "\x00\x01\x00", "GET / HTTP", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"} {
		for _, c := range silent(t, s, 3, words) {
			c.Close()
		}
	}
	Dial(s.URL()).Close()

	until(t, "nobody is left at the gate", func() bool {
		networks, waiting := s.split.gate.counts()
		return networks == 0 && waiting == 0
	})
}

func TestAServerThatClosesEndsWhoHasSaidNothing(t *testing.T) {
	s := startServer(t, ServerConfig{NoRelay: true})
	waiting := silent(t, s, 5, "")
	until(t, "they are at the gate", func() bool { _, n := s.split.gate.counts(); return n == 5 })

	s.Close()

	for _, c := range waiting {
		c.SetReadDeadline(time.Now().Add(sniffTime / 2))
		if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("one is still open")
		}
	}
	until(t, "nobody is at the gate", func() bool { _, n := s.split.gate.counts(); return n == 0 })
}

func TestATrustedProxyBringsManyConnections(t *testing.T) {
	s := startServer(t, ServerConfig{Limits: Limits{Sockets: 1}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})

	silent(t, s, 10, "GET / ")

	until(t, "all ten are at the gate", func() bool { _, n := s.split.gate.counts(); return n == 10 })
}

// A fakeConn is a connection from somewhere that says nothing.
type fakeConn struct {
	net.Conn
	from netip.AddrPort
}

func (c fakeConn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.from) }
func (c fakeConn) Close() error         { return nil }

func TestMemoryStaysFlatUnderAHundredThousandHalfOpenSockets(t *testing.T) {
	g := &gate{perNetwork: 256, mostWaiting: mostWaiting, trusted: func(netip.Addr) bool { return false }, open: make(map[netip.Prefix]int)}
	w := newTestDir(t, Limits{})
	var held [mostWaiting]*sniffed
	entered := 0
	attempt := func(i int) {
		from := netip.AddrFrom4([4]byte{byte(10 + i>>16), byte(i >> 8), byte(i), 1})
		c := &sniffed{Conn: fakeConn{from: netip.AddrPortFrom(from, 1)}}
		if g.enter(c) {
			if last := &held[entered%mostWaiting]; *last != nil {
				(*last).Close() // the gate has ended it, and its reader closes it
			}
			held[entered%mostWaiting] = c
			entered++
		}
		w.last++
		if w.d.Connected(w.now, w.last, from) {
			w.d.Disconnected(w.now, w.last)
		}
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	empty := heap()
	run := func() uint64 {
		for i := range 100_000 {
			attempt(i)
		}
		return heap()
	}

	first, second := run(), run()

	t.Logf("heap: %d KiB before, %d KiB after 100,000 attempts, %d KiB after 200,000", empty>>10, first>>10, second>>10)
	if grown := int64(second) - int64(first); grown > 1<<20 {
		t.Errorf("the second 100,000 attempts left %d bytes", grown)
	}
	if first-empty > 32<<20 {
		t.Errorf("100,000 attempts left %d bytes, want at most 32 MiB", first-empty)
	}
	if networks, waiting := g.counts(); waiting != mostWaiting || networks > mostWaiting {
		t.Errorf("%d wait, of %d networks, want %d", waiting, networks, mostWaiting)
	}
	runtime.KeepAlive(w)
}
