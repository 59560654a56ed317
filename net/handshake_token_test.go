package netmsg

import (
	"bytes"
	"testing"
	"time"
)

// tokenConfigs are a server that requires tokens and a client with one that is
// good for ten seconds of the world's clock.
func tokenConfigs(t *testing.T) (server, client *Config, claims TokenClaims) {
	t.Helper()
	server, client = handshakeConfig(patternNK)
	server.Unix = func() int64 { return 3 }
	server.TokenKeys = map[uint8][]byte{7: filled(32, 0xc0)}
	public, _ := PublicKey(server.Identity)
	claims = TokenClaims{
		ID: [16]byte{5}, Client: 42, Issued: 0, Expires: 10,
		Audience: [][16]byte{TokenAudience(public)}, Data: []byte("vip"),
	}
	return server, client, claims
}

func giveToken(t *testing.T, client *Config, number uint8, app [8]byte, claims TokenClaims) {
	t.Helper()
	var err error
	if client.Token, client.PSK, err = MintToken(filled(32, 0xc0), number, app, claims, seeded(5)); err != nil {
		t.Fatal(err)
	}
}

func TestATokenAdmitsItsHolder(t *testing.T) {
	server, client, claims := tokenConfigs(t)
	giveToken(t, client, 7, server.AppID, claims)
	var seen *TokenClaims
	server.Admit = func(a Applicant) Admission { seen = a.Token; return Admission{} }
	w := newHandshakeWorld(t, server, client)

	w.runUntilOver()

	if c := w.wantOpen(); !c.verified || w.gate.stats.Handshakes != 1 {
		t.Errorf("verified %v, %+v", c.verified, w.gate.stats)
	}
	if seen == nil || seen.Client != 42 || !bytes.Equal(seen.Data, []byte("vip")) || w.joined[0].secure.token.ID != claims.ID {
		t.Errorf("the server sees %+v", seen)
	}
}

func TestATokenThatIsNotGoodIsDenied(t *testing.T) {
	for name, change := range map[string]func(server, client *Config, claims TokenClaims){
		"expired": func(s, c *Config, claims TokenClaims) {
			s.Unix = func() int64 { return 10 }
		},
		"another audience": func(s, c *Config, claims TokenClaims) {
			claims.Audience = [][16]byte{{1}}
			giveToken(t, c, 7, s.AppID, claims)
		},
		"another app id": func(s, c *Config, claims TokenClaims) {
			giveToken(t, c, 7, [8]byte{9}, claims)
		},
		"another key number": func(s, c *Config, claims TokenClaims) {
			giveToken(t, c, 8, s.AppID, claims)
		},
		"a flipped bit": func(s, c *Config, claims TokenClaims) {
			c.Token[50] ^= 4
		},
		"a server without token keys": func(s, c *Config, claims TokenClaims) {
			s.TokenKeys = nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, client, claims := tokenConfigs(t)
			giveToken(t, client, 7, server.AppID, claims)
			change(server, client, claims)
			w := newHandshakeWorld(t, server, client)

			w.runFor(5 * time.Second)

			r := w.wantFailed(Denied)
			if r.code != AdmitToken || r.sealed || w.gate.stats.Handshakes != 0 {
				t.Errorf("%+v; %+v", r, w.gate.stats)
			}
		})
	}
}

func TestATokenWithoutItsPSKIsOfNoUse(t *testing.T) {
	for _, psk := range [][]byte{filled(32, 1)} {
		server, client, claims := tokenConfigs(t)
		giveToken(t, client, 7, server.AppID, claims)
		client.PSK = psk
		w := newHandshakeWorld(t, server, client)

		w.runFor(5 * time.Second)

		w.wantFailed(NoAnswer)
		if w.gate.stats.BadNoise == 0 || len(w.joined) != 0 {
			t.Errorf("%+v", w.gate.stats)
		}
	}
}

func TestATokenShownWithoutProvingItsPSKIsDenied(t *testing.T) {
	server, client, claims := tokenConfigs(t)
	giveToken(t, client, 7, server.AppID, claims)
	server.PSKOptional = true
	g := testGate(t, server)
	c := newGateClient(t, g, "198.51.100.20:1", 2, Config{AppID: server.AppID})
	c.dialer.terms.token = client.Token

	_, reply := c.give(0, c.response(0))

	if why, _, ok := parseDenied(reply); !ok || why != deniedDemand {
		t.Errorf("answered with % x", reply)
	}
}

func TestATokensSecondConnectionReplacesTheFirst(t *testing.T) {
	server, client, claims := tokenConfigs(t)
	giveToken(t, client, 7, server.AppID, claims)
	g := testGate(t, server)
	a := newGateClient(t, g, "198.51.100.20:1", 2, *client)
	b := newGateClient(t, g, "198.51.101.20:1", 3, *client)
	first, _ := a.joins(0)

	b.accepted(0)
	r, _ := b.dialer.done()
	replaced, ok := confirmPacket(t, g, 0, firstPacket(r.session))

	if !ok || replaced != first {
		t.Errorf("opened %v, in place of %x, want %x", ok, replaced, first)
	}
	g.closed(0, first)
	third := newGateClient(t, g, "198.51.102.20:1", 4, *client)
	third.accepted(0)
	r3, _ := third.dialer.done()
	if replaced, _ := confirmPacket(t, g, 0, firstPacket(r3.session)); replaced != r.session.peerCID {
		t.Errorf("a third replaces %x, want %x", replaced, r.session.peerCID)
	}
}

func TestTokenHoldersHaveABudgetOfTheirOwn(t *testing.T) {
	server, client, claims := tokenConfigs(t)
	giveToken(t, client, 7, server.AppID, claims)
	server.PSKOptional, server.HandshakeRate, server.Provisional = true, 1, 1
	g := testGate(t, server)
	plain := Config{AppID: server.AppID}
	newGateClient(t, g, "10.0.0.1:1", 1, plain).accepted(0)
	second := newGateClient(t, g, "10.0.0.2:1", 2, plain)
	if v, _ := second.give(0, second.response(0)); v.Joined || g.stats.OverBudget != 1 {
		t.Errorf("a second handshake is computed; %+v", g.stats)
	}
	newGateClient(t, g, "10.0.0.3:1", 3, *client).accepted(0)
}
