package world

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

var behaviours = []Behaviour{EndpointIndependent, AddressDependent, AddressAndPortDependent}

// say sends text and lets a moment pass.
func (s *Socket) say(to netip.AddrPort, text string) {
	s.Send(to, []byte(text))
	s.host.world.Advance(time.Millisecond)
}

// heard is all that has come: from whom, and what.
func (s *Socket) heard() (all []string) {
	d := netmsg.Datagram{Data: make([]byte, 0, maxDatagram)}
	for s.TryRead(&d) {
		all = append(all, fmt.Sprintf("%v %s", d.Addr, d.Data))
	}
	return all
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

// seen is the address and port at which s is seen by who hears text from it.
func seen(t *testing.T, s, by *Socket) netip.AddrPort {
	t.Helper()
	s.say(by.addr, "who am I")
	d := netmsg.Datagram{Data: make([]byte, 0, maxDatagram)}
	if !by.TryRead(&d) {
		t.Fatalf("%v does not hear %v", by.addr, s.addr)
	}
	return d.Addr
}
