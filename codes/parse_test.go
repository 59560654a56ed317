package codes

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"os"
	"strings"
	"testing"
)

func packageDoc(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// The text of a join code, for ten thousand addresses and every way in which
// it may be typed.
func TestCaseT24(t *testing.T) {
	random := rand.New(rand.NewPCG(24, 1))
	addrs := []netip.AddrPort{
		netip.MustParseAddrPort("0.0.0.0:1"),
		netip.MustParseAddrPort("255.255.255.255:65535"),
		netip.MustParseAddrPort("127.0.0.1:27415"),
		netip.MustParseAddrPort("192.168.1.20:49152"),
	}
	for len(addrs) < 10_004 {
		addrs = append(addrs, randomAddr4(random))
	}

	found, all := 0, 0
	for i, addr := range addrs {
		code := mustJoin(t, addr)
		wantTarget(t, code, Target{Addr: addr})
		for name, spoil := range spoilings {
			if got, err := Parse(spoil(code), 0); err != nil || got.Addr != addr || got.String() != code {
				t.Fatalf("%s: Parse(%q) = %v, %v, want %v", name, spoil(code), got, err, addr)
			}
		}
		if i < 200 {
			f, a := typos(code)
			found, all = found+f, all+a
		}
	}

	share := 100 * float64(found) / float64(all)
	t.Logf("%.2f %% of single-symbol typos found", share)
	if share < 76 || share > 78 {
		t.Errorf("%.2f %% of single-symbol typos found, want 77 ± 1", share)
	}
}

func TestEveryKindOfCodeForgivesHowItIsTyped(t *testing.T) {
	targets := []Target{{Room: "7K01-Q0ZD"}}
	for _, v := range vectors {
		addr := netip.MustParseAddrPort(v.addr)
		targets = append(targets, Target{Addr: addr}, Target{Addr: addr, Fingerprint: 1<<60 - 2, Secret: 0x10fedcba987654})
	}
	for _, want := range targets {
		for name, spoil := range spoilings {
			text := spoil(want.String())
			if got, err := Parse(text, 0); err != nil || got != want {
				t.Errorf("%s: Parse(%q) = %+v, %v, want %+v", name, text, got, err, want)
			}
		}
	}
}

func TestAddressesInFiguresAreTaken(t *testing.T) {
	for text, want := range map[string]string{
		"192.168.1.20":                 "192.168.1.20:5000",
		"192.168.1.20:27415":           "192.168.1.20:27415",
		" \"192.168.1.20:27415\"\n":    "192.168.1.20:27415",
		"192.168.1.20 : 27415":         "192.168.1.20:27415",
		"\u00a0\u201c10.0.0.2\u201d\t": "10.0.0.2:5000",
		"::1":                          "[::1]:5000",
		"[::1]":                        "[::1]:5000",
		"[::1]:27415":                  "[::1]:27415",
		"2001:DB8::1":                  "[2001:db8::1]:5000",
		"[2001:db8::1]:65535":          "[2001:db8::1]:65535",
		"fe80::1%eth-0":                "[fe80::1%eth-0]:5000",
		"::ffff:10.0.0.2":              "10.0.0.2:5000",
		"[::ffff:10.0.0.2]:1":          "10.0.0.2:1",
	} {
		got, err := Parse(text, 5000)
		if err != nil || got != (Target{Addr: netip.MustParseAddrPort(want)}) {
			t.Errorf("Parse(%q) = %+v, %v, want %s", text, got, err, want)
		}
	}
}

func TestAddressWithoutPortGetsTheDefaultPort(t *testing.T) {
	wantTarget(t, "10.0.0.2", Target{Addr: netip.MustParseAddrPort("10.0.0.2:27415")})
}

func TestWhatIsNoCodeIsRefusedWithTheReason(t *testing.T) {
	for text, want := range map[string]error{
		"":                                     ErrEmpty,
		" \t\n\u00a0":                          ErrEmpty,
		"\"\"":                                 ErrEmpty,
		"----":                                 ErrEmpty,
		"R2M02-53B2":                           ErrLength, // 9
		"R2M02-53B2Y-0":                        ErrLength, // 11
		"7":                                    ErrLength,
		strings.Repeat("0", 29):                ErrLength,
		strings.Repeat("0", 31):                ErrLength,
		strings.Repeat("0", 33):                ErrLength,
		strings.Repeat("0", 35):                ErrLength,
		strings.Repeat("0", 53):                ErrLength,
		strings.Repeat("0", 55):                ErrLength,
		strings.Repeat("0", 1<<20):             ErrLength,
		"U2M0253B2Y":                           ErrSymbol,
		"R2M02_53B2Y":                          ErrSymbol,
		"R2M02-53B2\u00dd":                     ErrSymbol,
		"R2M02-53B2\uff39":                     ErrSymbol,
		"R2M02-53B2\xff":                       ErrSymbol,
		"R2M0253B2Z":                           ErrCheck,
		"2RM0253B2Y":                           ErrCheck,
		"400GVE00000000000000000005NHET":       ErrCheck,
		"R2M0253B2Z" + strings.Repeat("0", 24): ErrCheck,
		"0000000000":                           ErrAddress, // port 0
		"localhost:27415":                      ErrAddress,
		"192.168.1":                            ErrAddress,
		"192.168.1.256":                        ErrAddress,
		"192.168.01.2":                         ErrAddress,
		"192.168.1.20:":                        ErrAddress,
		"192.168.1.20:0":                       ErrAddress,
		"192.168.1.20:65536":                   ErrAddress,
		"192.168.1.20:-1":                      ErrAddress,
		"[::1":                                 ErrAddress,
		"::1]":                                 ErrAddress,
		"[::1]27415":                           ErrAddress,
		"[::1]:0":                              ErrAddress,
		"2001:db8::1::":                        ErrAddress,
		"http://10.0.0.2":                      ErrAddress,
		".":                                    ErrAddress,
		strings.Repeat("9.", 1<<20):            ErrAddress,
	} {
		got, err := Parse(text, 27415)
		if !errors.Is(err, want) || got != (Target{}) {
			t.Errorf("Parse(%.40q) = %+v, %v, want %v", text, got, err, want)
		}
		if err != nil && len(err.Error()) > 200 {
			t.Errorf("Parse(%.40q) fails with %d bytes of words", text, len(err.Error()))
		}
	}
}

func TestParseAddrTakesNoRoomCode(t *testing.T) {
	if got, err := ParseAddr("7k3m q0zd", 0); !errors.Is(err, ErrRoom) || got.IsValid() {
		t.Errorf("got %v, %v, want %v", got, err, ErrRoom)
	}
	if got, err := ParseAddr(vectors[1].code, 0); err != nil || got.String() != vectors[1].addr {
		t.Errorf("got %v, %v, want %s", got, err, vectors[1].addr)
	}
	if _, err := ParseAddr("R2M02-53B2Z", 0); !errors.Is(err, ErrCheck) {
		t.Errorf("got %v, want %v", err, ErrCheck)
	}
}

func TestTargetWithoutACodeIsShownAsItsAddress(t *testing.T) {
	wantTarget(t, "[fe80::1%eth0]:5", Target{Addr: netip.MustParseAddrPort("[fe80::1%eth0]:5")})
	for _, want := range []string{"[fe80::1%eth0]:5", "invalid AddrPort"} {
		addr, _ := netip.ParseAddrPort(want)
		if got := (Target{Addr: addr}).String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// FuzzParse: whatever is read is shown as a text that reads the same, and
// whatever is not read leaves nothing behind.
func FuzzParse(f *testing.F) {
	for _, v := range vectors {
		f.Add(v.addr, uint16(0))
		f.Add(v.code, uint16(1))
	}
	f.Add("\u201c7k3m q0zd\u201d", uint16(2))
	f.Add("R2M02-53B2Y-01234-56789-ABCDE-FGHJK-MNPQ", uint16(3))
	f.Add("[fe80::1%a-b]:5", uint16(4))

	f.Fuzz(func(t *testing.T, text string, port uint16) {
		got, err := Parse(text, port)
		if err != nil {
			if got != (Target{}) {
				t.Fatalf("Parse(%q) = %+v beside %v", text, got, err)
			}
			return
		}
		if IsRoom(text) != (got.Room != "") {
			t.Fatalf("Parse(%q) = %+v, and IsRoom is %v", text, got, IsRoom(text))
		}
		if got.Room == "" && got.Addr.Port() == 0 {
			t.Fatalf("Parse(%q) gives port 0", text)
		}
		wantTarget(t, got.String(), got)
	})
}
