package netmsg

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// roomOf is how many bytes a socket holds for its reader. The kernel counts as
// many again for its own.
func roomOf(raw syscall.RawConn) (n int) {
	setOption(raw, func(fd uintptr) (err error) {
		n, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF)
		return err
	})
	return n / 2
}

// forceRoom asks for more than the system's limit, which a privileged process
// gets.
func forceRoom(raw syscall.RawConn) {
	for _, option := range [...]int{unix.SO_RCVBUFFORCE, unix.SO_SNDBUFFORCE} {
		setOption(raw, func(fd uintptr) error { return unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, option, socketBuffer) })
	}
}

func (s *batchSocket) room() int { return roomOf(s.raw) }
