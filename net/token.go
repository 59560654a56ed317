package netmsg

import (
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/chacha20poly1305"
)

// A connect token lets a login service admit a player to a set of servers that
// it shares a 32-byte token key with, without the servers asking it. The
// service gives the player the token, its psk, and each server's address and
// static public key; the player shows the token in its Response and proves the
// psk in the Noise message behind it. PROTOCOL.md, Connect tokens.
//
//	1  version 1        1  key number     2  zeros      8  expiry, Unix seconds
//	24 nonce            rest: the sealed claims, tag last

const (
	tokenVersion   = 1
	tokenHeader    = 36                                      // before the sealed claims
	tokenSealed    = tokenHeader + chacha20poly1305.Overhead // what is not claims
	minTokenClaims = 16 + 8 + 32 + 8 + 1 + 2
	minTokenSize   = tokenSealed + minTokenClaims                                     // 119
	maxTokenSize   = minTokenSize + maxTokenAudience*tokenAudienceSize + maxTokenData // 439

	maxTokenAudience  = 4
	tokenAudienceSize = 16
	maxTokenData      = 256

	maxTokenLife = 24 * 60 * 60 // seconds from issue to expiry
	maxTokenSkew = 60           // seconds that a service's clock may be ahead
)

// TokenClaims is what a connect token says.
type TokenClaims struct {
	ID       [16]byte   // a token admits one connection at a time: the newest with this id; zeros: MintToken draws it
	Client   uint64     // the player, in the service's numbering
	PSK      []byte     // 32 random bytes that the player gets beside the token; nil: MintToken draws them
	Issued   int64      // Unix seconds
	Expires  int64      // Unix seconds, at most a day after Issued; the token is good before this second
	Audience [][16]byte // TokenAudience of the servers it is for, at most 4; none: any that has the key
	Data     []byte     // the service's own words to the server, at most 256 bytes
}

// TokenAudience names a server in a token: the first 16 bytes of the SHA-256
// of its static public key.
func TokenAudience(serverKey []byte) [16]byte {
	sum := sha256.Sum256(serverKey)
	return [16]byte(sum[:16])
}

// MintToken seals a connect token with a token key of 32 bytes, which servers
// know by number (0 for Config.TokenKey). What c leaves out is drawn from
// random, which is crypto/rand.Reader but in tests. It gives the token, 119 to
// 439 bytes, and the psk that goes with it to the player. Claims that no server would take are an error.
func MintToken(key []byte, number uint8, app [8]byte, c TokenClaims, random io.Reader) (token, psk []byte, err error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, nil, fmt.Errorf("netmsg: a token key has %d bytes: %w", chacha20poly1305.KeySize, err)
	}
	if c.PSK == nil {
		c.PSK = make([]byte, keySize)
		if _, err := io.ReadFull(random, c.PSK); err != nil {
			return nil, nil, err
		}
	}
	if c.ID == ([16]byte{}) {
		if _, err := io.ReadFull(random, c.ID[:]); err != nil {
			return nil, nil, err
		}
	}
	token = append(make([]byte, 0, maxTokenSize), tokenVersion, number, 0, 0)
	token = binary.BigEndian.AppendUint64(token, uint64(c.Expires))
	token = token[:tokenHeader]
	if _, err := io.ReadFull(random, token[12:]); err != nil {
		return nil, nil, err
	}
	return aead.Seal(token, token[12:tokenHeader], appendClaims(nil, &c), tokenData(token, app)), c.PSK, nil
}

var (
	errTokenLife  = errors.New("netmsg: a token expires after it is issued, by a day at most")
	errTokenLimit = errors.New("netmsg: a token has a psk of 32 bytes, at most 4 audiences and 256 bytes of data")
)

func (c *TokenClaims) check() error {
	if c.Issued < 0 || c.Expires <= c.Issued || c.Expires-c.Issued > maxTokenLife {
		return errTokenLife
	}
	if c.PSK != nil && len(c.PSK) != keySize || len(c.Audience) > maxTokenAudience || len(c.Data) > maxTokenData {
		return errTokenLimit
	}
	return nil
}

// tokenData is the data that a token's seal covers beside the claims.
func tokenData(token []byte, app [8]byte) []byte {
	b := append([]byte("NMS2 token"), token[:tokenHeader]...)
	return append(b, app[:]...)
}

func appendClaims(b []byte, c *TokenClaims) []byte {
	b = append(b, c.ID[:]...)
	b = binary.BigEndian.AppendUint64(b, c.Client)
	b = append(b, c.PSK...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Issued))
	b = append(b, byte(len(c.Audience)))
	for _, a := range c.Audience {
		b = append(b, a[:]...)
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(c.Data)))
	return append(b, c.Data...)
}

// parseClaims reads the private part of a token. Its slices are slices of b.
func parseClaims(b []byte) (c TokenClaims, ok bool) {
	if len(b) < minTokenClaims {
		return c, false
	}
	c.ID = [16]byte(b)
	c.Client = binary.BigEndian.Uint64(b[16:])
	c.PSK = b[24:56:56]
	c.Issued = int64(binary.BigEndian.Uint64(b[56:]))
	audiences := int(b[64])
	rest := b[65:]
	if audiences > maxTokenAudience || len(rest) < audiences*tokenAudienceSize+2 {
		return c, false
	}
	for range audiences {
		c.Audience = append(c.Audience, [16]byte(rest))
		rest = rest[tokenAudienceSize:]
	}
	size := int(binary.BigEndian.Uint16(rest))
	c.Data = rest[2:]
	return c, size == len(c.Data) && size <= maxTokenData
}

// tokenKeys are the keys that a server opens tokens with, by their number.
type tokenKeys map[uint8]cipher.AEAD

// open opens a token and says whether a server with this static key takes it
// at this time, Unix seconds. The claims are the caller's to keep.
func (k tokenKeys) open(token []byte, app [8]byte, server *[keySize]byte, unix int64) (TokenClaims, bool) {
	if len(token) < minTokenSize || len(token) > maxTokenSize || token[0] != tokenVersion || token[2]|token[3] != 0 {
		return TokenClaims{}, false
	}
	aead := k[token[1]]
	if aead == nil {
		return TokenClaims{}, false
	}
	private, err := aead.Open(nil, token[12:tokenHeader], token[tokenHeader:], tokenData(token, app))
	if err != nil {
		return TokenClaims{}, false
	}
	c, ok := parseClaims(private)
	c.Expires = int64(binary.BigEndian.Uint64(token[4:]))
	return c, ok && c.check() == nil && c.current(unix) && c.meant(server)
}

// current says whether the token is good at unix, for a service whose clock
// may be a little ahead.
func (c *TokenClaims) current(unix int64) bool {
	return unix < c.Expires && c.Issued-unix <= maxTokenSkew
}

// meant says whether the server is one of those it is for.
func (c *TokenClaims) meant(server *[keySize]byte) bool {
	if len(c.Audience) == 0 {
		return true
	}
	own := TokenAudience(server[:])
	for _, a := range c.Audience {
		if a == own {
			return true
		}
	}
	return false
}
