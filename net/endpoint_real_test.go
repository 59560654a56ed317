package netmsg

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// What only real sockets show.

func TestEveryKindOfEndpointTalksOverUDP(t *testing.T) {
	eachSocket(t, func(t *testing.T) {
		for _, driven := range []bool{false, true} {
			var s, c listener
			server := MustListen("127.0.0.1:0", &s, &Config{Plain: true, Driven: driven})
			client := MustDial(server.Addr().String(), &c, plainConfig())
			turn := func(done func() bool) func() bool {
				return func() bool {
					server.Drain(0)
					server.Flush(0)
					return done()
				}
			}
			eventually(t, "it joins", turn(func() bool { return c.conn(0) != nil && s.conn(0) != nil }))
			c.conn(0).SendReliable([]byte("up"))
			s.conn(0).SendReliable([]byte("down"))
			eventually(t, "both hear", turn(func() bool { return len(c.heard()) == 2 && len(s.heard()) == 2 }))
			client.Close()
			eventually(t, "it leaves", turn(func() bool { return len(s.heard()) == 3 }))
			server.Close()
			s.want(t, "1 Joined", "1 message up", "1 left Remote")
			c.want(t, "1 Joined", "1 message down", "1 left Local")
		}
	})
}

func TestDialByNameLooksTheNameUpBehind(t *testing.T) {
	server := MustListen(":0", nil, plainConfig())
	defer server.Close()
	client := MustDial(fmt.Sprintf("localhost:%d", server.Addr().Port()), nil, plainConfig())
	defer client.Close()
	eventually(t, "it joins", func() bool { return client.Len() == 1 })
}

func TestANameThatIsNotFoundIsNoAnswer(t *testing.T) {
	var c listener
	cfg := plainConfig()
	cfg.ConnectTimeout = 500 * time.Millisecond
	start := time.Now()
	client := MustDial("nobody..invalid:9", &c, cfg)
	defer client.Close()
	if d := time.Since(start); d > 250*time.Millisecond {
		t.Errorf("Dial took %v", d)
	}
	eventually(t, "it ends", func() bool { return len(c.heard()) > 0 })
	c.want(t, "1 left NoAnswer")
}

func TestAConnMayBeUsedFromManyGoroutines(t *testing.T) {
	eachProtocol(t, useFromManyGoroutines)
}

func useFromManyGoroutines(t *testing.T, plain bool) {
	var s, c listener
	server := MustListen("127.0.0.1:0", &s, &Config{Plain: plain})
	client := MustDial(server.Addr().String(), &c, &Config{Plain: plain})
	eventually(t, "it joins", func() bool { return c.conn(0) != nil })
	conn := c.conn(0)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for range 20 {
				conn.SendReliable([]byte{byte(i)})
				conn.SendLatest(uint16(i), []byte{byte(i)})
				conn.SetStreamWeight(uint16(i), i+1)
				conn.Flush()
				conn.Stats()
				conn.Addr()
				for range client.Conns() {
				}
				server.Stats()
				if i == 49 {
					time.Sleep(time.Millisecond)
				}
			}
			if i > 40 {
				conn.Close()
			}
			if i == 45 {
				client.Close()
			}
		})
	}
	all.Wait()
	server.Close()
	for _, l := range []*listener{&s, &c} {
		words := l.heard()
		lefts := 0
		for _, w := range words {
			if strings.Contains(w, "left") {
				lefts++
			}
		}
		if words[0] != "1 Joined" || lefts != 1 || !strings.Contains(words[len(words)-1], "left") {
			t.Errorf("heard %q", words)
		}
	}
}

func TestClosingLeavesNoGoroutineAndNoDescriptor(t *testing.T) {
	if runtime.GOOS == "linux" { // the poller has descriptors of its own once it is used
		MustListen("127.0.0.1:0", nil, nil).Close()
	}
	files, routines := openFiles(), runtime.NumGoroutine()
	for i := range 50 {
		cfg := &Config{Plain: true, Driven: i%2 == 0}
		server := MustListen(":0", ChannelHandler(make(chan Event, 1)), cfg)
		client := MustDial(fmt.Sprintf("127.0.0.1:%d", server.Addr().Port()), nil, cfg)
		relay, err := StartLossyRelay(server.Addr(), LinkConfig{}, LinkConfig{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		lost := MustDial(relay.Addr().String(), nil, plainConfig())
		if i%3 == 0 {
			eventually(t, "it joins", func() bool {
				server.Drain(0)
				server.Flush(0)
				client.Drain(0)
				client.Flush(0)
				return lost.Len() == 1
			})
		}
		start := time.Now()
		for _, e := range []*Endpoint{client, server, lost} {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if err := e.Close(); err != nil {
				t.Error("again:", err)
			}
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("three times Close took %v", d)
		}
		relay.Stop()
	}
	eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= routines })
	if n := openFiles(); n > files {
		t.Errorf("%d descriptors are open, %d were", n, files)
	}
}

func TestGoroutinesDoNotGrowWithClients(t *testing.T) {
	server := MustListen("127.0.0.1:0", NewMailbox(0), &Config{Plain: true, MaxClients: 500})
	defer server.Close()
	joinRaw(t, server.Addr(), 1)
	before := runtime.NumGoroutine()
	joinRaw(t, server.Addr(), 499)
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines with 500 clients, %d with one", n, before)
	}
	if server.Len() != 500 {
		t.Errorf("Len is %d", server.Len())
	}
}

// joinRaw has n clients join that are nothing but handshakes, from one socket
// each.
func joinRaw(t *testing.T, to netip.AddrPort, n int) {
	t.Helper()
	for range n {
		conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		h := NewClientHandshake(plainConfig(), 0)
		buf := make([]byte, 2048)
		for done := false; !done; _, _, done = h.Done() {
			if n := h.Transmit(0, buf); n > 0 {
				conn.Write(buf[:n])
			}
			n, err := conn.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			h.Receive(0, buf[:n])
		}
	}
}

// exitVar makes the test binary be the server of the test below, exitSealedVar
// one that speaks NMS2.
const (
	exitVar       = "NETMSG_TEST_EXIT_AFTER_CLOSE"
	exitSealedVar = "NETMSG_TEST_EXIT_SEALED"
)

func TestPeersAreToldEvenIfTheProgramExitsAtOnce(t *testing.T) {
	if os.Getenv(exitVar) == "1" {
		serveThenExit()
	}
	eachProtocol(t, func(t *testing.T, plain bool) {
		server := exec.Command(os.Args[0], "-test.run=^"+strings.Split(t.Name(), "/")[0]+"$")
		server.Env = append(os.Environ(), exitVar+"=1")
		if !plain {
			server.Env = append(server.Env, exitSealedVar+"=1")
		}
		out, err := server.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		var cs [10]listener
		for i := range cs {
			c := MustDial(strings.TrimSpace(line), &cs[i], &Config{Plain: plain})
			defer c.Close()
		}
		server.Wait()
		exited := time.Now()
		for i := range cs {
			eventually(t, "client hears", func() bool { return len(cs[i].heard()) == 3 })
			cs[i].want(t, "1 Joined", "1 message bye", "1 left Remote")
		}
		t.Logf("all had heard %v after the exit", time.Since(exited))
	})
}

// serveThenExit waits for ten clients, sends each a message, closes, and exits
// in the same breath.
func serveThenExit() {
	joined := make(chan *Conn, 10)
	server := MustListen("127.0.0.1:0", HandlerFunc(func(e Event) {
		if e.Kind == Joined {
			joined <- e.Conn
		}
	}), &Config{Plain: os.Getenv(exitSealedVar) != "1"})
	fmt.Println(server.Addr())
	var conns []*Conn
	for range 10 {
		conns = append(conns, <-joined)
	}
	for _, c := range conns {
		c.SendReliable([]byte("bye"))
	}
	server.Close()
	os.Exit(0)
}

func TestManyClientsOfOneServerHearTheirOwn(t *testing.T) {
	const clients = 40
	var s listener
	server := MustListen("127.0.0.1:0", HandlerFunc(func(e Event) {
		s.HandleEvent(e)
		if e.Kind == Message {
			e.Conn.SendReliable(e.Data)
		}
	}), plainConfig())
	defer server.Close()
	var cs [clients]listener
	for i := range cs {
		c := MustDial(server.Addr().String(), &cs[i], plainConfig())
		defer c.Close()
	}
	for i := range cs {
		eventually(t, "it joins", func() bool { return cs[i].conn(0) != nil })
		cs[i].conn(0).SendReliable(fmt.Append(nil, i))
	}
	for i := range cs {
		eventually(t, "it hears", func() bool { return len(cs[i].heard()) == 2 })
		cs[i].want(t, "1 Joined", fmt.Sprintf("1 message %d", i))
	}
	var ids []ConnID
	for c := range server.Conns() {
		ids = append(ids, c.ID())
	}
	if len(ids) != clients || !slices.IsSorted(ids) || ids[0] != 1 {
		t.Errorf("IDs are %v", ids)
	}
}
