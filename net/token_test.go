package netmsg

import (
	"bytes"
	"encoding/binary"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
)

func testTokenKeys(t *testing.T, number uint8, key []byte) tokenKeys {
	t.Helper()
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		t.Fatal(err)
	}
	return tokenKeys{number: aead}
}

// A tokenCase is a service, a server and a token that the server takes.
type tokenCase struct {
	key    []byte
	app    [8]byte
	server identity
	claims TokenClaims
}

func newTokenCase(t *testing.T) *tokenCase {
	server, err := identityOf(filled(32, 3))
	if err != nil {
		t.Fatal(err)
	}
	return &tokenCase{
		key: filled(32, 9), app: [8]byte(filled(8, 1)), server: server,
		claims: TokenClaims{Client: 7, Issued: 1_000_000, Expires: 1_000_600, Data: []byte("data")},
	}
}

func (c *tokenCase) mint(t *testing.T) []byte {
	t.Helper()
	token, _, err := MintToken(c.key, 2, c.app, c.claims, seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (c *tokenCase) open(t *testing.T, token []byte, unix int64) (TokenClaims, bool) {
	t.Helper()
	return testTokenKeys(t, 2, c.key).open(token, c.app, &c.server.public, unix)
}

func TestTokenOpensToItsClaims(t *testing.T) {
	c := newTokenCase(t)
	c.claims.Audience = [][16]byte{{1}, {2}, {3}, TokenAudience(c.server.public[:])}
	c.claims.Data = filled(256, 0)

	token, psk, err := MintToken(c.key, 2, c.app, c.claims, seeded(1))
	got, ok := c.open(t, token, 1_000_000)

	if err != nil || !ok || len(token) != maxTokenSize {
		t.Fatalf("a token of %d bytes opens: %v; %v", len(token), ok, err)
	}
	if !bytes.Equal(got.PSK, psk) || len(psk) != 32 || got.ID == [16]byte{} || got.Client != 7 || len(got.Audience) != 4 ||
		!bytes.Equal(got.Data, c.claims.Data) || got.Issued != 1_000_000 || got.Expires != 1_000_600 {
		t.Errorf("got %+v, psk %x", got, psk)
	}
}

func TestTokenIsRefusedOutsideItsTime(t *testing.T) {
	c := newTokenCase(t)
	token := c.mint(t)
	for unix, want := range map[int64]bool{
		999_939: false, 999_940: true, 1_000_000: true, 1_000_599: true, 1_000_600: false, 0: false,
	} {
		if _, ok := c.open(t, token, unix); ok != want {
			t.Errorf("at %d: taken %v, want %v", unix, ok, want)
		}
	}
}

func TestTokenIsForItsAppItsServersAndItsKeyAlone(t *testing.T) {
	c := newTokenCase(t)
	c.claims.Audience = [][16]byte{TokenAudience(c.server.public[:])}
	token := c.mint(t)
	other := filled(32, 77)

	if _, ok := testTokenKeys(t, 3, c.key).open(token, c.app, &c.server.public, 1_000_000); ok {
		t.Error("taken under another key number")
	}
	if _, ok := testTokenKeys(t, 2, other).open(token, c.app, &c.server.public, 1_000_000); ok {
		t.Error("taken under another key")
	}
	if _, ok := testTokenKeys(t, 2, c.key).open(token, [8]byte{}, &c.server.public, 1_000_000); ok {
		t.Error("taken for another app")
	}
	if _, ok := testTokenKeys(t, 2, c.key).open(token, c.app, (*[32]byte)(other), 1_000_000); ok {
		t.Error("taken by a server that it is not for")
	}
	if _, ok := c.open(t, token, 1_000_000); !ok {
		t.Error("not taken where it belongs")
	}
}

func TestTokenWithAnyBitFlippedIsRefused(t *testing.T) {
	c := newTokenCase(t)
	token := c.mint(t)
	for i := range len(token) * 8 {
		token[i/8] ^= 1 << (i % 8)
		if _, ok := c.open(t, token, 1_000_000); ok {
			t.Errorf("taken with bit %d flipped", i)
		}
		token[i/8] ^= 1 << (i % 8)
	}
}

func TestClaimsThatNoServerTakesAreNotMinted(t *testing.T) {
	for name, change := range map[string]func(*TokenClaims){
		"expired when issued": func(c *TokenClaims) { c.Expires = c.Issued },
		"good for over a day": func(c *TokenClaims) { c.Expires = c.Issued + maxTokenLife + 1 },
		"issued before 1970":  func(c *TokenClaims) { c.Issued = -1 },
		"a short psk":         func(c *TokenClaims) { c.PSK = filled(31, 0) },
		"five audiences":      func(c *TokenClaims) { c.Audience = make([][16]byte, 5) },
		"257 bytes of data":   func(c *TokenClaims) { c.Data = make([]byte, 257) },
	} {
		c := newTokenCase(t)
		change(&c.claims)
		if _, _, err := MintToken(c.key, 0, c.app, c.claims, seeded(1)); err == nil {
			t.Errorf("%s: minted", name)
		}
	}
	c := newTokenCase(t)
	if _, _, err := MintToken(c.key[:31], 0, c.app, c.claims, seeded(1)); err == nil {
		t.Error("minted with a key of 31 bytes")
	}
}

func TestATokenThatIsGoodForTooLongIsRefused(t *testing.T) {
	for expires, want := range map[int64]bool{1_000_000 + maxTokenLife: true, 1_000_000 + maxTokenLife + 1: false} {
		c := newTokenCase(t)
		c.claims.PSK, c.claims.Expires = filled(32, 0), expires
		keys := testTokenKeys(t, 2, c.key)
		head := append(make([]byte, 0, tokenHeader), tokenVersion, 2, 0, 0)
		head = binary.BigEndian.AppendUint64(head, uint64(expires))[:tokenHeader]
		token := keys[2].Seal(head, head[12:], appendClaims(nil, &c.claims), tokenData(head, c.app))
		if _, ok := c.open(t, token, 1_000_000); ok != want {
			t.Errorf("until %d: taken %v, want %v", expires, ok, want)
		}
	}
}

// FuzzToken opens any bytes, and any claims sealed as a service that is mad
// would seal them.
func FuzzToken(f *testing.F) {
	v := TokenClaims{PSK: filled(32, 0), Issued: 1, Expires: 2, Audience: make([][16]byte, 1), Data: []byte("x")}
	f.Add(appendClaims(nil, &v), int64(2))
	f.Add([]byte("\x01\x02\x00\x00"), int64(0))
	f.Fuzz(func(t *testing.T, b []byte, expires int64) {
		key, app := filled(32, 9), [8]byte{}
		keys := testTokenKeys(t, 2, key)
		var server [32]byte
		keys.open(b, app, &server, 1)

		head := append(make([]byte, 0, tokenHeader), 1, 2, 0, 0)
		head = binary.BigEndian.AppendUint64(head, uint64(expires))[:tokenHeader]
		token := keys[2].Seal(head, head[12:], b, tokenData(head, app))
		c, ok := keys.open(token, app, &server, 1)
		if !ok {
			return
		}
		if c.check() != nil || !bytes.Equal(appendClaims(nil, &c), b) {
			t.Errorf("%x opens as %+v", b, c)
		}
	})
}
