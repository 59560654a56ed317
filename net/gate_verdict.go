package netmsg

import "time"

// claims opens the Response's token. Without one it gives nil. A token with a
// pattern that has no psk proves nothing and is not good.
func (g *secureGate) claims(r *response) (*TokenClaims, bool) {
	if len(r.token) == 0 {
		return nil, true
	}
	if !r.pattern.psk() {
		return nil, false
	}
	c, ok := g.terms.tokens.open(r.token, g.terms.app, &g.terms.id.public, g.unix())
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
		server:   true,
		keys:     &firstKeys{send: keys.toClient, receive: keys.toServer},
		ownCID:   row.cid,
		peerCID:  peerCID,
		own:      own,
		peer:     peer,
		addr:     row.key.attempt.addr,
		binding:  keys.binding,
		peerKey:  sn.clientKey,
		verified: r.pattern.psk(),
		token:    claims,
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
