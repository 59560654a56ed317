package netmsg

import (
	"bytes"
	"testing"
)

func TestATokenIsRequiredWhereNoSecretWouldDo(t *testing.T) {
	for name, c := range map[string]struct {
		server Config
		want   demands
	}{
		"nothing":          {Config{}, demands{1, allPatterns, false}},
		"a secret":         {Config{Secret: filled(10, 0)}, demands{1, 1<<2 | 1<<4, false}},
		"a psk":            {Config{PSK: filled(32, 0)}, demands{1, 1<<2 | 1<<4, false}},
		"a token key":      {Config{TokenKey: filled(32, 0)}, demands{1, 1<<2 | 1<<4, true}},
		"token and secret": {Config{TokenKey: filled(32, 0), Secret: filled(10, 0)}, demands{1, 1<<2 | 1<<4, false}},
		"optional":         {Config{TokenKey: filled(32, 0), PSKOptional: true}, demands{1, allPatterns, false}},
		"keys":             {Config{NeedKey: true}, demands{1, 1<<3 | 1<<4, false}},
		"keys and secret":  {Config{NeedKey: true, Secret: filled(10, 0)}, demands{1, 1 << 4, false}},
	} {
		terms, err := newServerTerms(&c.server, seeded(1))
		if err != nil || terms.demands != c.want {
			t.Errorf("%s: demands %+v, %v", name, terms.demands, err)
		}
	}
}

func TestUnusableServerConfigsAreErrors(t *testing.T) {
	for name, cfg := range map[string]*Config{
		"a short identity":       {Identity: filled(31, 0)},
		"a short secret":         {Secret: filled(9, 0)},
		"a short psk":            {PSK: filled(31, 0)},
		"a short token key":      {TokenKey: filled(31, 0)},
		"a short numbered key":   {TokenKeys: map[uint8][]byte{1: filled(31, 0)}},
		"a source without bytes": {Random: bytes.NewReader(nil)},
	} {
		if _, err := newSecureGate(cfg, [16]byte{}, 0, 0); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
