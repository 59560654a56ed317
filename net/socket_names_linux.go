package netmsg

import (
	"net/netip"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// addrOf reads the address that the kernel wrote, IPv4 as such.
func addrOf(name *unix.RawSockaddrInet6) netip.AddrPort {
	if name.Family == unix.AF_INET {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		return netip.AddrPortFrom(netip.AddrFrom4(v4.Addr), swapPort(v4.Port))
	}
	addr := netip.AddrFrom16(name.Addr).Unmap()
	if name.Scope_id != 0 {
		addr = addr.WithZone(strconv.FormatUint(uint64(name.Scope_id), 10))
	}
	return netip.AddrPortFrom(addr, swapPort(name.Port))
}

// putAddr writes addr for the kernel and returns the length it has.
func putAddr(name *unix.RawSockaddrInet6, addr netip.AddrPort) uint32 {
	if addr.Addr().Is4() {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		*v4 = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: swapPort(addr.Port()), Addr: addr.Addr().As4()}
		return unix.SizeofSockaddrInet4
	}
	*name = unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: swapPort(addr.Port()), Addr: addr.Addr().As16()}
	if zone := addr.Addr().Zone(); zone != "" {
		id, _ := strconv.ParseUint(zone, 10, 32) // zones are numeric by the time they come here
		name.Scope_id = uint32(id)
	}
	return unix.SizeofSockaddrInet6
}

// swapPort turns a port from the machine's byte order to the network's and
// back.
func swapPort(p uint16) uint16 {
	b := (*[2]byte)(unsafe.Pointer(&p))
	return uint16(b[0])<<8 | uint16(b[1])
}
