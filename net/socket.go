package netmsg

import (
	"errors"
	"net"
	"net/netip"
)

// A Datagram is one UDP payload and the address it goes to or came from.
type Datagram struct {
	Addr netip.AddrPort
	Data []byte // the payload; when reading, the buffer it is put in
}

// A Socket carries an endpoint's datagrams. [Listen] and [Dial] make UDP
// sockets of their own; [NewEndpoint] takes any other: a fake, a simulated
// one, a relayed path. One goroutine reads at a time; WriteBatch is called
// from any.
type Socket interface {
	// ReadBatch waits until at least one datagram is there and reads as many
	// as there are and b has places for. Each Data comes as a whole buffer; the
	// socket fills it from the start, cuts it to what came, and sets Addr. A
	// datagram that is larger than its buffer may be left out or cut: an
	// endpoint's buffers hold all that its protocol sends. After Close it returns an error that wraps
	// [net.ErrClosed]; any other error is a lost packet, and the reader comes
	// again.
	ReadBatch(b []Datagram) (int, error)

	// WriteBatch sends b in order and returns how many were sent. An error
	// concerns b[n]; the endpoint goes on with those after it. The data is the
	// endpoint's and is overwritten after the call.
	WriteBatch(b []Datagram) (int, error)

	// LocalAddr is the address that the socket is bound to.
	LocalAddr() netip.AddrPort

	// Close frees the socket and ends a ReadBatch that waits.
	Close() error
}

// A StepSocket never waits. An endpoint on one is stepped: it has no
// goroutine and no clock, and Drain and Flush say what time it is. Its
// ReadBatch and WriteBatch do not wait either.
type StepSocket interface {
	Socket

	// TryRead reads one datagram as ReadBatch does. It returns false when none
	// is there.
	TryRead(d *Datagram) bool
}

// A frameSocket can be read and written without waiting, many datagrams at
// once. It is what an endpoint that frames drive needs of its socket.
type frameSocket interface {
	Socket
	tryReadBatch(b []Datagram) (int, error)  // 0, nil: nothing is there
	tryWriteBatch(b []Datagram) (int, error) // as WriteBatch; errNotNow: the system has no room
}

// errNotNow is what a socket that must not wait says instead.
var errNotNow = errors.New("netmsg: the system has no room for the datagram now")

// isClosed tells the one error that ends a socket from those that are lost
// packets.
func isClosed(err error) bool { return errors.Is(err, net.ErrClosed) }

const (
	batchSize  = 64 // how many datagrams one call reads or writes at most
	firstBatch = 8  // how many a quiet endpoint has buffers for
)

// newBatch gives n places with buffers of size bytes each.
func newBatch(n, size int) []Datagram {
	b := make([]Datagram, n)
	all := make([]byte, n*size)
	for i := range b {
		b[i].Data = all[i*size : i*size : (i+1)*size]
	}
	return b
}

// lend makes each Data of b its whole buffer again, for a socket to read into.
func lend(b []Datagram) {
	for i := range b {
		b[i].Data = b[i].Data[:cap(b[i].Data)]
	}
}

// grown gives b with twice as many places, up to batchSize: it was full.
func grown(b []Datagram) []Datagram {
	more := min(2*len(b), batchSize) - len(b)
	return append(b, newBatch(more, cap(b[0].Data))...)
}

// sameFamily says whether a socket bound to local can send to addr.
func sameFamily(local, addr netip.Addr) bool { return local.Is4() == addr.Is4() }
