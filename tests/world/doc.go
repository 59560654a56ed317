// Package world is an internet for tests: hosts in LANs behind routers that
// translate addresses as RFC 4787 describes, links that delay, lose and are
// cut, a matchmaker, a STUN server and a TURN relay, all on one clock and one
// seed. Real parties run in it, faster than time; the same seed gives the same
// trace. Where addresses reach each other without routers the smaller
// tests/simnet is enough.
//
//	w := world.New(7)
//	service := w.NewService("198.51.100.1")
//	home := w.Internet.Router("203.0.113.10", world.NAT{
//		Mapping: world.EndpointIndependent, Filtering: world.AddressAndPortDependent,
//	})
//	host := home.LAN.Host("10.0.1.2")
//	p := party.New(party.Config{
//		Socket:    host.Socket(27415),
//		SignalURL: service.URL(),
//		Network:   host.Network(),
//	})
//	for range 600 {
//		w.Advance(time.Second / 60)
//		… // a frame of everyone
//	}
//
// A packet goes from a host over its cable into its network, there to the node
// that has the address, or else to the network's router, which changes its
// source and puts it on its own cable into the network outside. Every cable has
// two ways with a netmsg.LinkConfig each. TCP, which signalling uses and a relay
// may, is a [stream]: it takes the latency of its cables, loses nothing, waits
// while one of them is cut, and ends when a host dies.
//
// A World is used from one goroutine.
package world
