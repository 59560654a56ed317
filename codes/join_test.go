package codes

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestKnownAddressesHaveTheirCodes(t *testing.T) {
	for _, v := range vectors {
		addr := netip.MustParseAddrPort(v.addr)
		if got := mustJoin(t, addr); got != v.code {
			t.Errorf("Join(%v) = %s, want %s", addr, got, v.code)
		}
		wantTarget(t, v.code, Target{Addr: addr})
	}
}

func TestEveryAddressComesBackFromItsCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		addr := drawAddr(t)

		code, err := Join(addr)
		if err != nil {
			t.Fatalf("Join(%v): %v", addr, err)
		}

		got, err := Parse(code, 0)
		if err != nil || got != (Target{Addr: addr}) || got.String() != code {
			t.Fatalf("Parse(%s) = %v, %v, want %v", code, got, err, addr)
		}
	})
}

func TestEveryPortHasACode(t *testing.T) {
	for port := 1; port <= 65535; port++ {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 168, 1, 20}), uint16(port))
		wantTarget(t, mustJoin(t, addr), Target{Addr: addr})
	}
}

func TestMappedAddressHasTheCodeOfTheIPv4Address(t *testing.T) {
	if got := mustJoin(t, netip.MustParseAddrPort("[::ffff:127.0.0.1]:27415")); got != vectors[0].code {
		t.Errorf("got %s, want %s", got, vectors[0].code)
	}
}

func TestAddressThatNobodyElseCanUseHasNoCode(t *testing.T) {
	for _, addr := range []netip.AddrPort{
		{},
		netip.MustParseAddrPort("192.168.1.20:0"),
		netip.MustParseAddrPort("[fe80::1%eth0]:27415"),
	} {
		if code, err := Join(addr); !errors.Is(err, ErrAddress) || code != "" {
			t.Errorf("Join(%v) = %q, %v, want %v", addr, code, err, ErrAddress)
		}
		if code, err := Invite(addr, 1, 2); !errors.Is(err, ErrAddress) || code != "" {
			t.Errorf("Invite(%v) = %q, %v, want %v", addr, code, err, ErrAddress)
		}
	}
}

func TestCheckFindsTheDocumentedShareOfTypos(t *testing.T) {
	for _, c := range []struct {
		code, documented string
		want             float64
	}{
		{vectors[1].code, "77 % of the single mistyped symbols of an IPv4 code", 77},
		{vectors[6].code, "99.9 % of an\n// IPv6 code's", 99.9},
	} {
		found, all := typos(c.code)
		got := 100 * float64(found) / float64(all)
		t.Logf("%s: %d of %d single typos found, %.2f %%", c.code, found, all, got)
		if got < c.want-1 || got > c.want+1 {
			t.Errorf("%s: %.2f %% of typos found, want %v ± 1", c.code, got, c.want)
		}
		if doc := packageDoc(t); !strings.Contains(doc, c.documented) {
			t.Errorf("the package comment does not say %q", c.documented)
		}
	}
}

func TestCodeOfPortZeroIsRefused(t *testing.T) {
	port0 := join4(netip.AddrFrom4([4]byte{10, 0, 0, 2}), 0)

	if got, err := Parse(port0.String(), 27415); !errors.Is(err, ErrAddress) || got != (Target{}) {
		t.Errorf("got %+v, %v, want %v", got, err, ErrAddress)
	}
}

func TestLongCodeOfAnIPv4AddressGivesTheIPv4Address(t *testing.T) {
	mapped := join6(netip.MustParseAddr("::ffff:127.0.0.1"), 27415)

	wantTarget(t, mapped.String(), Target{Addr: netip.MustParseAddrPort("127.0.0.1:27415")})
}
