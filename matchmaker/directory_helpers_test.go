package matchmaker

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// testDir is a Directory with sockets that keep what they hear, on a clock
// that the test moves.
type testDir struct {
	t     *testing.T
	d     *Directory
	now   time.Duration
	last  SocketID
	heard map[SocketID][]Message
	pings map[SocketID]int
	ended map[SocketID]bool
}

func newTestDir(t *testing.T, limits Limits) *testDir {
	random := rand.NewChaCha8([32]byte{7})
	relay := Relay{STUN: []string{"stun:203.0.113.1:27400"}, TURN: []string{"turn:203.0.113.1:27400"}, Secret: "s"}
	unix := func(now time.Duration) int64 { return 1_700_000_000 + int64(now/time.Second) }
	return &testDir{t: t, d: NewDirectory(limits, relay, random, unix), heard: make(map[SocketID][]Message),
		pings: make(map[SocketID]int), ended: make(map[SocketID]bool)}
}

func (w *testDir) connect(addr string) SocketID {
	w.last++
	if !w.d.Connected(w.now, w.last, netip.MustParseAddr(addr)) {
		return 0
	}
	return w.last
}

func (w *testDir) say(id SocketID, m Message) {
	w.d.Receive(w.now, id, m.Encode())
	w.act()
}

func (w *testDir) act() {
	for _, a := range w.d.Actions() {
		switch {
		case a.Ping:
			w.pings[a.To]++
		case a.Close:
			w.ended[a.To] = true
		default:
			m, err := Parse(a.Data)
			if err != nil {
				w.t.Fatalf("the directory sent what it would not read: %v", err)
			}
			w.heard[a.To] = append(w.heard[a.To], m)
		}
	}
}

// wait moves the clock, a second at a time.
func (w *testDir) wait(d time.Duration) {
	for end := w.now + d; w.now < end; {
		w.now += min(time.Second, end-w.now)
		w.d.Tick(w.now)
		w.act()
	}
}

// one gives the only message that id has heard since the last look.
func (w *testDir) one(id SocketID, want Kind) Message {
	w.t.Helper()
	got := w.heard[id]
	delete(w.heard, id)
	if len(got) != 1 || got[0].T != want {
		w.t.Fatalf("socket %d heard %+v, want one %q", id, got, want)
	}
	return got[0]
}

func (w *testDir) nothing(id SocketID) {
	w.t.Helper()
	if got := w.heard[id]; len(got) > 0 {
		w.t.Fatalf("socket %d heard %+v, want nothing", id, got)
	}
}

func (w *testDir) wantError(id SocketID, why Why) Message {
	w.t.Helper()
	m := w.one(id, Error)
	if m.Why != why {
		w.t.Fatalf("socket %d heard error %q (%s), want %q", id, m.Why, m.Text, why)
	}
	return m
}

func keyOf(n byte) Bytes { return bytes.Repeat([]byte{n}, 32) }

func cand(s string) []Candidate { return cands(s) }

func cands(all ...string) (list []Candidate) {
	for _, s := range all {
		list = append(list, Candidate{Kind: LocalCandidate, Addr: netip.MustParseAddrPort(s)})
	}
	return list
}

func openRoom(key byte) Message {
	return Message{T: Open, App: Bytes("PLparty1"), Proto: 1, Key: keyOf(key), Max: 12, Cands: cand("192.168.1.20:27415")}
}

// host connects from addr and opens a room.
func (w *testDir) host(addr string, key byte) (SocketID, Message) {
	w.t.Helper()
	id := w.connect(addr)
	w.say(id, openRoom(key))
	return id, w.one(id, RoomIs)
}
