package netmsg

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// A gateClient is a client whose datagrams a test hands to a gate one by one.
type gateClient struct {
	t      testing.TB
	g      *secureGate
	from   netip.AddrPort
	dialer *dialer
}

var gateServer = netip.MustParseAddrPort("203.0.113.7:27415")

// newGateClient makes a client with random bytes of its own.
func newGateClient(t testing.TB, g *secureGate, from string, seed byte, cfg Config) *gateClient {
	t.Helper()
	cfg.Random = seeded(seed)
	c := &gateClient{t: t, g: g, from: netip.MustParseAddrPort(from)}
	c.dialer = testDialer(t, &cfg, g.now, gateServer)
	return c
}

// send gives what the client would send now.
func (c *gateClient) send(now time.Duration) []byte {
	c.t.Helper()
	var buf [1200]byte
	n, _ := c.dialer.transmit(now, buf[:])
	if n == 0 {
		c.t.Fatalf("at %v the client sends nothing", now)
	}
	return slices.Clone(buf[:n])
}

// give hands a datagram to the gate, and the answer to the client.
func (c *gateClient) give(now time.Duration, b []byte) (v Verdict, reply []byte) {
	var buf [1200]byte
	v = c.g.receive(now, c.from, b, buf[:])
	reply = slices.Clone(buf[:v.Reply])
	if v.Reply > 0 {
		c.dialer.receive(now, gateServer, reply)
	}
	return v, reply
}

// response goes as far as the Response, which it gives.
func (c *gateClient) response(now time.Duration) []byte {
	c.t.Helper()
	if v, _ := c.give(now, c.send(now)); v.Reply != challengeSize {
		c.t.Fatalf("the Request is answered with %d bytes; %+v", v.Reply, c.g.stats)
	}
	return c.send(now)
}

// accepted goes as far as the Accept, and gives the Response that led to it.
func (c *gateClient) accepted(now time.Duration) []byte {
	c.t.Helper()
	r := c.response(now)
	if v, _ := c.give(now, r); !v.Joined {
		c.t.Fatalf("the Response is not accepted: %+v", c.g.stats)
	}
	return r
}

// joins opens a connection, and gives its cid at the gate.
func (c *gateClient) joins(now time.Duration) (cid uint32, response []byte) {
	c.t.Helper()
	response = c.accepted(now)
	result, _ := c.dialer.done()
	if _, ok := confirmPacket(c.t.(*testing.T), c.g, now, firstPacket(result.session)); !ok {
		c.t.Fatalf("it does not open: %+v", c.g.stats)
	}
	return result.session.peerCID, response
}

func openGate(t testing.TB, change func(*Config)) *secureGate {
	cfg := Config{Identity: filled(32, 0), Random: seeded(1)}
	if change != nil {
		change(&cfg)
	}
	return testGate(t, &cfg)
}

func TestAResponseThatWasChangedIsDroppedAndCounted(t *testing.T) {
	change := func(at int, bits byte) func(b []byte, from *netip.AddrPort) {
		return func(b []byte, from *netip.AddrPort) { b[at] ^= bits }
	}
	for _, c := range []struct {
		name    string
		change  func(b []byte, from *netip.AddrPort)
		counter func(s *GateStats) *uint64
	}{
		{"salt", change(8, 1), func(s *GateStats) *uint64 { return &s.BadCookie }},
		{"app id", change(20, 1), func(s *GateStats) *uint64 { return &s.BadCookie }},
		{"key hint", change(31, 1), func(s *GateStats) *uint64 { return &s.BadCookie }},
		{"cookie", change(39, 1), func(s *GateStats) *uint64 { return &s.BadCookie }},
		{"address", func(b []byte, from *netip.AddrPort) { *from = netip.MustParseAddrPort("198.51.100.21:1") },
			func(s *GateStats) *uint64 { return &s.BadCookie }},
		{"port", func(b []byte, from *netip.AddrPort) { *from = netip.MustParseAddrPort("198.51.100.20:2") },
			func(s *GateStats) *uint64 { return &s.BadCookie }},
		{"highest revision", change(6, 2), func(s *GateStats) *uint64 { return &s.BadCookie }},
		{"lowest revision", change(5, 2), func(s *GateStats) *uint64 { return &s.Malformed }},
		{"revision", change(40, 2), func(s *GateStats) *uint64 { return &s.OtherDemands }},
		{"patterns", change(41, 2), func(s *GateStats) *uint64 { return &s.OtherDemands }},
		{"flags", change(42, 1), func(s *GateStats) *uint64 { return &s.OtherDemands }},
		{"reserved flags", change(42, 2), func(s *GateStats) *uint64 { return &s.Malformed }},
		{"pattern", change(43, 3), func(s *GateStats) *uint64 { return &s.BadNoise }},
		{"pattern to none", change(43, 1), func(s *GateStats) *uint64 { return &s.Malformed }},
		{"ephemeral key", change(48, 1), func(s *GateStats) *uint64 { return &s.BadNoise }},
		{"payload", change(48+32, 1), func(s *GateStats) *uint64 { return &s.BadNoise }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := openGate(t, nil)
			client := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
			good := client.response(0)
			before := g.stats

			bad := slices.Clone(good)
			from := client.from
			c.change(bad, &from)
			var buf [1200]byte
			v := g.receive(0, from, bad, buf[:])

			if v.Reply != 0 || v.Joined || *c.counter(&g.stats) != *c.counter(&before)+1 || len(g.rows) != 0 {
				t.Errorf("got %+v; %+v", v, g.stats)
			}
			if v, _ := client.give(0, good); !v.Joined {
				t.Errorf("the genuine one is not accepted any more: %+v", g.stats)
			}
		})
	}
}

func TestARequestThatCannotBeServedIsDeniedWithTheReason(t *testing.T) {
	hello := helloCore{low: 1, high: 1}
	for _, c := range []struct {
		why    denial
		change func(g *secureGate, c *helloCore)
	}{
		{deniedRevision, func(g *secureGate, c *helloCore) { c.low, c.high, g.closing = 2, 3, true }},
		{deniedApp, func(g *secureGate, c *helloCore) { c.app, g.closing = [8]byte{1}, true }},
		{deniedFull, func(g *secureGate, c *helloCore) { g.open, g.closing = g.places, true }},
		{deniedShutdown, func(g *secureGate, c *helloCore) { g.shutDown() }},
	} {
		g, asked := openGate(t, nil), hello
		c.change(g, &asked)
		var buf [1200]byte

		v := g.receive(0, netip.MustParseAddrPort("198.51.100.20:1"), appendRequest(nil, &asked), buf[:])

		if why, _, ok := parseDenied(buf[:v.Reply]); !ok || why != c.why || g.stats.Denials != 1 {
			t.Errorf("want %v, got %v, %v", c.why, why, ok)
		}
	}
}

func TestAResponseOfAPatternThatIsNotTakenIsDenied(t *testing.T) {
	for name, c := range map[string]struct {
		server  func(*Config)
		pattern byte
	}{
		"no psk":   {func(c *Config) { c.Secret = filled(12, 0) }, 3},
		"no key":   {func(c *Config) { c.NeedKey = true }, 1},
		"no token": {func(c *Config) { c.TokenKey = filled(32, 0) }, 4},
	} {
		g := openGate(t, c.server)
		r := response{hello: helloCore{low: 1, high: 1}, demands: g.terms.demands, pattern: pattern(c.pattern)}
		b := appendResponse(nil, appendResponseHeader(nil, &r, 100), make([]byte, 100))
		var buf [1200]byte

		v := g.receive(0, netip.MustParseAddrPort("198.51.100.20:1"), b, buf[:])

		if why, _, ok := parseDenied(buf[:v.Reply]); !ok || why != deniedDemand {
			t.Errorf("%s: got %v, %v; %+v", name, why, ok, g.stats)
		}
	}
}

func TestARequestLeavesNothingAtTheServer(t *testing.T) {
	g := openGate(t, nil)
	hello := helloCore{low: 1, high: 1}
	request := appendRequest(nil, &hello)
	var buf [1200]byte
	for i := range 3000 {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{9, byte(i >> 8), byte(i), 1}), 1)
		if v := g.receive(0, from, request, buf[:]); v.Reply != challengeSize {
			t.Fatalf("request %d is answered with %d bytes", i, v.Reply)
		}
	}
	if kept := len(g.rows) + len(g.byCID) + len(g.attempts) + len(g.prefixes.prefixes) + len(g.due); kept != 0 {
		t.Errorf("%d things are kept", kept)
	}
	if n := testing.AllocsPerRun(100, func() { g.receive(0, gateServer, request, buf[:]) }); n != 0 {
		t.Errorf("a Request allocates %v times", n)
	}
}

func TestRepliesAreLimitedToFourThousandASecond(t *testing.T) {
	g := openGate(t, nil)
	good, foreign := helloCore{low: 1, high: 1}, helloCore{low: 1, high: 1, app: [8]byte{1}}
	requests := [][]byte{appendRequest(nil, &good), appendRequest(nil, &foreign)}
	var buf [1200]byte
	replies := 0
	for i := range 20_000 {
		now := time.Duration(i) * 100 * time.Microsecond // two seconds
		if v := g.receive(now, gateServer, requests[i%2], buf[:]); v.Reply > 0 {
			replies++
		}
	}
	if replies != 8_000 || g.stats.OverReplies != 12_000 {
		t.Errorf("%d replies; %+v", replies, g.stats)
	}
}

func TestOnePrefixHasSixteenHandshakesAtOnceAndFourASecond(t *testing.T) {
	g := openGate(t, func(c *Config) { c.MaxClients = 10_000 })
	client := func(i int) *gateClient {
		return newGateClient(t, g, fmt.Sprintf("198.51.100.%d:%d", i%250, 1000+i), byte(i), Config{})
	}
	responses := make([][]byte, 200)
	clients := make([]*gateClient, len(responses))
	for i := range responses {
		clients[i] = client(i)
		responses[i] = clients[i].response(0)
	}
	for i := range 10_000 {
		c := i % len(responses)
		responses[c][48]++ // another Noise message
		clients[c].give(time.Duration(i)*100*time.Microsecond, responses[c])
	}
	if g.stats.Handshakes > 20 || g.stats.Handshakes < 19 {
		t.Errorf("%d handshakes in a second; %+v", g.stats.Handshakes, g.stats)
	}

	before := g.stats.Handshakes
	newGateClient(t, g, "198.51.101.1:1", 201, Config{}).accepted(time.Second)
	newGateClient(t, g, "[2001:db8::1]:1", 202, Config{}).accepted(time.Second)
	if g.stats.Handshakes != before+2 {
		t.Error("other prefixes are held back too")
	}
}

func TestPrefixesOfIPv6Are56BitsLong(t *testing.T) {
	b := newPrefixBudgets(4, 16)
	for i := range 16 {
		a := netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 0, 0, 0, byte(i)})
		if !b.allows(0, a) {
			t.Fatalf("the %dth is over budget", i+1)
		}
		b.pay(0, a)
	}
	if b.allows(0, netip.MustParseAddr("2001:db8:0:ff::1")) {
		t.Error("a 17th of the /56 is within budget")
	}
	if !b.allows(0, netip.MustParseAddr("2001:db8:0:100::1")) {
		t.Error("the next /56 is held back")
	}
}

func TestOnePrefixHasThirtyTwoProvisionalConnections(t *testing.T) {
	g := openGate(t, func(c *Config) { c.PrefixRate, c.PrefixBurst = 1000, 1000 })
	for i := range 33 {
		c := newGateClient(t, g, fmt.Sprintf("198.51.100.%d:1", i), byte(i), Config{})
		if v, _ := c.give(0, c.response(0)); v.Joined != (i < 32) {
			t.Errorf("handshake %d: joined %v; %+v", i+1, v.Joined, g.stats)
		}
	}
}

func TestPrefixesThatOweNothingAreForgotten(t *testing.T) {
	b := newPrefixBudgets(4, 16)
	for i := range 100_000 {
		a := netip.AddrFrom4([4]byte{50, byte(i >> 8), byte(i), 1}) // 65,536 prefixes
		now := time.Duration(i) * 5 * time.Millisecond              // 200 a second
		if !b.allows(now, a) {
			t.Fatalf("the %dth is not allowed", i)
		}
		b.pay(now, a)
	}
	if len(b.prefixes) > 2*sweepPrefixes {
		t.Errorf("%d prefixes are kept", len(b.prefixes))
	}
}

func TestLocalAddressesHaveNoBudgetOfTheirOwn(t *testing.T) {
	for _, a := range []string{"127.0.0.1", "::1", "10.1.2.3", "192.168.1.2", "172.16.0.1", "169.254.1.1", "fe80::1%eth0", "fd6e:6d01:203:400::1", "::ffff:10.0.0.1"} {
		if p, limited := prefixOf(netip.MustParseAddr(a)); limited {
			t.Errorf("%s has the budget of %v", a, p)
		}
	}
	for _, a := range []string{"8.8.8.8", "2001:db8::1", "::ffff:8.8.8.8", "100.64.0.1"} {
		if _, limited := prefixOf(netip.MustParseAddr(a)); !limited {
			t.Errorf("%s has none", a)
		}
	}
}

func TestAnEndpointHasTwoHundredHandshakesASecond(t *testing.T) {
	for clients, want := range map[int]int{1000: 200, 16_384: 2_048} {
		g := openGate(t, func(c *Config) { c.MaxClients = clients })
		if g.others.handshakes.limit != want || g.byToken.handshakes.limit != want {
			t.Errorf("%d clients: %d and %d handshakes a second, want %d", clients, g.others.handshakes.limit, g.byToken.handshakes.limit, want)
		}
	}
	g := openGate(t, func(c *Config) { c.HandshakeRate = 3 })
	for i := range 5 {
		client := newGateClient(t, g, fmt.Sprintf("10.0.0.%d:1", i), byte(i), Config{})
		v, _ := client.give(0, client.response(0))
		if v.Joined != (i < 3) {
			t.Errorf("client %d: joined %v", i, v.Joined)
		}
	}
	newGateClient(t, g, "10.0.0.9:1", 9, Config{}).accepted(time.Second)
}

func TestAResponseAgainIsAnsweredWithTheSameAcceptAtMostEvery100ms(t *testing.T) {
	g := openGate(t, nil)
	client := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
	r := client.response(0)
	_, first := client.give(0, r)
	for _, c := range []struct {
		ms   time.Duration
		want bool
	}{{0, false}, {99, false}, {100, true}, {199, false}, {250, true}} {
		v, again := client.give(c.ms*time.Millisecond, r)
		if (v.Reply > 0) != c.want || c.want && !slices.Equal(again, first) || v.Joined {
			t.Errorf("at %d ms: %d bytes, joined %v", c.ms, v.Reply, v.Joined)
		}
	}
	if g.stats.Handshakes != 1 || g.stats.Known != 3 || g.stats.Repeated != 2 {
		t.Errorf("%+v", g.stats)
	}
}

func TestAProvisionalConnectionIsForgottenFiveSecondsAfterItsLastAccept(t *testing.T) {
	g := openGate(t, nil)
	client := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
	r := client.accepted(0)
	cid := g.due[0].cid
	alive := func(now time.Duration) bool { _, ok := g.provisional(now, cid); return ok }

	client.give(3*time.Second, r)
	if !alive(8*time.Second - 1) {
		t.Error("forgotten too soon")
	}
	client.give(8*time.Second-1, r)
	if !alive(10*time.Second - 1) {
		t.Error("forgotten before ten seconds in all")
	}
	if alive(10*time.Second) || g.stats.Forgotten != 1 {
		t.Errorf("alive after ten seconds; %+v", g.stats)
	}
	if len(g.rows)+len(g.byCID)+len(g.attempts)+len(g.due) != 0 || g.others.provisional != 0 {
		t.Error("something is left of it")
	}
}

func TestARefusalIsKeptForTwoSecondsAndHasNoCID(t *testing.T) {
	calls := 0
	g := openGate(t, func(c *Config) {
		c.Admit = func(Applicant) Admission { calls++; return Admission{Status: AdmitRefused} }
	})
	client := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
	r := client.response(0)
	_, first := client.give(0, r)
	_, again := client.give(1999*time.Millisecond, r)
	if !slices.Equal(first, again) || calls != 1 || len(g.byCID) != 0 {
		t.Errorf("asked %d times, %d cids", calls, len(g.byCID))
	}
	client.give(2*time.Second, r)
	if calls != 2 {
		t.Errorf("after two seconds: asked %d times", calls)
	}
}

func TestAReplayedResponseOpensNothing(t *testing.T) {
	g := openGate(t, nil)
	client := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
	cid, r := client.joins(0)

	for now := time.Duration(0); now < time.Minute; now += 100 * time.Millisecond {
		if now == 3*time.Second {
			g.closed(now, cid)
		}
		if v, _ := client.give(now, r); v.Reply != 0 || v.Joined {
			t.Fatalf("at %v it is answered with %d bytes", now, v.Reply)
		}
	}
	if g.stats.Handshakes != 1 || g.stats.Repeated != 0 || g.stats.BadCookie == 0 || len(g.rows) != 0 {
		t.Errorf("%+v, %d rows", g.stats, len(g.rows))
	}
}

func TestFourHandshakesOfOneAttemptMayBeProvisional(t *testing.T) {
	g := openGate(t, nil)
	for i := range 6 {
		c := newGateClient(t, g, "198.51.100.20:1", byte(i), Config{})
		c.dialer.hello.salt = [8]byte{1}
		if v, _ := c.give(0, c.response(0)); v.Joined != (i < 4) {
			t.Errorf("handshake %d: joined %v", i+1, v.Joined)
		}
	}
	if g.stats.TooManyOfSalt != 2 || len(g.attempts) != 1 {
		t.Errorf("%+v", g.stats)
	}
	newGateClient(t, g, "198.51.100.20:1", 7, Config{}).accepted(0)
}

func TestAFullServerSaysSoInsideTheAccept(t *testing.T) {
	g := openGate(t, func(c *Config) { c.MaxClients = 2 })
	a := newGateClient(t, g, "198.51.100.1:1", 1, Config{})
	b := newGateClient(t, g, "198.51.100.2:1", 2, Config{})
	c := newGateClient(t, g, "198.51.100.3:1", 3, Config{})
	a.joins(0)

	third := c.response(0)
	b.accepted(0) // takes the last place, unconfirmed
	if v, _ := c.give(0, third); v.Joined {
		t.Error("a third is taken")
	}
	if r, over := c.dialer.done(); !over || r.failed != Denied || r.code != AdmitFull || !r.sealed || r.text != "full" {
		t.Errorf("it hears %+v", r)
	}

	// Its place is free once it is forgotten.
	g.advance(6 * time.Second)
	cid, _ := newGateClient(t, g, "198.51.100.2:1", 4, Config{}).joins(6 * time.Second)
	d := newGateClient(t, g, "198.51.100.4:1", 5, Config{})
	if v, reply := d.give(6*time.Second, d.send(6*time.Second)); v.Joined || reply[4] != helloDenied || reply[7] != byte(deniedFull) {
		t.Errorf("a Request to a full server is answered with % x", reply)
	}
	g.closed(6*time.Second, cid)
	newGateClient(t, g, "198.51.100.5:1", 6, Config{}).accepted(6 * time.Second)
}

func TestAResponseToAServerThatHasFilledUpIsDenied(t *testing.T) {
	g := openGate(t, func(c *Config) { c.MaxClients = 1 })
	late := newGateClient(t, g, "198.51.100.2:1", 2, Config{})
	r := late.response(0)
	newGateClient(t, g, "198.51.100.1:1", 1, Config{}).joins(0)
	if _, reply := late.give(0, r); len(reply) != deniedSize || reply[7] != byte(deniedFull) || g.stats.Handshakes != 1 {
		t.Errorf("answered with % x; %+v", reply, g.stats)
	}
}

func TestHandshakesOfOneAttemptTakeOnePlace(t *testing.T) {
	g := openGate(t, func(c *Config) { c.MaxClients = 1 })
	for i := range 2 {
		c := newGateClient(t, g, "198.51.100.20:1", byte(i), Config{})
		c.dialer.hello.salt = [8]byte{1}
		if v, _ := c.give(0, c.response(0)); !v.Joined {
			t.Fatalf("handshake %d is refused, for the client's own ghost: %+v", i+1, g.stats)
		}
	}
	opened := 0
	for _, row := range slices.Clone(g.due) {
		if _, ok := g.opened(0, row.cid); ok {
			opened++
		}
	}
	if opened != 1 {
		t.Errorf("%d open in one place", opened)
	}
}

func TestTheServerKnowsTheRoundTripIfTheAcceptWentOnce(t *testing.T) {
	g := openGate(t, nil)
	client := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
	r := client.accepted(0)
	cid := g.due[0].cid
	if s, _ := g.provisional(70*time.Millisecond, cid); s.secure.rtt != 70*time.Millisecond {
		t.Errorf("it is %v", s.secure.rtt)
	}
	client.give(250*time.Millisecond, r)
	if s, _ := g.provisional(300*time.Millisecond, cid); s.secure.rtt != 0 {
		t.Errorf("after two Accepts it is %v", s.secure.rtt)
	}
}

func TestAnAddressIsTheSameWrittenAsIPv4OrIPv6(t *testing.T) {
	g := openGate(t, nil)
	client := newGateClient(t, g, "[::ffff:198.51.100.20]:1", 2, Config{})
	r := client.accepted(0)
	client.from = netip.MustParseAddrPort("198.51.100.20:1")
	if v, _ := client.give(time.Second, r); v.Joined || g.stats.Repeated != 1 {
		t.Errorf("its Response again: joined %v; %+v", v.Joined, g.stats)
	}
}

func TestHandshakesToBeForgottenAreBounded(t *testing.T) {
	g := openGate(t, nil)
	g.mostKept = 2
	for i := range 3 {
		c := newGateClient(t, g, fmt.Sprintf("10.0.0.%d:1", i), byte(i), Config{})
		if v, _ := c.give(0, c.response(0)); v.Joined != (i < 2) {
			t.Errorf("handshake %d: joined %v", i+1, v.Joined)
		}
	}
	if g.stats.OverBudget != 1 {
		t.Errorf("%+v", g.stats)
	}
}

func TestServerChoosesCIDsThatAreNotInUse(t *testing.T) {
	g := openGate(t, nil)
	draws := []uint32{1, 1, 2, 3 | cidBit}
	g.inUse = func(cid uint32) bool { return cid == 2|cidBit }
	g.byCID[1|cidBit] = &gateRow{}
	row := &gateRow{}
	g.random = uintReader(draws)
	if !g.drawCID(row) || row.cid != 3|cidBit {
		t.Errorf("drew %x", row.cid)
	}
	g.byCID[cidBit] = row
	g.random = zeroReader{}
	if g.drawCID(row) {
		t.Error("a source of zeros gives a free cid")
	}
}

type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// uintReader gives big-endian numbers.
func uintReader(numbers []uint32) *sliceReader {
	r := &sliceReader{}
	for _, n := range numbers {
		r.b = PutU32(r.b, n)
	}
	return r
}

type sliceReader struct{ b []byte }

func (r *sliceReader) Read(b []byte) (int, error) {
	n := copy(b, r.b)
	r.b = r.b[n:]
	return n, nil
}

func TestPairsPSKOpensOneConnectionWithinThirtySeconds(t *testing.T) {
	salt, psk := [8]byte(filled(8, 1)), filled(32, 200)
	pairClient := func(g *secureGate, seed byte, from string) *gateClient {
		c := newGateClient(t, g, from, seed, Config{PSK: psk})
		c.dialer.hello.salt = salt
		return c
	}
	t.Run("one", func(t *testing.T) {
		g := openGate(t, func(c *Config) { c.Secret = filled(12, 0) })
		if err := g.expect(0, salt, psk); err != nil {
			t.Fatal(err)
		}
		first, second := pairClient(g, 1, "198.51.100.1:1"), pairClient(g, 2, "198.51.100.2:1")
		second.accepted(0)
		first.joins(0)
		r, _ := second.dialer.done()
		if _, ok := confirmPacket(t, g, 0, firstPacket(r.session)); ok {
			t.Error("a second connection opened")
		}
		third := pairClient(g, 3, "198.51.100.3:1")
		if v, _ := third.give(0, third.response(0)); v.Joined || g.stats.BadNoise != 1 {
			t.Errorf("a third was accepted; %+v", g.stats)
		}
	})
	t.Run("in time", func(t *testing.T) {
		for now, want := range map[time.Duration]bool{30*time.Second - 1: true, 30 * time.Second: false} {
			g := openGate(t, nil)
			_ = g.expect(0, salt, psk)
			g.advance(now)
			c := pairClient(g, 1, "198.51.100.1:1")
			if v, _ := c.give(now, c.response(now)); v.Joined != want {
				t.Errorf("at %v: accepted %v", now, v.Joined)
			}
		}
	})
	t.Run("bounded", func(t *testing.T) {
		g := openGate(t, nil)
		for i := range 3 * maxPairs {
			_ = g.expect(time.Duration(i)*time.Millisecond, [8]byte{byte(i >> 8), byte(i)}, psk)
		}
		if len(g.pairs) > maxPairs || g.pairs.of(g.now, [8]byte{byte((3*maxPairs - 1) >> 8), byte((3*maxPairs - 1) & 255)}) == nil {
			t.Errorf("%d pairs, or the newest is not among them", len(g.pairs))
		}
		if g.expect(0, salt, psk[:31]) == nil {
			t.Error("a psk of 31 bytes is registered")
		}
	})
}

func TestAClientHelloThatIsMalformedIsDropped(t *testing.T) {
	good := appendClientHello(nil, 5|cidBit, &defaultParams)
	for name, payload := range map[string][]byte{
		"a cid without its top bit":  {0x7F, 0, 0, 1},
		"a parameter past the end":   append(slices.Clone(good), paramAppData, 9, 'x'),
		"a number out of range":      append(slices.Clone(good), paramMaxStreams, 1, 0),
		"a parameter that is no end": append(slices.Clone(good), 0xFF),
		"nothing wrong":              good,
	} {
		g := openGate(t, nil)
		c := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
		asked, _ := parseResponse(c.response(0))
		header := appendResponseHeader(nil, &asked, keySize+len(payload)+noiseTag)
		n, err := newClientNoise(patternNK, appendPrologue(nil, header), &g.terms.id.public, nil, nil, payload, seeded(3))
		if err != nil {
			t.Fatal(err)
		}
		v, _ := c.give(0, appendResponse(nil, header, n.message))
		if want := name == "nothing wrong"; v.Joined != want || (v.Reply > 0) != want || (g.stats.Malformed == 0) != want || (len(g.rows) == 1) != want {
			t.Errorf("%s: joined %v, %d bytes; %+v", name, v.Joined, v.Reply, g.stats)
		}
	}
}

func TestTheEndOfAConnectionThatIsNotOpenChangesNothing(t *testing.T) {
	g := openGate(t, nil)
	newGateClient(t, g, "198.51.100.20:1", 2, Config{}).accepted(0)
	g.closed(0, g.due[0].cid)
	g.closed(0, 7)
	if g.open != 0 || len(g.due) != 1 || g.due[0].state != rowProvisional {
		t.Errorf("%d open, %d to forget", g.open, len(g.due))
	}
	if _, ok := g.opened(0, 7); ok {
		t.Error("a cid that nobody has opened")
	}
}

func TestAShutDownGateTakesNobody(t *testing.T) {
	g := openGate(t, nil)
	client := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
	r := client.response(0)
	g.shutDown()
	if v, _ := client.give(0, r); v.Reply != 0 || v.Joined || g.stats.ShuttingDown != 1 {
		t.Errorf("got %+v; %+v", v, g.stats)
	}
}

// FuzzGate lets fuzzed bytes choose what comes to a gate: Requests, Responses
// good, replayed and altered, from several addresses, with time passing.
func FuzzGate(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, uint64(1))
	f.Add([]byte{2, 2, 2, 2, 2, 2, 6, 2, 7, 2, 10, 2, 2}, uint64(2))
	f.Fuzz(func(t *testing.T, steps []byte, seed uint64) {
		playGate(t, steps, seed)
	})
}

func TestGateKeepsItsBoundsWhateverComes(t *testing.T) {
	for seed := range uint64(8) {
		steps := make([]byte, 150)
		_, _ = rand.NewChaCha8([32]byte{byte(seed)}).Read(steps)
		playGate(t, steps, seed)
	}
}

func playGate(t *testing.T, steps []byte, seed uint64) {
	t.Helper()
	if len(steps) > 300 {
		steps = steps[:300]
	}
	g := openGate(t, func(c *Config) { c.MaxClients, c.Provisional = 3, 6 })
	r := rand.New(rand.NewPCG(seed, 0))
	var now time.Duration
	answered := false // a Response was shown
	var heard, open []uint32
	var responses [][]byte
	owners := []*gateClient{}
	address := func() string { return fmt.Sprintf("%d.51.100.%d:%d", 198+r.IntN(2), r.IntN(3), 1+r.IntN(3)) }
	var buf [1200]byte
	for i, step := range steps {
		switch step % 8 {
		case 0: // time passes
			now += time.Duration(step) * 40 * time.Millisecond
			g.advance(now)
		case 1, 2: // a new client asks
			c := newGateClient(t, g, address(), byte(i), Config{})
			if v, _ := c.give(now, c.send(now)); v.Reply == challengeSize {
				responses, owners = append(responses, c.send(now)), append(owners, c)
			}
			if !answered && len(g.rows)+len(g.prefixes.prefixes) != 0 {
				t.Fatal("something is kept before a cookie came back")
			}
		case 3, 4: // a Response, perhaps again
			if n := len(responses); n > 0 {
				answered = true
				k := r.IntN(n)
				if v, _ := owners[k].give(now, responses[k]); v.Joined {
					heard = append(heard, v.Session.secure.ownCID)
				}
			}
		case 5: // altered, or from elsewhere
			if n := len(responses); n > 0 {
				answered = true
				b := slices.Clone(responses[r.IntN(n)])
				b[r.IntN(200)] ^= byte(1 << r.IntN(8))
				g.receive(now, netip.MustParseAddrPort(address()), b, buf[:])
			}
		case 6: // a packet verifies
			if n := len(heard); n > 0 {
				k := r.IntN(n)
				if _, ok := g.opened(now, heard[k]); ok {
					open = append(open, heard[k])
				}
				heard = slices.Delete(heard, k, k+1)
			}
		case 7: // a connection ends
			if n := len(open); n > 0 {
				k := r.IntN(n)
				g.closed(now, open[k])
				open = slices.Delete(open, k, k+1)
			}
		}
		checkGate(t, g)
	}
	g.advance(now + time.Minute)
	if len(g.rows) != g.open || len(g.due) != 0 || g.open != len(open) {
		t.Errorf("a minute later %d rows and %d to forget are left for %d open, want %d", len(g.rows), len(g.due), g.open, len(open))
	}
}

// checkGate: what the gate counts is what it holds, within its bounds.
func checkGate(t *testing.T, g *secureGate) {
	t.Helper()
	states := map[rowState]int{}
	attempts := map[attemptKey]int{}
	prefixes := map[netip.Prefix]int{}
	cids := 0
	for key, row := range g.rows {
		states[row.state]++
		if row.state == rowProvisional {
			attempts[key.attempt]++
			p, _ := prefixOf(key.attempt.addr.Addr())
			prefixes[p]++
		}
		if row.cid != 0 {
			cids++
		}
		if (row.accept != nil) != (row.state < rowOpen) || row.state == rowOpen != (row.place < 0) {
			t.Fatalf("a row in state %d has an Accept of %d bytes, place %d", row.state, len(row.accept), row.place)
		}
	}
	if states[rowOpen] != g.open || g.open > g.places || g.open+len(attempts) > g.places {
		t.Fatalf("%d open, counted %d, of %d; %d attempts", states[rowOpen], g.open, g.places, len(attempts))
	}
	if states[rowProvisional] != g.others.provisional || g.others.provisional > g.others.most {
		t.Fatalf("%d provisional, counted %d, of %d", states[rowProvisional], g.others.provisional, g.others.most)
	}
	for key, n := range attempts {
		if n != g.attempts[key] || n > provisionalPerSalt {
			t.Fatalf("%d provisional of one attempt, counted %d", n, g.attempts[key])
		}
	}
	for p, n := range prefixes {
		if n != g.prefixes.prefixes[p].provisional || n > prefixProvisional {
			t.Fatalf("%d provisional of %v", n, p)
		}
	}
	if len(attempts) != len(g.attempts) || cids != len(g.byCID) || len(g.due) != len(g.rows)-g.open || len(g.due) > g.mostKept {
		t.Fatalf("%d attempts, %d cids, %d due, %d rows", len(g.attempts), len(g.byCID), len(g.due), len(g.rows))
	}
}

// What a server pays for one handshake, from Request to Accept.
func BenchmarkServerHandshake(b *testing.B) {
	for _, p := range allOfThePatterns {
		b.Run(fmt.Sprint(p), func(b *testing.B) {
			server, client := handshakeConfig(p)
			server.MaxClients, server.HandshakeRate, server.Provisional = -1, -1, -1
			g := testGate(b, server)
			g.mostKept = 1 << 30
			var buf [1200]byte
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				c := newGateClient(b, g, "10.0.0.1:1", 1, *client)
				request := c.send(0)
				clear(g.rows) // so that it has not been seen
				clear(g.attempts)
				b.StartTimer()
				n := g.receive(0, c.from, request, buf[:]).Reply
				b.StopTimer()
				c.dialer.receive(0, gateServer, buf[:n])
				response := c.send(0)
				b.StartTimer()
				if v := g.receive(0, c.from, response, buf[:]); !v.Joined {
					b.Fatalf("%+v", g.stats)
				}
			}
		})
	}
}

// What a server pays for a Response that has no good cookie.
func BenchmarkServerBadCookie(b *testing.B) {
	g := openGate(b, nil)
	c := newGateClient(b, g, "10.0.0.1:1", 1, Config{})
	r := c.response(0)
	r[39]++
	var buf [1200]byte
	for b.Loop() {
		g.receive(0, c.from, r, buf[:])
	}
}
