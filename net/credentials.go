package netmsg

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/crypto/chacha20poly1305"
)

var (
	errIdentity    = fmt.Errorf("netmsg: Config.Identity has not %d bytes", keySize)
	errHello       = fmt.Errorf("netmsg: Config.Hello is over %d bytes", maxAppData)
	errTokenSize   = fmt.Errorf("netmsg: Config.Token has not %d to %d bytes", minTokenSize, maxTokenSize)
	errTokenPSK    = errors.New("netmsg: Config.Token without the PSK that belongs to it")
	errPSK         = fmt.Errorf("netmsg: Config.PSK has not %d bytes", keySize)
	errShortSecret = fmt.Errorf("netmsg: a secret of %d bytes needs the server's key or fingerprint beside it", shortSecret)
)

// checkSecrets says which key or secret of a Config is unusable, whichever side
// it is for.
func (c *Config) checkSecrets() error {
	if _, err := c.psk(); err != nil {
		return err
	}
	if _, err := c.tokenKeys(); err != nil {
		return err
	}
	if c.ServerKey != nil {
		if _, err := publicKeyOf(c.ServerKey); err != nil {
			return err
		}
	}
	switch {
	case c.Identity != nil && len(c.Identity) != keySize:
		return errIdentity
	case len(c.Hello) > maxAppData:
		return errHello
	case c.Token != nil && (len(c.Token) < minTokenSize || len(c.Token) > maxTokenSize):
		return errTokenSize
	case c.Token != nil && c.Secret == nil && c.PSK == nil:
		return errTokenPSK
	}
	return nil
}

// psk is the psk that a Config gives; nil: none.
func (c *Config) psk() ([]byte, error) {
	switch {
	case c.PSK != nil && len(c.PSK) != keySize:
		return nil, errPSK
	case c.PSK != nil:
		return c.PSK, nil
	case c.Secret != nil:
		return pskOf(c.Secret, c.AppID)
	}
	return nil, nil
}

// clientTerms are what a client brings to a handshake and what it insists on,
// from its Config. No Challenge changes them.
type clientTerms struct {
	app   [8]byte
	id    *identity // nil: it proves none, or one made new where the server asks for one
	psk   []byte    // nil: it knows none
	token []byte    // nil: it has none

	key         *[keySize]byte // the server's, pinned; nil: not known
	fingerprint uint64         // of the server's key, if only that is known; 0: not known
}

func newClientTerms(cfg *Config) (t clientTerms, err error) {
	if err := cfg.checkSecrets(); err != nil {
		return t, err
	}
	t = clientTerms{app: cfg.AppID, token: cfg.Token, fingerprint: cfg.Fingerprint}
	if cfg.ServerKey != nil {
		t.key = (*[keySize]byte)(slices.Clone(cfg.ServerKey))
	}
	if cfg.PSK == nil && len(cfg.Secret) == shortSecret && t.key == nil && t.fingerprint == 0 {
		return t, errShortSecret
	}
	if cfg.Identity != nil {
		id, err := identityOf(cfg.Identity)
		if err != nil {
			return t, err
		}
		t.id = &id
	}
	t.psk, err = cfg.psk()
	return t, err
}

// hint is what the Request says of the server's key.
func (t *clientTerms) hint() (hint [8]byte) {
	if t.key != nil {
		return keyHint(t.key)
	}
	return hint
}

// fits says whether a server's key is what this client knows of it.
func (t *clientTerms) fits(key *[keySize]byte) bool {
	if t.key != nil {
		return *key == *t.key
	}
	return t.fingerprint == 0 || Fingerprint(key[:]) == t.fingerprint
}

// knows says whether the server is proven to be the one that was meant:
// otherwise its key is trusted because it came first.
func (t *clientTerms) knows() bool { return t.key != nil || t.fingerprint != 0 || t.psk != nil }

// patternUnder is the pattern to use under a server's demands; false when they
// do not allow what this client must use.
func (t *clientTerms) patternUnder(d demands) (pattern, bool) {
	if d.token && t.token == nil {
		return 0, false
	}
	p := patternFor(t.id != nil, t.psk != nil)
	if d.patterns&p.bit() == 0 { // a key made on the spot will do
		p = patternFor(true, t.psk != nil)
	}
	return p, d.patterns&p.bit() != 0
}

// serverTerms are what a server is and what it asks of its clients, from its
// Config.
type serverTerms struct {
	app     [8]byte
	id      identity
	psk     []byte    // the invitation's; nil: none
	tokens  tokenKeys // nil: it takes none
	demands demands
}

func newServerTerms(cfg *Config, random io.Reader) (t serverTerms, err error) {
	if err := cfg.checkSecrets(); err != nil {
		return t, err
	}
	t.app = cfg.AppID
	if t.psk, err = cfg.psk(); err != nil {
		return t, err
	}
	if t.tokens, err = cfg.tokenKeys(); err != nil {
		return t, err
	}
	if cfg.Identity != nil {
		t.id, err = identityOf(cfg.Identity)
	} else {
		t.id, err = newIdentity(random)
	}
	t.demands = t.demandsOf(cfg)
	return t, err
}

// demandsOf: who has a psk or a token key asks for it unless it is optional. A
// token is required where there is no psk that would do as well.
func (t *serverTerms) demandsOf(cfg *Config) demands {
	d := demands{revision: revision, patterns: allPatterns}
	if (t.psk != nil || t.tokens != nil) && !cfg.PSKOptional {
		d.patterns &= patternNKpsk0.bit() | patternIKpsk1.bit()
		d.token = t.psk == nil
	}
	if cfg.NeedKey {
		d.patterns &= patternIK.bit() | patternIKpsk1.bit()
	}
	return d
}

// tokenKeys are the keys that open tokens; nil: there are none.
func (c *Config) tokenKeys() (tokenKeys, error) {
	if c.TokenKey == nil && len(c.TokenKeys) == 0 {
		return nil, nil
	}
	keys := tokenKeys{}
	for number, key := range c.TokenKeys {
		if err := keys.add("TokenKeys", number, key); err != nil {
			return nil, err
		}
	}
	if c.TokenKey == nil {
		return keys, nil
	}
	return keys, keys.add("TokenKey", 0, c.TokenKey)
}

func (k tokenKeys) add(field string, number uint8, key []byte) error {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return fmt.Errorf("netmsg: Config.%s has a key of %d bytes, must be %d", field, len(key), keySize)
	}
	k[number] = aead
	return nil
}
