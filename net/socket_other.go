//go:build !linux && !windows

package netmsg

import "net"

// newUDPSocket makes a Socket of conn.
func newUDPSocket(conn *net.UDPConn) Socket { return newPlainSocket(conn) }
