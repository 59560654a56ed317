package codes

import (
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// vectors are addresses with the codes that every implementation must give.
var vectors = []struct{ addr, code string }{
	{"127.0.0.1:27415", "FW000-0BB2Y"},
	{"192.168.1.20:27415", "R2M02-53B2Y"},
	{"10.0.0.2:27415", "18000-0KB2W"},
	{"203.0.113.7:60000", "SC072-1ZAC1"},
	{"255.255.255.255:65535", "ZZZZZ-ZZZZY"},
	{"0.0.0.0:1", "00000-00005"},
	{"[2001:db8::1]:27415", "400GV-E0000-00000-00000-00000-5NHES"},
}

func randomAddr4(random *rand.Rand) netip.AddrPort {
	v := random.Uint32()
	ip := netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
	return netip.AddrPortFrom(ip, uint16(1+random.IntN(65535)))
}

func drawAddr(t *rapid.T) netip.AddrPort {
	n := 4
	if rapid.Bool().Draw(t, "IPv6") {
		n = 16
	}
	ip, _ := netip.AddrFromSlice(rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "ip"))
	return netip.AddrPortFrom(ip.Unmap(), rapid.Uint16Min(1).Draw(t, "port"))
}

func mustJoin(t testing.TB, addr netip.AddrPort) string {
	t.Helper()
	code, err := Join(addr)
	if err != nil {
		t.Fatalf("Join(%v): %v", addr, err)
	}
	return code
}

// wantTarget fails unless text reads as want.
func wantTarget(t testing.TB, text string, want Target) {
	t.Helper()
	got, err := Parse(text, 0)
	if err != nil || got != want {
		t.Fatalf("Parse(%q) = %+v, %v, want %+v", text, got, err, want)
	}
}

// typos counts the texts that differ from code in one symbol, and those of them
// that Parse finds fault with.
func typos(code string) (found, all int) {
	for i, right := range code {
		if right == '-' {
			continue
		}
		for _, wrong := range Alphabet {
			if wrong == right {
				continue
			}
			all++
			if _, err := Parse(code[:i]+string(wrong)+code[i+1:], 0); err != nil {
				found++
			}
		}
	}
	return found, all
}

// spoilings are the ways in which a code arrives that mean nothing.
var spoilings = map[string]func(string) string{
	"small letters":  strings.ToLower,
	"no groups":      func(s string) string { return strings.ReplaceAll(s, "-", "") },
	"spaces":         func(s string) string { return strings.ReplaceAll(s, "-", " ") },
	"en dashes":      func(s string) string { return strings.ReplaceAll(s, "-", "\u2013") },
	"minus signs":    func(s string) string { return strings.ReplaceAll(s, "-", "\u2212") },
	"in pairs":       func(s string) string { return strings.Join(strings.Split(s, ""), "-") },
	"space around":   func(s string) string { return "  " + s + " " },
	"tab and line":   func(s string) string { return "\t" + s + "\r\n" },
	"no-break space": func(s string) string { return "\u00a0" + strings.ReplaceAll(s, "-", "\u202f") + "\u00a0" },
	"zero width":     func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "-", "\u200b") },
	"quotes":         func(s string) string { return `"` + s + `"` },
	"single quotes":  func(s string) string { return "'" + s + "'" },
	"curly quotes":   func(s string) string { return "\u201c" + s + "\u201d" },
	"low quotes":     func(s string) string { return "\u201e" + s + "\u201c" },
	"guillemets":     func(s string) string { return "\u00ab\u00a0" + s + "\u00a0\u00bb" },
	"backticks":      func(s string) string { return "`" + s + "`" },
	"I for 1":        func(s string) string { return strings.ReplaceAll(s, "1", "I") },
	"l for 1":        func(s string) string { return strings.ReplaceAll(s, "1", "l") },
	"o for 0":        func(s string) string { return strings.ReplaceAll(s, "0", "o") },
	"all at once": func(s string) string {
		return "\u201e " + strings.NewReplacer("0", "O", "1", "L", "-", " \u2014\n").Replace(strings.ToLower(s)) + "\u201c\t"
	},
}
