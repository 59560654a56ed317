package netmsg

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"strconv"
	"testing"
	"time"
)

func TestVectorNKHandshake(t *testing.T)     { testHandshakeVector(t, "NK", patternNK) }
func TestVectorNKpsk0Handshake(t *testing.T) { testHandshakeVector(t, "NKpsk0", patternNKpsk0) }
func TestVectorIKHandshake(t *testing.T)     { testHandshakeVector(t, "IK", patternIK) }
func TestVectorIKpsk1Handshake(t *testing.T) { testHandshakeVector(t, "IKpsk1", patternIKpsk1) }

// testHandshakeVector plays both sides of a handshake with the vectors' keys,
// and the packets that follow it.
func testHandshakeVector(t *testing.T, name string, p pattern) {
	v := readVectors(t, name)
	server, client := v.identity(t, "server"), v.identity(t, "client")
	var psk []byte
	if p.psk() {
		psk = v.bytes(t, "psk")
	}

	// Challenge.
	asked := vectorHello(t, v)
	c := challenge{demands: demands{revision: 1, patterns: p.bit()}, salt: asked.salt, key: server.public}
	c.cookie = binary.BigEndian.Uint64(v.bytes(t, "cookie"))
	v.want(t, "challenge", appendChallenge(nil, &c))
	if got, ok := parseChallenge(v.bytes(t, "challenge")); !ok || got != c {
		t.Errorf("the challenge reads as %+v, %v", got, ok)
	}

	// Response: its header is the prologue of Noise.
	r := response{hello: asked, cookie: c.cookie, demands: c.demands, pattern: p}
	noise1 := v.bytes(t, "noise_1")
	header := appendResponseHeader(nil, &r, len(noise1))
	v.want(t, "response_header", header)
	prologue := appendPrologue(nil, header)
	cn, err := newClientNoise(p, prologue, &c.key, &client, psk, v.bytes(t, "noise_payload_1"), bytes.NewReader(v.bytes(t, "client_ephemeral_private")))
	if err != nil {
		t.Fatal(err)
	}
	v.want(t, "noise_1", cn.message)
	got, ok := parseResponse(appendResponse(nil, header, cn.message))
	if !ok || !bytes.Equal(got.header, header) || !bytes.Equal(got.noise, noise1) || got.hello != asked || got.pattern != p {
		t.Fatalf("the response reads as %+v, %v", got, ok)
	}

	// Accept.
	sn, payload1, ok := openNoise(p, prologue, &server, psk, noise1, bytes.NewReader(v.bytes(t, "server_ephemeral_private")))
	if !ok {
		t.Fatal("message 1 does not verify")
	}
	v.want(t, "noise_payload_1", payload1)
	if p.key() && sn.clientKey != client.public {
		t.Errorf("the client's key reads as %x", sn.clientKey)
	}
	accept, keys, err := sn.answer(appendAcceptHeader(nil, asked.salt), v.bytes(t, "noise_payload_2"))
	if err != nil {
		t.Fatal(err)
	}
	v.want(t, "accept", accept)
	salt, noise2, ok := parseAccept(accept)
	if !ok || salt != asked.salt {
		t.Errorf("the accept reads as salt %x, %v", salt, ok)
	}
	payload2, clientKeys, ok := cn.read(noise2)
	if !ok || clientKeys != keys {
		t.Errorf("message 2 reads as %v with keys %x, want %x", ok, clientKeys, keys)
	}
	v.want(t, "noise_payload_2", payload2)
	v.want(t, "key_c2s", keys.toServer[:])
	v.want(t, "key_s2c", keys.toClient[:])
	v.want(t, "channel_binding", keys.binding[:])

	// Packets.
	cid1, _, ok1 := parseClientHello(payload1)
	_, cid2, _, ok2 := parseVerdict(payload2)
	if !ok1 || !ok2 {
		t.Fatal("a payload is malformed")
	}
	toServer, toClient := newSealer(keys.toServer), newSealer(keys.toClient)
	wantPacket(t, v, "packet_c2s_0", &toServer, cid2, 0, []byte{1})
	wantPacket(t, v, "packet_c2s_65536", &toServer, cid2, 65536, []byte{1})
	wantPacket(t, v, "packet_s2c_0", &toClient, cid1, 0, []byte("\x02\x00\x00\x00\x0a\x49\x00\x00hello"))
}

func wantPacket(t *testing.T, v vectorSet, name string, s *sealer, cid uint32, number uint64, frames []byte) {
	t.Helper()
	b := make([]byte, sealedHeader, 100)
	putSealedHeader(b, cid, number)
	v.want(t, name, s.seal(append(b, frames...), number))
}

func vectorHello(t *testing.T, v vectorSet) helloCore {
	return helloCore{
		low: 1, high: 1,
		salt: [8]byte(v.bytes(t, "salt")),
		app:  [8]byte(v.bytes(t, "app_id")),
		hint: [8]byte(v.bytes(t, "key_hint")),
	}
}

func TestVectorRequestAndCookie(t *testing.T) {
	v := readVectors(t, "NK")
	asked := vectorHello(t, v)
	step, err := strconv.ParseInt(v["time_step"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Duration(step) * cookieStep

	request := appendRequest(nil, &asked)
	jar := newCookieJar([16]byte(v.bytes(t, "cookie_key")), nil, now)
	cookie := jar.make(now, netip.MustParseAddrPort(v["client_address"]), request[5:32])

	v.want(t, "request", request[:32])
	if len(request) != 1200 || !bytes.Equal(request[32:], make([]byte, 1168)) {
		t.Errorf("the request has %d bytes: % x", len(request), request[32:])
	}
	if got, ok := parseRequest(request); !ok || got != asked {
		t.Errorf("the request reads as %+v, %v", got, ok)
	}
	v.want(t, "cookie", binary.BigEndian.AppendUint64(nil, cookie))
}

func TestVectorIdentityAndKeyHint(t *testing.T) {
	v := readVectors(t, "NK")
	for _, name := range []string{"server", "client"} {
		id := v.identity(t, name)
		v.want(t, name+"_static_public", id.public[:])
	}
	server := v.identity(t, "server")
	hint := keyHint(&server.public)
	v.want(t, "key_hint", hint[:])
}

func TestVectorParameters(t *testing.T) {
	v := readVectors(t, "NK")

	cid, client, ok := parseClientHello(v.bytes(t, "noise_payload_1"))
	wantClient := defaultParams
	wantClient.appData = []byte("hello")
	if !ok || cid != 0x8a0b0c0d || !sameParams(client, wantClient) {
		t.Errorf("payload 1 reads as %x %+v, %v", cid, client, ok)
	}

	status, cid, server, ok := parseVerdict(v.bytes(t, "noise_payload_2"))
	wantServer := defaultParams
	wantServer.clock, wantServer.hasClock = 1234567890, true
	wantServer.appData = []byte("welcome")
	if !ok || status != 0 || cid != 0x91929394 || !sameParams(server, wantServer) {
		t.Errorf("payload 2 reads as %d %x %+v, %v", status, cid, server, ok)
	}
	v.want(t, "noise_payload_2", appendVerdict(nil, 0, cid, &server))
}

func TestVectorToken(t *testing.T) {
	v := readVectors(t, "token")
	key, app := v.bytes(t, "token_key"), [8]byte(v.bytes(t, "app_id"))
	server := v.identity(t, "server")
	claims := TokenClaims{
		ID:     [16]byte(filled(16, 0x10)),
		Client: 42,
		PSK:    v.bytes(t, "psk"),
		Issued: 0x6553f0c4, Expires: 0x6553f100,
		Audience: [][16]byte{TokenAudience(server.public[:])},
		Data:     []byte("vip"),
	}

	v.want(t, "token_private", appendClaims(nil, &claims))
	token, psk, err := MintToken(key, 7, app, claims, bytes.NewReader(filled(24, 0xe0)))
	if err != nil || !bytes.Equal(psk, claims.PSK) {
		t.Fatalf("psk %x, %v", psk, err)
	}
	v.want(t, "token", token)
	got, ok := testTokenKeys(t, 7, key).open(token, app, &server.public, claims.Issued)
	if !ok || !bytes.Equal(appendClaims(nil, &got), v.bytes(t, "token_private")) || got.Expires != claims.Expires {
		t.Errorf("the token opens as %+v, %v", got, ok)
	}
}
