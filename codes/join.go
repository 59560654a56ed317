package codes

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Join gives the join code of a host's address, as it is shown: ten symbols,
// "R2M02-53B2Y", or thirty for IPv6. An IPv4 address mapped into IPv6 is taken
// as the IPv4 address that it is. It fails with ErrAddress where a friend
// could not use the address: it is not set, its port is 0, or it has an IPv6
// zone, which means something on one machine only.
func Join(addr netip.AddrPort) (string, error) {
	s, err := joinSymbols(addr)
	if err != nil {
		return "", err
	}
	return s.String(), nil
}

func joinSymbols(addr netip.AddrPort) (s symbols, err error) {
	ip := addr.Addr().Unmap()
	switch {
	case !ip.IsValid():
		return s, fmt.Errorf("%w: none is set", ErrAddress)
	case ip.Zone() != "":
		return s, fmt.Errorf("%w: %v has a zone, which other machines do not know", ErrAddress, ip)
	case addr.Port() == 0:
		return s, fmt.Errorf("%w: port 0 of %v", ErrAddress, ip)
	case ip.Is4():
		return join4(ip, addr.Port()), nil
	}
	return join6(ip, addr.Port()), nil
}

// join4 writes ip 32, port 16, check 2.
func join4(ip netip.Addr, port uint16) (s symbols) {
	b := ip.As4()
	s.put(uint64(binary.BigEndian.Uint32(b[:])), 32)
	s.put(uint64(port), 16)
	s.put(0, 2)
	s.value[9] |= check4(s.value[:join4Len])
	return s
}

// join6 writes ip 128, port 16, check 6: one bit of it in the last symbol but
// one, five in the last.
func join6(ip netip.Addr, port uint16) (s symbols) {
	b := ip.As16()
	s.put(binary.BigEndian.Uint64(b[:8]), 64)
	s.put(binary.BigEndian.Uint64(b[8:]), 64)
	s.put(uint64(port), 16)
	s.put(0, 6)
	c := check6(s.value[:join6Len])
	s.value[28] |= c >> 5
	s.value[29] |= c & 31
	return s
}

// check4 is a sum over the field of four elements: g multiplies by one of
// them, so that a symbol counts differently at each of three places in turn.
func check4(value []byte) (c byte) {
	g := [4]byte{0, 2, 3, 1}
	for _, s := range value {
		c = g[c] ^ (s^s>>2^s>>4)&3
	}
	return c
}

func check6(value []byte) (c byte) {
	for _, s := range value {
		c = (c<<1|c>>5)&63 ^ s
	}
	return c
}

// takeJoin4 and takeJoin6 are the inverse of join4 and join6. The check is
// right when the address gives the very symbols it was read from.
func (s *symbols) takeJoin4() (netip.AddrPort, error) {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(s.take(32)))
	ip, port := netip.AddrFrom4(b), uint16(s.take(16))
	s.take(2)
	want := join4(ip, port)
	return s.checked(ip, port, want.value[:join4Len])
}

func (s *symbols) takeJoin6() (netip.AddrPort, error) {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], s.take(64))
	binary.BigEndian.PutUint64(b[8:], s.take(64))
	ip, port := netip.AddrFrom16(b), uint16(s.take(16))
	s.take(6)
	want := join6(ip, port)
	return s.checked(ip.Unmap(), port, want.value[:join6Len])
}

func (s *symbols) checked(ip netip.Addr, port uint16, want []byte) (netip.AddrPort, error) {
	if string(s.value[:len(want)]) != string(want) {
		return netip.AddrPort{}, ErrCheck
	}
	if port == 0 {
		return netip.AddrPort{}, fmt.Errorf("%w: port 0 of %v", ErrAddress, ip)
	}
	return netip.AddrPortFrom(ip, port), nil
}
