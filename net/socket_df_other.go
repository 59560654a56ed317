//go:build !linux && !darwin && !windows

package netmsg

import (
	"net/netip"
	"syscall"
)

// neverCut is not known how on this system, so datagrams stay at a size that
// every path takes.
func neverCut(syscall.RawConn, netip.Addr) bool { return false }
