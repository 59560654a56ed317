package netmsg

import (
	"net/netip"
	"testing"
	"time"
)

func TestConnectionRemembersFromWhereThePunchCameThatItWaitsFor(t *testing.T) {
	w, _, c, client, path := relayWorld(t)
	to, _ := path.Address(fakeAddr(1))
	conn, err := client.Dial([]netip.AddrPort{to}, DialOptions{})
	if err != nil {
		t.Fatal(err)
	}
	conn.AwaitPunch([8]byte{7}) // a dial in progress waits for none
	w.runFor(200 * time.Millisecond)
	c.want(t, "1 Joined")
	third := w.endpoint(3, nil, nil)

	third.Punch(fakeAddr(50), [8]byte{7})
	w.runFor(50 * time.Millisecond)
	if at := conn.Punched(); at.IsValid() {
		t.Errorf("a Punch that it did not wait for came from %v", at)
	}
	conn.AwaitPunch([8]byte{8})
	third.Punch(fakeAddr(50), [8]byte{9})
	third.Punch(fakeAddr(50), [8]byte{8})
	w.runFor(50 * time.Millisecond)

	if r, ok := path.Remote(conn.Punched()); !ok || r != fakeAddr(3) {
		t.Errorf("the Punch came from %v, want %v", r, fakeAddr(3))
	}
	conn.AwaitPunch([8]byte{10})
	if !conn.Punched().IsValid() {
		t.Error("it forgets what it had before the next has come")
	}
	if got := conn.Addr(); got != to {
		t.Errorf("a Punch has moved the connection to %v", got)
	}
}
