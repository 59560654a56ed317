// Package partyline adapts netmsg, the protocol under Partyline: sealed, and
// plain as it was before it was sealed.
package partyline

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	netmsg "github.com/partyline-go/partyline/net"

	"github.com/partyline-go/partyline/tests/bench/fan"
	"github.com/partyline-go/partyline/tests/bench/peer"
)

// Sealed is netmsg as it is by default.
var Sealed = library("partyline", "NMS2, sealed, as it is by default; each frame a tick", false)

// Plain is its plain mode.
var Plain = library("partyline-plain", "NMS1, unsealed; each frame a tick", true)

func library(name, about string, plain bool) peer.Library {
	return peer.Library{
		Name: name, About: about,
		Listen: func(s peer.Setup) (peer.Endpoint, error) { return listen(s, plain) },
		Dial:   func(port int, s peer.Setup) (peer.Endpoint, error) { return dial(port, s, plain) },
	}
}

// framesRate is how many ticks a second a program driven by frames has, as
// package party has it: no frame of the workloads is shorter.
const framesRate = 60

// party is how many connections a party has at most, with those of growth.
const party = 64

func config(s peer.Setup, plain bool) *netmsg.Config {
	cfg := &netmsg.Config{
		Plain: plain, Driven: s.Handler == nil, GoodRate: framesRate,
		MaxClients: max(s.Conns, 64), HandshakeRate: 8192, Provisional: 4096,
	}
	if s.Conns > party {
		cfg.KeepAlive = time.Second // ten times a second is for a party
	}
	if s.Handler != nil {
		cfg.GoodRate = -1 // what the handler says goes at once
	}
	return cfg
}

// An endpoint is a netmsg.Endpoint whose connections have numbers.
type endpoint struct {
	e     *netmsg.Endpoint
	begun time.Time
	setup peer.Setup
	mail  *netmsg.Mailbox // frames
	conns []*netmsg.Conn  // by number
}

func newEndpoint(s peer.Setup) (*endpoint, netmsg.Handler) {
	e := &endpoint{setup: s, begun: time.Now()}
	if s.Handler == nil {
		e.mail = netmsg.NewMailbox(0)
		return e, e.mail
	}
	return e, netmsg.HandlerFunc(func(ev netmsg.Event) { e.hear(s.Handler, ev) })
}

// hear passes an event on.
func (e *endpoint) hear(h peer.Handler, ev netmsg.Event) {
	switch ev.Kind {
	case netmsg.Joined:
		e.conns = append(e.conns, ev.Conn)
		h(e, peer.Event{Conn: len(e.conns) - 1, Kind: peer.Joined})
	case netmsg.Message:
		h(e, peer.Event{Conn: e.numberOf(ev.Conn), Kind: peer.Reliable, Data: ev.Data})
	case netmsg.Update:
		h(e, peer.Event{Conn: e.numberOf(ev.Conn), Kind: peer.Latest, Data: ev.Data})
	}
}

// numberOf finds the number of a connection: on a server IDs are given in the
// order of joining, on a client they nearly are.
func (e *endpoint) numberOf(c *netmsg.Conn) int {
	if i := int(c.ID()) - 1; i < len(e.conns) && e.conns[i] == c {
		return i
	}
	for i := range e.conns {
		if e.conns[i] == c {
			return i
		}
	}
	return -1
}

func listen(s peer.Setup, plain bool) (peer.Endpoint, error) {
	e, h := newEndpoint(s)
	var err error
	e.e, err = netmsg.Listen("127.0.0.1:0", h, config(s, plain))
	return e, err
}

// dialsAtOnce is how many handshakes a client has in progress at most.
const dialsAtOnce = 32

func dial(port int, s peer.Setup, plain bool) (peer.Endpoint, error) {
	e, h := newEndpoint(s)
	server := fmt.Sprintf("127.0.0.1:%d", port)
	if s.Conns == 1 {
		var err error
		if e.e, err = netmsg.Dial(server, h, config(s, plain)); err != nil || s.Handler != nil {
			return e, err
		}
		return e, peer.AwaitOpen(e, 1, func(int) {})
	}
	sockets, err := fan.New(port, s.Conns)
	if err != nil {
		return nil, err
	}
	e.e = netmsg.NewEndpoint(&fanSocket{fan: sockets}, h, config(s, plain))
	asked := 0
	return e, peer.AwaitOpen(e, s.Conns, func(open int) {
		for ; asked < s.Conns && asked < open+dialsAtOnce; asked++ {
			if _, err := e.e.Dial([]netip.AddrPort{seatOf(asked)}, netmsg.DialOptions{}); err != nil {
				panic(err) // only for an address that is none
			}
		}
	})
}

func (e *endpoint) now() time.Duration { return time.Since(e.begun) }

func (e *endpoint) Port() int { return int(e.e.Addr().Port()) }

func (e *endpoint) Poll(h peer.Handler) {
	e.e.Drain(e.now())
	for ev := range e.mail.All() {
		e.hear(h, ev)
	}
}

func (e *endpoint) Flush() {
	if e.setup.Handler == nil {
		e.e.Flush(e.now())
	}
}

func (e *endpoint) Send(conn int, kind peer.Kind, data []byte) error {
	if kind == peer.Latest {
		return e.conns[conn].SendLatest(1, data)
	}
	return e.conns[conn].SendReliable(data)
}

func (e *endpoint) Close() { e.e.Close() }

// A fanSocket makes one stepped socket of many: datagrams for the made-up
// address of seat i go by socket i, and what comes there is from it.
type fanSocket struct {
	fan *fan.Fan
}

// seatOf gives the made-up address of a seat, in 10.0.0.0/8.
func seatOf(i int) netip.AddrPort {
	var a [4]byte
	binary.BigEndian.PutUint32(a[:], 10<<24|uint32(i))
	return netip.AddrPortFrom(netip.AddrFrom4(a), 1)
}

func seatAt(a netip.AddrPort) int {
	b := a.Addr().As4()
	return int(binary.BigEndian.Uint32(b[:]) & 0xffffff)
}

func (s *fanSocket) TryRead(d *netmsg.Datagram) bool {
	seat, n, ok := s.fan.Read(d.Data[:cap(d.Data)])
	if ok {
		d.Data, d.Addr = d.Data[:n], seatOf(seat)
	}
	return ok
}

func (s *fanSocket) ReadBatch(b []netmsg.Datagram) (int, error) {
	n := 0
	for n < len(b) && s.TryRead(&b[n]) {
		n++
	}
	return n, nil
}

func (s *fanSocket) WriteBatch(b []netmsg.Datagram) (int, error) {
	for i := range b {
		s.fan.Write(seatAt(b[i].Addr), b[i].Data)
	}
	return len(b), nil
}

func (s *fanSocket) LocalAddr() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 1)
}

func (s *fanSocket) Close() error {
	s.fan.Close()
	return nil
}
