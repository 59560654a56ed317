package netmsg

import (
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// A party is a host, eleven guests, and what they do in a frame: 32 bytes up
// from each, 400 down to each, and a message to each every second.
type allocParty struct {
	host   *Endpoint
	guests []*Endpoint
	mail   *Mailbox
	frames int
	up     [32]byte
	down   [400]byte
}

func (p *allocParty) frame(now time.Duration) {
	p.hostFrame(now)
	p.guestFrames(now)
}

func (p *allocParty) hostFrame(now time.Duration) {
	p.frames++
	p.host.Drain(now)
	for e := range p.mail.All() {
		p.up[0] ^= byte(len(e.Data))
	}
	for c := range p.host.Conns() {
		c.SendLatest(1, p.down[:])
		if p.frames%60 == 0 {
			c.SendReliable(p.up[:])
		}
	}
	p.host.Flush(now)
}

func (p *allocParty) guestFrames(now time.Duration) {
	for _, g := range p.guests {
		g.Drain(now)
		for c := range g.Conns() {
			c.SendLatest(2, p.up[:])
		}
		g.Flush(now)
	}
}

// newAllocParty makes a party of endpoints that make gives, and lets it come
// to rest.
func newAllocParty(t *testing.T, make func(i int, h Handler) *Endpoint, step func(p *allocParty)) *allocParty {
	p := &allocParty{mail: NewMailbox(0)}
	p.host = make(0, p.mail)
	t.Cleanup(func() { p.host.Close() })
	guestMail := HandlerFunc(func(Event) {})
	for i := range 11 {
		g := make(1+i, guestMail)
		if _, err := g.Dial([]netip.AddrPort{p.host.Addr()}, DialOptions{}); err != nil {
			t.Fatal(err)
		}
		p.guests = append(p.guests, g)
		t.Cleanup(func() { g.Close() })
	}
	for p.host.Len() < 11 {
		step(p)
	}
	for range 600 {
		step(p)
	}
	return p
}

func TestASteppedFrameAllocatesNothing(t *testing.T) {
	n := newFakeNet()
	var now time.Duration
	step := func(p *allocParty) {
		now += time.Second / 60
		p.frame(now)
	}
	p := newAllocParty(t, func(i int, h Handler) *Endpoint {
		return NewEndpoint(n.stepSocket(fakeAddr(i)), h, plainConfig())
	}, step)
	if a := testing.AllocsPerRun(600, func() { step(p) }); a != 0 {
		t.Errorf("a frame allocates %v times", a)
	}
}

func TestADrivenFrameAllocatesNothing(t *testing.T) {
	eachProtocol(t, func(t *testing.T, plain bool) {
		step := func(p *allocParty) {
			p.frame(0)
			time.Sleep(time.Millisecond)
		}
		p := newAllocParty(t, func(i int, h Handler) *Endpoint {
			return MustListen("127.0.0.1:0", h, &Config{Plain: plain, Driven: true, GoodRate: 500})
		}, step)
		if a := testing.AllocsPerRun(600, func() { step(p) }); a != 0 {
			t.Errorf("a frame allocates %v times", a)
		}
		if s := p.host.Stats(); s.Received < 600*5 {
			t.Errorf("only %d datagrams came", s.Received)
		}
	})
}

func TestForgedDatagramsLeaveNothing(t *testing.T) {
	n := newFakeNet()
	sock := n.socket(fakeAddr(1))
	e := NewEndpoint(stepSocket{sock}, NewMailbox(0), plainConfig())
	defer e.Close()
	var now time.Duration
	forge := func(i int) {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{byte(i >> 16), byte(i >> 8), byte(i), 1}), uint16(1000+i))
		data := make([]byte, 1200)
		copy(data, plainMagic)
		data[4] = byte(i % 8)
		PutU64(data[:5], uint64(i)*0x9e3779b97f4a7c15)
		sizes := []int{1200, 21, 1200, 13, i % 300, 13, 13, 13}
		n.send(from, sock.addr, data[:sizes[i%8]])
	}
	flood := func(from, to int) {
		for i := from; i < to; i++ {
			forge(i)
			if i%100 == 0 {
				now += time.Millisecond
				e.Drain(now)
				e.Flush(now)
			}
		}
	}
	flood(0, 1000)
	before := heapInUse()
	flood(1000, 101_000)
	if grown := int64(heapInUse()) - int64(before); grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	s := e.Stats()
	t.Logf("%+v", s)
	if e.Len() != 0 || len(e.peers)+len(e.byAddr)+len(e.timers.heap) != 0 {
		t.Error("there are connections")
	}
	if s.BytesSent*50 > s.BytesReceived {
		t.Errorf("%d bytes were answered to %d", s.BytesSent, s.BytesReceived)
	}
	if s.TooShort == 0 || s.BadCookie == 0 || s.NoConnection == 0 || s.UnknownKind == 0 || s.Received < 100_900 {
		t.Errorf("not all is counted: %+v", s)
	}
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestAnIdleConnectionTakesUnderFourKiB(t *testing.T) {
	const clients = 2000
	w := newStepWorld(t)
	cfg := plainConfig()
	cfg.MaxClients = 2 * clients
	m := NewMailbox(0)
	server := w.endpoint(1, m, cfg)
	join := func(from, to int) {
		for i := from; i < to; i++ {
			addr := fakeAddr(100 + i)
			cookie := plainCookie(server.gate.key, addr, 7, plainCookieStepAt(w.now))
			w.send(addr, fakeAddr(1), appendPlainResponse(nil, 7, cookie))
			if i%100 == 0 {
				w.frame()
				drained(m)
			}
		}
		w.frame()
		drained(m)
	}
	join(0, 100)
	before := heapInUse()
	join(100, 100+clients)
	w.runFor(500 * time.Millisecond)
	if each := (heapInUse() - before) / clients; server.Len() != clients+100 || each > 4096 {
		t.Errorf("%d connections take %d bytes each", server.Len(), each)
	} else {
		t.Logf("%d bytes each", each)
	}
}
