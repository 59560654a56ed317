package matchmaker

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func TestWhoFloodsIsLetGoAndTheOthersHearLittleOfIt(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	guest := w.connect("198.51.100.20")
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 1, Key: keyOf(2)})
	id := w.one(guest, Peer).ID

	for range 1000 {
		w.say(guest, Message{T: Cands, To: id, Cands: cand("198.51.100.20:5000")})
	}

	if m := w.wantError(guest, Throttled); m.RetryMS == 0 || !w.ended[guest] {
		t.Errorf("the flooder heard %+v, ended: %v", m, w.ended[guest])
	}
	if n := len(w.heard[host]); n > messagesAtOnce {
		t.Errorf("the host heard %d messages", n)
	}
	if w.ended[host] {
		t.Error("the host was let go")
	}
}

func TestLimitsOfOneNetworkLeaveOthersAlone(t *testing.T) {
	w := newTestDir(t, Limits{Sockets: 4, Rooms: 2, OpensPerMin: 3})
	var ids []SocketID
	for range 4 {
		ids = append(ids, w.connect("203.0.113.10"))
	}
	if w.connect("203.0.113.99") != 0 {
		t.Fatal("a fifth socket of the /24 was taken")
	}
	if w.connect("198.51.100.1") == 0 {
		t.Fatal("a socket of another network was refused")
	}
	w.say(ids[0], openRoom(1))
	w.one(ids[0], RoomIs)
	w.say(ids[1], openRoom(2))
	w.one(ids[1], RoomIs)
	w.say(ids[2], openRoom(3))
	w.wantError(ids[2], Busy)
	for _, id := range ids[:2] {
		w.say(id, Message{T: Close})
	}
	w.say(ids[2], openRoom(3))
	w.one(ids[2], RoomIs)
	w.say(ids[3], openRoom(4))
	w.wantError(ids[3], Throttled)
}

func TestMemoryStaysFlatUnderSocketsFromEverywhere(t *testing.T) {
	w := newTestDir(t, Limits{})
	for i := range 100_000 {
		addr := netip.AddrFrom4([4]byte{byte(10 + i>>16), byte(i >> 8), byte(i), 1})
		w.last++
		if w.d.Connected(w.now, w.last, addr) {
			w.d.Disconnected(w.now, w.last)
		}
	}
	if n := len(w.d.accounts.known); n > maxPrefixes {
		t.Fatalf("%d networks remembered, at most %d", n, maxPrefixes)
	}
	if _, sockets := w.d.Len(); sockets != 0 {
		t.Fatalf("%d sockets remain", sockets)
	}
	w.wait(20 * time.Minute)
	if n := len(w.d.accounts.known); n != 0 {
		t.Fatalf("%d networks remembered after 20 quiet minutes, want none", n)
	}
}

func TestStopTellsEveryoneToComeBack(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, _ := w.host("203.0.113.10", 1)

	w.d.Stop(2 * time.Second)
	w.act()

	if m := w.wantError(host, Busy); m.RetryMS != 2000 || !w.ended[host] {
		t.Fatalf("heard %+v, ended %v", m, w.ended[host])
	}
}

func TestPublicPartiesAreListedAndPrivateOnesNot(t *testing.T) {
	w := newTestDir(t, Limits{})
	w.host("203.0.113.10", 1)
	id := w.connect("203.0.113.11")
	m := openRoom(2)
	m.Public, m.Name, m.Players = true, "Ann's floe", 3
	w.say(id, m)
	code := w.one(id, RoomIs).Code

	got := w.d.Parties()

	want := Listing{Code: code, Name: "Ann's floe", Players: 3, Max: 12, Proto: 1}
	if len(got) != 1 || got[0] != want {
		t.Fatalf("listed %+v, want %+v", got, want)
	}
}

// FuzzDirectory lets several sockets say anything in any order.
func FuzzDirectory(f *testing.F) {
	for _, m := range []Message{openRoom(1), {T: Refresh}, {T: Join, Code: "0000-0000"}, {T: Claim, Code: "00000000", Key: keyOf(1)}, {T: Close}} {
		f.Add(append([]byte{1}, m.Encode()...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newTestDir(t, Limits{Rooms: 8})
		for i := range 4 {
			w.connect(fmt.Sprintf("203.0.113.%d", i+1))
		}
		for _, line := range bytes.Split(data, []byte("\n")) {
			if len(line) == 0 {
				continue
			}
			id := SocketID(line[0]%5 + 1)
			w.d.Receive(w.now, id, line[1:])
			w.act()
			w.wait(time.Duration(line[0]) * 100 * time.Millisecond)
		}
		rooms, sockets := w.d.Len()
		if rooms > 8 || sockets > 4 || len(w.d.pairs) > 4*maxPairs {
			t.Fatalf("%d rooms, %d sockets, %d pairs", rooms, sockets, len(w.d.pairs))
		}
	})
}
