package tests

import (
	"encoding/binary"
	"flag"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

var manyClients = flag.Int("clients", 256, "TestManyClientsOnOneSocket: how many; S29 is 16384")

const (
	manySockets  = 8    // that the clients share
	manyDialRate = 1500 // a second, as long as the machine keeps up:
	manyAtOnce   = 100  // handshakes under way
	manyPatience = 2 * time.Minute
)

// TestManyClientsOnOneSocket dials one server from a few sockets, so many times
// a second, and each client sends a message when it has joined. All have to
// arrive, once each, on a connection that stays; that is row S29 with
// -clients 16384.
func TestManyClientsOnOneSocket(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of real handshakes")
	}
	clients := *manyClients
	var came, gone atomic.Int64
	seen := make([]atomic.Int32, clients)
	hear := func(e netmsg.Event) {
		switch e.Kind {
		case netmsg.Message:
			if n := int(binary.BigEndian.Uint32(e.Data)); seen[n].Add(1) == 1 {
				came.Add(1)
			}
		case netmsg.Left:
			gone.Add(1)
		}
	}
	server, err := netmsg.Listen("127.0.0.1:0", netmsg.HandlerFunc(hear), &netmsg.Config{MaxClients: clients, Timeout: time.Minute, HandshakeRate: 2 * manyDialRate})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	to := []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), server.Addr().Port())}

	var joined, failed atomic.Int64
	sockets := make([]*netmsg.Endpoint, manySockets)
	for i := range sockets {
		say := func(e netmsg.Event) {
			switch e.Kind {
			case netmsg.Joined:
				n := uint32(e.ID-1)*manySockets + uint32(i)
				if e.Conn.SendReliable(binary.BigEndian.AppendUint32(nil, n)) == nil {
					joined.Add(1)
				}
			case netmsg.Left:
				failed.Add(1)
			}
		}
		cfg := &netmsg.Config{Timeout: time.Minute, ConnectTimeout: 20 * time.Second}
		if sockets[i], err = netmsg.Listen("127.0.0.1:0", netmsg.HandlerFunc(say), cfg); err != nil {
			t.Fatal(err)
		}
		defer sockets[i].Close()
		sockets[i].SetAccepting(false)
	}

	began := time.Now()
	for n := range clients {
		time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second / manyDialRate)))
		for end := time.Now().Add(manyPatience); int64(n)-joined.Load()-failed.Load() > manyAtOnce && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if _, err := sockets[n%manySockets].Dial(to, netmsg.DialOptions{}); err != nil {
			t.Fatalf("dial %d: %v", n, err)
		}
	}
	dialled := time.Since(began)
	for end := time.Now().Add(manyPatience); came.Load() < int64(clients) && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}

	t.Logf("%d clients: dialled in %v, %.0f a second, all heard after %v",
		clients, dialled.Round(time.Millisecond), float64(clients)/dialled.Seconds(), time.Since(began).Round(time.Millisecond))
	if came.Load() != int64(clients) || server.Len() != clients || gone.Load()+failed.Load() > 0 {
		t.Errorf("of %d clients %d were heard and %d are connected; %d joined, %d failed, %d were lost",
			clients, came.Load(), server.Len(), joined.Load(), failed.Load(), gone.Load())
	}
	for n := range seen {
		if times := seen[n].Load(); times != 1 {
			t.Fatalf("client %d was heard %d times", n, times)
		}
	}
}
