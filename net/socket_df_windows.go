package netmsg

import (
	"net/netip"
	"syscall"
)

// From ws2ipdef.h.
const (
	ipDontFragment = 14
	ipv6DontFrag   = 14
)

// neverCut asks the system never to cut a datagram of a socket into fragments.
// PROTOCOL.md, Path MTU.
func neverCut(raw syscall.RawConn, local netip.Addr) bool {
	level, option := syscall.IPPROTO_IP, ipDontFragment
	if !local.Is4() {
		level, option = syscall.IPPROTO_IPV6, ipv6DontFrag
	}
	return setOption(raw, func(fd uintptr) error { return syscall.SetsockoptInt(syscall.Handle(fd), level, option, 1) })
}
