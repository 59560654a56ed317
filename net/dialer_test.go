package netmsg

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// A dialScript drives a dialer by hand against gates at several addresses,
// without any delay on the way.
type dialScript struct {
	t     *testing.T
	d     *dialer
	gates map[netip.AddrPort]*secureGate // who answers where
	deaf  map[netip.AddrPort]bool        // addresses that answer Requests and no Response
	me    netip.AddrPort
	now   time.Duration
	log   []string // "12ms R a": a Request (R) or Response (P) to the address named a
	names map[netip.AddrPort]string
}

// newDialScript names the addresses a, b, c… in the order given.
func newDialScript(t *testing.T, cfg *Config, to ...string) *dialScript {
	s := &dialScript{
		t:     t,
		gates: map[netip.AddrPort]*secureGate{},
		deaf:  map[netip.AddrPort]bool{},
		names: map[netip.AddrPort]string{},
		me:    netip.MustParseAddrPort("198.51.100.20:4242"),
	}
	var addrs []netip.AddrPort
	for i, a := range to {
		addrs = append(addrs, netip.MustParseAddrPort(a))
		s.names[addrs[i]] = string(rune('a' + i))
	}
	if cfg.Random == nil {
		cfg.Random = seeded(2)
	}
	s.d = testDialer(t, cfg, 0, addrs...)
	return s
}

func (s *dialScript) gateAt(at string, g *secureGate) { s.gates[netip.MustParseAddrPort(at)] = g }

// step sends all that is due at a time and brings the answers.
func (s *dialScript) step(now time.Duration) {
	s.now = now
	var buf, answer [1200]byte
	for {
		n, to := s.d.transmit(now, buf[:])
		if n == 0 {
			return
		}
		what := "R"
		if buf[4] == helloResponse {
			what = "P"
		}
		s.log = append(s.log, fmt.Sprintf("%d%s%s", now/ms, what, s.names[to]))
		g := s.gates[to]
		if g == nil || s.deaf[to] && what == "P" {
			continue
		}
		if v := g.receive(now, s.me, buf[:n], answer[:]); v.Reply > 0 {
			s.d.receive(now, to, answer[:v.Reply])
		}
	}
}

// runUntil goes from deadline to deadline.
func (s *dialScript) runUntil(end time.Duration) {
	for at := s.d.deadline(); at <= end; at = s.d.deadline() {
		if len(s.log) > 1000 {
			s.t.Fatalf("a busy loop: %v", s.log[:20])
		}
		s.step(at)
	}
}

func (s *dialScript) want(log ...string) {
	s.t.Helper()
	if !slices.Equal(s.log, log) {
		s.t.Errorf("sent %v\nwant %v", s.log, log)
	}
}

// to gives the dialer a datagram from an address.
func (s *dialScript) hear(from string, b []byte) bool {
	return s.d.receive(s.now, netip.MustParseAddrPort(from), b)
}

func (s *dialScript) denied(why denial) []byte { return appendDenied(nil, why, s.d.hello.salt) }

// challengeOf is a challenge that any client without secrets can use.
func (s *dialScript) challengeOf(cookie uint64, key byte) []byte {
	id, _ := identityOf(filled(32, key))
	return appendChallenge(nil, &challenge{
		demands: demands{revision: 1, patterns: allPatterns}, salt: s.d.hello.salt, cookie: cookie, key: id.public,
	})
}

const (
	lanHost    = "192.168.1.5:27415"
	publicHost = "203.0.113.7:60000"
	thirdHost  = "203.0.113.8:60000"
)

func TestASilentServerIsAskedEvery250msForFiveSeconds(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.runUntil(time.Minute)
	if len(s.log) != 20 || s.log[0] != "0Ra" || s.log[1] != "250Ra" || s.log[19] != "4750Ra" {
		t.Errorf("sent %v", s.log)
	}
	if r, over := s.d.done(); !over || r.failed != NoAnswer || s.now != 5*time.Second || s.d.deadline() != never {
		t.Errorf("at %v: %+v, %v", s.now, r, over)
	}
}

func TestASecondAndALaterRequestAreTheSameBytes(t *testing.T) {
	d := testDialer(t, &Config{Random: seeded(2)}, 0, gateServer)
	var first, second [1200]byte
	d.transmit(0, first[:])
	d.transmit(250*ms, second[:])
	if first != second {
		t.Error("they differ")
	}
}

func TestAfterFourResponsesWithoutAnswerTheServerIsAskedAgain(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.gateAt(publicHost, openGate(t, nil))
	s.deaf[netip.MustParseAddrPort(publicHost)] = true
	s.runUntil(1250 * ms)
	s.want("0Ra", "0Pa", "250Pa", "500Pa", "750Pa", "1000Ra", "1000Pa", "1250Pa")
}

func TestAServerThatStartedAnewIsReachedWithin1250ms(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.gateAt(publicHost, openGate(t, nil))
	s.deaf[netip.MustParseAddrPort(publicHost)] = true
	s.step(0)

	// It came back with another key and other cookies.
	delete(s.deaf, netip.MustParseAddrPort(publicHost))
	g := openGate(t, func(c *Config) { c.Identity = filled(32, 77) })
	g.cookies.key = [16]byte{5}
	s.gateAt(publicHost, g)
	s.runUntil(1250 * ms)

	if r, _ := s.d.done(); r.session == nil || s.now > 1250*ms {
		t.Errorf("at %v: %v", s.now, s.log)
	}
}

func TestANewChallengeReplacesTheResponseAtTheNextResend(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.step(0)
	s.hear(publicHost, s.challengeOf(1, 0))
	s.step(0)
	s.hear(publicHost, s.challengeOf(2, 0))
	s.step(100 * ms)
	if len(s.d.tries) != 1 || s.d.tries[0].asked.cookie != 1 {
		t.Fatalf("%d tries before the resend", len(s.d.tries))
	}
	s.step(250 * ms)
	if len(s.d.tries) != 2 || s.d.tries[1].asked.cookie != 2 {
		t.Errorf("%d tries after it", len(s.d.tries))
	}
	s.want("0Ra", "0Pa", "250Pa")
}

func TestAKnownChallengeGoesBackToItsResponseByteForByte(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	var sent [][1200]byte
	var buf [1200]byte
	s.d.transmit(0, buf[:])
	for i, cookie := range []uint64{1, 2, 1, 3, 4, 5, 1, 2} {
		s.now = time.Duration(i) * 250 * ms
		s.d.receive(s.now, gateAddr(publicHost), s.challengeOf(cookie, 0))
		s.d.left, s.d.round = 4, 4
		if n, _ := s.d.transmit(s.now, buf[:]); n == 0 || buf[4] != helloResponse {
			t.Fatalf("no Response at %v", s.now)
		}
		sent = append(sent, buf)
	}
	if sent[2] != sent[0] || sent[6] != sent[0] {
		t.Error("the Response to a kept challenge changed")
	}
	if sent[7] == sent[1] {
		t.Error("more than the four newest are kept")
	}
	if len(s.d.tries) != keptTries {
		t.Errorf("%d kept", len(s.d.tries))
	}
}

func gateAddr(a string) netip.AddrPort { return netip.MustParseAddrPort(a) }

func TestTheResponseGoesToTheBestAddressHeardWithin50ms(t *testing.T) {
	s := newDialScript(t, &Config{}, lanHost, publicHost, thirdHost)
	s.step(0)
	s.hear(thirdHost, s.challengeOf(3, 0))
	s.step(49 * ms)
	s.now = 49 * ms
	s.hear(publicHost, s.challengeOf(2, 0))
	s.step(50 * ms)
	s.hear(lanHost, s.challengeOf(1, 0))
	s.runUntil(550 * ms)
	s.want("0Ra", "0Rb", "0Rc", "50Pb", "300Pb", "550Pa")
}

func TestUnansweredResponsesGoOnToTheNextAddress(t *testing.T) {
	s := newDialScript(t, &Config{}, lanHost, publicHost, thirdHost)
	gate := openGate(t, nil)
	for _, at := range []string{lanHost, publicHost, thirdHost} {
		s.gateAt(at, gate)
		s.deaf[gateAddr(at)] = at != thirdHost
	}
	s.runUntil(5 * time.Second)

	s.want("0Ra", "0Rb", "0Rc", "50Pa", "300Pa", "550Pb", "800Pb", "1050Ra", "1050Rb", "1050Rc", "1100Pc")
	if r, _ := s.d.done(); r.session == nil || r.session.addr != gateAddr(thirdHost) {
		t.Errorf("ended as %+v", r)
	}
}

func TestEveryAddressThatChallengesGetsItsTurn(t *testing.T) {
	s := newDialScript(t, &Config{}, "203.0.113.1:1", "203.0.113.2:1", "203.0.113.3:1")
	gate := openGate(t, nil)
	for at := range s.names {
		s.gates[at], s.deaf[at] = gate, true
	}
	s.runUntil(5 * time.Second)
	turns := ""
	for _, l := range s.log {
		if name := l[len(l)-1:]; l[len(l)-2] == 'P' {
			turns += name
		}
	}
	if turns != "aabbccaabbccaabbccaa"[:len(turns)] || len(turns) < 16 {
		t.Errorf("Responses went to %s", turns)
	}
}

func TestAnAddressNotHeardIsStillAskedWhileAnotherIsAnswered(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost, thirdHost)
	s.gateAt(publicHost, openGate(t, nil))
	s.deaf[gateAddr(publicHost)] = true
	s.runUntil(300 * ms)
	s.want("0Ra", "0Rb", "50Pa", "250Rb", "300Pa")
}

func TestAPrivateAddressAmongSeveralIsAskedEightTimes(t *testing.T) {
	s := newDialScript(t, &Config{}, lanHost, publicHost)
	s.runUntil(5 * time.Second)
	count := map[byte]int{}
	for _, l := range s.log {
		count[l[len(l)-1]]++
	}
	if count['a'] != 8 || count['b'] != 20 {
		t.Errorf("%d Requests to the private one and %d to the public one", count['a'], count['b'])
	}
	alone := newDialScript(t, &Config{}, lanHost)
	alone.runUntil(5 * time.Second)
	if len(alone.log) != 20 {
		t.Errorf("%d Requests to a private address that was meant", len(alone.log))
	}
	for a, want := range map[string]bool{"10.0.0.1": true, "127.0.0.1": true, "fd00::1": true, "fd6e:6d00:100:200::1": false, "8.8.8.8": false} {
		if private(netip.MustParseAddr(a)) != want {
			t.Errorf("%s private: want %v", a, want)
		}
	}
}

func TestThePeersAddressIsWhereTheResponseWentNotWhenceTheAcceptCame(t *testing.T) {
	server, client := handshakeConfig(patternNK)
	w := newHandshakeWorld(t, server, client)
	calls := 0
	w.wayBack = func() netip.AddrPort {
		if calls++; calls == 1 {
			return w.server
		}
		return gateAddr("192.0.2.66:6")
	}

	w.runUntilOver()

	if s := w.wantOpen(); s.addr != w.server {
		t.Errorf("the peer is at %v", s.addr)
	}
}

func TestAnAddressMayBeAddedOnTheWay(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.step(0)
	s.d.advance(1500 * ms)
	const fourthHost = "203.0.113.9:60000"
	s.names[gateAddr(lanHost)], s.names[gateAddr(thirdHost)], s.names[gateAddr(fourthHost)] = "l", "x", "y"
	for _, add := range []struct {
		addr string
		rank int
	}{{lanHost, -1}, {thirdHost, 9}, {lanHost, 5}, {fourthHost, 9}} {
		if err := s.d.add(gateAddr(add.addr), add.rank); err != nil {
			t.Fatal(err)
		}
	}
	s.step(1500 * ms)
	s.want("0Ra", "1500Rl", "1500Ra", "1500Rx", "1500Ry")
	for i := range 5 {
		err := s.d.add(netip.AddrPortFrom(netip.MustParseAddr("8.8.8.8"), uint16(i+1)), i)
		if (err != nil) != (i == 4) {
			t.Errorf("address %d: %v", i+5, err)
		}
	}
}

func TestADeniedEndsTheAttemptAfter800ms(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.step(0)
	s.now = 100 * ms
	if !s.hear(publicHost, s.denied(deniedFull)) {
		t.Fatal("it is not noted")
	}
	s.hear(publicHost, s.denied(deniedBusy))
	s.runUntil(time.Minute)
	r, over := s.d.done()
	if !over || r.failed != Denied || r.sealed || r.text != "full" || r.code != AdmitFull || s.now != 900*ms {
		t.Errorf("at %v: %+v", s.now, r)
	}
}

func TestEveryDenialSaysWhyInWordsOfItsOwn(t *testing.T) {
	said := map[string]bool{}
	for why := deniedRevision; why <= deniedShutdown; why++ {
		s := newDialScript(t, &Config{}, publicHost)
		s.step(0)
		s.hear(publicHost, s.denied(why))
		s.runUntil(time.Second)
		r, _ := s.d.done()
		want := map[denial]uint16{deniedFull: AdmitFull, deniedDemand: AdmitToken}[why]
		if r.failed != Denied || r.text == "" || said[r.text] || r.code != want {
			t.Errorf("%d: %+v", why, r)
		}
		said[r.text] = true
	}
}

func TestADeniedIsAHintThatAChallengeOverrides(t *testing.T) {
	for name, when := range map[string]struct{ denied, challenge time.Duration }{
		"before": {0, 799 * ms}, "after": {799 * ms, 0},
	} {
		s := newDialScript(t, &Config{}, publicHost)
		s.step(0)
		g := openGate(t, nil)
		for _, at := range []time.Duration{0, 799 * ms} {
			s.step(at)
			if when.denied == at {
				s.hear(publicHost, s.denied(deniedApp))
			}
			if when.challenge == at {
				s.hear(publicHost, s.challengeOf(9, 0))
			}
		}
		s.gateAt(publicHost, g)
		s.runUntil(4 * time.Second)
		if r, over := s.d.done(); !over || r.session == nil {
			t.Errorf("%s: at %v: %+v %v", name, s.now, r, s.log)
		}
	}
}

func TestADeniedAfterAChallengeCountsWhenTheTimeIsOver(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.step(0)
	s.hear(publicHost, s.challengeOf(9, 0))
	s.step(0)
	s.hear(publicHost, s.denied(deniedDemand))
	s.runUntil(time.Minute)
	if r, over := s.d.done(); !over || r.failed != Denied || r.code != AdmitToken || s.now != 5*time.Second {
		t.Errorf("at %v: %+v", s.now, r)
	}
}

func TestADeniedOfAnotherSaltSourceOrSizeIsIgnored(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	if s.hear(publicHost, s.denied(deniedFull)) {
		t.Error("noted before anything was sent")
	}
	s.step(0)
	wrongSalt := s.denied(deniedFull)
	wrongSalt[8]++
	unknown := s.denied(deniedFull)
	unknown[7] = 7
	for name, heard := range map[string]bool{
		"salt":   s.hear(publicHost, wrongSalt),
		"source": s.hear(thirdHost, s.denied(deniedFull)),
		"port":   s.hear("203.0.113.7:60001", s.denied(deniedFull)),
		"size":   s.hear(publicHost, append(s.denied(deniedFull), 0)),
		"reason": s.hear(publicHost, unknown),
	} {
		if heard {
			t.Errorf("a wrong %s is noted", name)
		}
	}
	s.runUntil(time.Minute)
	if r, _ := s.d.done(); r.failed != NoAnswer {
		t.Errorf("ended as %+v", r)
	}
}

func TestOfSeveralAddressesADeniedGivesUpItsOwn(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost, thirdHost)
	s.step(0)
	s.hear(publicHost, s.denied(deniedFull))
	s.runUntil(1000 * ms)
	s.want("0Ra", "0Rb", "250Ra", "250Rb", "500Ra", "500Rb", "750Ra", "750Rb", "1000Rb")
	s.hear(thirdHost, s.denied(deniedApp))
	s.runUntil(time.Minute)
	if r, _ := s.d.done(); r.failed != Denied || s.now != 1800*ms {
		t.Errorf("at %v: %+v", s.now, r)
	}
}

func TestChallengesThatCannotBeUsedAreIgnored(t *testing.T) {
	for name, c := range map[string]struct {
		client Config
		change func(c *challenge)
	}{
		"salt":          {Config{}, func(c *challenge) { c.salt[0]++ }},
		"revision 0":    {Config{}, func(c *challenge) { c.demands.revision = 0 }},
		"revision 2":    {Config{}, func(c *challenge) { c.demands.revision = 2 }},
		"low order key": {Config{}, func(c *challenge) { c.key = lowOrderKeys[2] }},
		"no patterns":   {Config{}, func(c *challenge) { c.demands.patterns = 0 }},
		"psk asked":     {Config{}, func(c *challenge) { c.demands.patterns = patternNKpsk0.bit() | patternIKpsk1.bit() }},
		"token asked":   {Config{PSK: filled(32, 0)}, func(c *challenge) { c.demands.token = true }},
		"no psk taken":  {Config{PSK: filled(32, 0)}, func(c *challenge) { c.demands.patterns = patternNK.bit() | patternIK.bit() }},
		"no key taken":  {Config{Identity: filled(32, 0)}, func(c *challenge) { c.demands.patterns = patternNK.bit() | patternNKpsk0.bit() }},
		"another key":   {Config{ServerKey: filled(32, 9)}, func(c *challenge) {}},
	} {
		s := newDialScript(t, &c.client, publicHost)
		s.step(0)
		offer, _ := parseChallenge(s.challengeOf(1, 0))
		c.change(&offer)
		if s.hear(publicHost, appendChallenge(nil, &offer)) {
			t.Errorf("%s: used", name)
		}
		if s.runUntil(time.Second); s.d.answer != nil {
			t.Errorf("%s: answered", name)
		}
	}
}

func TestForgedAcceptsDoNotEndTheAttempt(t *testing.T) {
	server, client := handshakeConfig(patternIK)
	w := newHandshakeWorld(t, server, client)
	w.toClient = firstOf(helloAccept, func(genuine []byte) [][]byte {
		var all [][]byte
		for i := range lowOrderKeys {
			forged := slices.Clone(genuine)
			copy(forged[16:], lowOrderKeys[i][:])
			all = append(all, forged)
		}
		random := slices.Clone(genuine)
		copy(random[16:], filled(len(random)-16, 33))
		altered := slices.Clone(genuine)
		altered[len(altered)-1] ^= 1
		return append(all, random, altered, genuine[:69], genuine[:20], append(slices.Clone(genuine), 0), genuine)
	})

	w.runFor(4 * w.latency)

	w.wantOpen()
	if w.dialer.seen.unproven != 12+4 {
		t.Errorf("ignored %+v", w.dialer.seen)
	}
}

func TestAFloodOfForgedAcceptsIsNotAllComputed(t *testing.T) {
	server, client := handshakeConfig(patternNK)
	w := newHandshakeWorld(t, server, client)
	w.toClient = firstOf(helloAccept, func(genuine []byte) [][]byte {
		var all [][]byte
		for i := range 500 {
			forged := slices.Clone(genuine)
			PutU16(forged[:20], uint16(i))
			all = append(all, forged)
		}
		return append(all, genuine)
	})

	w.runFor(4 * w.latency)
	if w.dialer.reads != 0 || w.dialer.over {
		t.Errorf("%d reads are left, over %v", w.dialer.reads, w.dialer.over)
	}
	w.runFor(250 * ms)

	w.wantOpen()
}

func TestAnAcceptWithAMalformedPayloadIsIgnored(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.step(0)
	s.hear(publicHost, s.challengeOf(1, 0))
	var buf [1200]byte
	n, _ := s.d.transmit(0, buf[:])
	r, ok := parseResponse(buf[:n])
	if !ok {
		t.Fatal("no Response")
	}
	server, _ := identityOf(filled(32, 0))
	for _, payload := range [][]byte{
		{0, 0x7F, 0xFF, 0xFF, 0xFF},              // a cid without its top bit
		{1, 0x80, 0, 0, 0},                       // a refusal with a cid
		{0, 0x80, 0, 0, 1, paramMaxStreams, 0},   // a parameter without a value
		{0, 0x80, 0, 0, 1, paramText, 9, 'x'},    // one past the end
		{0, 0x80, 0, 0, 1, paramWindow, 1, 0x01}, // one out of range
	} {
		sn, _, ok := openNoise(patternNK, appendPrologue(nil, r.header), &server, nil, r.noise, seeded(9))
		if !ok {
			t.Fatal("the Response does not verify")
		}
		accept, _, _ := sn.answer(appendAcceptHeader(nil, r.hello.salt), payload)
		if s.hear(publicHost, accept) || s.d.over {
			t.Errorf("% x: taken", payload)
		}
	}
	sn, _, _ := openNoise(patternNK, appendPrologue(nil, r.header), &server, nil, r.noise, seeded(9))
	accept, _, _ := sn.answer(appendAcceptHeader(nil, r.hello.salt), appendVerdict(nil, 0, cidBit, &defaultParams))
	if !s.hear(publicHost, accept) {
		t.Error("a good one is not taken afterwards")
	}
}

func TestTheRoundTripIsKnownOnlyIfTheResponseWentOnce(t *testing.T) {
	server, client := handshakeConfig(patternNK)
	w := newHandshakeWorld(t, server, client)
	w.toClient = firstOf(helloAccept, func([]byte) [][]byte { return nil })
	w.runUntilOver()
	if s := w.wantOpen(); s.rtt != 0 {
		t.Errorf("it is %v", s.rtt)
	}
}

func TestAClosedAttemptEndsAsLocal(t *testing.T) {
	s := newDialScript(t, &Config{}, publicHost)
	s.step(0)
	s.d.close()
	s.runUntil(time.Minute)
	if r, over := s.d.done(); !over || r.failed != Local || s.d.deadline() != never {
		t.Errorf("%+v", r)
	}
	s.want("0Ra")
}

func TestRetryAndTimeoutMayBeSwitchedOff(t *testing.T) {
	s := newDialScript(t, &Config{ConnectRetry: -1, ConnectTimeout: -1}, publicHost)
	s.runUntil(time.Hour)
	s.want("0Ra")
	if _, over := s.d.done(); over || s.d.deadline() != never {
		t.Errorf("over, or a deadline at %v", s.d.deadline())
	}
}

func TestWhatCannotBeDialledIsAnError(t *testing.T) {
	one := []netip.AddrPort{gateServer}
	var nine []netip.AddrPort
	for i := range 9 {
		nine = append(nine, netip.AddrPortFrom(gateServer.Addr(), uint16(i+1)))
	}
	for name, c := range map[string]struct {
		cfg Config
		to  []netip.AddrPort
	}{
		"no address":            {Config{}, nil},
		"nine addresses":        {Config{}, nine},
		"a short identity":      {Config{Identity: filled(31, 0)}, one},
		"a short server key":    {Config{ServerKey: filled(31, 0)}, one},
		"a low-order key":       {Config{ServerKey: make([]byte, 32)}, one},
		"a short psk":           {Config{PSK: filled(31, 0)}, one},
		"a short secret":        {Config{Secret: filled(9, 0)}, one},
		"60 bits without a key": {Config{Secret: []byte{1, 2, 3, 4, 5, 6, 7, 0x10}}, one},
		"a long hello":          {Config{Hello: make([]byte, 513)}, one},
		"a token without psk":   {Config{Token: make([]byte, 200)}, one},
		"a short token":         {Config{Token: make([]byte, 118), PSK: filled(32, 0)}, one},
	} {
		c.cfg.Random = seeded(1)
		if _, err := newDialer(&c.cfg, c.to, [8]byte{}, 0, nil, 0); err == nil {
			t.Errorf("%s: dialled", name)
		}
	}
	good := Config{Random: seeded(1), Secret: []byte{1, 2, 3, 4, 5, 6, 7, 0x10}, Fingerprint: 5, Hello: make([]byte, 512)}
	if _, err := newDialer(&good, one, [8]byte{}, 0, nil, 0); err != nil {
		t.Error(err)
	}
}

func TestTheLargestHelloAndTokenFitAResponse(t *testing.T) {
	key := filled(32, 0)
	audience := [][16]byte{{1}, {2}, {3}, {4}}
	server := &Config{Random: seeded(1), Identity: filled(32, 0), TokenKey: key, NeedKey: true, Unix: func() int64 { return 3 }}
	public, _ := PublicKey(server.Identity)
	audience[3] = TokenAudience(public)
	claims := TokenClaims{Issued: 0, Expires: 60, Audience: audience, Data: make([]byte, 256)}
	token, psk, err := MintToken(key, 0, [8]byte{}, claims, seeded(5))
	if err != nil {
		t.Fatal(err)
	}
	client := &Config{
		Random: seeded(2), Identity: filled(32, 1), Token: token, PSK: psk, Hello: filled(512, 0), MaxPacket: 65_000,
		MaxMessage: 16 << 20, MaxStreams: 4096, MaxValue: 65_535, Timeout: time.Minute,
	}
	server.Admit = func(Applicant) Admission { return Admission{Welcome: filled(512, 1)} }
	w := newHandshakeWorld(t, server, client)

	w.runUntilOver()

	c := w.wantOpen()
	if s := w.joined[0].secure; len(s.peer.appData) != 512 || len(c.peer.appData) != 512 || s.peer.maxMessage != 16<<20 || s.token.Client != 0 {
		t.Errorf("%+v", s.peer)
	}
}
