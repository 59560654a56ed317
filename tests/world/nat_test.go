package world

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// A yard is a host behind a router, and three sockets of two hosts outside.
type yard struct {
	*World
	router        *Router
	inside        *Socket
	one, two, far *Socket // two ports of one host, and another host
}

func newYard(nat NAT) *yard {
	w := New(1)
	y := &yard{World: w, router: w.Internet.Router("203.0.113.10", nat)}
	y.inside = y.router.LAN.Host("10.0.1.2").Socket(5000)
	near := w.Internet.Host("198.51.100.1")
	y.one, y.two = near.Socket(1000), near.Socket(1001)
	y.far = w.Internet.Host("198.51.100.2").Socket(1000)
	return y
}

func TestMappingIsPerWhatItsKindLooksAt(t *testing.T) {
	for mapping, same := range map[Behaviour][2]bool{
		EndpointIndependent:     {true, true},
		AddressDependent:        {true, false},
		AddressAndPortDependent: {false, false},
	} {
		for _, filtering := range behaviours {
			for _, random := range []bool{false, true} {
				t.Run(fmt.Sprint(mapping, "/", filtering, "/", random), func(t *testing.T) {
					y := newYard(NAT{Mapping: mapping, Filtering: filtering, RandomPorts: random})

					first := seen(t, y.inside, y.one)
					again, second, third := seen(t, y.inside, y.one), seen(t, y.inside, y.two), seen(t, y.inside, y.far)

					if first.Addr() != y.router.addr {
						t.Errorf("it is seen at %v, want the router's address", first)
					}
					if kept := first.Port() == 5000; kept == random {
						t.Errorf("seen at port %d, random: %v", first.Port(), random)
					}
					if again != first || (second == first) != same[0] || (third == first) != same[1] {
						t.Errorf("seen at %v, again %v, at another port %v, by another host %v", first, again, second, third)
					}
				})
			}
		}
	}
}

func TestFilterLetsInWhomItsKindKnows(t *testing.T) {
	for filtering, passes := range map[Behaviour][]string{
		EndpointIndependent:     {"198.51.100.1:1000 one", "198.51.100.1:1001 two", "198.51.100.2:1000 far"},
		AddressDependent:        {"198.51.100.1:1000 one", "198.51.100.1:1001 two"},
		AddressAndPortDependent: {"198.51.100.1:1000 one"},
	} {
		for _, mapping := range behaviours {
			t.Run(fmt.Sprint(mapping, "/", filtering), func(t *testing.T) {
				y := newYard(NAT{Mapping: mapping, Filtering: filtering})
				at := seen(t, y.inside, y.one)

				y.one.say(at, "one")
				y.two.say(at, "two")
				y.far.say(at, "far")
				y.one.say(netip.AddrPortFrom(at.Addr(), at.Port()+1), "no mapping")

				want(t, y.inside.heard(), passes...)
			})
		}
	}
}

func TestNothingComesInBeforeSomethingWentOut(t *testing.T) {
	y := newYard(NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent})

	y.one.say(netip.AddrPortFrom(y.router.addr, 5000), "early")

	want(t, y.inside.heard())
}

func TestMappingEndsWithItsTimeoutSinceTheLastPacketFromInside(t *testing.T) {
	y := newYard(NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent, Timeout: time.Minute})
	at := seen(t, y.inside, y.one)

	y.Advance(50 * time.Second)
	y.inside.say(y.one.addr, "still here")
	y.Advance(50 * time.Second)
	y.far.say(at, "in time")
	y.Advance(11 * time.Second)
	y.far.say(at, "late")

	want(t, y.inside.heard(), "198.51.100.2:1000 in time")
}

func TestFilterForgetsAPeerToWhomNothingWentForTheTimeout(t *testing.T) {
	y := newYard(NAT{Mapping: EndpointIndependent, Filtering: AddressDependent, Timeout: time.Minute})
	at := seen(t, y.inside, y.one)
	y.Advance(50 * time.Second)
	y.inside.say(y.far.addr, "keeps the mapping")

	y.Advance(11 * time.Second)
	y.one.say(at, "forgotten")
	y.far.say(at, "known")

	want(t, y.inside.heard(), "198.51.100.2:1000 known")
}

func TestHairpinLeadsToAnotherHostInside(t *testing.T) {
	for _, hairpin := range []bool{true, false} {
		y := newYard(NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent, Hairpin: hairpin})
		neighbour := y.router.LAN.Host("10.0.1.3").Socket(6000)
		at := seen(t, neighbour, y.one)

		y.inside.say(at, "around")

		if hairpin {
			want(t, neighbour.heard(), "203.0.113.10:5000 around") // RFC 4787, REQ-9: from the outside address
		} else {
			want(t, neighbour.heard())
		}
	}
}

func TestNeighboursReachEachOtherWithoutTheRouter(t *testing.T) {
	y := newYard(NAT{NoUDP: true})
	neighbour := y.router.LAN.Host("10.0.1.3").Socket(6000)

	y.inside.say(neighbour.addr, "hello")

	want(t, neighbour.heard(), "10.0.1.2:5000 hello")
}

func TestPrivateAddressOfAnotherLANIsNotReached(t *testing.T) {
	y := newYard(NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent})
	other := y.Internet.Router("203.0.113.20", y.router.NAT).LAN.Host("10.0.2.2").Socket(6000)

	y.inside.say(other.addr, "nowhere")

	want(t, other.heard())
}

func TestRouterThatBlocksUDPPassesNone(t *testing.T) {
	y := newYard(NAT{NoUDP: true})

	y.inside.say(y.one.addr, "out")
	y.one.say(netip.AddrPortFrom(y.router.addr, 5000), "in")

	want(t, y.one.heard())
	want(t, y.inside.heard())
}

func TestPacketsPassTwoRoutersEachWithItsOwnRules(t *testing.T) {
	w := New(1)
	carrier := w.Internet.Router("203.0.113.10", NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent, RandomPorts: true, Hairpin: true})
	home := carrier.LAN.Router("100.64.0.10", NAT{Mapping: EndpointIndependent, Filtering: AddressAndPortDependent})
	next := carrier.LAN.Router("100.64.0.20", NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent})
	inside, neighbour := home.LAN.Host("10.0.1.2").Socket(5000), next.LAN.Host("10.0.1.2").Socket(6000)
	one, two := w.Internet.Host("198.51.100.1").Socket(1000), w.Internet.Host("198.51.100.2").Socket(1000)

	at := seen(t, inside, one)
	one.say(at, "known")
	two.say(at, "stopped at home")
	there := seen(t, neighbour, two)
	inside.say(there, "next door")

	if at.Addr() != carrier.addr || inside.host.Outside() != carrier.addr {
		t.Errorf("seen at %v, Outside says %v, want the carrier's address", at, inside.host.Outside())
	}
	want(t, inside.heard(), "198.51.100.1:1000 known")
	want(t, neighbour.heard(), at.String()+" next door")
}

func TestRouterThatForgetsGivesAnotherPort(t *testing.T) {
	y := newYard(NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent})
	first := seen(t, y.inside, y.one)

	y.router.Forget()
	y.one.say(first, "to the old port")
	second := seen(t, y.inside, y.one)
	y.router.Readdress("203.0.113.11")
	third := seen(t, y.inside, y.one)

	want(t, y.inside.heard())
	if second == first || second.Addr() != first.Addr() {
		t.Errorf("seen at %v, then at %v, want another port", first, second)
	}
	if third.Addr() != netip.MustParseAddr("203.0.113.11") {
		t.Errorf("seen at %v after the router's address changed", third)
	}
}

func TestLatencyOfTheCablesAddsUp(t *testing.T) {
	y := newYard(NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent})
	y.inside.host.SetLink(netmsg.LinkConfig{Latency: 1 * time.Millisecond})
	y.router.SetLink(netmsg.LinkConfig{Latency: 10 * time.Millisecond})
	y.one.host.In.SetLink(netmsg.LinkConfig{Latency: 5 * time.Millisecond})

	y.inside.Send(y.one.addr, []byte("x"))
	y.Advance(15 * time.Millisecond)
	want(t, y.one.heard())
	y.Advance(time.Millisecond)

	want(t, y.one.heard(), "203.0.113.10:5000 x")
}

func TestCutsAreOfOneWay(t *testing.T) {
	y := newYard(NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent})
	at := seen(t, y.inside, y.one)

	y.router.Out.Cut()
	y.inside.say(y.one.addr, "lost")
	y.one.say(at, "a")
	y.router.Out.Mend()
	y.CutBetween(y.one.host, y.inside.host)
	y.one.say(at, "lost")
	y.far.say(at, "b")
	y.inside.say(y.one.addr, "c")
	y.MendBetween(y.one.host, y.inside.host)
	y.one.say(at, "d")

	want(t, y.inside.heard(), "198.51.100.1:1000 a", "198.51.100.2:1000 b", "198.51.100.1:1000 d")
	want(t, y.one.heard(), "203.0.113.10:5000 c")
}

func TestKilledHostHearsAndSaysNothing(t *testing.T) {
	y := newYard(NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent})
	at := seen(t, y.inside, y.one)

	y.inside.host.Kill()
	y.one.say(at, "hello?")

	want(t, y.inside.heard())
	if _, err := y.inside.WriteBatch([]netmsg.Datagram{{Addr: y.one.addr}}); err == nil {
		t.Error("its socket still sends")
	}
}
