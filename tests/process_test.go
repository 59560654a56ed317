package tests

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

const farewellClients = 10

// farewellServer waits for its clients, says goodbye to each, closes its
// endpoint, and is gone in that same instant.
func farewellServer([]string) error {
	joined := make(chan *netmsg.Conn, farewellClients)
	server, err := netmsg.Listen("127.0.0.1:0", netmsg.HandlerFunc(func(e netmsg.Event) {
		if e.Kind == netmsg.Joined {
			joined <- e.Conn
		}
	}), &netmsg.Config{Plain: true})
	if err != nil {
		return err
	}
	fmt.Println("listening", server.Addr())
	for range farewellClients {
		if err := (<-joined).SendReliable([]byte("goodbye")); err != nil {
			return err
		}
	}
	server.Close()
	os.Exit(0)
	return nil
}

// dial connects a client whose events come on the channel.
func dial(t *testing.T, addr string, cfg netmsg.Config) (*netmsg.Endpoint, chan netmsg.Event) {
	t.Helper()
	cfg.Plain = true
	events := make(chan netmsg.Event, 100)
	client, err := netmsg.Dial(addr, netmsg.ChannelHandler(events), &cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client, events
}

// wantEvent waits for the next event of a kind.
func wantEvent(t *testing.T, events chan netmsg.Event, kind netmsg.EventKind, patience time.Duration) netmsg.Event {
	t.Helper()
	for limit := time.After(patience); ; {
		select {
		case e := <-events:
			if e.Kind == kind {
				return e
			}
			if e.Kind == netmsg.Left {
				t.Fatalf("Left(%v) came before %v", e.Reason, kind)
			}
		case <-limit:
			t.Fatalf("no %v for %v", kind, patience)
		}
	}
}

func TestServerThatClosesAndExitsAtOnceIsHeardByAll(t *testing.T) {
	server := startRole(t, nil, "farewell server")
	addr := server.line("listening", patience)
	var clients []chan netmsg.Event
	for range farewellClients {
		_, events := dial(t, addr, netmsg.Config{})
		clients = append(clients, events)
	}
	server.wantEnd(patience)

	for i, events := range clients {
		if e := wantEvent(t, events, netmsg.Message, 5*time.Second); string(e.Data) != "goodbye" {
			t.Errorf("client %d hears %q", i, e.Data)
		}
		if e := wantEvent(t, events, netmsg.Left, 5*time.Second); e.Reason != netmsg.Remote {
			t.Errorf("client %d hears Left(%v), want Remote", i, e.Reason)
		}
	}
}

func TestServerThatIsKilledIsMissedAfterTheTimeout(t *testing.T) {
	server := startRole(t, nil, "echo server", "127.0.0.1:0")
	const timeout = 2 * time.Second
	_, events := dial(t, server.line("listening", patience), netmsg.Config{Timeout: timeout})
	wantEvent(t, events, netmsg.Joined, patience)

	server.kill()
	killed := time.Now()

	e := wantEvent(t, events, netmsg.Left, patience)
	// It was last heard from at most a keep-alive, and what this machine was
	// late by, before it died.
	if took := time.Since(killed); e.Reason != netmsg.TimedOut || took < timeout-time.Second {
		t.Errorf("Left(%v) after %v, want TimedOut after %v", e.Reason, took, timeout)
	}
}

func TestClientThatIsKilledIsMissedAndComesBack(t *testing.T) {
	server := startRole(t, nil, "echo server", "127.0.0.1:0", "3s")
	addr := server.line("listening", patience)

	victim := startRole(t, nil, "quiet client", addr)
	victim.line("Joined", patience)
	victim.kill()
	startRole(t, nil, "echo client", addr, "100").wantEnd(patience)

	server.line("left Remote", patience)
	server.line("left TimedOut", patience)
}

func TestEndpointsLeaveNoGoroutineAndNoDescriptor(t *testing.T) {
	open := func() {
		server := netmsg.MustListen("127.0.0.1:0", netmsg.HandlerFunc(func(netmsg.Event) {}), &netmsg.Config{Plain: true})
		client, events := dial(t, server.Addr().String(), netmsg.Config{})
		wantEvent(t, events, netmsg.Joined, patience)
		server.Close()
		wantEvent(t, events, netmsg.Left, patience)
		client.Close()
	}
	open() // what the runtime keeps for good, it has now
	goroutines, descriptors := runtime.NumGoroutine(), countDescriptors(t)

	for range 20 {
		open()
	}

	if got := settles(runtime.NumGoroutine, goroutines); got > goroutines {
		t.Errorf("%d goroutines, %d before", got, goroutines)
	}
	if got := settles(func() int { return countDescriptors(t) }, descriptors); got > descriptors {
		t.Errorf("%d descriptors, %d before", got, descriptors)
	}
}

// settles gives count's value once it is at most want, or after some patience.
func settles(count func() int, want int) int {
	limit := time.Now().Add(5 * time.Second)
	for count() > want && time.Now().Before(limit) {
		time.Sleep(10 * time.Millisecond)
	}
	return count()
}

// countDescriptors gives the number of this process's open files, 0 where the
// system does not tell.
func countDescriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Logf("descriptors are not counted: %v", err)
	}
	return len(files)
}
