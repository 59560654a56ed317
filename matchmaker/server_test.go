package matchmaker

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pion/stun/v4"
	"github.com/pion/turn/v5"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(loadRole) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := serveLoad(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func startServer(t *testing.T, cfg ServerConfig) *Server {
	t.Helper()
	cfg.Addr = "127.0.0.1:0"
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// dialLine gives a line that is up.
func dialLine(t *testing.T, url string) Line {
	t.Helper()
	l := Dial(url)
	t.Cleanup(l.Close)
	until(t, "the line is up", func() bool { return l.Up()%2 == 1 })
	return l
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

func hear(t *testing.T, l Line, want Kind) (m Message) {
	t.Helper()
	until(t, "heard "+string(want), func() (ok bool) { m, ok = l.Receive(); return ok })
	if m.T != want {
		t.Fatalf("heard %+v, want %q", m, want)
	}
	return m
}

func TestTwoLinesMeetByCode(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	host, guest := dialLine(t, s.URL()), dialLine(t, s.URL())

	host.Send(openRoom(1))
	room := hear(t, host, RoomIs)
	guest.Send(Message{T: Join, Code: room.Code, Proto: 1, Cands: cand("127.0.0.1:4000")})

	g, h := hear(t, guest, Peer), hear(t, host, Peer)
	if g.ID != h.ID || len(g.TURN) != 1 {
		t.Fatalf("guest heard %+v, host %+v", g, h)
	}
}

func TestLineComesBackByItselfAndTheRoomIsReopened(t *testing.T) {
	s := startServer(t, ServerConfig{NoRelay: true})
	host := dialLine(t, s.URL())
	host.Send(openRoom(1))
	room := hear(t, host, RoomIs)
	up := host.Up()
	addr := s.Addr().String()

	s.Shutdown(10 * time.Millisecond)
	hear(t, host, Error)
	again, err := Start(ServerConfig{Addr: addr, NoRelay: true})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	until(t, "the line is up again", func() bool { return host.Up() == up+2 })
	m := openRoom(1)
	m.Code, m.Ticket = room.Code, room.Ticket
	host.Send(m)

	if back := hear(t, host, RoomIs); back.Code != room.Code {
		t.Fatalf("reopened as %s, want %s", back.Code, room.Code)
	}
}

func TestLineOfADeadMatchmakerStaysDownAndCloses(t *testing.T) {
	l := Dial("ws://127.0.0.1:1")
	until(t, "an error", func() bool { return l.Err() != nil })
	if l.Up() != 0 || l.Send(Message{T: Close}) {
		t.Fatalf("up %d", l.Up())
	}
	l.Close()
}

// askSTUN gives a client of the server's STUN, and the connection that it is on.
func askSTUN(t *testing.T, network string, s *Server) (net.Conn, *stun.Client) {
	t.Helper()
	c, err := net.Dial(network, s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	client, err := stun.NewClient(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return c, client
}

func TestSTUNTellsTheAskersAddress(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	c, client := askSTUN(t, "udp", s)
	var seen stun.XORMappedAddress
	err := client.Do(stun.MustBuild(stun.TransactionID, stun.BindingRequest), func(e stun.Event) {
		if e.Error != nil {
			t.Error(e.Error)
			return
		}
		if err := seen.GetFrom(e.Message); err != nil {
			t.Error(err)
		}
	})
	if err != nil || seen.Port != c.LocalAddr().(*net.UDPAddr).Port {
		t.Fatalf("seen as %v from %v: %v", seen, c.LocalAddr(), err)
	}
}

// turnClient asks s for a relayed socket with the credentials of a new room.
func turnClient(t *testing.T, s *Server, pass string) (net.PacketConn, error) {
	t.Helper()
	host := dialLine(t, s.URL())
	host.Send(openRoom(1))
	cred := hear(t, host, RoomIs).TURN[0]
	if pass != "" {
		cred.Pass = pass
	}
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c, err := turn.NewClient(&turn.ClientConfig{
		TURNServerAddr: s.Addr().String(), Conn: conn, Username: cred.User, Password: cred.Pass,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Listen(); err != nil {
		t.Fatal(err)
	}
	return c.Allocate()
}

func TestRelayCarriesDatagramsForARoomsCredentials(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	relayed, err := turnClient(t, s, "")
	if err != nil {
		t.Fatal(err)
	}
	defer relayed.Close()
	peer, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()

	if _, err := relayed.WriteTo([]byte("hello"), peer.LocalAddr()); err != nil {
		t.Fatal(err)
	}

	buf := make([]byte, 64)
	peer.SetReadDeadline(time.Now().Add(20 * time.Second))
	n, from, err := peer.ReadFrom(buf)
	if err != nil || string(buf[:n]) != "hello" || from.String() != relayed.LocalAddr().String() {
		t.Fatalf("heard %q from %v: %v; want it from %v", buf[:n], from, err, relayed.LocalAddr())
	}
	if port := from.(*net.UDPAddr).Port; port < RelayPort0 {
		t.Fatalf("relayed at port %d, want %d or above", port, RelayPort0)
	}
}

func TestRelayRefusesWrongCredentials(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	if _, err := turnClient(t, s, "guess"); err == nil {
		t.Fatal("allocated with a wrong password")
	}
}

func TestRelayRefusesPrivateAddresses(t *testing.T) {
	s := startServer(t, ServerConfig{})
	relayed, err := turnClient(t, s, "")
	if err != nil {
		t.Fatal(err)
	}
	defer relayed.Close()
	for _, to := range []string{"127.0.0.1:9", "10.0.0.1:9"} {
		if _, err := relayed.WriteTo([]byte("x"), net.UDPAddrFromAddrPort(netip.MustParseAddrPort(to))); err == nil {
			t.Errorf("the relay took a datagram for %s", to)
		}
	}
}

func TestRelayReachesPublicAddressesButItsOwn(t *testing.T) {
	own := netip.MustParseAddr("203.0.113.1")
	for addr, want := range map[string]bool{
		"198.51.100.7": true, "2001:db8::1": true, "203.0.113.1": false, "127.0.0.1": false, "10.1.2.3": false,
		"192.168.0.1": false, "172.16.0.1": false, "169.254.1.1": false, "100.64.0.1": false, "224.0.0.1": false,
		"0.0.0.0": false, "::1": false, "fe80::1": false, "fd00::1": false, "255.255.255.255": false,
	} {
		if got := relayable(netip.MustParseAddr(addr), own); got != want {
			t.Errorf("relayable(%s) = %v, want %v", addr, got, want)
		}
	}
}

func TestOnePortServesSTUNAndHTTPOverTCP(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	resp, err := http.Get("http://" + s.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	resp.Body.Close()
	_, client := askSTUN(t, "tcp", s)
	answered := false
	err = client.Do(stun.MustBuild(stun.TransactionID, stun.BindingRequest), func(e stun.Event) { answered = e.Error == nil })
	if err != nil || !answered || resp.StatusCode != http.StatusOK {
		t.Fatalf("STUN over TCP: %v, answered %v; HTTP: %s", err, answered, resp.Status)
	}
}

func TestPartiesAreJSONAndAPage(t *testing.T) {
	s := startServer(t, ServerConfig{NoRelay: true})
	host := dialLine(t, s.URL())
	m := openRoom(1)
	m.Public, m.Name = true, "<b>Ann</b>"
	host.Send(m)
	code := hear(t, host, RoomIs).Code

	get := func(accept string) string {
		r := httptest.NewRequest("GET", "/parties", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		body, _ := io.ReadAll(w.Result().Body)
		return string(body)
	}

	var list []Listing
	if err := json.Unmarshal([]byte(get("*/*")), &list); err != nil || len(list) != 1 || list[0].Code != code {
		t.Fatalf("listed %+v: %v", list, err)
	}
	page := get("text/html")
	if !strings.Contains(page, code) || strings.Contains(page, "<b>Ann") {
		t.Fatalf("the page: %s", page)
	}
}

func TestForwardedForCountsOnlyFromTrustedProxies(t *testing.T) {
	s := &Server{cfg: ServerConfig{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	for _, c := range []struct{ remote, forwarded, want string }{
		{"203.0.113.5:1", "198.51.100.1", "203.0.113.5"},
		{"10.0.0.1:1", "198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:1", "6.6.6.6, 198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:1", "198.51.100.1, 10.0.0.2", "198.51.100.1"},
		{"10.0.0.1:1", "nonsense", "10.0.0.1"},
		{"10.0.0.1:1", "", "10.0.0.1"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got, _ := s.clientAddr(r); got.String() != c.want {
			t.Errorf("from %s by %q: %v, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
}

func TestLineOverTLS(t *testing.T) {
	cert := selfSigned(t)
	s := startServer(t, ServerConfig{NoRelay: true, TLS: &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}}})
	if !strings.HasPrefix(s.URL(), "wss://") {
		t.Fatal(s.URL())
	}
	tr := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	defer tr.CloseIdleConnections()
	resp, err := (&http.Client{Transport: tr}).Get("https://" + s.Addr().String() + "/healthz")
	if err != nil || resp.ProtoMajor != 1 {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
}

func selfSigned(t *testing.T) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
