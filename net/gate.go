package netmsg

import (
	"io"
	"net/netip"
	"time"
)

// A secureGate is the server's side of the NMS2 handshake. It keeps nothing
// for a client that has not shown a cookie, computes nothing dear for one that
// is over its budget, and keeps all that it does keep within bounds.
//
// Whoever drives it shows it the Requests and Responses, sends what it
// replies, and tells it when a packet of a provisional connection has verified
// (opened) and when an open one has ended (closed).
type secureGate struct {
	terms    serverTerms
	own      params
	random   io.Reader
	admit    func(Applicant) Admission
	unix     func() int64
	places   int                   // negative: any number
	mostKept int                   // rows that wait to be forgotten
	inUse    func(cid uint32) bool // cids that the endpoint uses beside these; nil: none
	closing  bool

	cookies  cookieJar
	replies  perSecond
	byToken  allowance // of handshakes with a token
	others   allowance
	prefixes prefixBudgets
	pairs    pairTable

	rows     map[rowKey]*gateRow
	byCID    map[uint32]*gateRow
	attempts map[attemptKey]int    // provisional rows of each
	tokens   map[[16]byte]*gateRow // the open connection of a token id
	due      dueRows
	open     int

	now   time.Duration
	stats GateStats
}

const (
	repliesPerSecond = 4_000 // Challenges and Denieds

	leastHandshakes  = 200 // a second
	leastProvisional = 64
	leastKept        = 16_384

	mostClients = 16_384 // what a server of any number of clients is built for
)

// newSecureGate makes the gate of a server. key makes the first cookies. An
// unusable Config is an error.
func newSecureGate(cfg *Config, key [16]byte, socketTakes int, now time.Duration) (*secureGate, error) {
	cfg = cfg.settle()
	terms, err := newServerTerms(cfg, cfg.Random)
	if err != nil {
		return nil, err
	}
	clients := cfg.MaxClients
	if clients < 0 {
		clients = mostClients
	}
	rate := orDefault(cfg.HandshakeRate, max(leastHandshakes, clients/8))
	most := orDefault(cfg.Provisional, max(leastProvisional, 2*clients))
	limit := allowance{handshakes: perSecond{limit: rate}, most: most}
	return &secureGate{
		terms:    terms,
		own:      announced(cfg, true, socketTakes),
		random:   cfg.Random,
		admit:    cfg.Admit,
		unix:     cfg.Unix,
		places:   cfg.MaxClients,
		mostKept: max(leastKept, 8*clients),

		cookies:  newCookieJar(key, cfg.Random, now),
		replies:  perSecond{limit: repliesPerSecond},
		byToken:  limit,
		others:   limit,
		prefixes: newPrefixBudgets(orDefault(cfg.PrefixRate, 4), orDefault(cfg.PrefixBurst, 16)),
		pairs:    pairTable{},

		rows:     map[rowKey]*gateRow{},
		byCID:    map[uint32]*gateRow{},
		attempts: map[attemptKey]int{},
		tokens:   map[[16]byte]*gateRow{},
		now:      now,
	}, nil
}

// receive acts on one Request or Response and writes the reply to buf, which
// has 1,200 bytes. Joined means that a provisional connection has been made:
// its packets will carry Session's cid.
func (g *secureGate) receive(now time.Duration, from netip.AddrPort, datagram, buf []byte) Verdict {
	g.advance(now)
	if len(buf) < maxAcceptSize {
		return Verdict{}
	}
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	switch kind, _ := helloKind(datagram); kind {
	case helloRequest:
		return Verdict{Reply: g.request(from, datagram, buf)}
	case helloResponse:
		return g.response(from, datagram, buf)
	}
	g.stats.Malformed++
	return Verdict{}
}

// request answers a Request. It keeps nothing.
func (g *secureGate) request(from netip.AddrPort, b, buf []byte) int {
	c, ok := parseRequest(b)
	if !ok {
		g.stats.Malformed++
		return 0
	}
	switch {
	case chooseRevision(c.low, c.high) == 0:
		return g.deny(deniedRevision, c.salt, buf)
	case c.app != g.terms.app:
		return g.deny(deniedApp, c.salt, buf)
	case g.full():
		return g.deny(deniedFull, c.salt, buf)
	case g.closing:
		return g.deny(deniedShutdown, c.salt, buf)
	case !g.mayReply():
		return 0
	}
	g.stats.Challenges++
	reply := challenge{
		demands: g.terms.demands,
		salt:    c.salt,
		cookie:  g.cookies.make(g.now, from, b[5:5+helloCoreSize]),
		key:     g.terms.id.public,
	}
	return len(appendChallenge(buf[:0], &reply))
}

// response decides on a Response, the cheap questions first.
func (g *secureGate) response(from netip.AddrPort, b, buf []byte) Verdict {
	r, ok := parseResponse(b)
	if !ok {
		g.stats.Malformed++
		return Verdict{}
	}
	if g.closing {
		g.stats.ShuttingDown++
		return Verdict{}
	}

	// What was negotiated is what this server would say again.
	if r.demands != g.terms.demands || chooseRevision(r.hello.low, r.hello.high) != r.demands.revision {
		g.stats.OtherDemands++
		return Verdict{}
	}
	if g.terms.demands.patterns&r.pattern.bit() == 0 || g.terms.demands.token && len(r.token) == 0 {
		return Verdict{Reply: g.deny(deniedDemand, r.hello.salt, buf)}
	}

	// The address is the client's own.
	if !g.cookies.check(g.now, from, r.core, r.cookie) {
		g.stats.BadCookie++
		return Verdict{}
	}

	// It is not one that was seen before.
	key := rowKeyOf(from, &r)
	if row := g.rows[key]; row != nil {
		return Verdict{Reply: g.again(row, buf)}
	}
	if g.attempts[key.attempt] >= provisionalPerSalt {
		g.stats.TooManyOfSalt++
		return Verdict{}
	}

	// It is within its budgets, and there is a place.
	budget := &g.others
	if len(r.token) > 0 {
		budget = &g.byToken
	}
	if !budget.left(g.now) || !g.prefixes.allows(g.now, from.Addr()) || len(g.due) >= g.mostKept {
		g.stats.OverBudget++
		return Verdict{}
	}
	if g.full() {
		return Verdict{Reply: g.deny(deniedFull, r.hello.salt, buf)}
	}

	// Its token is good, and will be proven by its psk.
	claims, ok := g.claims(&r)
	if !ok {
		return Verdict{Reply: g.deny(deniedDemand, r.hello.salt, buf)}
	}

	// It holds the keys that it says.
	row := &gateRow{key: key, place: -1, allowance: budget, first: g.now}
	budget.handshakes.take()
	row.prefix = g.prefixes.pay(g.now, from.Addr())
	g.stats.Handshakes++
	psk := g.pskFor(&r, claims, row)
	sn, hello, ok := openNoise(r.pattern, appendPrologue(nil, r.header), &g.terms.id, psk, r.noise, g.random)
	if !ok {
		g.stats.BadNoise++
		return Verdict{}
	}
	cid, peer, ok := parseClientHello(hello)
	if !ok {
		g.stats.Malformed++
		return Verdict{}
	}
	return g.decide(row, &r, sn, cid, peer, claims, buf)
}

// deny answers with a Denied, within the replies of a second.
func (g *secureGate) deny(why denial, salt [8]byte, buf []byte) int {
	if !g.mayReply() {
		return 0
	}
	g.stats.Denials++
	return len(appendDenied(buf[:0], why, salt))
}

func (g *secureGate) mayReply() bool {
	if !g.replies.left(g.now) {
		g.stats.OverReplies++
		return false
	}
	g.replies.take()
	return true
}

func (g *secureGate) full() bool { return g.places >= 0 && g.open >= g.places }

// expect registers a matchmaker's psk of 32 bytes for the client whose Request
// will carry salt. It is good for 30 s and one connection.
func (g *secureGate) expect(now time.Duration, salt [8]byte, psk []byte) error {
	g.advance(now)
	return g.pairs.expect(g.now, salt, psk)
}

// shutDown makes the gate tell everybody who asks that it takes nobody more.
func (g *secureGate) shutDown() { g.closing = true }
