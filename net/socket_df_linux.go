package netmsg

import (
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// neverCut asks the system never to cut a datagram of a socket into fragments,
// and never to size it by what ICMP says. PROTOCOL.md, Path MTU.
func neverCut(raw syscall.RawConn, local netip.Addr) bool {
	level, option, probe := unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE
	if !local.Is4() {
		level, option, probe = unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE
	}
	return setOption(raw, func(fd uintptr) error { return unix.SetsockoptInt(int(fd), level, option, probe) })
}
