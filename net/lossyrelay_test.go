package netmsg

import (
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

func TestALossyRelayLosesOnItsWayOnly(t *testing.T) {
	var s listener
	server := MustListen("127.0.0.1:0", &s, plainConfig())
	defer server.Close()
	relay, err := StartLossyRelay(server.Addr(), LinkConfig{Loss: 0.5, Latency: 5 * time.Millisecond}, LinkConfig{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if relay.Addr().Addr() != netip.MustParseAddr("127.0.0.1") {
		t.Errorf("it listens on %v", relay.Addr())
	}
	var cs [2]listener
	for i := range cs {
		c := MustDial(relay.Addr().String(), &cs[i], plainConfig())
		defer c.Close()
	}
	eventually(t, "both have joined", func() bool { return server.Len() == 2 && cs[0].conn(0) != nil && cs[1].conn(0) != nil })
	for range 100 {
		for i := range cs {
			cs[i].conn(0).SendReliable([]byte("up"))
			s.conn(i).SendReliable([]byte("down"))
		}
	}
	eventually(t, "all is heard", func() bool {
		return len(s.heard()) == 2+200 && len(cs[0].heard()) == 1+100 && len(cs[1].heard()) == 1+100
	})
	relay.Stop()
	relay.Stop()
	again, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(relay.Addr()))
	if err != nil {
		t.Fatal("the port is not free after Stop:", err)
	}
	again.Close()
}

func TestALossyRelayServesIPv6(t *testing.T) {
	server, err := Listen("[::1]:0", nil, plainConfig())
	if err != nil {
		t.Skip("no IPv6:", err)
	}
	defer server.Close()
	relay, err := StartLossyRelay(server.Addr(), LinkConfig{}, LinkConfig{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Stop()
	c := MustDial(relay.Addr().String(), nil, plainConfig())
	defer c.Close()
	eventually(t, "it has joined", func() bool { return server.Len() == 1 && c.Len() == 1 })
}

func TestALossyRelayCarriesABoundedNumberOfClients(t *testing.T) {
	before := runtime.NumGoroutine()
	server := MustListen("127.0.0.1:0", nil, plainConfig())
	defer server.Close()
	relay, err := StartLossyRelay(server.Addr(), LinkConfig{}, LinkConfig{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	relay.mu.Lock()
	for i := range 2 * relayClients {
		relay.client(netip.AddrPortFrom(guest1.Addr(), uint16(1+i))).lastHeard = time.Duration(i)
	}
	n, first := len(relay.clients), relay.clients[netip.AddrPortFrom(guest1.Addr(), relayClients)]
	relay.mu.Unlock()
	if n != relayClients || first != nil {
		t.Errorf("it holds %d clients, the oldest: %v", n, first)
	}
	relay.Stop()
	eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before+3 })
}

func TestALossyRelayToNowhereIsAnError(t *testing.T) {
	for _, server := range []netip.AddrPort{{}, netip.MustParseAddrPort("127.0.0.1:0")} {
		if r, err := StartLossyRelay(server, LinkConfig{}, LinkConfig{}, 1); err == nil {
			r.Stop()
			t.Errorf("a relay to %v was started", server)
		}
	}
}
