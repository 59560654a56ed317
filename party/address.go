package party

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/partyline-go/partyline/codes"
)

// A localAddr is an address of this machine.
type localAddr struct {
	iface string // the interface's name
	addr  netip.Addr
}

// bestAddr chooses the address that others reach this machine by, the first of
// usableAddrs. It is not valid if there is none.
func bestAddr(all []localAddr, route netip.Addr) netip.Addr {
	if usable := usableAddrs(all, route); len(usable) > 0 {
		return usable[0]
	}
	return netip.Addr{}
}

// usableAddrs lists the addresses that others may reach this machine by: that
// of the default route (route, not valid if there is none) before all others,
// then public, private and IPv6 ones; those of containers and virtual machines,
// or else loopback, only if there is nothing better. Link-local addresses are
// never among them.
func usableAddrs(all []localAddr, route netip.Addr) (list []netip.Addr) {
	usable := slices.DeleteFunc(slices.Clone(all), func(a localAddr) bool {
		return !a.addr.IsValid() || a.addr.IsLinkLocalUnicast() || a.addr.IsUnspecified() || a.addr.IsMulticast()
	})
	slices.SortStableFunc(usable, func(a, b localAddr) int {
		return cmp.Compare(a.distance(route), b.distance(route))
	})
	for _, a := range usable {
		far := a.distance(route)
		if far >= bridgeDistance && far > usable[0].distance(route) {
			break
		}
		list = append(list, a.addr)
	}
	return list
}

// bridgeDistance is that of addresses that are used for want of others.
const bridgeDistance = 5

// distance is how far an address is from being the one that others use.
func (a localAddr) distance(route netip.Addr) int {
	switch {
	case a.addr.IsLoopback() && a.addr.Is6():
		return 7
	case a.addr.IsLoopback():
		return 6
	case a.bridge():
		return bridgeDistance
	case a.addr == route:
		return 0
	case a.addr.Is6():
		return 4
	case a.addr.IsPrivate():
		return 2
	}
	return 1
}

// bridge says whether an address leads to containers or virtual machines of
// this very machine: by the interface's name, or by the networks that their
// programs use unless told otherwise.
func (a localAddr) bridge() bool {
	for _, prefix := range bridgeNames {
		if strings.HasPrefix(strings.ToLower(a.iface), prefix) {
			return true
		}
	}
	for _, network := range bridgeNets {
		if network.Contains(a.addr) {
			return true
		}
	}
	return false
}

var bridgeNames = []string{"docker", "br-", "veth", "virbr", "vboxnet", "vmnet", "lxc", "lxd", "podman", "cni", "flannel", "vethernet", "virtualbox", "vmware"}

var bridgeNets = []netip.Prefix{
	netip.MustParsePrefix("172.17.0.0/16"),    // Docker
	netip.MustParsePrefix("192.168.56.0/24"),  // VirtualBox, host-only
	netip.MustParsePrefix("192.168.122.0/24"), // libvirt
	netip.MustParsePrefix("10.0.3.0/24"),      // LXC
}

// localAddrs lists this machine's addresses.
func localAddrs() (all []localAddr) {
	ifaces, err := net.Interfaces()
	if err != nil {
		return nil
	}
	for _, iface := range ifaces {
		if iface.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, _ := iface.Addrs()
		for _, a := range addrs {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil {
				all = append(all, localAddr{iface.Name, prefix.Addr().Unmap()})
			}
		}
	}
	return all
}

// routeAddr is this machine's address on the way to everywhere else; not valid
// if there is no way. Nothing is sent: a UDP socket is only bound.
func routeAddr() netip.Addr {
	conn, err := net.Dial("udp4", "192.0.2.1:9") // an address for documents: nobody's
	if err != nil {
		return netip.Addr{}
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
}

// bestOwn is the best of this machine's addresses, or of those that the game
// names. Those have no interface, and of two that are usable the first is better.
func (p *Party) bestOwn() netip.Addr {
	if p.cfg.Network.LocalAddrs == nil {
		return bestAddr(localAddrs(), routeAddr())
	}
	var all []localAddr
	var first netip.Addr
	for _, addr := range p.cfg.Network.LocalAddrs() {
		a := localAddr{addr: addr.Unmap()}
		all = append(all, a)
		if !first.IsValid() && !a.bridge() && !a.addr.IsLoopback() {
			first = bestAddr([]localAddr{a}, netip.Addr{})
		}
	}
	return bestAddr(all, first)
}

// ownAddr is the address and port at which others reach this side; not valid
// if there is none.
func (p *Party) ownAddr() netip.AddrPort {
	if p.ep == nil {
		return netip.AddrPort{}
	}
	if !p.own.IsValid() {
		p.own = p.ep.Addr()
		if ip := p.own.Addr(); ip.IsUnspecified() || !ip.IsValid() {
			p.own = netip.AddrPortFrom(p.bestOwn(), p.own.Port())
		}
	}
	return p.own
}

// JoinCode is the code that a friend joins this host by: the address and port
// of this machine on the network that leads out, chosen as the session began.
// It is "" when not hosting, or when the machine has no address. It shows that
// address to whoever reads it.
func (p *Party) JoinCode() string {
	if p.state != StateHosting {
		return ""
	}
	if p.code == "" {
		p.code, _ = codes.Join(p.ownAddr())
	}
	return p.code
}
