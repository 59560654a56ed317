package netmsg

import "net"

// socketBuffer is how many bytes each UDP socket asks the system to hold, each
// way: what a busy server hears in the milliseconds in which it is not
// running. The system may give less.
const socketBuffer = 4 << 20

// makeRoom asks for the socket's buffers. Less than was asked for does too, and
// roomOf tells how much it is.
func makeRoom(conn *net.UDPConn) {
	conn.SetReadBuffer(socketBuffer)
	conn.SetWriteBuffer(socketBuffer)
	if raw, err := conn.SyscallConn(); err == nil && roomOf(raw) < socketBuffer {
		forceRoom(raw)
	}
}

// logRoom notes the sockets that hold less than was asked for: on a busy server
// what does not fit is lost.
func (e *Endpoint) logRoom() {
	if e.cfg.Log == nil || !e.ownUDP {
		return
	}
	for _, sock := range e.socks {
		r, ok := sock.(interface{ room() int })
		if ok && r.room() < socketBuffer {
			e.cfg.Log.Info("netmsg: a socket holds less than was asked for", "local", sock.LocalAddr(), "bytes", r.room(), "asked", socketBuffer)
		}
	}
}
