package netmsg

import (
	"net/netip"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// mergedSize is what the kernel puts together at most, in bytes: an IP
	// packet.
	mergedSize = 1 << 16

	// streamed is how many datagrams of a full batch have to come from the
	// address of the one before, for merging to be worth its memory.
	streamed = batchSize * 7 / 8
)

// merging says whether the kernel may put datagrams together that come in a row
// from one address, with UDP_GRO. It needs large buffers, so it begins when
// there is a stream of them: when a whole batch was there at once, most of it
// from one peer.
type merging struct {
	may  bool        // the kernel can, and nobody forbids it
	asks atomic.Bool // a stream was seen
	on   atomic.Bool // reads must have room for what was put together
}

// canMerge asks whether the kernel knows UDP_GRO.
func canMerge(raw syscall.RawConn) bool {
	return setOption(raw, func(fd uintptr) error { return unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_GRO, 0) })
}

// note looks for a stream in what was read.
func (m *merging) note(batch []Datagram) {
	if !m.may || len(batch) < batchSize || m.asks.Load() {
		return
	}
	same := 0
	var before netip.AddrPort
	for i := range batch {
		if batch[i].Addr == before {
			same++
		}
		before = batch[i].Addr
	}
	m.asks.Store(same >= streamed)
}

// begin switches merging on, if it was asked for. Whoever reads calls it before
// each call; a read that is under way on another goroutine meanwhile may lose
// what was put together.
func (m *merging) begin(fd uintptr) {
	if !m.asks.Load() || m.on.Load() {
		return
	}
	m.on.Store(true)
	// If it fails, it goes on as before, with larger buffers.
	_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_GRO, 1)
}
