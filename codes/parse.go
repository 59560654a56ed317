package codes

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// DefaultPort is the port of an address without one, where the caller names
// no other.
const DefaultPort = 27415

// What can be wrong with a text. The errors that the functions here return
// wrap one of these and say more.
var (
	ErrEmpty   = errors.New("codes: there is no code in the text")
	ErrSymbol  = errors.New("codes: no code has this symbol")
	ErrLength  = errors.New("codes: a code has 8, 10, 30, 34 or 54 symbols")
	ErrCheck   = errors.New("codes: the code is mistyped: its symbols do not fit together")
	ErrAddress = errors.New("codes: this address cannot be joined")
	ErrRoom    = errors.New("codes: this is a room code, and an address is needed")
	ErrKey     = errors.New("codes: an invitation holds 60 bits of fingerprint and of secret")
)

// A Target is where a player wants to go: a room that the matchmaker knows, or
// an address. Its zero value is nowhere.
type Target struct {
	Addr        netip.AddrPort // the host's address; not valid where Room is set
	Room        string         // a room code as NewRoom gave it, "7K3M-Q0ZD": ask the matchmaker
	Fingerprint uint64         // of the host's key, 60 bits, from an invitation; else 0
	Secret      uint64         // of the host's, 60 bits, from an invitation; else 0
}

// String shows the target as the code that was given out for it. A target
// that has no code (none is set, or its address has a zone) is shown as an
// address.
func (t Target) String() string {
	if t.Room != "" {
		return t.Room
	}
	code, err := t.code()
	if err != nil {
		return t.Addr.String()
	}
	return code
}

func (t Target) code() (string, error) {
	if t.Fingerprint == 0 && t.Secret == 0 {
		return Join(t.Addr)
	}
	return Invite(t.Addr, t.Fingerprint, t.Secret)
}

// Parse reads what a player typed or pasted: a code of any kind, a.b.c.d,
// a.b.c.d:port, an IPv6 address or [IPv6]:port. An address without a port gets
// defaultPort, and DefaultPort if that is 0. The package comment says what is
// forgiven; anything else fails with one of the package's errors, whose text
// may be shown to the player. A room code is not looked up, only read.
func Parse(text string, defaultPort uint16) (Target, error) {
	if strings.ContainsAny(text, ".:[]") {
		addr, err := parseAddr(text, defaultPort)
		return Target{Addr: addr}, err
	}
	s, err := readSymbols(text)
	if err != nil {
		return Target{}, err
	}
	switch s.len {
	case roomLen:
		return Target{Room: s.String()}, nil
	case join4Len, join4Len + keyLen:
		addr, err := s.takeJoin4()
		return s.takeKey(addr, err)
	case join6Len, join6Len + keyLen:
		addr, err := s.takeJoin6()
		return s.takeKey(addr, err)
	}
	return Target{}, fmt.Errorf("%w: this one has %d", ErrLength, s.len)
}

// ParseAddr is Parse where only an address will do, in a game without a
// matchmaker: a room code fails with ErrRoom.
func ParseAddr(text string, defaultPort uint16) (netip.AddrPort, error) {
	t, err := Parse(text, defaultPort)
	if err == nil && t.Room != "" {
		err = fmt.Errorf("%w: %s", ErrRoom, t.Room)
	}
	return t.Addr, err
}

// takeKey reads what an invitation adds, if it is one.
func (s *symbols) takeKey(addr netip.AddrPort, err error) (Target, error) {
	if err != nil {
		return Target{}, err
	}
	t := Target{Addr: addr}
	if s.bit < 5*s.len {
		t.Fingerprint = s.take(60)
		t.Secret = s.take(60)
	}
	return t, nil
}

// parseAddr reads an address in figures. Host names are not looked up: that
// would wait for a network.
func parseAddr(text string, defaultPort uint16) (netip.AddrPort, error) {
	if defaultPort == 0 {
		defaultPort = DefaultPort
	}
	text = strings.Map(withoutPadding, text)
	addr, err := netip.ParseAddrPort(text)
	if err != nil {
		ip, errIP := netip.ParseAddr(withoutBrackets(text))
		if errIP != nil {
			return netip.AddrPort{}, fmt.Errorf("%w: %.60q is not a.b.c.d:port or [IPv6]:port", ErrAddress, text)
		}
		addr = netip.AddrPortFrom(ip, defaultPort)
	}
	if addr.Port() == 0 {
		return netip.AddrPort{}, fmt.Errorf("%w: port 0 of %v", ErrAddress, addr.Addr())
	}
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()), nil
}

func withoutPadding(r rune) rune {
	if isPadding(r) {
		return -1
	}
	return r
}

func withoutBrackets(text string) string {
	if inside, ok := strings.CutPrefix(text, "["); ok {
		if inside, ok = strings.CutSuffix(inside, "]"); ok {
			return inside
		}
	}
	return text
}
