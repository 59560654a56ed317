package party

import (
	"net/netip"

	"github.com/partyline-go/partyline/matchmaker"
	netmsg "github.com/partyline-go/partyline/net"
)

// A Network is how a party reaches what is not a peer: the matchmaker and the
// relay. Fields that are nil are the machine's own network, which is what games
// want; a simulated world brings its own.
type Network struct {
	// Signal gives a line to the matchmaker at a URL; nil: over WebSocket.
	Signal func(url string) matchmaker.Line

	// Relay asks TURN servers for an address; nil: over UDP and TCP. It must not
	// wait.
	Relay func(servers []matchmaker.TURNServer) Relay

	// LocalAddrs lists the addresses of this machine that others may be told,
	// the best first; nil: those of its interfaces, without link-local ones and
	// those of containers. Where Config.Socket is bound to an address it is that
	// one alone.
	LocalAddrs func() []netip.Addr
}

// A Relay is an address at a TURN server: datagrams to peers' real addresses,
// and from them, go through it. Nothing of it waits.
type Relay interface {
	netmsg.StepSocket

	// Relayed is the address at which peers reach it; not valid as long as it is
	// being asked for, and when err says why there is none.
	Relayed() (addr netip.AddrPort, err error)

	// Permit lets the peers at an IP address send.
	Permit(to netip.Addr)
}

func (n *Network) signal(url string) matchmaker.Line {
	if n.Signal != nil {
		return n.Signal(url)
	}
	return matchmaker.Dial(url)
}

func (n *Network) relay(servers []matchmaker.TURNServer) Relay {
	if n.Relay != nil {
		return n.Relay(servers)
	}
	return matchmaker.AllocateRelay(servers)
}
