package netmsg

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

// A testGuest shakes hands with a gate by hand.
type testGuest struct {
	gate   *plainGate
	from   netip.AddrPort
	salt   uint64
	cookie uint64
}

// challenge asks for a cookie at now.
func (g *testGuest) challenge(t *testing.T, now time.Duration) {
	t.Helper()
	v, answer := answered(g.gate, now, g.from, appendPlainRequest(nil, g.salt))
	salt, cookie, ok := parsePlainChallenge(answer)
	if !ok || salt != g.salt || v.Joined {
		t.Fatalf("a Request was answered with %x, %+v", answer, v)
	}
	g.cookie = cookie
}

// respond answers with the cookie it has.
func (g *testGuest) respond(now time.Duration) (Verdict, []byte) {
	return answered(g.gate, now, g.from, appendPlainResponse(nil, g.salt, g.cookie))
}

func (g *testGuest) session() uint64 { return plainSession(g.salt, g.cookie) }

// join does both and wants the connection to open.
func (g *testGuest) join(t *testing.T, now time.Duration) Verdict {
	t.Helper()
	g.challenge(t, now)
	v, answer := g.respond(now)
	if session, ok := parsePlainShort(answer, plainAccept); !ok || session != g.session() || !v.Joined || v.Session.ID != session {
		t.Fatalf("a good Response was answered with %x, %+v", answer, v)
	}
	return v
}

func newTestGuest(gate *plainGate, from string, salt uint64) *testGuest {
	return &testGuest{gate: gate, from: netip.MustParseAddrPort(from), salt: salt}
}

func TestARequestLeavesNoTrace(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	request := appendPlainRequest(nil, 1)
	buf := make([]byte, 100)

	allocs := testing.AllocsPerRun(1000, func() {
		if v := gate.Receive(0, guest1, request, buf); v.Reply != 21 {
			t.Fatalf("%+v", v)
		}
	})
	if allocs != 0 || gate.Len() != 0 || len(gate.ended) != 0 {
		t.Errorf("%v allocations, %d open, %d ended", allocs, gate.Len(), len(gate.ended))
	}
}

func TestTheCookieChangesWithAddressPortSaltStepAndKey(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	seen := map[uint64]string{}
	for name, c := range map[string]struct {
		guest *testGuest
		now   time.Duration
	}{
		"one":               {newTestGuest(gate, "192.0.2.1:1000", 1), 0},
		"another address":   {newTestGuest(gate, "192.0.2.2:1000", 1), 0},
		"another port":      {newTestGuest(gate, "192.0.2.1:1001", 1), 0},
		"IPv6":              {newTestGuest(gate, "[2001:db8::1]:1000", 1), 0},
		"a zone":            {newTestGuest(gate, "[fe80::1%eth0]:1000", 1), 0},
		"another zone":      {newTestGuest(gate, "[fe80::1%eth1]:1000", 1), 0},
		"another salt":      {newTestGuest(gate, "192.0.2.1:1000", 2), 0},
		"the next step":     {newTestGuest(gate, "192.0.2.1:1000", 1), 10 * time.Second},
		"another server":    {newTestGuest(newPlainGate(nil, [16]byte{9}), "192.0.2.1:1000", 1), 0},
		"length and digits": {newTestGuest(gate, "192.0.2.11:1000", 1), 0},
	} {
		c.guest.challenge(t, c.now)
		if other, twice := seen[c.guest.cookie]; twice {
			t.Errorf("%s and %s have the same cookie", name, other)
		}
		seen[c.guest.cookie] = name
	}
}

func TestACookieIsGoodForItsStepAndTheNext(t *testing.T) {
	for _, c := range []struct {
		asked, now time.Duration
		want       bool
	}{
		{0, 0, true},
		{0, 9 * time.Second, true},
		{0, 19999 * time.Millisecond, true},
		{0, 20 * time.Second, false},
		{0, 21 * time.Second, false},
		{9999 * time.Millisecond, 19999 * time.Millisecond, true},
		{9999 * time.Millisecond, 20 * time.Second, false},
		{20 * time.Second, 9 * time.Second, false}, // from the future
	} {
		g := newTestGuest(newPlainGate(nil, gateKey), "192.0.2.1:1000", 1)
		g.challenge(t, c.asked)
		if v, answer := g.respond(c.now); v.Joined != c.want || len(answer) > 0 != c.want {
			t.Errorf("asked at %v, answered at %v: %+v, want joined %v", c.asked, c.now, v, c.want)
		}
	}
}

func TestACookieOfAnotherAddressSaltOrServerOpensNothing(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	good := newTestGuest(gate, "192.0.2.1:1000", 1)
	good.challenge(t, 0)

	for name, change := range map[string]func(*testGuest){
		"another port":    func(g *testGuest) { g.from = netip.MustParseAddrPort("192.0.2.1:1001") },
		"another address": func(g *testGuest) { g.from = netip.MustParseAddrPort("192.0.2.2:1000") },
		"another salt":    func(g *testGuest) { g.salt++ },
		"another server":  func(g *testGuest) { g.gate = newPlainGate(nil, [16]byte{9}) },
	} {
		g := *good
		change(&g)
		if v, answer := g.respond(0); v != (Verdict{}) || len(answer) != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	for bit := range 64 {
		g := *good
		g.cookie ^= 1 << bit
		if v, _ := g.respond(0); v != (Verdict{}) {
			t.Errorf("bit %d flipped: %+v", bit, v)
		}
	}
	if v, _ := good.respond(0); !v.Joined {
		t.Error("the good one did not join after them")
	}
}

func TestARepeatedResponseIsAcceptedAgainAndOpensNothing(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	g := newTestGuest(gate, "192.0.2.1:1000", 1)
	first := g.join(t, 9*time.Second)

	v, answer := g.respond(9 * time.Second)
	if session, ok := parsePlainShort(answer, plainAccept); v.Joined || v.Replaced || !ok || session != first.Session.ID {
		t.Errorf("repeated: %+v %x", v, answer)
	}

	g.challenge(t, 10*time.Second) // the step has changed, and so the cookie
	v, answer = g.respond(10 * time.Second)
	if session, ok := parsePlainShort(answer, plainAccept); v.Joined || v.Replaced || !ok || session != first.Session.ID {
		t.Errorf("with a new cookie: %+v %x, want the session that is open", v, answer)
	}
	if gate.Len() != 1 {
		t.Errorf("%d are open", gate.Len())
	}
}

func TestAResponseReplayedAfterTheEndOpensNothing(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	g := newTestGuest(gate, "192.0.2.1:1000", 1)
	v := g.join(t, 0)
	gate.Left(time.Second, g.from, v.Session)

	for now := time.Second; now < 40*time.Second; now += time.Second {
		if v, answer := g.respond(now); v != (Verdict{}) || len(answer) > 0 {
			t.Fatalf("replayed at %v: %+v", now, v)
		}
	}
	if len(gate.ended) != 0 || gate.leaves.len() != 0 {
		// The cookie is too old by then, so nothing is looked up: ask with a good one.
		newTestGuest(gate, "192.0.2.9:1", 5).join(t, 40*time.Second)
	}
	if len(gate.ended) != 0 || gate.leaves.len() != 0 {
		t.Errorf("%d ended ones are still known", len(gate.ended))
	}
}

func TestANewSaltFromTheSameAddressReplacesTheOldConnection(t *testing.T) {
	gate := newPlainGate(&Config{MaxClients: 1}, gateKey)
	old := newTestGuest(gate, "192.0.2.1:1000", 1)
	oldSession := old.join(t, 0).Session
	fresh := newTestGuest(gate, "192.0.2.1:1000", 2)

	v := fresh.join(t, time.Second)

	if !v.Replaced || v.Old != oldSession || gate.Len() != 1 {
		t.Errorf("got %+v, %d open", v, gate.Len())
	}
	gate.Left(time.Second, old.from, oldSession)
	if gate.Len() != 1 {
		t.Error("the old one's end took the new one's place away")
	}
	if v, _ := old.respond(2 * time.Second); v != (Verdict{}) {
		t.Errorf("the old Response, replayed: %+v", v)
	}
}

func TestABadCookieFromTheSameAddressReplacesNothing(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	newTestGuest(gate, "192.0.2.1:1000", 1).join(t, 0)
	forger := newTestGuest(gate, "192.0.2.1:1000", 2)
	forger.cookie = 12345

	if v, _ := forger.respond(0); v != (Verdict{}) {
		t.Errorf("got %+v", v)
	}
}

func TestAFullServerDeniesOnlyAfterAGoodCookie(t *testing.T) {
	gate := newPlainGate(&Config{MaxClients: 1}, gateKey)
	first := newTestGuest(gate, "192.0.2.1:1000", 1)
	session := first.join(t, 0).Session
	second := newTestGuest(gate, "192.0.2.2:1000", 0x0102030405060708)

	second.cookie = 1
	if v, answer := second.respond(0); v != (Verdict{}) || len(answer) > 0 {
		t.Errorf("a bad cookie: %+v", v)
	}
	second.challenge(t, 0)
	v, answer := second.respond(0)
	if want := unhex(t, "4e4d5331 06 0102030405060708"); v.Joined || !bytes.Equal(answer, want) {
		t.Errorf("got %x, want %x", answer, want)
	}

	gate.Left(time.Second, first.from, session)
	second.join(t, time.Second)
}

func TestWithoutALimitAnyNumberJoins(t *testing.T) {
	gate := newPlainGate(&Config{MaxClients: -1}, gateKey)
	for n := range 300 {
		from := netip.AddrPortFrom(guest1.Addr(), uint16(1000+n))
		(&testGuest{gate: gate, from: from, salt: uint64(n)}).join(t, 0)
	}
	if gate.Len() != 300 {
		t.Errorf("%d are open", gate.Len())
	}
}

func TestAnIPv4AddressIsTheSameInItsIPv6Form(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	g := newTestGuest(gate, "[::ffff:192.0.2.1]:1000", 1)
	g.challenge(t, 0)
	g.from = guest1
	if v, _ := g.respond(0); !v.Joined {
		t.Error("it did not join")
	}
}

func TestTheGateAnswersNothingElse(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	g := newTestGuest(gate, "192.0.2.1:1000", 1)
	g.challenge(t, 0)
	request, response := appendPlainRequest(nil, 1), appendPlainResponse(nil, g.salt, g.cookie)

	for name, b := range map[string][]byte{
		"nothing":           {},
		"four bytes":        []byte("NMS1"),
		"a short Request":   request[:1199],
		"a long Request":    append(bytes.Clone(request), 0),
		"a short Response":  response[:1199],
		"a long Response":   append(bytes.Clone(response), 0),
		"a Challenge":       appendPlainChallenge(nil, 1, 2),
		"a Payload":         appendPlainHeader(nil, 1, 2, 3, 4),
		"an unknown kind":   append(unhex(t, "4e4d5331 07"), make([]byte, 1195)...),
		"NMS2's":            append([]byte("NMS2"), make([]byte, 1196)...),
		"a Disconnect":      appendPlainShort(nil, plainDisconnect, 1),
		"an Accept":         appendPlainShort(nil, plainAccept, 1),
		"a Denied":          appendPlainShort(nil, plainDenied, 1),
		"1,200 zeros":       make([]byte, 1200),
		"another's padding": bytes.Repeat([]byte{0xff}, 1200),
	} {
		if v, answer := answered(gate, 0, g.from, b); v != (Verdict{}) || len(answer) > 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := gate.Receive(0, g.from, request, make([]byte, 20)); v != (Verdict{}) {
		t.Errorf("a small buffer: %+v", v)
	}
}

func TestAGateRemembersOnlySoManyThatHaveLeft(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	for n := range 3 * plainMinEnded {
		g := &testGuest{gate: gate, from: netip.AddrPortFrom(guest1.Addr(), uint16(n)), salt: 1}
		gate.Left(0, g.from, g.join(t, 0).Session)
	}
	if len(gate.ended) != plainMinEnded || gate.leaves.len() != plainMinEnded {
		t.Errorf("%d are known, want %d", len(gate.ended), plainMinEnded)
	}
}

func TestRepliesAreAFiftiethOfWhatAskedForThem(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	asked, replied := 0, 0
	for n := range 1000 {
		_, answer := answered(gate, 0, guest1, appendPlainRequest(nil, uint64(n)))
		asked += 1200
		replied += len(answer)
	}
	if replied == 0 || replied*50 > asked {
		t.Errorf("%d bytes for %d", replied, asked)
	}
}
