package netmsg

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

// moveSocket gives a socket of the fake network another address, as a router
// does that forgets its mapping.
func (w *stepWorld) moveSocket(from, to netip.AddrPort) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sock := w.socks[from]
	delete(w.socks, from)
	w.socks[to], sock.addr = sock, to
}

// TestCaseT20: the guest's port changes, then its address too, while both sides
// say something ten times a second. Nobody hears an end, everything arrives
// once and in order, the host sends nothing but a challenge to an address that
// has not proven itself, and a copy of a packet from elsewhere moves nothing.
func TestCaseT20(t *testing.T) {
	w, s, c := sealedEnds(t, nil, nil)
	host, stranger := fakeAddr(1), fakeAddr(66)
	places := []netip.AddrPort{fakeAddr(2), netip.AddrPortFrom(fakeAddr(2).Addr(), 6000), fakeAddr(77)}
	proven := map[netip.AddrPort]bool{places[0]: true}
	var copied []byte
	w.tap = func(from netip.AddrPort, d Datagram) bool {
		switch {
		case from == host && !proven[d.Addr] && len(d.Data) > 93:
			t.Errorf("%d bytes went to %v, which has proven nothing", len(d.Data), d.Addr)
		case from == host && !proven[d.Addr] && d.Addr == stranger:
			return true // the one challenge
		case from != host:
			copied = bytes.Clone(d.Data)
		}
		return true
	}

	const each = 100 * time.Millisecond
	for i := range 150 {
		switch i {
		case 50:
			w.moveSocket(places[0], places[1])
		case 100:
			w.moveSocket(places[1], places[2])
		case 75, 125:
			w.send(stranger, host, copied)
		}
		if at := s.conn(0).Addr(); at == places[1] || at == places[2] {
			proven[at] = true
		}
		c.conn(0).SendReliable(fmt.Appendf(nil, "up %d", i))
		s.conn(0).SendReliable(fmt.Appendf(nil, "down %d", i))
		for range 20 {
			w.runFor(each / 20)
			proven[s.conn(0).Addr()] = true
		}
	}
	w.runFor(2 * time.Second)

	if at := s.conn(0).Addr(); at != places[2] {
		t.Errorf("the host has its guest at %v, want %v", at, places[2])
	}
	for name, heard := range map[string][]string{"up": s.heard(), "down": c.heard()} {
		if len(heard) != 151 {
			t.Fatalf("%s: %d events, want Joined and 150 messages", name, len(heard))
		}
		for i, words := range heard[1:] {
			if want := fmt.Sprintf("1 message %s %d", name, i); words != want {
				t.Fatalf("heard %q, want %q", words, want)
			}
		}
	}
}
