package netmsg

import (
	"net"
	"net/netip"
	"strconv"
)

// canonical gives the form of an address that arrives with datagrams from
// there, so that the two can be compared: IPv4 as such, a zone by its number,
// and this machine where none is named.
func canonical(a netip.AddrPort) netip.AddrPort {
	addr := a.Addr().Unmap()
	switch {
	case addr == netip.IPv4Unspecified():
		addr = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	case addr == netip.IPv6Unspecified():
		addr = netip.IPv6Loopback()
	}
	return netip.AddrPortFrom(numericZone(addr), a.Port())
}

// numericZone turns the name of an IPv6 zone, as in fe80::1%eth0, into the
// interface's number.
func numericZone(a netip.Addr) netip.Addr {
	zone := a.Zone()
	if zone == "" {
		return a
	}
	if _, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return a
	}
	ifi, err := net.InterfaceByName(zone)
	if err != nil {
		return a
	}
	return a.WithZone(strconv.Itoa(ifi.Index))
}
