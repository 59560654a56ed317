package netmsg

import (
	"net"
	"syscall"
)

// neverCutSocket asks the system not to cut what conn sends, and says whether
// it agreed.
func neverCutSocket(conn *net.UDPConn) bool {
	raw, err := conn.SyscallConn()
	return err == nil && neverCut(raw, localAddrOf(conn).Addr())
}

// setOption calls set on a socket's descriptor, and says whether it did it.
func setOption(raw syscall.RawConn, set func(fd uintptr) error) bool {
	var failed error
	err := raw.Control(func(fd uintptr) { failed = set(fd) })
	return err == nil && failed == nil
}
