package netmsg

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"time"
)

// sealedEnds is a stepped server at fakeAddr(1) and a client that is joined to
// it.
func sealedEnds(t *testing.T, server, client *Config) (w *stepWorld, s, c *listener) {
	t.Helper()
	w, s, c = newStepWorld(t), &listener{}, &listener{}
	w.endpoint(1, s, server)
	w.dial(t, w.endpoint(2, c, client), 1)
	w.runFor(200 * time.Millisecond)
	if c.conn(0) == nil || s.conn(0) == nil {
		t.Fatalf("not joined: server heard %q, client %q", s.heard(), c.heard())
	}
	return w, s, c
}

func TestEveryKindOfMessageArrivesSealed(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	var seen bool
	w.tap = func(_ netip.AddrPort, d Datagram) bool {
		seen = seen || bytes.Contains(d.Data, []byte("secret"))
		return true
	}
	for ch := Unordered; ch <= Ordered3; ch++ {
		if err := c.conn(0).SendOn(ch, fmt.Appendf(nil, "secret %d", ch)); err != nil {
			t.Fatal(err)
		}
	}
	c.conn(0).SendUnreliable([]byte("secret loose"))
	c.conn(0).SendLatest(7, []byte("secret value"))
	w.runFor(300 * time.Millisecond)

	got := s.heard()
	slices.Sort(got)
	want := []string{"1 Joined", "1 message secret 0", "1 message secret 1", "1 message secret 2", "1 message secret 3", "1 message secret loose", "1 update 7 secret value"}
	if !slices.Equal(got, want) || seen {
		t.Fatalf("heard %q, want %q; text on the wire: %v", got, want, seen)
	}
}

func TestLargestMessageAndValueArriveWholeAndOneByteMoreIsRefused(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	cfg := &Config{}
	message, value := make([]byte, cfg.MaxReliable()), make([]byte, cfg.MaxLatest())
	rand.NewChaCha8([32]byte{1}).Read(message)
	rand.NewChaCha8([32]byte{2}).Read(value)
	if len(message) != 65535 || len(value) != 16384 {
		t.Fatalf("largest message %d, value %d", len(message), len(value))
	}

	c.conn(0).SendReliable(message)
	c.conn(0).SendLatest(1, value)
	if c.conn(0).SendReliable(append(message, 0)) == nil || c.conn(0).SendLatest(1, append(value, 0)) == nil {
		t.Fatal("one byte more was taken")
	}
	w.runFor(2 * time.Second)

	if got := s.heard(); !slices.Contains(got, "1 message "+string(message)) || !slices.Contains(got, "1 update 1 "+string(value)) {
		t.Fatalf("%d events came", len(got))
	}
}

func TestPlainAndSealedNeverMeet(t *testing.T) {
	for name, cfg := range map[string][2]*Config{"plain server": {plainConfig(), nil}, "plain client": {nil, plainConfig()}} {
		w, s, c := newStepWorld(t), &listener{}, &listener{}
		w.endpoint(1, s, cfg[0])
		w.dial(t, w.endpoint(2, c, cfg[1]), 1)
		w.runFor(6 * time.Second)
		c.want(t, "1 left NoAnswer")
		s.want(t)
		_ = name
	}
}

func TestWordsOfAPeerThatClosesAreHeard(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	var left Event
	w.all[1].out = newOutlet(HandlerFunc(func(e Event) { left = e; left.Text = e.Text }), true)
	c.conn(0).out = w.all[1].out

	s.conn(0).CloseWith(77, "kicked for good")
	w.runFor(300 * time.Millisecond)

	if left.Kind != Left || left.Reason != Remote || left.Code != 77 || left.Text != "kicked for good" {
		t.Fatalf("heard %+v", left)
	}
}

func TestFullServerSaysSoWithinASecond(t *testing.T) {
	w, _, _ := sealedEnds(t, &Config{MaxClients: 1}, nil)
	late := &listener{}
	w.dial(t, w.endpoint(3, late, nil), 1)
	w.runFor(time.Second)
	late.want(t, "1 left Denied")
}

func TestAdmitSeesTheHelloAndItsRefusalIsHeard(t *testing.T) {
	var asked Applicant
	server := &Config{Admit: func(a Applicant) Admission {
		asked = a
		asked.Hello = bytes.Clone(a.Hello)
		return Admission{Status: 99, Text: "wrong map"}
	}}
	w, c := newStepWorld(t), &listener{}
	var left Event
	w.endpoint(1, nil, server)
	w.dial(t, w.endpoint(2, HandlerFunc(func(e Event) { left = e }), &Config{Hello: []byte("let me in")}), 1)
	w.runFor(time.Second)
	if string(asked.Hello) != "let me in" || left.Reason != Denied || left.Code != 99 || left.Text != "wrong map" {
		t.Fatalf("asked %q, heard %+v", asked.Hello, left)
	}
	c.want(t)
}

func TestClientFollowsOnlyTheKeyThatItKnows(t *testing.T) {
	private := bytes.Repeat([]byte{7}, 32)
	public, _ := PublicKey(private)
	other, _ := PublicKey(bytes.Repeat([]byte{8}, 32))
	w, s, c := sealedEnds(t, &Config{Identity: private}, &Config{ServerKey: public, Identity: bytes.Repeat([]byte{9}, 32)})
	if !c.conn(0).Verified() || !bytes.Equal(c.conn(0).PeerKey(), public) || !bytes.Equal(w.all[0].PublicKey(), public) {
		t.Fatalf("verified %v, key %x", c.conn(0).Verified(), c.conn(0).PeerKey())
	}
	mine, _ := PublicKey(bytes.Repeat([]byte{9}, 32))
	if !bytes.Equal(s.conn(0).PeerKey(), mine) || s.conn(0).Binding() != c.conn(0).Binding() {
		t.Fatalf("the server knows %x", s.conn(0).PeerKey())
	}
	wrong := &listener{}
	w.dial(t, w.endpoint(3, wrong, &Config{ServerKey: other}), 1)
	w.runFor(6 * time.Second)
	wrong.want(t, "1 left NoAnswer")
}

func TestConnectionFollowsItsClientToAnotherAddress(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	moved := fakeAddr(77)
	w.mu.Lock()
	sock := w.socks[fakeAddr(2)]
	delete(w.socks, fakeAddr(2))
	w.socks[moved], sock.addr = sock, moved
	w.mu.Unlock()

	for i := range 20 {
		c.conn(0).SendReliable(fmt.Appendf(nil, "%d", i))
		s.conn(0).SendReliable(fmt.Appendf(nil, "%d", i))
		w.runFor(100 * time.Millisecond)
	}
	w.runFor(time.Second)

	if got := len(s.heard()); got != 21 || s.conn(0).Addr() != moved {
		t.Fatalf("the server heard %d events, from %v", got, s.conn(0).Addr())
	}
	if got := len(c.heard()); got != 21 {
		t.Fatalf("the client heard %q", c.heard())
	}
}

func TestConnectionMovesToAPathThatAnswersItsProbe(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	// The server has a second address, by which the first is reached too.
	direct := fakeAddr(101)
	w.mu.Lock()
	w.socks[direct] = w.socks[fakeAddr(1)]
	w.mu.Unlock()

	c.conn(0).Probe(fakeAddr(99)) // nobody is there
	w.runFor(2 * time.Second)
	if at := c.conn(0).Addr(); at != fakeAddr(1) {
		t.Fatalf("the connection went to %v", at)
	}
	c.conn(0).Probe(direct)
	for i := range 20 {
		c.conn(0).SendReliable(fmt.Appendf(nil, "%d", i))
		w.runFor(50 * time.Millisecond)
	}
	if at := c.conn(0).Addr(); at != direct || len(s.heard()) != 21 {
		t.Fatalf("the connection is at %v, and %d events were heard", at, len(s.heard()))
	}
}

func TestChannelOfALowerPriorityGoesFirst(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	if err := c.conn(0).SetChannel(Ordered2, -1, 1); err != nil {
		t.Fatal(err)
	}
	if c.conn(0).SetChannel(Ordered3, 0, 0) == nil {
		t.Fatal("a weight of 0 was taken")
	}
	for range 40 {
		c.conn(0).SendOn(Ordered1, make([]byte, 1000))
	}
	c.conn(0).SendOn(Ordered2, []byte("first"))
	w.runFor(2 * time.Second)
	if got := s.heard(); len(got) != 42 || got[1] != "1 message first" {
		t.Fatalf("%d events, the second %.20q", len(got), got[1])
	}
}

func TestCopyOfAPacketFromAThirdAddressMovesNothing(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	w.tap = func(from netip.AddrPort, d Datagram) bool {
		if from == fakeAddr(2) {
			w.tap = nil
			data := bytes.Clone(d.Data)
			go func() {}()
			w.mu.Unlock()
			w.send(fakeAddr(50), fakeAddr(1), data)
			w.mu.Lock()
		}
		return true
	}
	c.conn(0).SendReliable([]byte("x"))
	w.runFor(2 * time.Second)
	if at := s.conn(0).Addr(); at != fakeAddr(2) {
		t.Fatalf("the connection went to %v", at)
	}
	s.want(t, "1 Joined", "1 message x")
}

func TestCrashedClientOfTheSameAddressIsReplacedWithinASecond(t *testing.T) {
	w, s, _ := sealedEnds(t, nil, nil)
	w.all = w.all[:1] // it is gone, without a word
	again := &listener{}
	w.dial(t, w.endpoint(2, again, nil), 1)
	w.runFor(time.Second)
	s.want(t, "1 Joined", "2 Joined", "1 left Replaced")
	again.want(t, "1 Joined")
}

func TestAllGhostsOfAnAddressAreReplacedAndWhoLivesThereStays(t *testing.T) {
	w, s, _ := sealedEnds(t, nil, nil)
	for range 2 {
		w.dial(t, w.all[1], 1)
		w.runFor(100 * time.Millisecond)
	}
	w.all = w.all[:1] // three are gone, without a word
	again := &listener{}
	e := w.endpoint(2, again, nil)
	for range 2 {
		w.dial(t, e, 1)
		w.runFor(100 * time.Millisecond)
	}
	w.runFor(4 * time.Second)
	got := s.heard()
	slices.Sort(got)
	want := []string{"1 Joined", "1 left Replaced", "2 Joined", "2 left Replaced", "3 Joined", "3 left Replaced", "4 Joined", "5 Joined"}
	if !slices.Equal(got, want) {
		t.Fatalf("heard %q, want %q", got, want)
	}
	again.want(t, "1 Joined", "2 Joined")
}

// Each dial from a socket asks one of those before it, not all.
func TestManyDialsFromOneSocketCostAQuestionEach(t *testing.T) {
	w, s, _ := sealedEnds(t, &Config{KeepAlive: -1, MaxClients: 300}, &Config{KeepAlive: -1})
	before := s.conn(0).Stats().PacketsSent
	sent := w.socks[fakeAddr(1)].sent.Load()
	for range 100 {
		w.dial(t, w.all[1], 1)
		w.runFor(30 * time.Millisecond)
	}
	if n := w.all[0].Len(); n != 101 {
		t.Fatalf("%d connections", n)
	}
	if n := s.conn(0).Stats().PacketsSent - before; n > 40 {
		t.Errorf("the first of them was sent %d packets", n)
	}
	if n := w.socks[fakeAddr(1)].sent.Load() - sent; n > 100*40 {
		t.Errorf("%d datagrams for 100 dials", n)
	}
}

func TestSecondConnectionOfATokenReplacesTheFirst(t *testing.T) {
	key := bytes.Repeat([]byte{5}, 32)
	claims := TokenClaims{ID: [16]byte{1}, Client: 42, PSK: bytes.Repeat([]byte{6}, 32), Issued: 1000, Expires: 2000}
	token, psk, err := MintToken(key, 0, [8]byte{}, claims, rand.NewChaCha8([32]byte{}))
	if err != nil {
		t.Fatal(err)
	}
	client := &Config{Token: token, PSK: psk}
	w, s, c := sealedEnds(t, &Config{TokenKey: key, Unix: func() int64 { return 1500 }}, client)
	if got := s.conn(0).Token(); got == nil || got.Client != 42 {
		t.Fatalf("token %+v", got)
	}
	second := &listener{}
	w.dial(t, w.endpoint(3, second, client), 1)
	w.runFor(time.Second)
	second.want(t, "1 Joined")
	c.want(t, "1 Joined", "1 left Replaced")
}

func TestPairsPSKOpensOneConnection(t *testing.T) {
	w, s, c := newStepWorld(t), &listener{}, &listener{}
	psk := bytes.Repeat([]byte{3}, 32)
	host := w.endpoint(1, s, &Config{PSKOptional: true})
	if err := host.Expect([8]byte{9}, psk); err != nil {
		t.Fatal(err)
	}
	guest := w.endpoint(2, c, nil)
	if _, err := guest.Dial([]netip.AddrPort{fakeAddr(1)}, DialOptions{Salt: [8]byte{9}, PSK: psk}); err != nil {
		t.Fatal(err)
	}
	w.runFor(300 * time.Millisecond)
	if c.conn(0) == nil || !c.conn(0).Verified() || !s.conn(0).Verified() {
		t.Fatalf("heard %q", c.heard())
	}
	if host.Expect([8]byte{1}, []byte("short")) == nil {
		t.Fatal("a psk of 5 bytes was taken")
	}
}

func TestPunchOpensAnAddressThatTheDialDidNotKnow(t *testing.T) {
	w, s, c := newStepWorld(t), &listener{}, &listener{}
	host := w.endpoint(1, s, nil)
	guest := w.endpoint(2, c, nil)
	salt := [8]byte{4}
	if _, err := guest.Dial([]netip.AddrPort{fakeAddr(99)}, DialOptions{Salt: salt}); err != nil {
		t.Fatal(err)
	}
	w.runFor(50 * time.Millisecond)
	host.Punch(fakeAddr(2), salt)
	w.runFor(time.Second)
	c.want(t, "1 Joined")
	if got := guest.Stats().Punches; got != 1 || c.conn(0).Addr() != fakeAddr(1) {
		t.Fatalf("%d punches, at %v", got, c.conn(0).Addr())
	}
}

func TestMemoryStaysFlatUnderForgedSealedDatagrams(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	random := rand.New(rand.NewPCG(1, 1))
	data := make([]byte, 1200)
	flood := func(n int) {
		for i := range n {
			for j := 0; j < len(data); j += 8 {
				PutU64(data[j:], random.Uint64())
			}
			switch i % 4 {
			case 0:
				data[0] |= 0x80
			case 1:
				PutU32(data, s.conn(0).secure().ownCID)
			case 2:
				copy(data, "NMS2\x00\x01\x01\x00")
			case 3:
				copy(data, "NMS2\x02\x01\x01\x00")
			}
			w.send(netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, byte(i >> 8), byte(i)}), 1), fakeAddr(1), data)
			if i%100 == 0 {
				w.frame()
			}
		}
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	flood(2_000)
	before := heap()
	flood(20_000)
	if grown := int64(heap()) - int64(before); grown > 1<<20 {
		t.Fatalf("the heap grew by %d bytes", grown)
	}
	c.conn(0).SendReliable([]byte("still here"))
	w.runFor(300 * time.Millisecond)
	s.want(t, "1 Joined", "1 message still here")
}

func TestASteadySealedFrameAllocatesNothing(t *testing.T) {
	w := newStepWorld(t)
	mail, guests := NewMailbox(0), NewMailbox(0)
	host := w.endpoint(1, mail, &Config{GoodRate: 60})
	var conns []*Conn
	for i := range 11 {
		conns = append(conns, w.dial(t, w.endpoint(2+i, guests, &Config{GoodRate: 60}), 1))
	}
	down, up := make([]byte, 400), make([]byte, 32)
	frame := func() {
		w.now += time.Second / 60
		for _, e := range w.all {
			e.Drain(w.now)
		}
		for _, m := range []*Mailbox{mail, guests} {
			for range m.All() {
			}
		}
		for c := range host.Conns() {
			c.SendLatest(1, down)
		}
		for _, c := range conns {
			c.SendLatest(2, up)
		}
		for _, e := range w.all {
			e.Flush(w.now)
		}
	}
	for range 600 {
		frame()
	}
	if host.Len() != 11 {
		t.Fatalf("%d joined", host.Len())
	}
	if n := testing.AllocsPerRun(300, frame); n != 0 {
		t.Fatalf("%v allocations a frame", n)
	}
}

func TestSharedClockIsTheServers(t *testing.T) {
	w, _, c := sealedEnds(t, nil, nil)
	w.runFor(2 * time.Second)
	at, uncertainty, state := c.conn(0).Clock()
	if d := (at - w.all[0].Now()).Abs(); d > 10*time.Millisecond || state != ClockGood || uncertainty > 10*time.Millisecond {
		t.Fatalf("%v off, uncertainty %v, %v", d, uncertainty, state)
	}
}

// Over real sockets: the usual program, sealed, and a path that takes more than
// 1,200 bytes is found.
func TestSealedOverRealSocketsFindsThePathsSize(t *testing.T) {
	s, c := &listener{}, &listener{}
	server := MustListen("127.0.0.1:0", s, nil)
	defer server.Close()
	client := MustDial(server.Addr().String(), c, nil)
	defer client.Close()
	eventually(t, "joined", func() bool { return c.conn(0) != nil && s.conn(0) != nil })
	c.conn(0).SendReliable(bytes.Repeat([]byte("x"), 60_000))
	eventually(t, "a message of 60,000 bytes", func() bool { return len(s.heard()) == 2 })
	if runtime.GOOS == "linux" && !client.sealed.probes {
		t.Fatal("the sockets may be cut")
	}
}

func TestFirstKeysOfAConnectionAreForgottenOnceItIsOpen(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	for _, conn := range []*Conn{s.conn(0), c.conn(0)} {
		p := conn.owner.(*peer)
		for _, kept := range []*secureSession{conn.secure(), p.session.secure} {
			if kept.keys != nil {
				t.Fatal("a first key is kept: who reads memory later could read what went before")
			}
		}
	}
	c.conn(0).SendReliable([]byte("x"))
	w.runFor(200 * time.Millisecond)
	s.want(t, "1 Joined", "1 message x")
}

// A machine that is slow to answer is not taken for gone: whatever else comes of
// a connection has it asked again, and one that answers vouches for those that
// began after it.
func TestConnectionsThatLiveAreNotReplacedBecauseTheirAnswersAreLost(t *testing.T) {
	w, s, _ := sealedEnds(t, &Config{MaxClients: 100}, nil)
	for range 20 {
		w.dial(t, w.all[1], 1)
		w.runFor(30 * time.Millisecond)
	}
	old := make(map[[4]byte]bool) // connection ids
	w.setTap(func(from netip.AddrPort, d Datagram) bool {
		old[[4]byte(d.Data)] = from == fakeAddr(2)
		return true
	})
	w.runFor(7 * time.Second) // all are idle, and say a word a second
	deaf := w.now + 700*time.Millisecond
	w.setTap(func(from netip.AddrPort, d Datagram) bool { return !old[[4]byte(d.Data)] || w.now > deaf })
	w.dial(t, w.all[1], 1)
	w.runFor(4 * time.Second)

	if n := w.all[0].Len(); n != 22 {
		t.Errorf("%d connections are left of 22: %q", n, s.heard()[22:])
	}
}
