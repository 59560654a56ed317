package netmsg

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plainConfig asks for NMS1 by name, so that a test means it.
func plainConfig() *Config { return &Config{Plain: true} }

// A fakeNet joins fake sockets: what one sends is at the other at once.
type fakeNet struct {
	mu    sync.Mutex
	socks map[netip.AddrPort]*fakeSocket
	tap   func(from netip.AddrPort, d Datagram) bool // false: lost
}

func newFakeNet() *fakeNet { return &fakeNet{socks: map[netip.AddrPort]*fakeSocket{}} }

// A fakeSocket waits like a real one.
type fakeSocket struct {
	net    *fakeNet
	addr   netip.AddrPort
	in     ring[Datagram]
	pool   buffers
	notify chan struct{}
	closed chan struct{}
	once   sync.Once
	limit  int // datagrams that it holds, 0: any number

	sent, batches atomic.Int64
}

// A stepSocket is a fakeSocket that never waits.
type stepSocket struct{ *fakeSocket }

func (s stepSocket) TryRead(d *Datagram) bool { return s.poll(d) }

func (s stepSocket) ReadBatch(b []Datagram) (int, error) {
	if len(b) > 0 && s.poll(&b[0]) {
		return 1, nil
	}
	return 0, nil
}

func fakeAddr(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 5000)
}

func (n *fakeNet) socket(addr netip.AddrPort) *fakeSocket {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := &fakeSocket{net: n, addr: addr, notify: make(chan struct{}, 1), closed: make(chan struct{})}
	n.socks[addr] = s
	return s
}

func (n *fakeNet) stepSocket(addr netip.AddrPort) StepSocket { return stepSocket{n.socket(addr)} }

// setTap has all datagrams shown to tap before they arrive.
func (n *fakeNet) setTap(tap func(from netip.AddrPort, d Datagram) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tap = tap
}

// send puts a datagram into the socket at to, from any address.
func (n *fakeNet) send(from, to netip.AddrPort, data []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.tap != nil && !n.tap(from, Datagram{Addr: to, Data: data}) {
		return
	}
	s := n.socks[to]
	if s == nil || s.limit > 0 && s.in.len() >= s.limit {
		return
	}
	d := s.in.push()
	d.Addr, d.Data = from, s.pool.copyOf(data)
	stir(s.notify)
}

func (s *fakeSocket) poll(d *Datagram) bool {
	s.net.mu.Lock()
	defer s.net.mu.Unlock()
	if s.in.len() == 0 {
		return false
	}
	got := s.in.pop()
	d.Addr = got.Addr
	d.Data = append(d.Data[:0], got.Data...)
	s.pool.put(got.Data)
	return true
}

func (s *fakeSocket) ReadBatch(b []Datagram) (int, error) {
	for {
		n := 0
		for n < len(b) && s.poll(&b[n]) {
			n++
		}
		if n > 0 {
			return n, nil
		}
		select {
		case <-s.notify:
		case <-s.closed:
			return 0, net.ErrClosed
		}
	}
}

// A frameFake can also be read without waiting, as a batchSocket can.
type frameFake struct{ *fakeSocket }

func (s frameFake) tryReadBatch(b []Datagram) (n int, err error) {
	for n < len(b) && s.poll(&b[n]) {
		n++
	}
	return n, nil
}

func (s frameFake) tryWriteBatch(b []Datagram) (int, error) { return s.WriteBatch(b) }

func (s *fakeSocket) WriteBatch(b []Datagram) (int, error) {
	if isDone(s.closed) {
		return 0, net.ErrClosed
	}
	s.batches.Add(1)
	for _, d := range b {
		s.sent.Add(1)
		s.net.send(s.addr, d.Addr, d.Data)
	}
	return len(b), nil
}

func (s *fakeSocket) LocalAddr() netip.AddrPort { return s.addr }

func (s *fakeSocket) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// A listener writes down what it hears, in words.
type listener struct {
	mu    sync.Mutex
	words []string
	conns []*Conn
}

func (l *listener) HandleEvent(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.words = append(l.words, inWords(e))
	if e.Kind == Joined {
		l.conns = append(l.conns, e.Conn)
	}
}

func inWords(e Event) string {
	switch e.Kind {
	case Left:
		return fmt.Sprintf("%d left %v", e.ID, e.Reason)
	case Message:
		return fmt.Sprintf("%d message %s", e.ID, e.Data)
	case Update:
		return fmt.Sprintf("%d update %d %s", e.ID, e.Stream, e.Data)
	case Refused:
		return fmt.Sprintf("%d refused %v %v %d %v %d/%d", e.ID, e.Why, e.Reliable, e.Stream, e.Kind, e.Size, e.Limit)
	}
	return fmt.Sprintf("%d %v", e.ID, e.Kind)
}

func (l *listener) heard() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.words)
}

// conn gives the nth connection that has joined.
func (l *listener) conn(n int) *Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n >= len(l.conns) {
		return nil
	}
	return l.conns[n]
}

func (l *listener) want(t *testing.T, words ...string) {
	t.Helper()
	if got := l.heard(); !slices.Equal(got, words) {
		t.Errorf("heard\n%q, want\n%q", got, words)
	}
}

// A stepWorld is endpoints on a fake network and one clock that the test moves.
type stepWorld struct {
	*fakeNet
	now time.Duration
	all []*Endpoint
}

func newStepWorld(t *testing.T) *stepWorld {
	w := &stepWorld{fakeNet: newFakeNet()}
	t.Cleanup(func() {
		for _, e := range w.all {
			e.Close()
		}
	})
	return w
}

// endpoint makes a stepped endpoint at fakeAddr(i).
func (w *stepWorld) endpoint(i int, h Handler, cfg *Config) *Endpoint {
	e := NewEndpoint(w.stepSocket(fakeAddr(i)), h, cfg)
	w.all = append(w.all, e)
	return e
}

// frame runs one frame of every endpoint, at the present time.
func (w *stepWorld) frame() {
	for _, e := range w.all {
		e.Drain(w.now)
		e.Flush(w.now)
	}
}

// runFor runs frames of 5 ms.
func (w *stepWorld) runFor(d time.Duration) {
	for end := w.now + d; w.now < end; w.now += 5 * time.Millisecond {
		w.frame()
	}
}

// dial connects e to the endpoint at fakeAddr(i), which takes a few frames.
func (w *stepWorld) dial(t *testing.T, e *Endpoint, i int) *Conn {
	t.Helper()
	return dialFake(t, e, i)
}

// eventually waits until ok, in real time, with a bound that only a failure
// meets.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(90 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never: %s", what)
}

// openFiles counts the process's descriptors, -1 where it cannot.
func openFiles() int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(names)
}

// dialFake dials the endpoint at fakeAddr(i).
func dialFake(t *testing.T, e *Endpoint, i int) *Conn {
	t.Helper()
	c, err := e.Dial([]netip.AddrPort{fakeAddr(i)}, DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func addrs(a ...netip.AddrPort) []netip.AddrPort { return a }

// eachProtocol runs body on NMS1 and on NMS2.
func eachProtocol(t *testing.T, body func(t *testing.T, plain bool)) {
	t.Run("NMS1", func(t *testing.T) { body(t, true) })
	t.Run("NMS2", func(t *testing.T) { body(t, false) })
}
