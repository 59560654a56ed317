package world

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"

	"github.com/partyline-go/partyline/party"
)

var (
	cone       = site{name: "cone", home: &NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent}}
	restricted = site{name: "restricted", home: &NAT{Mapping: EndpointIndependent, Filtering: AddressAndPortDependent}}
	strict     = site{name: "symmetric", home: &NAT{Mapping: AddressAndPortDependent, Filtering: AddressAndPortDependent, RandomPorts: true}}
)

func TestNeighboursMeetInTheirLANWithAndWithoutHairpin(t *testing.T) {
	for _, hairpin := range []bool{false, true} {
		for _, s := range sites() {
			if s.home == nil {
				continue
			}
			t.Run(fmt.Sprint(s.name, ", hairpin ", hairpin), func(t *testing.T) {
				p := newPlay(t, 1)
				home := *s.home
				home.Hairpin = hairpin
				lan := p.lan(site{home: &home, carrier: s.carrier})
				h := p.hosting(lan.Host("192.168.1.2"))

				g := p.joining(lan.Host("192.168.1.3"), h)

				p.wantJoined(g, directWithin, party.Local)
			})
		}
	}
}

// An echo is a machine that sends every packet back, as some test services do.
func echo(h *Host, port uint16) *Socket {
	return h.Serve(port, func(s *Socket, from netip.AddrPort, data []byte) { s.Send(from, data) })
}

func TestSameAddressOutsideIsNotTheSameLAN(t *testing.T) {
	for _, hairpin := range []bool{false, true} {
		t.Run(fmt.Sprint("hairpin ", hairpin), func(t *testing.T) {
			p := newPlay(t, 1)
			carrier := p.Internet.Router("203.0.113.250", NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent, Hairpin: hairpin})
			carrier.SetLink(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
			hostHome := carrier.LAN.Router("100.64.0.10", *restricted.home)
			guestHome := carrier.LAN.Router("100.64.0.20", *restricted.home)
			h := p.hosting(hostHome.LAN.Host("192.168.1.2"))
			wrong := echo(guestHome.LAN.Host("192.168.1.2"), h.socket.addr.Port())

			g := p.joining(guestHome.LAN.Host("192.168.1.3"), h)

			want := party.Relayed
			if hairpin {
				want = party.Direct
			}
			p.wantJoined(g, relayedWithin, want)
			p.run(40 * time.Second)
			if g.path() != want {
				p.failf("later the path is %v", g.path())
			}
			if wrong.Heard > 10 {
				p.failf("the wrong machine gets %d datagrams, want at most 10", wrong.Heard)
			}
		})
	}
}

func TestJoinIsTakenBackAtOnceWhileEverythingIsTried(t *testing.T) {
	p := newPlay(t, 1)
	p.service.Relay.Off = true
	h := p.hosting(p.at(strict))
	g := p.joining(p.at(strict), h)
	p.run(3 * time.Second)

	g.Cancel()
	p.run(p.frame)
	why, n := g.down()
	sent := g.socket.Sent
	p.run(20 * time.Second)

	if g.State() != party.StateIdle || why != party.WhyCancelled || n != 1 || len(g.facts) != 1 {
		p.failf("after Cancel %d times Down, for %v", n, why)
	}
	if g.socket.Sent != sent || h.count(party.Joined) > 0 {
		p.failf("%d datagrams are sent after Cancel", g.socket.Sent-sent)
	}
}

func TestWhoWantsTheRelayOnlyIsNotSeen(t *testing.T) {
	p := newPlay(t, 1)
	h := p.hosting(p.at(cone))
	heard := 0
	at := p.at(cone)
	p.spy(h.socket, at, &heard)

	g := p.joining(at, h, func(cfg *party.Config) { cfg.ForceRelay = true })

	p.wantJoined(g, relayedWithin, party.Relayed)
	p.run(40 * time.Second)
	if g.path() != party.Relayed || heard > 0 {
		p.failf("the path is %v, and %d datagrams came straight from the guest", g.path(), heard)
	}
}

// spy counts what comes to a socket straight from a host.
func (p *play) spy(s *Socket, from *Host, count *int) {
	s.seen = func(at netip.AddrPort) {
		if at.Addr() == from.Outside() {
			*count++
		}
	}
}

func TestHostThatWantsTheRelayOnlyIsReachedOverIt(t *testing.T) {
	p := newPlay(t, 1)
	h := p.hosting(p.at(restricted), func(cfg *party.Config) { cfg.ForceRelay = true })

	g := p.joining(p.at(restricted), h)

	p.wantJoined(g, relayedWithin, party.Relayed)
}

func TestWhoAsksNoSTUNServerIsReachedAsFarAsRoutersLet(t *testing.T) {
	open := site{name: "open"}
	for what, c := range map[string]struct {
		host, guest     site
		noHost, noGuest bool
		want            party.Path // PathNone: not at all
	}{
		"a guest behind a router, over the relay":            {restricted, restricted, false, true, party.Relayed},
		"a guest that an open host answers":                  {open, restricted, true, true, party.Direct},
		"a host behind a router is not reached from outside": {restricted, restricted, true, false, party.PathNone},
	} {
		t.Run(what, func(t *testing.T) {
			p := newPlay(t, 1)
			h := p.hosting(p.host(c.host), func(cfg *party.Config) { cfg.NoStun = c.noHost })
			g := p.joining(p.host(c.guest), h, func(cfg *party.Config) { cfg.NoStun = c.noGuest })

			if c.want == party.PathNone {
				p.wantDown(g, h, noPathWithin, party.WhyNoPath)
			} else {
				p.wantJoined(g, relayedWithin, c.want)
			}

			if h.Outside().IsValid() == c.noHost || c.noGuest && g.Outside().IsValid() {
				p.failf("seen from outside at %v and %v", h.Outside(), g.Outside())
			}
		})
	}
}

func TestOutsideIsWhatTheRouterMakesOfIt(t *testing.T) {
	p := newPlay(t, 1)
	h := p.hosting(p.at(restricted))

	if at := h.Outside(); at.Addr() != h.at.Outside() {
		t.Errorf("seen at %v, want at %v", at, h.at.Outside())
	}
}

// talking makes a host and a guest at two sites that say a number each ten
// times a second.
func (p *play) talking(host, guest *Host, change ...func(*party.Config)) (h, g *player) {
	p.t.Helper()
	h = p.hosting(host)
	g = p.joining(guest, h, change...)
	p.until(relayedWithin, "the guest has joined", func() bool { return g.joined > 0 })
	h.every, g.every = 100*time.Millisecond, 100*time.Millisecond
	return h, g
}

// wantAllHeard sees both hear the last number of the other, and nothing else
// happen to them.
func (p *play) wantAllHeard(h, g *player) {
	p.t.Helper()
	h.every, g.every = 0, 0
	p.until(10*time.Second, "all that was said is heard", func() bool {
		return h.heard[source{h.Token(), g.MyPID()}] == g.number && g.heard[source{h.Token(), h.MyPID()}] == h.number
	})
	for _, m := range []*player{h, g} {
		for _, f := range m.facts {
			if f.Kind == party.Down || f.Kind == party.Gone || f.Kind == party.NewHost {
				p.failf("%s hears %v(%v)", m.name, f.Kind, f.Why)
			}
		}
		if m.count(party.Joined) != 1 {
			p.failf("%s hears Joined %d times", m.name, m.count(party.Joined))
		}
	}
}

func TestRelayedConnectionMovesToADirectPathWithoutLosingAMessage(t *testing.T) {
	for what, pair := range map[string][2]site{
		"restricted": {restricted, restricted},
		"open host":  {{name: "open"}, restricted},
		"open guest": {restricted, {name: "open"}},
		"cone":       {cone, cone},
	} {
		t.Run(what, func(t *testing.T) {
			for seed := range uint64(max(1, *worldSeeds/3)) {
				p := newPlay(t, seed+1)
				host, guest := p.host(pair[0]), p.host(pair[1])
				p.CutBetween(host, guest)
				p.CutBetween(guest, host)
				h, g := p.talking(host, guest)
				if g.path() != party.Relayed {
					p.failf("without a direct path the guest joins over one that is %v", g.path())
				}
				p.run(time.Duration(seed%10) * 3 * time.Second)

				p.MendBetween(host, guest)
				p.MendBetween(guest, host)
				p.until(40*time.Second, "the path is direct", func() bool { return g.path() == party.Direct })
				p.run(10 * time.Second)

				if !slices.Equal(g.paths, []party.Path{party.Relayed, party.Direct}) {
					p.failf("the paths are %v", g.paths)
				}
				p.wantAllHeard(h, g)
			}
		})
	}
}

func TestRelayedConnectionStaysWhileADirectPathIsDeadInOneDirection(t *testing.T) {
	for what, cut := range deadWays {
		t.Run(what, func(t *testing.T) {
			p := newPlay(t, 1)
			host, guest := p.at(cone), p.at(cone)
			cut(p, host, guest)
			h, g := p.talking(host, guest)

			p.run(70 * time.Second)

			if !slices.Equal(g.paths, []party.Path{party.Relayed}) {
				p.failf("the paths are %v", g.paths)
			}
			p.wantAllHeard(h, g)
		})
	}
}

// Case T20: the guest's port changes, and later its address.
func TestGuestsAddressChangesUnderIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		host  site
		guest site
		path  party.Path
	}{
		{"directly", cone, restricted, party.Direct},
		{"over the relay", strict, strict, party.Relayed},
		{"over the relay, by TCP", restricted, site{home: &NAT{NoUDP: true}}, party.Relayed},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(max(1, *worldSeeds/3)) {
				p := newPlay(t, seed+1)
				guest := p.at(c.guest)
				h, g := p.talking(p.at(c.host), guest)
				if g.path() != c.path {
					p.failf("the guest joins over a path that is %v", g.path())
				}

				p.run(5*time.Second + time.Duration(seed%10)*time.Second/5)
				guest.network.router.Forget()
				p.run(5 * time.Second)
				guest.network.router.Readdress("203.0.113.77")
				p.run(20 * time.Second)

				p.wantAllHeard(h, g)
				if g.path() != c.path {
					p.failf("the path is %v in the end", g.path())
				}
			}
		})
	}
}

func TestHostsAddressChangesUnderItsGuests(t *testing.T) {
	for _, c := range []struct {
		name  string
		host  site
		guest site
		path  party.Path
	}{
		{"directly", restricted, restricted, party.Direct},
		{"over the relay", restricted, strict, party.Relayed},
		{"over the relay, by TCP", restricted, site{home: &NAT{NoUDP: true}}, party.Relayed},
	} {
		for what, change := range map[string]func(*Router){
			"port":    (*Router).Forget,
			"address": func(r *Router) { r.Readdress("203.0.113.77") },
		} {
			t.Run(c.name+", another "+what, func(t *testing.T) {
				for seed := range uint64(max(1, *worldSeeds/3)) {
					p := newPlay(t, seed+1)
					host := p.at(c.host)
					h, g := p.talking(host, p.at(c.guest))
					if g.path() != c.path {
						p.failf("the guest joins over a path that is %v", g.path())
					}

					p.run(15*time.Second + time.Duration(seed%10)*1500*time.Millisecond)
					change(host.network.router)
					p.run(15 * time.Second)

					p.wantAllHeard(h, g)
				}
			})
		}
	}
}
