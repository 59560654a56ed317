//go:build !linux

package netmsg

import "syscall"

// roomOf is not asked on this system: it is taken to give what it was asked for.
func roomOf(syscall.RawConn) int { return socketBuffer }

// forceRoom has no way here.
func forceRoom(syscall.RawConn) {}
