package codes

import (
	"fmt"
	"strings"
	"unicode"
)

// Alphabet holds the 32 symbols of every code, by value: the digits and the
// letters without I, L, O and U.
const Alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// Lengths of the codes, in symbols.
const (
	roomLen     = 8
	join4Len    = 10
	join6Len    = 30
	keyLen      = 24 // what an invitation adds: fingerprint and secret
	longestCode = join6Len + keyLen
)

// symbols is a code being written or read: 5 bits a symbol, and one cursor in
// bits for both, as a code is first written and then shown, or first read and
// then taken apart. Its zero value is an empty code.
type symbols struct {
	value [longestCode]byte
	len   int
	bit   int
}

// put writes the low n bits of v, highest first.
func (s *symbols) put(v uint64, n int) {
	for n--; n >= 0; n-- {
		s.value[s.bit/5] |= byte(v>>n&1) << (4 - s.bit%5)
		s.bit++
	}
	s.len = (s.bit + 4) / 5
}

// take reads the next n bits.
func (s *symbols) take(n int) (v uint64) {
	for ; n > 0; n-- {
		v = v<<1 | uint64(s.value[s.bit/5]>>(4-s.bit%5)&1)
		s.bit++
	}
	return v
}

// String shows the code: capitals in groups of four (a room code) or five.
func (s *symbols) String() string {
	group := 5
	if s.len == roomLen {
		group = 4
	}
	var b strings.Builder
	for i, v := range s.value[:s.len] {
		if i > 0 && i%group == 0 {
			b.WriteByte('-')
		}
		b.WriteByte(Alphabet[v])
	}
	return b.String()
}

// readSymbols reads what a person typed. Its errors say what is wrong with the
// text: nothing in it, a rune that no code has, or more than any code.
func readSymbols(text string) (s symbols, err error) {
	for _, r := range text {
		if isDecoration(r) {
			continue
		}
		v, ok := symbolValue(r)
		if !ok {
			return s, fmt.Errorf("%w: %q", ErrSymbol, r)
		}
		if s.len == longestCode {
			return s, fmt.Errorf("%w: more than %d symbols", ErrLength, longestCode)
		}
		s.value[s.len] = v
		s.len++
	}
	if s.len == 0 {
		return s, ErrEmpty
	}
	return s, nil
}

// symbolValue gives the value of a symbol, in either case, and of the three
// letters that look like digits.
func symbolValue(r rune) (v byte, ok bool) {
	switch r {
	case 'I', 'i', 'L', 'l':
		return 1, true
	case 'O', 'o':
		return 0, true
	}
	if r >= 'a' && r <= 'z' {
		r -= 'a' - 'A'
	}
	i := strings.IndexRune(Alphabet, r)
	return byte(i), i >= 0
}

// isDecoration says that r may stand anywhere in a code and means nothing:
// space, dash, quote, or an invisible rune that pasting brings along.
func isDecoration(r rune) bool {
	return isPadding(r) || r == '\u2212' || unicode.Is(unicode.Pd, r)
}

// isPadding says that r is white space, a quote or invisible. Dashes are not
// here: an IPv6 zone may have one.
func isPadding(r rune) bool {
	switch r {
	case '"', '\'', '`', '\u00b4':
		return true
	}
	return unicode.IsSpace(r) || unicode.In(r, unicode.Pi, unicode.Pf, unicode.Cf) || r == '\u201a' || r == '\u201e'
}
