package netmsg_test

import (
	"fmt"
	"net/netip"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// Two cores on a clock of their own: a fifth of the packets is lost, the rest
// is late, and three seconds pass in an instant.
func ExampleSimPair() {
	link := netmsg.Lossy(0.2, 40*time.Millisecond, 30*time.Millisecond)
	p := netmsg.NewSimPair(nil, link, link, 1)

	p.A.SendReliable([]byte("one"))
	for range 3000 {
		p.Advance(time.Millisecond)
		for e := range p.EventsB() {
			fmt.Printf("%v: %q\n", e.Kind, e.Data)
		}
	}
	// Output:
	// Joined: ""
	// Message: "one"
}

// A handshake and two datagrams by hand, without a socket or a clock.
func ExampleChallengeGate() {
	server := netmsg.NewChallengeGate(nil, [16]byte{15: 1}) // a key should be random
	client := netmsg.NewClientHandshake(nil, 0)
	from, now := netip.MustParseAddrPort("192.0.2.1:4000"), time.Duration(0)
	datagram, answer := make([]byte, 1200), make([]byte, 1200)

	var a, b *netmsg.ConnectionCore
	for a == nil {
		n := client.Transmit(now, datagram)
		v := server.Receive(now, from, datagram[:n], answer)
		if v.Joined {
			b = netmsg.NewConnectionCore(nil, v.Session, now)
		}
		client.Receive(now, answer[:v.Reply])
		if s, failed, done := client.Done(); done && failed == 0 {
			a = netmsg.NewConnectionCore(nil, s, now)
		}
	}

	a.SendReliable([]byte("hello"))
	n := a.Transmit(now, datagram)
	b.Receive(now, datagram[:n])
	for e := range b.Events() {
		fmt.Printf("%v: %q\n", e.Kind, e.Data)
	}
	// Output:
	// Joined: ""
	// Message: "hello"
}
