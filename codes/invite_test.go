package codes

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestInvitationIsTheJoinCodeAndTwentyFourSymbolsMore(t *testing.T) {
	for _, v := range vectors {
		addr := netip.MustParseAddrPort(v.addr)

		got, err := Invite(addr, 0x123456789abcdef, 1)
		if err != nil {
			t.Fatal(err)
		}

		// 0x123456789abcdef in twelve symbols of five bits, then 1 in twelve.
		want := plain(v.code) + symbolsOf(0x123456789abcdef) + "000000000001"
		if plain(got) != want {
			t.Errorf("Invite(%v) = %s, want %s", addr, plain(got), want)
		}
	}
}

func TestEveryInvitationComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Target{
			Addr:        drawAddr(t),
			Fingerprint: rapid.Uint64Range(0, maxKeyPart).Draw(t, "fingerprint"),
			Secret:      rapid.Uint64Range(0, maxKeyPart).Draw(t, "secret"),
		}

		code, err := Invite(want.Addr, want.Fingerprint, want.Secret)
		if err != nil {
			t.Fatal(err)
		}

		got, err := Parse(code, 0)
		if err != nil || got != want {
			t.Fatalf("Parse(%s) = %+v, %v, want %+v", code, got, err, want)
		}
		if want.Fingerprint|want.Secret != 0 && got.String() != code {
			t.Fatalf("%+v is shown as %s, want %s", got, got, code)
		}
	})
}

func TestKeyOfMoreThanSixtyBitsIsRefusedAndNotTold(t *testing.T) {
	addr := netip.MustParseAddrPort(vectors[0].addr)
	for _, key := range [][2]uint64{{1 << 60, 0}, {0, 1 << 60}, {0, 0xdeadbeefdeadbeef}} {
		code, err := Invite(addr, key[0], key[1])
		if !errors.Is(err, ErrKey) || code != "" || strings.Contains(err.Error(), "deadbeef") {
			t.Errorf("Invite(%x, %x) = %q, %v", key[0], key[1], code, err)
		}
	}
}

// symbolsOf writes v in twelve symbols, the slow way.
func symbolsOf(v uint64) string {
	text := ""
	for range 12 {
		text = string(Alphabet[v%32]) + text
		v /= 32
	}
	return text
}

func plain(code string) string { return strings.ReplaceAll(code, "-", "") }
