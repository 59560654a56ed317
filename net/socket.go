package netmsg

import "net/netip"

// A Datagram is one UDP payload and the address it goes to or came from.
type Datagram struct {
	Addr netip.AddrPort
	Data []byte // ReadBatch and TryRead fill Data's capacity and set its length
}

// A Socket carries an endpoint's datagrams. One goroutine reads; WriteBatch is
// called from any.
type Socket interface {
	ReadBatch(b []Datagram) (int, error) // waits for at least one
	WriteBatch(b []Datagram) (int, error)
	LocalAddr() netip.AddrPort
	Close() error
}

// A StepSocket never waits. An endpoint on one is stepped: it has no
// goroutine and no clock, and Drain and Flush say what time it is.
type StepSocket interface {
	Socket
	TryRead(d *Datagram) bool
}
