package netmsg

import (
	"net/netip"
	"slices"
	"testing"
	"time"
)

// relayWorld is a server, and a client that has no socket of its own that
// reaches it, but a path that does.
func relayWorld(t *testing.T) (w *stepWorld, s, c *listener, client *Endpoint, path *Path) {
	w = newStepWorld(t)
	s, c = &listener{}, &listener{}
	w.endpoint(1, s, nil)
	client = w.endpoint(2, c, nil)
	path, err := client.AddPath(w.stepSocket(fakeAddr(50)))
	if err != nil {
		t.Fatal(err)
	}
	return w, s, c, client, path
}

func TestAConnectionRunsOverAPathUnderASyntheticAddress(t *testing.T) {
	w, s, c, client, path := relayWorld(t)
	to, ok := path.Address(fakeAddr(1))
	if !ok || !IsPath(to) || to != netip.MustParseAddrPort("[fd6e:6d00::1]:1") {
		t.Fatalf("the address is %v", to)
	}
	conn, err := client.Dial([]netip.AddrPort{to}, DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w.runFor(200 * time.Millisecond)
	conn.SendReliable([]byte("over the relay"))
	w.runFor(100 * time.Millisecond)
	s.conn(0).SendReliable([]byte("and back"))
	w.runFor(100 * time.Millisecond)

	s.want(t, "1 Joined", "1 message over the relay")
	c.want(t, "1 Joined", "1 message and back")
	if got := s.conn(0).Addr(); got != fakeAddr(50) {
		t.Errorf("the server sees %v, want the path's socket", got)
	}
	if got := conn.Addr(); got != to {
		t.Errorf("the client's peer is at %v, want %v", got, to)
	}
	if r, ok := path.Remote(conn.Addr()); !ok || r != fakeAddr(1) {
		t.Errorf("behind it is %v, want the server", r)
	}
}

func TestAConnectionMovesFromAPathToADirectOneWithoutLosingAMessage(t *testing.T) {
	w, s, _, client, path := relayWorld(t)
	to, _ := path.Address(fakeAddr(1))
	conn, _ := client.Dial([]netip.AddrPort{to}, DialOptions{})
	w.runFor(200 * time.Millisecond)
	var want []string
	for i := range 200 {
		if i == 50 {
			conn.Probe(fakeAddr(1))
		}
		conn.SendReliable([]byte{byte('a' + i%26)})
		want = append(want, "1 message "+string(rune('a'+i%26)))
		w.runFor(20 * time.Millisecond)
	}
	w.runFor(time.Second)
	if conn.Addr() != fakeAddr(1) || s.conn(0).Addr() != fakeAddr(2) {
		t.Errorf("the connection runs between %v and %v", conn.Addr(), s.conn(0).Addr())
	}
	if got := s.heard()[1:]; !slices.Equal(got, want) {
		t.Errorf("the server heard %q", got)
	}
}

func TestADialLearnsAnAddressLater(t *testing.T) {
	w, s, c, client, path := relayWorld(t)
	conn, _ := client.Dial([]netip.AddrPort{fakeAddr(99)}, DialOptions{}) // nobody is there
	w.runFor(500 * time.Millisecond)
	to, _ := path.Address(fakeAddr(1))
	if err := conn.AddAddress(to); err != nil {
		t.Fatal(err)
	}
	w.runFor(500 * time.Millisecond)
	s.want(t, "1 Joined")
	c.want(t, "1 Joined")
	if conn.AddAddress(to) == nil {
		t.Error("a connection that is open took another address to dial")
	}
}

func TestAPathKnowsBoundedlyManyRemotes(t *testing.T) {
	w, _, _, client, path := relayWorld(t)
	for i := range 3 * pathRemotes {
		stranger := w.socket(fakeAddr(100 + i))
		stranger.WriteBatch([]Datagram{{Addr: fakeAddr(50), Data: make([]byte, 40)}})
	}
	w.runFor(100 * time.Millisecond)
	if n := len(path.remotes); n != pathRemotes {
		t.Errorf("it keeps %d", n)
	}
	if _, ok := path.Address(fakeAddr(1)); ok {
		t.Error("a full path gave an address")
	}
	if n := client.Stats().NoConnection; n < 2*pathRemotes {
		t.Errorf("%d datagrams counted as nobody's", n)
	}
}

func TestAClosedPathIsNotReached(t *testing.T) {
	w, s, _, client, path := relayWorld(t)
	to, _ := path.Address(fakeAddr(1))
	path.Close()
	path.Close()
	if _, err := client.Dial([]netip.AddrPort{to}, DialOptions{}); err == nil {
		t.Error("a dial over a closed path began")
	}
	w.runFor(time.Second)
	s.want(t)
	client.Close()
	if _, err := client.AddPath(w.stepSocket(fakeAddr(51))); err != ErrClosed {
		t.Errorf("a closed endpoint took a path: %v", err)
	}
}

func TestAPathIsNotAskedForItsSize(t *testing.T) {
	m := newMTUSearch(0, mtuFloor, 1472, true)
	m.relayed = true
	if m.probe(time.Hour) != 0 || m.probeTime() != never {
		t.Error("a relayed path is probed")
	}
	m.restart(time.Hour)
	if m.probe(2*time.Hour) == 0 {
		t.Error("after the move to a direct one it is not")
	}
}

func TestEveryRemoteOfEveryPathHasItsOwnAddress(t *testing.T) {
	_, _, _, client, first := relayWorld(t)
	second, err := client.AddPath(newStepWorld(t).stepSocket(fakeAddr(51)))
	if err != nil {
		t.Fatal(err)
	}

	seen := map[netip.AddrPort]bool{}
	for _, path := range []*Path{first, second} {
		for i := range 3 {
			at, ok := path.Address(fakeAddr(10 + i))
			if !ok || seen[at] {
				t.Errorf("remote %d is at %v, given: %v, used already: %v", i, at, ok, seen[at])
			}
			seen[at] = true
			if r, ok := path.Remote(at); !ok || r != fakeAddr(10+i) {
				t.Errorf("behind %v is %v, want %v", at, r, fakeAddr(10+i))
			}
		}
	}
}

func TestADatagramWithAForgedSyntheticAddressIsNobodys(t *testing.T) {
	e, err := Listen("127.0.0.1:0", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.mu.Lock()
	e.arrive(e.now(), &Datagram{Addr: syntheticAddr(7), Data: make([]byte, paddedHello)})
	e.mu.Unlock()
	if s := e.Stats(); s.NoConnection != 1 || s.Received != 0 {
		t.Errorf("counted as %+v", s)
	}
}
