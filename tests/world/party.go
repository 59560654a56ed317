package world

import (
	"net/netip"
	"strings"

	"github.com/partyline-go/partyline/matchmaker"
	"github.com/partyline-go/partyline/party"
)

// Network is how a party on the host reaches matchmakers and relays: the
// services of the world, by their addresses.
func (h *Host) Network() party.Network {
	return party.Network{
		Signal: func(url string) matchmaker.Line { return h.Signal(url) },
		Relay: func(servers []matchmaker.TURNServer) party.Relay {
			var relay *Relay
			if len(servers) > 0 && len(servers[0].URLs) > 0 {
				if s := h.world.serviceAt(servers[0].URLs[0]); s != nil {
					relay = s.Relay
				}
			}
			return h.newRelayed(relay, servers)
		},
		LocalAddrs: func() []netip.Addr { return []netip.Addr{h.addr} },
	}
}

// Signal dials the matchmaker at a URL.
func (h *Host) Signal(url string) matchmaker.Line {
	s := h.world.serviceAt(url)
	if s == nil {
		panic("world: nobody has " + url)
	}
	return h.line(s.Matchmaker)
}

// serviceAt finds the service whose address a URL names; nil: none has it.
func (w *World) serviceAt(url string) *Service {
	for _, s := range w.services {
		if strings.Contains(url, s.host.addr.String()+":") {
			return s
		}
	}
	return nil
}
