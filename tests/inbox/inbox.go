// Package inbox is the reading half of a test's socket, on whatever network that
// is: what has come waits in it until it is read. With WriteBatch, LocalAddr and
// Close beside it, a socket is a netmsg.StepSocket.
package inbox

import (
	"net"
	"net/netip"

	netmsg "github.com/partyline-go/partyline/net"
)

// most is how many datagrams an Inbox holds before it loses what comes.
const most = 4096

// An Inbox holds what has come to one socket. It is used from one goroutine.
type Inbox struct {
	Closed bool // ReadBatch fails with net.ErrClosed

	buffers *Buffers
	waiting []netmsg.Datagram
	read    int // of waiting
}

// New makes an Inbox whose datagrams wait in buffers.
func New(buffers *Buffers) Inbox { return Inbox{buffers: buffers} }

// Full says that what comes next is lost.
func (in *Inbox) Full() bool { return len(in.waiting)-in.read == most }

// Put takes a copy of a datagram that has come from an address, unless it is
// full.
func (in *Inbox) Put(from netip.AddrPort, data []byte) {
	if !in.Full() {
		in.waiting = append(in.waiting, netmsg.Datagram{Addr: from, Data: in.buffers.Copy(data)})
	}
}

// TryRead gives the oldest datagram that has come, cut to the room there is;
// false: there is none.
func (in *Inbox) TryRead(d *netmsg.Datagram) bool {
	if in.read == len(in.waiting) {
		in.waiting, in.read = in.waiting[:0], 0
		return false
	}
	got := in.waiting[in.read]
	in.read++
	d.Addr = got.Addr
	d.Data = d.Data[:copy(d.Data[:cap(d.Data)], got.Data)]
	in.buffers.Free(got.Data)
	return true
}

// ReadBatch gives what has come, without waiting.
func (in *Inbox) ReadBatch(b []netmsg.Datagram) (int, error) {
	if in.Closed {
		return 0, net.ErrClosed
	}
	for i := range b {
		if !in.TryRead(&b[i]) {
			return i, nil
		}
	}
	return len(b), nil
}
