package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

// A LagSocket is a UDP socket whose line can be made a bad one while it is in
// use, both ways, to see what that does to a game. It is for trying things out:
// a party opens a faster socket of its own if it is given none.
type LagSocket struct {
	conn  *net.UDPConn
	epoch time.Time
	buf   []byte // ReadBatch's

	mu      sync.Mutex
	in, out *netmsg.LinkSim // nil: the line is as it is
	writing []byte
	seed    uint64
}

// lagRoom is the largest datagram that a LagSocket takes.
const lagRoom = 2048

// The links carry datagrams with their address before them.
const addrSize = 16 + 2

// OpenLag binds a LagSocket to a port; 0: the system chooses. The error wraps
// party.WhyPortInUse or party.WhySocket.
func OpenLag(port uint16, seed uint64) (*LagSocket, error) {
	conn, err := net.ListenUDP("udp", &net.UDPAddr{Port: int(port)})
	switch {
	case err != nil && port != 0:
		return nil, fmt.Errorf("%w: %v", party.WhyPortInUse, err)
	case err != nil:
		return nil, fmt.Errorf("%w: %v", party.WhySocket, err)
	}
	return &LagSocket{conn: conn, epoch: time.Now(), buf: make([]byte, lagRoom), seed: seed}, nil
}

// SetLink makes the line what link says, each way; the zero LinkConfig makes it
// as it is. What is under way is lost. Any goroutine may call it.
func (l *LagSocket) SetLink(link netmsg.LinkConfig) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in, l.out = nil, nil
	if link != (netmsg.LinkConfig{}) {
		l.seed++
		l.in, l.out = netmsg.NewLinkSim(link, l.seed), netmsg.NewLinkSim(link, ^l.seed)
	}
	l.wake()
}

// wake lets ReadBatch look anew at when something is due.
func (l *LagSocket) wake() { l.conn.SetReadDeadline(time.Now()) }

func (l *LagSocket) now() time.Duration { return time.Since(l.epoch) }

// ReadBatch is netmsg.Socket's. While it waits it also sends what is due.
func (l *LagSocket) ReadBatch(b []netmsg.Datagram) (int, error) {
	for {
		if n := l.due(b); n > 0 {
			return n, nil
		}
		n, from, err := l.conn.ReadFromUDPAddrPort(l.buf)
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			continue
		case err != nil:
			return 0, err
		case !l.arrive(from, l.buf[:n]):
			b[0].Addr, b[0].Data = from, append(b[0].Data[:0], l.buf[:n]...)
			return 1, nil
		}
	}
}

// arrive puts a datagram on the link in; false: there is none.
func (l *LagSocket) arrive(from netip.AddrPort, data []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.in == nil {
		return false
	}
	l.send(l.in, from, data)
	return true
}

func (l *LagSocket) send(to *netmsg.LinkSim, addr netip.AddrPort, data []byte) {
	a := addr.Addr().As16()
	l.writing = append(l.writing[:0], a[:]...)
	l.writing = binary.BigEndian.AppendUint16(l.writing, addr.Port())
	to.Send(l.now(), append(l.writing, data...))
}

// due sends what has come to the end of the link out, takes what has come to the
// end of the link in, and sets the alarm for the next.
func (l *LagSocket) due(b []netmsg.Datagram) int {
	var parcel [addrSize + lagRoom]byte
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.in == nil {
		l.conn.SetReadDeadline(time.Time{})
		return 0
	}
	now := l.now()
	for n, ok := l.out.Deliver(now, parcel[:]); ok; n, ok = l.out.Deliver(now, parcel[:]) {
		to, data := unwrap(parcel[:n])
		l.conn.WriteToUDPAddrPort(data, to) // an error is a lost packet
	}
	count := 0
	for count < len(b) {
		n, ok := l.in.Deliver(now, parcel[:])
		if !ok {
			break
		}
		from, data := unwrap(parcel[:n])
		b[count].Addr, b[count].Data = from, append(b[count].Data[:0], data...)
		count++
	}
	next := min(l.in.Deadline(), l.out.Deadline())
	if next == math.MaxInt64 {
		l.conn.SetReadDeadline(time.Time{})
	} else {
		l.conn.SetReadDeadline(l.epoch.Add(next))
	}
	return count
}

func unwrap(parcel []byte) (netip.AddrPort, []byte) {
	addr := netip.AddrFrom16([16]byte(parcel[:16])).Unmap()
	return netip.AddrPortFrom(addr, binary.BigEndian.Uint16(parcel[16:])), parcel[addrSize:]
}

// WriteBatch is netmsg.Socket's.
func (l *LagSocket) WriteBatch(b []netmsg.Datagram) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range b {
		if l.out != nil {
			l.send(l.out, b[i].Addr, b[i].Data)
			continue
		}
		if _, err := l.conn.WriteToUDPAddrPort(b[i].Data, b[i].Addr); err != nil {
			return i, err
		}
	}
	if l.out != nil {
		l.wake()
	}
	return len(b), nil
}

// LocalAddr is netmsg.Socket's.
func (l *LagSocket) LocalAddr() netip.AddrPort {
	return l.conn.LocalAddr().(*net.UDPAddr).AddrPort()
}

// Close is netmsg.Socket's.
func (l *LagSocket) Close() error { return l.conn.Close() }
