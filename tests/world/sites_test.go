package world

import (
	"fmt"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// A site is a place for a player: what lies between it and the Internet.
type site struct {
	name    string
	home    *NAT // nil: nothing, a public address
	carrier *NAT // a second router; nil: none
}

// sites are all kinds of routers, and none.
func sites() (all []site) {
	all = append(all, site{name: "open"})
	for _, mapping := range behaviours {
		for _, filtering := range behaviours {
			nat := NAT{Mapping: mapping, Filtering: filtering, RandomPorts: (mapping+filtering)%2 == 0}
			all = append(all, site{name: fmt.Sprintf("%v %v", short(mapping), short(filtering)), home: &nat})
		}
	}
	all = append(all, site{
		name:    "double",
		home:    &NAT{Mapping: EndpointIndependent, Filtering: AddressAndPortDependent},
		carrier: &NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent, RandomPorts: true},
	}, site{
		name:    "double strict",
		home:    &NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent},
		carrier: &NAT{Mapping: AddressAndPortDependent, Filtering: AddressDependent, RandomPorts: true},
	}, site{name: "blocked", home: &NAT{NoUDP: true}})
	return all
}

// short names a behaviour as the tables of RFC 4787 do.
func short(b Behaviour) string { return [...]string{"", "EI", "AD", "APD"}[b] }

// at builds a site and puts a host there.
func (p *play) at(s site) *Host {
	return p.lan(s).Host("10.0.0.2")
}

// lan builds a site: its network, for several hosts.
func (p *play) lan(s site) *Network {
	p.sites++
	address := fmt.Sprintf("203.%d.%d.%d", p.sites/200, p.sites%200, 10+p.sites%200)
	n, link := p.Internet, netmsg.LinkConfig{Latency: 20 * time.Millisecond}
	if s.home == nil {
		panic("a public host has no LAN")
	}
	if s.carrier != nil {
		r := n.Router(address, *s.carrier)
		r.SetLink(link)
		n, address, link = r.LAN, "100.64.0.10", netmsg.LinkConfig{}
	}
	r := n.Router(address, *s.home)
	r.SetLink(link)
	return r.LAN
}

// open puts a host into the Internet itself.
func (p *play) open() *Host {
	p.sites++
	h := p.Internet.Host(fmt.Sprintf("203.%d.%d.%d", p.sites/200, p.sites%200, 10+p.sites%200))
	h.SetLink(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	return h
}

// host puts a host at a site of its own.
func (p *play) host(s site) *Host {
	if s.home == nil {
		return p.open()
	}
	return p.at(s)
}

// kinds is what the routers of a site come to together: the stricter of each.
func (s site) kinds() (mapping, filtering Behaviour, udp bool) {
	mapping, filtering, udp = EndpointIndependent, EndpointIndependent, true
	for _, nat := range []*NAT{s.home, s.carrier} {
		if nat != nil {
			mapping, filtering = max(mapping, nat.Mapping), max(filtering, nat.Filtering)
			udp = udp && !nat.NoUDP
		}
	}
	return mapping, filtering, udp
}

// punchable is the rule by which a host and a guest can meet. Each knows of the
// other the one address that STUN saw, and an address from which something came.
// They can when one's first packet gets through, and what follows goes between
// the same two ports outside: a handshake does not take an answer that comes
// from where it did not ask.
func punchable(host, guest site) bool {
	mapH, filterH, udpH := host.kinds()
	mapG, filterG, udpG := guest.kinds()

	// The guest's Request goes to the host's known port. That is also the port
	// by which the host answers and has punched: to the guest's address, and to
	// the very port that the Request comes from if that is a known one.
	asked := mapH == EndpointIndependent && (filterH != AddressAndPortDependent || mapG == EndpointIndependent)

	// The host's Punch, from whatever port, goes to the guest's known port: open
	// to anybody, or that by which the guest has asked the host's address, and
	// its very port if the Punch comes from the known one.
	punched := filterG == EndpointIndependent ||
		mapG == EndpointIndependent && (filterG == AddressDependent || mapH == EndpointIndependent)
	// The guest asks there. If that goes by another port than the one that was
	// punched, the host's router must take it, and answer by the port asked.
	asksBack := mapG == EndpointIndependent || filterH != AddressAndPortDependent && mapH != AddressAndPortDependent

	return udpH && udpG && (asked || punched && asksBack)
}
