package party

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
)

// A live is a party on a real socket of the loopback.
type live struct {
	*Party
	t     testing.TB
	facts []Fact
	got   []said
	play  func()
}

func newLive(t testing.TB, cfg Config) *live {
	l := &live{Party: New(cfg), t: t}
	t.Cleanup(func() { l.Leave() })
	return l
}

func liveHost(t testing.TB) *live {
	h := newLive(t, Config{})
	if err := h.Host(0, 77); err != nil {
		t.Fatal(err)
	}
	return h
}

func (l *live) addr() netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), l.Port())
}

func (l *live) joins(h *live) {
	l.t.Helper()
	if err := l.Join(codes.Target{Addr: h.addr()}); err != nil {
		l.t.Fatal(err)
	}
}

func (l *live) frame() {
	l.Begin(frame)
	for m := range l.Inbox() {
		if m.Kind == Hello {
			l.Accept(m.From)
		}
		l.got = append(l.got, said{m.By, m.Kind, string(m.Bytes())})
	}
	l.Update()
	if l.play != nil {
		l.play()
	}
	l.End()
	for f := range l.Facts() {
		l.facts = append(l.facts, f)
	}
}

func (l *live) say(kind Kind, data string, mode Mode) error {
	w := l.Write(kind)
	w.Bytes([]byte(data))
	return w.SendAll(mode)
}

func (l *live) find(kind FactKind) (all []Fact) {
	for _, f := range l.facts {
		if f.Kind == kind {
			all = append(all, f)
		}
	}
	return all
}

// liveUntil runs frames until something holds; it waits long, because the
// machine may be busy.
func liveUntil(t testing.TB, holds func() bool, parties ...*live) {
	t.Helper()
	for end := time.Now().Add(90 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		for _, l := range parties {
			l.frame()
		}
		if time.Now().After(end) {
			var state []string
			for _, l := range parties {
				state = append(state, fmt.Sprint(l.State(), l.facts))
			}
			t.Fatalf("not within 90 s: %v", state)
		}
	}
}

func liveFor(d time.Duration, parties ...*live) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		for _, l := range parties {
			l.frame()
		}
	}
}

// A fixedSocket is a socket that a test gives, bound to a port of its choice.
type fixedSocket struct{ *net.UDPConn }

func bindAt(t testing.TB, port uint16) fixedSocket {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(port)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return fixedSocket{c}
}

func (s fixedSocket) ReadBatch(b []netmsg.Datagram) (int, error) {
	n, from, err := s.ReadFromUDPAddrPort(b[0].Data[:cap(b[0].Data)])
	if err != nil {
		return 0, err
	}
	b[0].Data, b[0].Addr = b[0].Data[:n], from
	return 1, nil
}

func (s fixedSocket) WriteBatch(b []netmsg.Datagram) (int, error) {
	for i, d := range b {
		if _, err := s.WriteToUDPAddrPort(d.Data, d.Addr); err != nil {
			return i, err
		}
	}
	return len(b), nil
}

func (s fixedSocket) LocalAddr() netip.AddrPort {
	return s.UDPConn.LocalAddr().(*net.UDPAddr).AddrPort()
}

func TestTwelveSeatsAndTheNextHearsFull(t *testing.T) {
	h := liveHost(t)
	all := []*live{h}
	for range 11 {
		g := newLive(t, Config{})
		g.joins(h)
		all = append(all, g)
	}
	liveUntil(t, func() bool { return len(h.find(Joined)) == 11 }, all...)

	late := newLive(t, Config{})
	late.joins(h)
	start := time.Now()
	liveUntil(t, func() bool { return len(late.facts) > 0 }, append(all, late)...)

	if f := late.facts[0]; f.Kind != Down || f.Why != WhyFull {
		t.Errorf("%v, want Down(full)", f)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("full was heard after %v", d)
	}
	if h.PeerCount() != 11 {
		t.Errorf("%d peers", h.PeerCount())
	}
}

func TestCaseT10(t *testing.T) { // crash and rejoin from the same port
	for _, withSeat := range []bool{false, true} {
		t.Run(fmt.Sprintf("seat=%v", withSeat), func(t *testing.T) {
			h := liveHost(t)
			sock := bindAt(t, 0)
			port := sock.LocalAddr().Port()
			g := newLive(t, Config{Socket: sock})
			g.joins(h)
			liveUntil(t, func() bool { return len(h.find(Joined)) == 1 }, h, g)
			for range 20 {
				g.say(kindA, "old", Reliable)
			}
			g.End()

			sock.Close() // and never another frame: killed
			seat := g.Seat()
			if !withSeat {
				seat = nil
			}
			again := newLive(t, Config{Socket: bindAt(t, port), Seat: seat})
			again.joins(h)
			h.facts = nil
			liveUntil(t, func() bool { return len(h.find(Joined)) == 1 }, h, again)
			h.got = nil
			liveFor(time.Second, h, again)

			for i := range h.facts {
				h.facts[i].Peer = nil
			}
			want := []Fact{{Kind: Gone, PID: 2, Why: WhyReplaced}, {Kind: Joined, PID: 3}}
			if !slices.Equal(h.facts, want) {
				t.Errorf("%v, want %v", h.facts, want)
			}
			if len(h.got) > 0 || again.MyPID() != 3 {
				t.Errorf("the ghost said %v; pid %d", h.got, again.MyPID())
			}
		})
	}
}

func TestCaseT25(t *testing.T) { // nobody there, and port taken
	closed := bindAt(t, 0)
	closedAddr := closed.LocalAddr()
	closed.Close()
	silent := bindAt(t, 0)

	h := liveHost(t)
	for name, addr := range map[string]netip.AddrPort{"closed port": closedAddr, "silent port": silent.LocalAddr()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newLive(t, Config{})
			start := time.Now()
			if err := g.Join(codes.Target{Addr: addr}); err != nil {
				t.Fatal(err)
			}
			liveUntil(t, func() bool { return len(g.facts) > 0 }, g)
			took := time.Since(start)
			liveFor(time.Second/2, g)

			if len(g.facts) != 1 || g.facts[0].Kind != Down || g.facts[0].Why != WhyNoAnswer || g.Why() != WhyNoAnswer {
				t.Errorf("%v, want one Down(no answer)", g.facts)
			}
			if took < JoinTimeout || took > JoinTimeout+5*time.Second {
				t.Errorf("after %v, want %v", took, JoinTimeout)
			}
			own := liveHost(t)
			g.joins(own)
			liveUntil(t, func() bool { return g.State() == StateJoined }, g, own)
		})
	}

	t.Run("port in use", func(t *testing.T) {
		g := newLive(t, Config{})
		g.joins(h)
		liveUntil(t, func() bool { return g.State() == StateJoined }, h, g)
		second := New(Config{})
		err := second.Host(h.Port(), 1)
		if !errors.Is(err, WhyPortInUse) || second.Why() != WhyPortInUse || second.State() != StateIdle {
			t.Errorf("%v, %v, %v", err, second.Why(), second.State())
		}
		g.say(kindA, "unharmed", Reliable)
		liveUntil(t, func() bool { return slices.Contains(h.got, said{2, kindA, "unharmed"}) }, h, g)
	})

	t.Run("a dead guest holds nobody up", func(t *testing.T) {
		h := liveHost(t)
		sock := bindAt(t, 0)
		g1, g2 := newLive(t, Config{Socket: sock}), newLive(t, Config{})
		g1.joins(h)
		liveUntil(t, func() bool { return len(h.find(Joined)) == 1 }, h, g1)
		g2.joins(h)
		liveUntil(t, func() bool { return len(h.find(Joined)) == 2 }, h, g1, g2)

		sock.Close()
		h.play = func() { h.say(kindA, "to all", Reliable) }
		for n := range 100 {
			h.got = nil
			g2.say(kindB, fmt.Sprint(n), Reliable)
			g2.frame()
			liveUntil(t, func() bool { return len(h.got) > 0 }, h)
		}
	})

	t.Run("host and leave fifty times", func(t *testing.T) {
		port := freePort(t)
		goroutines, files := runtime.NumGoroutine(), openFiles(t)
		p := New(Config{})
		for i := range 50 {
			if err := p.Host(port, 1); err != nil {
				t.Fatalf("time %d: %v", i, err)
			}
			p.Begin(frame)
			p.Update()
			p.End()
			p.Leave()
		}
		wantBack(t, goroutines, files)
	})
}

func TestCaseT29(t *testing.T) { // leave at every moment
	if testing.Short() {
		t.Skip("200 cycles on real sockets")
	}
	warm := New(Config{}) // the runtime opens descriptors of its own with the first socket
	warm.Host(0, 1)
	warm.Leave()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	moments := []string{"dialling", "hello sent", "just joined", "sending", "during hand-off"}
	cycles := 200
	if raceOn {
		cycles = 50
	}
	for cycle := range cycles {
		h, g, other := New(Config{}), New(Config{}), New(Config{})
		hl, gl, ol := &live{Party: h, t: t}, &live{Party: g, t: t}, &live{Party: other, t: t}
		if err := h.Host(0, uint32(cycle)); err != nil {
			t.Fatal(err)
		}
		gl.joins(hl)
		g.HelloWait(MaxHelloWait) // a machine that is busy is not what is tested
		switch moment := moments[cycle%len(moments)]; moment {
		case "dialling":
			gl.frame()
		case "hello sent":
			gl.frame()
			h.Begin(frame)
			h.End()
			gl.frame()
		case "just joined", "sending":
			liveUntil(t, func() bool { return g.State() == StateJoined }, hl, gl)
			if moment == "sending" {
				for range 300 {
					gl.say(kindA, text(1000), Reliable)
				}
				gl.frame()
			}
		case "during hand-off":
			ol.joins(hl)
			liveUntil(t, func() bool { return len(hl.find(Joined)) == 2 }, hl, gl, ol)
			h.HandOff(0)
			hl.frame()
			gl.frame()
		}
		g.Leave()
		done := make(chan error)
		go func() { done <- g.Write(kindA).SendAll(Reliable) }()
		if err := <-done; err == nil {
			t.Fatal("a send after Leave is no error")
		}
		for range 3 {
			hl.frame()
			ol.frame()
		}
		h.Leave()
		other.Leave()
		for _, p := range []*Party{h, g, other} {
			p.Host(0, 1)
			for f := range p.Facts() {
				t.Errorf("cycle %d: %v of the session before", cycle, f)
			}
			p.Leave()
		}
	}
	wantBack(t, goroutines, files)
}

func TestHostLeavesWhileElevenGuestsSend(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	h := liveHost(t)
	all := []*live{h}
	for range 11 {
		g := newLive(t, Config{NoHandOff: true})
		g.joins(h)
		g.play = func() { g.say(kindA, text(200), Reliable) }
		all = append(all, g)
	}
	liveUntil(t, func() bool { return len(h.find(Joined)) == 11 }, all...)

	h.Leave()
	liveUntil(t, func() bool {
		return !slices.ContainsFunc(all, func(l *live) bool { return l.State() != StateIdle })
	}, all[1:]...)

	for _, g := range all[1:] {
		if f := g.find(Down); len(f) != 1 {
			t.Errorf("%v", g.facts)
		}
	}
	wantBack(t, goroutines, files)
}

func TestFlushAllThenExitLosesNothing(t *testing.T) {
	h := liveHost(t)
	g := newLive(t, Config{})
	g.joins(h)
	liveUntil(t, func() bool { return g.State() == StateJoined }, h, g)

	stop := make(chan bool)
	done := make(chan bool)
	go func() { // the host goes on while the guest blocks
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				h.frame()
				time.Sleep(2 * time.Millisecond)
			}
		}
	}()
	for range 50 {
		g.say(kindA, text(500), Reliable)
	}
	g.FlushAll() // and the process ends
	close(stop)
	<-done
	liveFor(100*time.Millisecond, h)

	if n := len(h.got) - 1; n != 50 {
		t.Errorf("%d of 50 messages", n)
	}
}

func TestEightSecondsWithoutACallDropNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 8 s")
	}
	t.Parallel()
	h := liveHost(t)
	g := newLive(t, Config{})
	g.joins(h)
	liveUntil(t, func() bool { return len(h.find(Joined)) == 1 }, h, g)

	for n := range 16 {
		g.say(kindA, fmt.Sprint(n), Reliable)
		liveFor(time.Second/2, g)
	}
	liveUntil(t, func() bool { return len(h.got) == 17 }, h, g)

	if len(h.find(Gone)) > 0 || len(g.find(Down)) > 0 {
		t.Errorf("%v, %v", h.facts, g.facts)
	}
}

func TestGivenSocketServesSessionAfterSession(t *testing.T) {
	h := liveHost(t)
	sock := bindAt(t, 0)
	g := newLive(t, Config{Socket: sock})
	before := runtime.NumGoroutine()
	for range 3 {
		h.facts = nil
		g.joins(h)
		liveUntil(t, func() bool { return g.State() == StateJoined && len(h.find(Joined)) == 1 }, h, g)
		if g.Port() != sock.LocalAddr().Port() {
			t.Errorf("port %d", g.Port())
		}
		g.Leave()
		liveUntil(t, func() bool { return len(h.find(Gone)) == 1 }, h)
		wantBack(t, before+1, openFiles(t)) // the one that reads the socket
	}
	sock.Close()
	wantBack(t, before, openFiles(t))
}

func TestSecondPartyJoinsByTheJoinCode(t *testing.T) {
	h := liveHost(t)
	to, err := codes.Parse(h.JoinCode(), DefaultPort)
	if err != nil {
		t.Fatalf("%q: %v", h.JoinCode(), err)
	}
	g := newLive(t, Config{})
	if err := g.Join(to); err != nil {
		t.Fatal(err)
	}
	liveUntil(t, func() bool { return g.State() == StateJoined }, h, g)
}

// freePort is a port that nobody has at the moment.
func freePort(t testing.TB) uint16 {
	s := bindAt(t, 0)
	defer s.Close()
	return s.LocalAddr().Port()
}

// openFiles counts this process's descriptors; 0 where that cannot be told.
func openFiles(t testing.TB) int {
	t.Helper()
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// wantBack waits until there are no more goroutines and files than before.
func wantBack(t testing.TB, goroutines, files int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		g, f := runtime.NumGoroutine(), openFiles(t)
		if g <= goroutines && f <= files {
			return
		}
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines and %d files, %d and %d before\n%s", g, f, goroutines, files, buf[:runtime.Stack(buf, true)])
		}
	}
}

func TestSideWithoutFramesIsStalledAndTheOtherLosesIt(t *testing.T) {
	t.Parallel()
	h := liveHost(t)
	g := newLive(t, Config{StallTimeout: time.Second})
	g.joins(h)
	liveUntil(t, func() bool { return len(h.find(Joined)) == 1 }, h, g)

	liveUntil(t, func() bool { return len(h.find(Gone)) == 1 }, h)
	liveUntil(t, func() bool { return len(g.find(Down)) == 1 }, g)

	if f := g.find(Down)[0]; f.Why != WhyStalled {
		t.Errorf("%v, want stalled", f)
	}
}

func TestKeepAlivePutsStallingOff(t *testing.T) {
	t.Parallel()
	h := liveHost(t)
	g := newLive(t, Config{StallTimeout: time.Second})
	g.joins(h)
	liveUntil(t, func() bool { return len(h.find(Joined)) == 1 }, h, g)

	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		g.KeepAlive()
		h.frame()
	}
	liveFor(200*time.Millisecond, h, g)

	if g.State() != StateJoined || len(h.find(Gone)) > 0 {
		t.Errorf("%v, %v", g.State(), h.facts)
	}
}
