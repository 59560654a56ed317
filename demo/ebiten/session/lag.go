package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"sync"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

// A LagSocket is a UDP socket whose line can be made a bad one while it is in
// use, both ways, to see what that does to a game. It is for trying things out:
// a party opens a faster socket of its own if it is given none.
type LagSocket struct {
	conn   *net.UDPConn
	epoch  time.Time
	stir   chan struct{} // ReadBatch is to look anew at what is due
	closed chan struct{} // nothing is received any more
	alarm  *time.Timer   // ReadBatch's

	mu      sync.Mutex
	in      *netmsg.LinkSim
	out     *netmsg.LinkSim // nil: the line is as it is
	writing []byte
	parcel  [addrSize + lagRoom]byte // due's
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
	l := &LagSocket{
		conn: conn, epoch: time.Now(), stir: make(chan struct{}, 1), closed: make(chan struct{}),
		alarm: time.NewTimer(time.Hour), in: netmsg.NewLinkSim(netmsg.LinkConfig{}, seed), seed: seed,
	}
	go l.receive()
	return l, nil
}

// SetLink makes the line what link says, each way; the zero LinkConfig makes it
// as it is. What is under way is lost. Any goroutine may call it.
func (l *LagSocket) SetLink(link netmsg.LinkConfig) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seed++
	l.in, l.out = netmsg.NewLinkSim(link, l.seed), nil
	if link != (netmsg.LinkConfig{}) {
		l.out = netmsg.NewLinkSim(link, ^l.seed)
	}
}

func (l *LagSocket) wake() {
	select {
	case l.stir <- struct{}{}:
	default:
	}
}

func (l *LagSocket) now() time.Duration { return time.Since(l.epoch) }

// receive puts what comes on the link in, until the socket is closed.
func (l *LagSocket) receive() {
	defer close(l.closed)
	buf := make([]byte, lagRoom)
	for {
		n, from, err := l.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			l.mu.Lock()
			l.send(l.in, from, buf[:n])
			l.mu.Unlock()
			l.wake()
		}
	}
}

// ReadBatch is netmsg.Socket's. While it waits it also sends what is due.
func (l *LagSocket) ReadBatch(b []netmsg.Datagram) (int, error) {
	for {
		if n := l.due(b); n > 0 {
			return n, nil
		}
		select {
		case <-l.stir:
		case <-l.alarm.C:
		case <-l.closed:
			return 0, net.ErrClosed
		}
	}
}

func (l *LagSocket) send(to *netmsg.LinkSim, addr netip.AddrPort, data []byte) {
	a := addr.Addr().As16()
	l.writing = append(l.writing[:0], a[:]...)
	l.writing = binary.BigEndian.AppendUint16(l.writing, addr.Port())
	l.writing = append(l.writing, data...)
	to.Send(l.now(), l.writing)
}

// due sends what has come to the end of the link out, takes what has come to the
// end of the link in, and sets the alarm for the next.
func (l *LagSocket) due(b []netmsg.Datagram) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, next := l.now(), time.Duration(math.MaxInt64)
	if l.out != nil {
		for n, ok := l.out.Deliver(now, l.parcel[:]); ok; n, ok = l.out.Deliver(now, l.parcel[:]) {
			to, data := unwrap(l.parcel[:n])
			l.conn.WriteToUDPAddrPort(data, to) // an error is a lost packet
		}
		next = l.out.Deadline()
	}
	count := 0
	for count < len(b) {
		n, ok := l.in.Deliver(now, l.parcel[:])
		if !ok {
			break
		}
		from, data := unwrap(l.parcel[:n])
		b[count].Addr, b[count].Data = from, append(b[count].Data[:0], data...)
		count++
	}
	if next = min(next, l.in.Deadline()); next < math.MaxInt64 {
		l.alarm.Reset(next - now)
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
