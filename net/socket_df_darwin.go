package netmsg

import (
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// neverCut asks the system never to cut a datagram of a socket into fragments.
// The endpoint's sockets are of one family each, where macOS heeds it.
// PROTOCOL.md, Path MTU.
func neverCut(raw syscall.RawConn, local netip.Addr) bool {
	level, option := unix.IPPROTO_IP, unix.IP_DONTFRAG
	if !local.Is4() {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_DONTFRAG
	}
	return setOption(raw, func(fd uintptr) error { return unix.SetsockoptInt(int(fd), level, option, 1) })
}
