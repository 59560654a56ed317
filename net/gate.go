package netmsg

import (
	"container/heap"
	"encoding/binary"
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

	maxCIDDraws = 64 // of 31 bits each: never so many, but with a source that repeats itself
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

// claims opens the Response's token. Without one it gives nil. A token with a
// pattern that has no psk proves nothing and is not good.
func (g *secureGate) claims(r *response) (*TokenClaims, bool) {
	if len(r.token) == 0 {
		return nil, true
	}
	if !r.pattern.psk() {
		return nil, false
	}
	unix := int64(g.now / time.Second)
	if g.unix != nil {
		unix = g.unix()
	}
	c, ok := g.terms.tokens.open(r.token, g.terms.app, &g.terms.id.public, unix)
	return &c, ok
}

// pskFor is the one psk that is tried: the token's, else the pair's, else the
// invitation's.
func (g *secureGate) pskFor(r *response, claims *TokenClaims, row *gateRow) []byte {
	if !r.pattern.psk() {
		return nil
	}
	if claims != nil {
		return claims.PSK
	}
	if row.pair = g.pairs.of(g.now, r.hello.salt); row.pair != nil {
		return row.pair.psk[:]
	}
	return g.terms.psk
}

// decide asks for the verdict, puts it in an Accept, and keeps what belongs to
// it.
func (g *secureGate) decide(row *gateRow, r *response, sn serverNoise, peerCID uint32, peer params, claims *TokenClaims, buf []byte) Verdict {
	status, welcome, text := g.verdict(row, r, &sn, &peer, claims)
	if status == AdmitOK && !g.drawCID(row) {
		return Verdict{}
	}
	own := g.own
	if status == AdmitOK {
		own.clock, own.hasClock = uint64(g.now/time.Microsecond), true
	} else {
		own = defaultParams // a refusal announces nothing
	}
	own.appData, own.text = welcome, text
	accept, keys, err := sn.answer(appendAcceptHeader(nil, r.hello.salt), appendVerdict(nil, status, row.cid, &own))
	if err != nil {
		return Verdict{}
	}
	row.accept, row.last, row.sent = accept, g.now, 1
	g.rows[row.key] = row
	v := Verdict{Reply: copy(buf, accept)}
	if status != AdmitOK {
		g.stats.Refused++
		row.state = rowRefused
		g.due.forgetAt(row, g.now+refusedLife)
		return v
	}
	row.session = &secureSession{
		server:     true,
		sendKey:    keys.toClient,
		receiveKey: keys.toServer,
		ownCID:     row.cid,
		peerCID:    peerCID,
		own:        own,
		peer:       peer,
		addr:       row.key.attempt.addr,
		binding:    keys.binding,
		peerKey:    sn.clientKey,
		verified:   r.pattern.psk(),
		token:      claims,
	}
	if claims != nil {
		row.tokenID, row.tokenShown = claims.ID, true
	}
	g.keepProvisional(row)
	v.Joined, v.Session = true, Session{secure: row.session}
	return v
}

// verdict asks the application, unless no place is left. Handshakes of one
// attempt take one place together: the client opens only one of them.
func (g *secureGate) verdict(row *gateRow, r *response, sn *serverNoise, peer *params, claims *TokenClaims) (status uint8, welcome, text []byte) {
	if g.places >= 0 && g.attempts[row.key.attempt] == 0 && g.open+len(g.attempts) >= g.places {
		return AdmitFull, nil, nil
	}
	if g.admit == nil {
		return AdmitOK, nil, nil
	}
	a := Applicant{Addr: row.key.attempt.addr, Hello: peer.appData, Token: claims, Proven: r.pattern.psk()}
	if r.pattern.key() {
		a.Key = sn.clientKey[:]
	}
	return g.admit(a).verdict()
}

// drawCID gives row a cid that is not in use.
func (g *secureGate) drawCID(row *gateRow) bool {
	var ok bool
	row.cid, ok = drawCID(g.random, func(cid uint32) bool {
		return g.byCID[cid] != nil || g.inUse != nil && g.inUse(cid)
	})
	return ok
}

// drawCID draws a connection id that inUse does not know. It fails only when
// the source of randomness does.
func drawCID(random io.Reader, inUse func(uint32) bool) (cid uint32, ok bool) {
	for range maxCIDDraws {
		var b [4]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return 0, false
		}
		if cid = binary.BigEndian.Uint32(b[:]) | cidBit; inUse == nil || !inUse(cid) {
			return cid, true
		}
	}
	return 0, false
}

func (g *secureGate) keepProvisional(row *gateRow) {
	g.stats.Accepted++
	row.state = rowProvisional
	row.allowance.provisional++
	if row.prefix != nil {
		row.prefix.provisional++
	}
	g.attempts[row.key.attempt]++
	g.byCID[row.cid] = row
	g.due.forgetAt(row, g.now+provisionalLife)
}

// again answers a Response that was answered before.
func (g *secureGate) again(row *gateRow, buf []byte) int {
	if row.state >= rowOpen || g.now-row.last < acceptPause {
		g.stats.Known++
		return 0
	}
	g.stats.Repeated++
	row.last = g.now
	row.sent++
	if row.state == rowProvisional {
		g.due.forgetAt(row, min(g.now+provisionalLife, row.first+provisionalLimit))
	}
	return copy(buf, row.accept)
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

// advance moves the clock, which never turns back, and forgets what is due.
func (g *secureGate) advance(now time.Duration) {
	g.now = max(g.now, now)
	for len(g.due) > 0 && g.due[0].due <= g.now {
		row := heap.Pop(&g.due).(*gateRow)
		if row.state == rowProvisional {
			g.stats.Forgotten++
			g.unprovision(row)
		}
		delete(g.rows, row.key)
		delete(g.byCID, row.cid)
	}
}

// unprovision takes back what a provisional row counted for.
func (g *secureGate) unprovision(row *gateRow) {
	row.allowance.provisional--
	if row.prefix != nil {
		row.prefix.provisional--
	}
	if g.attempts[row.key.attempt]--; g.attempts[row.key.attempt] == 0 {
		delete(g.attempts, row.key.attempt)
	}
	row.accept, row.session, row.allowance, row.prefix = nil, nil, nil, nil
}

// provisional gives the session of a provisional connection, for a packet
// that carries its cid to be opened with: it will verify if the client is
// there.
func (g *secureGate) provisional(now time.Duration, cid uint32) (Session, bool) {
	g.advance(now)
	row := g.byCID[cid]
	if row == nil || row.state != rowProvisional {
		return Session{}, false
	}
	s := *row.session
	if row.sent == 1 {
		s.rtt = g.now - row.first // the client sends as soon as it has the Accept
	}
	return Session{secure: &s}, true
}

// opened is told that a packet of a provisional connection has verified. It is
// false when the connection may not open: it is gone, its pair's psk has been
// used, or every place is taken. replaced is the cid of the open connection
// that this one takes the place of, since both showed one token; 0: none.
func (g *secureGate) opened(now time.Duration, cid uint32) (replaced uint32, ok bool) {
	g.advance(now)
	row := g.byCID[cid]
	if row == nil || row.state != rowProvisional {
		return 0, false
	}
	var before *gateRow
	if row.tokenShown {
		before = g.tokens[row.tokenID]
	}
	if row.pair != nil && row.pair.used || g.full() && before == nil {
		g.due.forgetAt(row, g.now)
		g.advance(g.now)
		return 0, false
	}
	g.stats.Opened++
	g.due.never(row)
	g.unprovision(row)
	row.state = rowOpen
	g.open++
	if row.pair != nil {
		row.pair.used = true
	}
	if row.tokenShown {
		g.tokens[row.tokenID] = row
	}
	if before != nil {
		return before.cid, true
	}
	return 0, true
}

// closed is told that an open connection has ended.
func (g *secureGate) closed(now time.Duration, cid uint32) {
	g.advance(now)
	row := g.byCID[cid]
	if row == nil || row.state != rowOpen {
		return
	}
	row.state = rowEnded
	g.open--
	if row.tokenShown && g.tokens[row.tokenID] == row {
		delete(g.tokens, row.tokenID)
	}
	g.due.forgetAt(row, g.now+endedLife)
}

// expect registers a matchmaker's psk of 32 bytes for the client whose Request
// will carry salt. It is good for 30 s and one connection.
func (g *secureGate) expect(now time.Duration, salt [8]byte, psk []byte) error {
	g.advance(now)
	return g.pairs.expect(g.now, salt, psk)
}

// shutDown makes the gate tell everybody who asks that it takes nobody more.
func (g *secureGate) shutDown() { g.closing = true }
