package netmsg

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

var allOfThePatterns = []pattern{patternNK, patternNKpsk0, patternIK, patternIKpsk1}

func TestBothSidesAgreeInTwoRoundTrips(t *testing.T) {
	for _, p := range allOfThePatterns {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			server, client := handshakeConfig(p)
			w := newHandshakeWorld(t, server, client)

			w.runFor(4 * w.latency)

			c := w.wantOpen()
			if len(w.joined) != 1 {
				t.Fatalf("%d provisional connections", len(w.joined))
			}
			s := w.joined[0].secure
			if c.keys.send != s.keys.receive || c.keys.receive != s.keys.send || c.binding != s.binding || c.keys.send == c.keys.receive {
				t.Error("the keys differ")
			}
			if c.ownCID != s.peerCID || c.peerCID != s.ownCID || c.ownCID&cidBit == 0 || c.peerCID&cidBit == 0 {
				t.Errorf("cids %x %x and %x %x", c.ownCID, c.peerCID, s.ownCID, s.peerCID)
			}
			if !sameParams(c.own, s.peer) || !sameParams(c.peer, s.own) || string(s.peer.appData) != "hello" {
				t.Errorf("the parameters differ: %+v %+v", s.peer, c.peer)
			}
			if c.addr != w.server || s.addr != w.client || c.server || !s.server {
				t.Errorf("addresses %v %v", c.addr, s.addr)
			}
			if c.rtt != 2*w.latency || c.peer.clock != uint64(3*w.latency/time.Microsecond) {
				t.Errorf("round trip %v, server's clock %d", c.rtt, c.peer.clock)
			}
			if c.verified != p.psk() || s.verified != p.psk() {
				t.Errorf("verified: %v at the client, %v at the server", c.verified, s.verified)
			}
			if (s.peerKey != [32]byte{}) != p.key() {
				t.Errorf("the client's key is %x", s.peerKey)
			}
		})
	}
}

// Where the byte is padding the flip changes nothing. Where it is not, nothing
// comes of that datagram, and one sent after it connects. Of the padding this
// looks at every 64th byte; the parsers' test looks at all.
func TestAFlippedBitOfAHandshakeCostsOneResend(t *testing.T) {
	for _, c := range []struct {
		kind         byte
		content, all int
	}{{helloRequest, 32, 1200}, {helloChallenge, 56, 56}, {helloResponse, 117, 1200}, {helloAccept, 79, 79}} {
		for i := 0; i < c.all; i++ {
			if i < c.content || i%64 == 0 {
				flipOneBit(t, patternNKpsk0, c.kind, i)
			}
		}
	}
}

// flipOneBit runs one handshake in which the first datagram of a kind has a
// bit of byte i flipped.
func flipOneBit(t *testing.T, p pattern, kind byte, i int) {
	server, client := handshakeConfig(p)
	w := newHandshakeWorld(t, server, client)
	padding := false
	bend := firstOf(kind, func(b []byte) [][]byte {
		r, _ := parseResponse(b)
		padding = kind == helloRequest && i >= 32 || kind == helloResponse && i >= len(r.header)+len(r.noise)
		b = slices.Clone(b)
		b[i] ^= 1 << (i % 8)
		return [][]byte{b}
	})
	if kind == helloRequest || kind == helloResponse {
		w.toServer = bend
	} else {
		w.toClient = bend
	}

	w.runFor(4 * w.latency)
	_, over := w.dialer.done()
	if padding != over {
		t.Fatalf("byte %d (padding: %v): over at once: %v", i, padding, over)
	}
	w.runUntilOver()

	w.wantOpen()
	if w.now > 1300*time.Millisecond || w.gate.open != 1 {
		t.Errorf("byte %d: opened after %v, %d open", i, w.now, w.gate.open)
	}
}

func TestEachLostDatagramDelaysTheHandshakeByOneResend(t *testing.T) {
	for _, kind := range []byte{helloRequest, helloChallenge, helloResponse, helloAccept} {
		server, client := handshakeConfig(patternIK)
		w := newHandshakeWorld(t, server, client)
		lose := firstOf(kind, func([]byte) [][]byte { return nil })
		w.toServer, w.toClient = lose, lose

		w.runFor(250*time.Millisecond + 4*w.latency)

		w.wantOpen()
	}
}

func TestWhateverIsLostTheAttemptEnds(t *testing.T) {
	for _, kind := range []byte{helloRequest, helloChallenge, helloResponse, helloAccept} {
		server, client := handshakeConfig(patternNK)
		w := newHandshakeWorld(t, server, client)
		w.toServer, w.toClient = dropKind(kind), dropKind(kind)

		w.runFor(5*time.Second - time.Millisecond)
		if _, over := w.dialer.done(); over {
			t.Errorf("kind %d: over too soon", kind)
		}
		w.runFor(time.Millisecond)

		w.wantFailed(NoAnswer)
	}
}

func TestWithoutTheRightSecretsThereIsNoAnswer(t *testing.T) {
	for name, change := range map[string]func(server, client *Config){
		"wrong psk":              func(s, c *Config) { c.Secret = filled(12, 8) },
		"psk at the server only": func(s, c *Config) { c.Secret = nil },
		"psk at the client only": func(s, c *Config) { s.Secret = nil },
		"another app's psk": func(s, c *Config) {
			c.PSK, _ = pskOf(c.Secret, [8]byte{9})
		},
		"wrong server key":  func(s, c *Config) { c.ServerKey, _ = PublicKey(filled(32, 50)) },
		"wrong fingerprint": func(s, c *Config) { c.Fingerprint = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			server, client := handshakeConfig(patternNKpsk0)
			change(server, client)
			w := newHandshakeWorld(t, server, client)

			w.runFor(5 * time.Second)

			w.wantFailed(NoAnswer)
			if s := w.gate.stats; int(s.Handshakes) > w.sent[helloResponse] || s.Accepted+s.Refused != 0 {
				t.Errorf("%d Responses cost %d handshakes; %+v", w.sent[helloResponse], s.Handshakes, s)
			}
		})
	}
}

func TestAPinnedKeyTakesNoOtherAndSaysSo(t *testing.T) {
	server, client := handshakeConfig(patternNK)
	client.ServerKey, _ = PublicKey(filled(32, 50))
	w := newHandshakeWorld(t, server, client)

	w.runFor(5 * time.Second)

	r := w.wantFailed(NoAnswer)
	if w.dialer.seen.wrongKey == 0 || r.code != NoAnswerKey || r.text == "" || w.sent[helloResponse] != 0 {
		t.Errorf("%+v, %q, %d Responses", w.dialer.seen, r.text, w.sent[helloResponse])
	}
}

func TestAKnownServerIsVerified(t *testing.T) {
	public, _ := PublicKey(filled(32, 0))
	for name, change := range map[string]func(c *Config){
		"by its key":         func(c *Config) { c.ServerKey = public },
		"by its fingerprint": func(c *Config) { c.Fingerprint = Fingerprint(public) },
	} {
		server, client := handshakeConfig(patternNK)
		change(client)
		w := newHandshakeWorld(t, server, client)

		w.runUntilOver()

		if s := w.wantOpen(); !s.verified || !slices.Equal(s.peerKey[:], public) {
			t.Errorf("%s: verified %v, key %x", name, s.verified, s.peerKey)
		}
	}
}

func TestAPlainRequestGetsNoAnswerFromNMS2(t *testing.T) {
	server, client := handshakeConfig(patternNK)
	w := newHandshakeWorld(t, server, client)

	v := w.serve(w.client, appendPlainRequest(nil, 7))

	if v.Reply != 0 || w.gate.stats.Malformed != 1 {
		t.Errorf("got %+v, %+v", v, w.gate.stats)
	}
}

func TestAClientWithoutAKeyMakesOneWhereKeysAreAsked(t *testing.T) {
	server, client := handshakeConfig(patternNK)
	server.NeedKey = true
	w := newHandshakeWorld(t, server, client)

	w.runUntilOver()

	w.wantOpen()
	if w.joined[0].secure.peerKey == [32]byte{} {
		t.Error("it has no key")
	}
}

func TestAClientWithoutAPSKIsTakenWhereItIsOptional(t *testing.T) {
	server, client := handshakeConfig(patternIKpsk1)
	server.PSKOptional = true
	client.Secret = nil
	var proven []bool
	server.Admit = func(a Applicant) Admission {
		proven = append(proven, a.Proven)
		return Admission{}
	}
	w := newHandshakeWorld(t, server, client)

	w.runUntilOver()

	w.wantOpen()
	if !slices.Equal(proven, []bool{false}) {
		t.Errorf("proven: %v", proven)
	}
}

func TestAdmitSeesWhoAsksAndAnswersWithAWelcome(t *testing.T) {
	server, client := handshakeConfig(patternIKpsk1)
	var seen Applicant
	server.Admit = func(a Applicant) Admission {
		a.Hello, a.Key = slices.Clone(a.Hello), slices.Clone(a.Key)
		seen = a
		return Admission{Welcome: []byte("welcome")}
	}
	w := newHandshakeWorld(t, server, client)

	w.runUntilOver()

	key, _ := PublicKey(client.Identity)
	if seen.Addr != w.client || string(seen.Hello) != "hello" || !slices.Equal(seen.Key, key) || !seen.Proven || seen.Token != nil {
		t.Errorf("saw %+v", seen)
	}
	if s := w.wantOpen(); string(s.peer.appData) != "welcome" || s.peer.text != nil {
		t.Errorf("got %+v", s.peer)
	}
}

func TestARefusedClientHearsWhySealed(t *testing.T) {
	for _, c := range []struct {
		verdict Admission
		code    uint16
		text    string
	}{
		{Admission{Status: AdmitRefused, Text: "banned"}, AdmitRefused, "banned"},
		{Admission{Status: 255}, 255, ""},
		{Admission{Status: AdmitKey}, AdmitKey, "not with this key"},
		{Admission{Status: 5}, AdmitRefused, "the server's reason is not one of the protocol's"},
		{Admission{Status: 64, Text: string(make([]byte, 201))}, AdmitRefused, "the server's reason is too long to say"},
		{Admission{Welcome: make([]byte, 513)}, AdmitRefused, "the server's welcome is too large"},
	} {
		server, client := handshakeConfig(patternNK)
		server.Admit = func(Applicant) Admission { return c.verdict }
		w := newHandshakeWorld(t, server, client)

		w.runFor(4 * w.latency)

		r := w.wantFailed(Denied)
		if r.code != c.code || r.text != c.text || !r.sealed || len(w.joined) != 0 {
			t.Errorf("%+v: got %+v", c.verdict, r)
		}
	}
}
