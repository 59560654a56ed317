package world

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/stun/v4"

	netmsg "github.com/partyline-go/partyline/net"

	"github.com/partyline-go/partyline/matchmaker"
)

// A town is a service and two hosts behind routers.
type town struct {
	*World
	*Service
	routers    [2]*Router
	host, peer *Host
}

func newTown() *town {
	w := New(1)
	c := &town{World: w, Service: w.NewService("198.51.100.1")}
	nat := NAT{Mapping: EndpointIndependent, Filtering: AddressAndPortDependent, RandomPorts: true}
	c.routers = [2]*Router{w.Internet.Router("203.0.113.10", nat), w.Internet.Router("203.0.113.20", nat)}
	c.host, c.peer = c.routers[0].LAN.Host("10.0.1.2"), c.routers[1].LAN.Host("10.0.2.2")
	for _, r := range c.routers {
		r.SetLink(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	}
	return c
}

// servers are the relay's credentials that a room's host gets.
func (c *town) servers(t *testing.T) []matchmaker.TURNServer {
	t.Helper()
	l := c.host.line(c.Matchmaker)
	c.Advance(time.Second)
	return c.open(t, l).TURN
}

// open opens a room over a line.
func (c *town) open(t *testing.T, l *line) matchmaker.Message {
	t.Helper()
	ok := l.Send(matchmaker.Message{T: matchmaker.Open, App: matchmaker.Bytes("test"), Key: make([]byte, 32), Max: 12})
	c.Advance(time.Second)
	m, came := l.Receive()
	if !ok || !came || m.T != matchmaker.RoomIs {
		t.Fatalf("sent: %v, answered: %v with %+v", ok, came, m)
	}
	return m
}

func TestSTUNTellsTheAddressOutside(t *testing.T) {
	c := newTown()
	s := c.host.Socket(5000)
	request := stun.MustBuild(stun.TransactionID, stun.BindingRequest)

	s.Send(netip.MustParseAddrPort("198.51.100.1:27400"), request.Raw)
	c.Advance(time.Second)

	d := netmsg.Datagram{Data: make([]byte, 0, maxDatagram)}
	answer := new(stun.Message)
	var at stun.XORMappedAddress
	if !s.TryRead(&d) || stun.Decode(d.Data, answer) != nil || at.GetFrom(answer) != nil {
		t.Fatal("no answer that can be read")
	}
	if !at.IP.Equal([]byte{203, 0, 113, 10}) || c.routers[0].byPort[uint16(at.Port)] == nil || answer.TransactionID != request.TransactionID {
		t.Errorf("STUN says %v, transaction %x, asked by %x", at, answer.TransactionID, request.TransactionID)
	}
}

func TestRelayPassesOnOnlyWhatIsPermitted(t *testing.T) {
	c := newTown()
	r := c.host.newRelayed(c.Relay, c.servers(t))
	c.Advance(time.Second)
	at, err := r.Relayed()
	if err != nil || at.Addr() != c.Service.host.addr || at.Port() < matchmaker.RelayPort0 {
		t.Fatalf("relayed at %v, error %v", at, err)
	}
	s := c.peer.Socket(5000)
	there := netip.AddrPortFrom(c.peer.Outside(), seenBy(c, s, at).Port())

	r.WriteBatch([]netmsg.Datagram{{Addr: there, Data: []byte("before")}})
	c.Advance(time.Second)
	r.Permit(there.Addr())
	c.Advance(time.Second)
	r.WriteBatch([]netmsg.Datagram{{Addr: there, Data: []byte("after")}})
	s.say(at, "back")
	c.Advance(time.Second)

	want(t, s.heard(), at.String()+" after")
	d := netmsg.Datagram{Data: make([]byte, 0, maxDatagram)}
	if !r.TryRead(&d) || d.Addr != there || string(d.Data) != "back" || r.TryRead(&d) {
		t.Errorf("through the relay came %v %q, want only %v back", d.Addr, d.Data, there)
	}
	if c.Relay.Carried != 2 || c.Relay.Dropped != 2 {
		t.Errorf("carried %d, dropped %d, want 2 and 2", c.Relay.Carried, c.Relay.Dropped)
	}
}

// seenBy sends from s to the relay, and finds the port by which it went.
func seenBy(c *town, s *Socket, to netip.AddrPort) netip.AddrPort {
	s.say(to, "unpermitted")
	c.Advance(time.Second)
	for port, m := range c.routers[1].byPort {
		if m.key.inside == s.addr {
			return netip.AddrPortFrom(c.peer.Outside(), port)
		}
	}
	return netip.AddrPort{}
}

func TestPermissionEndsUnlessItIsAskedForAgain(t *testing.T) {
	c := newTown()
	c.routers[0].NAT.Timeout = time.Hour // nothing else keeps the mapping
	r := c.host.newRelayed(c.Relay, c.servers(t))
	c.Advance(time.Second)
	at, _ := r.Relayed()
	peer := c.Internet.Host("198.51.100.9").Socket(1000)
	r.Permit(peer.addr.Addr())

	c.Advance(9 * time.Minute)
	peer.say(at, "asked again")
	c.Advance(time.Second)
	c.routers[0].Cut()
	c.Advance(6 * time.Minute)
	peer.say(at, "ended")

	if c.Relay.Carried != 1 || c.Relay.Dropped != 1 {
		t.Errorf("carried %d, dropped %d, want 1 and 1", c.Relay.Carried, c.Relay.Dropped)
	}
}

func TestRelayRefuses(t *testing.T) {
	for what, refused := range map[string]func(c *town, servers []matchmaker.TURNServer) *Relayed{
		"a wrong password": func(c *town, servers []matchmaker.TURNServer) *Relayed {
			servers[0].Pass = "guess"
			return c.host.newRelayed(c.Relay, servers)
		},
		"credentials that have expired": func(c *town, servers []matchmaker.TURNServer) *Relayed {
			c.Advance(11 * time.Minute)
			return c.host.newRelayed(c.Relay, servers)
		},
		"more than the quota": func(c *town, servers []matchmaker.TURNServer) *Relayed {
			c.Relay.Quota = 1
			c.host.newRelayed(c.Relay, servers)
			return c.host.newRelayed(c.Relay, servers)
		},
		"everybody when it is off": func(c *town, servers []matchmaker.TURNServer) *Relayed {
			c.Relay.Off = true
			return c.host.newRelayed(c.Relay, servers)
		},
	} {
		t.Run(what, func(t *testing.T) {
			c := newTown()
			r := refused(c, c.servers(t))

			c.Advance(relayGiveUp + time.Second)

			if at, err := r.Relayed(); err == nil {
				t.Errorf("it gives %v", at)
			}
		})
	}
}

func TestRelayReachesNoPrivateAddressUnlessToldTo(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		c := newTown()
		c.Relay.AllowPrivate = allowed
		neighbour := c.Internet.Host("10.9.9.9").Socket(1000)
		r := c.host.newRelayed(c.Relay, c.servers(t))
		c.Advance(time.Second)

		r.Permit(neighbour.addr.Addr())
		c.Advance(time.Second)
		r.WriteBatch([]netmsg.Datagram{{Addr: neighbour.addr, Data: []byte("x")}})
		c.Advance(time.Second)

		if heard := len(neighbour.heard()) == 1; heard != allowed {
			t.Errorf("allowed: %v, heard: %v", allowed, heard)
		}
	}
}

func TestRelayIsReachedOverTCPWhereUDPIsBlocked(t *testing.T) {
	c := newTown()
	c.routers[0].NAT.NoUDP = true
	r := c.host.newRelayed(c.Relay, c.servers(t))
	c.Advance(3 * time.Second)
	at, err := r.Relayed()
	peer := c.Internet.Host("198.51.100.9").Socket(1000)

	r.Permit(peer.addr.Addr())
	c.Advance(time.Second)
	r.WriteBatch([]netmsg.Datagram{{Addr: peer.addr, Data: []byte("x")}})
	c.Advance(time.Second)
	peer.say(at, "y")
	c.Advance(time.Second)

	want(t, peer.heard(), at.String()+" x")
	d := netmsg.Datagram{Data: make([]byte, 0, maxDatagram)}
	if err != nil || !r.TryRead(&d) || string(d.Data) != "y" {
		t.Errorf("relayed at %v, error %v, heard %q", at, err, d.Data)
	}
	r.Close()
	c.Advance(time.Second)
	if n := c.Relay.Allocations(); n != 0 {
		t.Errorf("%d allocations after the client has gone", n)
	}
}

func TestLineTakesTheLatencyOfItsCables(t *testing.T) {
	c := newTown()
	l := c.host.line(c.Matchmaker)
	if l.Send(matchmaker.Message{T: matchmaker.Close}) {
		t.Error("a line that is not up yet takes a message")
	}
	c.Advance(79 * time.Millisecond) // two round trips
	if l.Up() != 0 {
		t.Error("it is up too early")
	}
	c.Advance(time.Millisecond)
	if l.Up() != 1 {
		t.Fatalf("Up is %d after the handshakes", l.Up())
	}

	l.Send(matchmaker.Message{T: matchmaker.Open, App: matchmaker.Bytes("test"), Key: make([]byte, 32)})
	c.Advance(39 * time.Millisecond)
	_, early := l.Receive()
	c.Advance(time.Millisecond)
	m, ok := l.Receive()

	if early || !ok || m.T != matchmaker.RoomIs || m.Code == "" {
		t.Errorf("early: %v, then %v: %+v", early, ok, m)
	}
}

func TestMatchmakerIntroducesTheTwoOfARoom(t *testing.T) {
	c := newTown()
	h, g := c.host.line(c.Matchmaker), c.peer.line(c.Matchmaker)
	c.Advance(time.Second)
	room := c.open(t, h)

	g.Send(matchmaker.Message{T: matchmaker.Join, Code: room.Code})
	c.Advance(time.Second)

	toHost, ok1 := h.Receive()
	toGuest, ok2 := g.Receive()
	if !ok1 || !ok2 || toHost.T != matchmaker.Peer || toHost.ID != toGuest.ID || !bytes.Equal(toHost.PSK, toGuest.PSK) {
		t.Errorf("the host hears %+v, the guest %+v", toHost, toGuest)
	}
}

func TestMatchmakerHearsAtOnceOfAKilledHostAndLateOfOneThatIsCutOff(t *testing.T) {
	for what, c := range map[string]struct {
		end    func(*town)
		within time.Duration
	}{
		"killed":  {func(c *town) { c.host.Kill() }, time.Second},
		"cut off": {func(c *town) { c.routers[0].Cut() }, idleSocket + time.Second},
	} {
		t.Run(what, func(t *testing.T) {
			town := newTown()
			town.open(t, upLine(town))

			c.end(town)
			town.Advance(c.within - 2*time.Second)
			_, before := town.Directory().Len()
			town.Advance(2 * time.Second)
			_, after := town.Directory().Len()

			if what == "cut off" && before != 1 || after != 0 {
				t.Errorf("%d sockets before, %d after %v", before, after, c.within)
			}
		})
	}
}

func upLine(c *town) *line {
	l := c.host.line(c.Matchmaker)
	c.Advance(time.Second)
	return l
}

func TestLineComesUpAgainAfterTheMatchmakerWasGone(t *testing.T) {
	c := newTown()
	l := upLine(c)

	c.Stop()
	c.Advance(5 * time.Second)
	if l.Up() != 2 || l.Err() == nil || l.Send(matchmaker.Message{T: matchmaker.Close}) {
		t.Errorf("Up is %d, Err %v, while it is gone", l.Up(), l.Err())
	}
	c.Start()
	c.Advance(lastRetry)

	if l.Up() != 3 || l.Err() != nil {
		t.Errorf("Up is %d, Err %v, after it came back", l.Up(), l.Err())
	}
	c.open(t, l)
}

func TestLineFindsThatItIsDeadByItsPing(t *testing.T) {
	c := newTown()
	l := upLine(c)

	c.routers[0].In.Cut()
	c.Advance(pingEvery + dialTime + time.Second)

	if l.Up() != 2 {
		t.Errorf("Up is %d with half of the line dead for long", l.Up())
	}
	c.routers[0].In.Mend()
	c.Advance(lastRetry)
	if l.Up() != 3 {
		t.Errorf("Up is %d after the line was mended", l.Up())
	}
}

func TestMessagesWaitWhileACableIsCut(t *testing.T) {
	c := newTown()
	l := upLine(c)

	c.routers[0].Out.Cut()
	l.Send(matchmaker.Message{T: matchmaker.Open, App: matchmaker.Bytes("test"), Key: make([]byte, 32)})
	c.Advance(3 * time.Second)
	_, early := l.Receive()
	c.routers[0].Out.Mend()
	c.Advance(time.Second)
	m, ok := l.Receive()

	if early || !ok || m.T != matchmaker.RoomIs || l.Up() != 1 {
		t.Errorf("early: %v, then %v: %+v, Up %d", early, ok, m, l.Up())
	}
}

func TestClosedLineIsGoneAtTheMatchmaker(t *testing.T) {
	c := newTown()
	l := upLine(c)

	l.Close()
	c.Advance(time.Second)

	if _, sockets := c.Directory().Len(); sockets != 0 {
		t.Errorf("%d sockets are left", sockets)
	}
}
