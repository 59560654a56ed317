package world

import (
	"fmt"
	"testing"
	"time"

	"github.com/partyline-go/partyline/party"
)

// What the design allows.
const (
	directWithin  = 3 * time.Second
	relayedWithin = 10 * time.Second
	noPathWithin  = 15 * time.Second
)

// eachPair runs a test for every pair of sites, the host's and the guest's.
func eachPair(t *testing.T, test func(p *play, host, guest site)) {
	for i, host := range sites() {
		t.Run("host "+host.name, func(t *testing.T) {
			t.Parallel()
			for j, guest := range sites() {
				t.Run("guest "+guest.name, func(t *testing.T) {
					p := newPlay(t, uint64(100*i+j+1))
					fmt.Fprintf(&p.script, "host %s, guest %s", host.name, guest.name)
					test(p, host, guest)
				})
			}
		})
	}
}

// hears says whether what a relay sends reaches a site: the host punches the
// guest's relay, and has no relay of its own.
func hears(host site) bool {
	_, _, udp := host.kinds()
	return udp
}

func TestEveryPairMeetsDirectlyIfPunchingCanPassElseOverTheRelay(t *testing.T) {
	eachPair(t, func(p *play, host, guest site) {
		h := p.hosting(p.host(host))

		g := p.joining(p.host(guest), h)

		switch {
		case punchable(host, guest):
			p.wantJoined(g, directWithin, party.Direct)
		case hears(host):
			p.wantJoined(g, relayedWithin, party.Relayed)
		default:
			p.wantDown(g, h, noPathWithin, party.WhyNoPath)
		}
	})
}

func TestEveryPairThatCannotPunchHearsOnceThatThereIsNoPathWithoutARelay(t *testing.T) {
	eachPair(t, func(p *play, host, guest site) {
		p.service.Relay.Off = true
		h := p.hosting(p.host(host))

		g := p.joining(p.host(guest), h)

		if punchable(host, guest) {
			p.wantJoined(g, directWithin, party.Direct)
		} else {
			p.wantDown(g, h, noPathWithin, party.WhyNoPath)
		}
	})
}

// deadWays are the directions that a cut may have between two players.
var deadWays = map[string]func(p *play, h, g *Host){
	"from host to guest": func(p *play, h, g *Host) { p.CutBetween(h, g) },
	"from guest to host": func(p *play, h, g *Host) { p.CutBetween(g, h) },
}

func TestNobodyHearsJoinedOverAWayThatIsDeadInOneDirection(t *testing.T) {
	cone := site{name: "EI EI", home: &NAT{Mapping: EndpointIndependent, Filtering: EndpointIndependent}}
	for what, cut := range deadWays {
		for _, host := range []site{{name: "open"}, cone} {
			for _, relay := range []bool{false, true} {
				t.Run(fmt.Sprint(what, ", host ", host.name, ", relay ", relay), func(t *testing.T) {
					p := newPlay(t, 1)
					p.service.Relay.Off = !relay
					h := p.hosting(p.host(host))
					at := p.host(cone)
					cut(p, h.at, at)

					g := p.joining(at, h)

					if relay {
						p.wantJoined(g, relayedWithin, party.Relayed)
					} else {
						p.wantDown(g, h, noPathWithin, party.WhyNoPath)
					}
				})
			}
		}
	}
}
