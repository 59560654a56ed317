package netmsg

import (
	"net"
	"syscall"
	"unsafe"
)

// newUDPSocket makes a Socket of conn.
func newUDPSocket(conn *net.UDPConn) Socket {
	ignoreUnreachable(conn)
	return newPlainSocket(conn)
}

// sioUDPConnReset is the control code SIO_UDP_CONNRESET of Winsock.
const sioUDPConnReset = 0x9800000C

// ignoreUnreachable asks Windows not to fail reads because a peer that was
// sent to has gone. Where it cannot, reads fail and are tried again.
func ignoreUnreachable(conn *net.UDPConn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	raw.Control(func(fd uintptr) {
		var off, returned uint32
		syscall.WSAIoctl(syscall.Handle(fd), sioUDPConnReset, (*byte)(unsafe.Pointer(&off)), uint32(unsafe.Sizeof(off)), nil, 0, &returned, nil, 0)
	})
}
