package matchmaker

import (
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/stun/v4"
	"github.com/pion/turn/v5"

	netmsg "github.com/partyline-go/partyline/net"
)

// roomTURN gives the TURN servers and credentials of a new room.
func roomTURN(t *testing.T, s *Server) []TURNServer {
	t.Helper()
	host := dialLine(t, s.URL())
	host.Send(openRoom(1))
	return hear(t, host, RoomIs).TURN
}

// relayClient allocates by servers.
func relayClient(t *testing.T, servers []TURNServer) (*RelayClient, netip.AddrPort) {
	t.Helper()
	c := AllocateRelay(servers)
	t.Cleanup(func() { c.Close() })
	var at netip.AddrPort
	until(t, "an allocation", func() bool {
		var err error
		if at, err = c.Relayed(); err != nil {
			t.Fatal(err)
		}
		return at.IsValid()
	})
	return c, at
}

// exchange sends a datagram from c to a peer and back, and says what came.
func exchange(t *testing.T, c *RelayClient, at netip.AddrPort) {
	t.Helper()
	peer, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	to := peer.LocalAddr().(*net.UDPAddr).AddrPort()
	c.Permit(to.Addr())
	buf := make([]byte, 64)
	until(t, "the way there", func() bool {
		c.WriteBatch([]netmsg.Datagram{{Addr: to, Data: []byte("there")}})
		peer.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		n, from, err := peer.ReadFromUDPAddrPort(buf)
		return err == nil && string(buf[:n]) == "there" && from == at
	})
	until(t, "the way back", func() bool {
		peer.WriteToUDPAddrPort([]byte("back"), at)
		time.Sleep(5 * time.Millisecond)
		var d netmsg.Datagram
		return c.TryRead(&d) && string(d.Data) == "back" && d.Addr == to
	})
}

func TestARelayClientReachesItsPeerOverUDPAndOverTCP(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	servers := roomTURN(t, s)
	for _, uri := range servers[0].URLs {
		one := servers[0]
		one.URLs = []string{uri}
		c, at := relayClient(t, []TURNServer{one})
		if at.Port() < RelayPort0 {
			t.Errorf("%s: relayed at %v", uri, at)
		}
		exchange(t, c, at)
	}
	if n := s.relay.carried.Load(); n < uint64(2*len("thereback")) {
		t.Errorf("the relay counted %d bytes", n)
	}
}

func TestARelayClientTakesTheWayThatIsThere(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	good := roomTURN(t, s)
	bad := good[0]
	bad.URLs = []string{"turn:127.0.0.1:1?transport=tcp", "not a server"}
	c, at := relayClient(t, append([]TURNServer{bad}, good...))
	exchange(t, c, at)
}

func TestARelayClientSaysWhyThereIsNoRelay(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	wrong := roomTURN(t, s)
	wrong[0].Pass = "guess"
	for what, servers := range map[string][]TURNServer{"none": nil, "wrong password": wrong} {
		c := AllocateRelay(servers)
		until(t, what, func() bool { _, err := c.Relayed(); return err != nil })
		c.Close()
	}
}

func TestWhatThePeerOfNoPermissionSendsDoesNotCome(t *testing.T) {
	s := startServer(t, ServerConfig{})
	c, at := relayClient(t, roomTURN(t, s))
	c.Permit(netip.MustParseAddr("127.0.0.1")) // refused: a private address
	stranger, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	until(t, "the refusal", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.permits[netip.MustParseAddr("127.0.0.1")] == permitRefused
	})
	for range 20 {
		stranger.WriteToUDPAddrPort([]byte("let me in"), at)
	}
	time.Sleep(50 * time.Millisecond)
	if d := (netmsg.Datagram{}); c.TryRead(&d) {
		t.Errorf("%q came", d.Data)
	}
}

func TestExpiredCredentialsKeepAnAllocationAndOpenNone(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	u := newRelayUsers("secret", 2)
	u.now = func() time.Time { return now }
	from, other := &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 5}, &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 6}
	ask := func(from net.Addr, user string) bool {
		_, _, ok := u.auth(&turn.RequestAttributes{Username: user, Realm: realm, SrcAddr: from})
		return ok
	}
	user := turnUser(now.Add(time.Minute).Unix(), "ROOM")
	if !ask(from, user) {
		t.Error("fresh credentials were refused")
	}
	u.add(from, "ROOM", 1)
	now = now.Add(time.Hour)
	if !ask(from, user) {
		t.Error("the allocation cannot be refreshed any more")
	}
	if ask(other, user) {
		t.Error("expired credentials are good at another address")
	}
	u.add(from, "ROOM", -1)
	if ask(from, user) {
		t.Error("expired credentials are good after the allocation's end")
	}
	for _, bad := range []string{"", "ROOM", "x:ROOM", turnUser(now.Add(time.Minute).Unix(), "")} {
		if ask(from, bad) {
			t.Errorf("user %q was taken", bad)
		}
	}
}

func TestTheQuotaIsOfEachRoom(t *testing.T) {
	u := newRelayUsers("secret", 2)
	at := func(port int) net.Addr { return &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: port} }
	u.add(at(1), "A", 1)
	u.add(at(2), "A", 1)
	if u.within("A") || !u.within("B") {
		t.Errorf("full room: %v, empty room: %v", u.within("A"), u.within("B"))
	}
	u.add(at(1), "A", -1)
	if !u.within("A") {
		t.Error("the place is not free again")
	}
}

func TestTheRelayCarriesNoMoreThanItsRate(t *testing.T) {
	c := &meteredConn{meteredRelay: meteredRelay{rate: 1000}, epoch: time.Now()}
	var b bucket
	passed := 0
	for range 100 {
		if b.takeSome(0, 100, c.rate, c.rate) {
			passed += 100
		}
	}
	if passed != 1000 {
		t.Errorf("%d bytes passed at once, want a second's worth", passed)
	}
	if !b.takeSome(100*time.Millisecond, 100, c.rate, c.rate) || b.takeSome(100*time.Millisecond, 100, c.rate, c.rate) {
		t.Error("a tenth of a second is not worth a tenth of the rate")
	}
}

// relayBehind forwards a client's datagrams to the server, and the server's to the
// client after look has seen them.
func relayBehind(t *testing.T, s *Server, look func(answer []byte)) (uri string) {
	t.Helper()
	front, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { front.Close() })
	back := sendUDP(t, s.Addr())
	clients := make(chan net.Addr, 100)
	go func() {
		buf := make([]byte, relayBuffer)
		for {
			n, from, err := front.ReadFrom(buf)
			if err != nil {
				return
			}
			clients <- from
			back.Write(buf[:n])
		}
	}()
	go func() {
		buf := make([]byte, relayBuffer)
		for {
			n, err := back.Read(buf)
			if err != nil {
				return
			}
			look(buf[:n])
			front.WriteTo(buf[:n], <-clients)
		}
	}()
	return "turn:" + front.LocalAddr().String() + "?transport=udp"
}

func TestAnAllocationThatNobodyWaitsForAnyMoreIsGivenBack(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	servers := roomTURN(t, s)
	closes, opened := make(chan *RelayClient, 1), make(chan int, 1)
	allocated := stun.NewType(stun.MethodAllocate, stun.ClassSuccessResponse).Value()
	servers[0].URLs = []string{relayBehind(t, s, func(answer []byte) {
		if binary.BigEndian.Uint16(answer) == allocated {
			opened <- s.relay.allocations()
			(<-closes).Close() // while the answer is on its way
			time.Sleep(10 * time.Millisecond)
		}
	})}

	closes <- AllocateRelay(servers)

	if n := <-opened; n != 1 {
		t.Errorf("%d allocations", n)
	}
	until(t, "the allocation is given back", func() bool { return s.relay.allocations() == 0 })
}
