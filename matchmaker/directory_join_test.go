package matchmaker

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestGuestAndHostAreIntroducedWithOneIDAndOnePSK(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	guest := w.connect("203.0.113.20")

	w.say(guest, Message{T: Join, Code: strings.ToLower(room.Code), Proto: 1, Cands: cand("10.0.0.5:4000")})

	g, h := w.one(guest, Peer), w.one(host, Peer)
	if g.ID != h.ID || len(g.ID) != 16 || !bytes.Equal(g.PSK, h.PSK) || len(g.PSK) != 32 {
		t.Fatalf("guest heard id %q psk %x, host id %q psk %x", g.ID, g.PSK, h.ID, h.PSK)
	}
	if !bytes.Equal(g.Key, keyOf(1)) || g.Cands[0].Addr.String() != "192.168.1.20:27415" || h.Cands[0].Addr.String() != "10.0.0.5:4000" {
		t.Fatalf("guest heard %+v, host %+v", g, h)
	}
	if len(g.TURN) != 1 || g.TURN[0].User != "1700000600:"+room.Code || g.TURN[0].Pass == "" {
		t.Fatalf("guest heard TURN %+v", g.TURN)
	}
}

func TestCandidatesPassBetweenThePairAndToNobodyElse(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	guest, other := w.connect("203.0.113.20"), w.connect("203.0.113.30")
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 1})
	id := w.one(guest, Peer).ID
	w.one(host, Peer)

	w.say(guest, Message{T: Cands, To: id, Cands: cand("203.0.113.20:999")})
	w.say(other, Message{T: Cands, To: id, Cands: cand("203.0.113.66:666")})

	if m := w.one(host, Cands); m.ID != id || m.Cands[0].Addr.Port() != 999 {
		t.Fatalf("host heard %+v", m)
	}
	w.nothing(guest)
}

func TestEachWayThatAJoinFailsHasItsWhy(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	guest := w.connect("203.0.113.20")

	w.say(guest, Message{T: Join, Code: "ZZZZ-ZZZZ", Proto: 1})
	w.wantError(guest, NoRoom)
	w.say(guest, Message{T: Join, Code: "what?", Proto: 1})
	w.wantError(guest, Bad)
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 2})
	w.wantError(guest, Proto)
	w.say(host, Message{T: Refresh, Players: 12})
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 1})
	w.wantError(guest, Full)
	w.say(host, Message{T: Close})
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 1})
	w.wantError(guest, Closed)
}

func TestWrongCodesAreThrottledAfterFiveAMinuteWithDoublingWaits(t *testing.T) {
	w := newTestDir(t, Limits{})
	guest, neighbour := w.connect("203.0.113.20"), w.connect("203.0.113.21")
	elsewhere := w.connect("198.51.100.1")
	guess := Message{T: Join, Code: "ZZZZ-ZZZZ", Proto: 1}

	for range 5 {
		w.say(guest, guess)
		w.wantError(guest, NoRoom)
	}

	w.say(neighbour, guess)
	if m := w.wantError(neighbour, Throttled); m.RetryMS != 60_000 {
		t.Fatalf("retry after %d ms, want 60,000", m.RetryMS)
	}
	w.say(elsewhere, guess)
	w.wantError(elsewhere, NoRoom)
	for _, wait := range []time.Duration{2 * time.Minute, 4 * time.Minute, 8 * time.Minute} {
		w.wait(wait / 2)
		w.say(guest, guess)
		w.wantError(guest, NoRoom)
		w.say(guest, guess)
		if m := w.wantError(guest, Throttled); m.RetryMS != int(wait/time.Millisecond) {
			t.Fatalf("retry after %d ms, want %v", m.RetryMS, wait)
		}
	}
}

func TestCodeOfAnEndedRoomIsNoWrongGuess(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	w.say(host, Message{T: Close})
	guest := w.connect("203.0.113.20")
	for range 20 {
		w.say(guest, Message{T: Join, Code: room.Code, Proto: 1})
		w.wantError(guest, Closed)
	}
}

func TestWrongCodesOfAllNetworksAreFiftyASecond(t *testing.T) {
	w := newTestDir(t, Limits{})
	told := 0
	for i := range 1000 { // of so many networks, five in each of ten seconds for one
		id := w.connect(fmt.Sprintf("10.%d.%d.1", i/250, i%250))
		for range 4 {
			w.say(id, Message{T: Join, Code: "ZZZZ-ZZZZ", Proto: 1})
			if m := w.one(id, Error); m.Why == NoRoom {
				told++
			} else if m.Why != Throttled || m.RetryMS == 0 {
				t.Fatalf("heard %+v", m)
			}
		}
		w.now += 10 * time.Millisecond
	}
	if told < 500 || told > 550 {
		t.Errorf("%d of 4,000 wrong codes were answered in ten seconds, want 50 a second", told)
	}
}

func TestOneNetworkDoesNotKeepTheOthersOutOfARoom(t *testing.T) {
	w := newTestDir(t, Limits{})
	_, room := w.host("203.0.113.10", 1)
	join := Message{T: Join, Code: room.Code, Proto: 1, Key: keyOf(2)}
	var greedy SocketID
	for range maxPairsOf {
		greedy = w.connect("198.51.100.20")
		w.say(greedy, join)
		w.one(greedy, Peer)
	}

	late := w.connect("198.51.100.20")
	w.say(late, join)
	w.wantError(late, Busy)
	friend := w.connect("192.0.2.30")
	w.say(friend, join)
	w.one(friend, Peer)

	w.d.Disconnected(w.now, greedy)
	again := w.connect("198.51.100.21")
	w.say(again, join)
	w.one(again, Peer)
}

func TestGuestThatJoinsAgainTakesNoSecondPlace(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	guest := w.connect("198.51.100.20")
	var ids []string

	for range 3 * maxPairsOf {
		w.say(guest, Message{T: Join, Code: room.Code, Proto: 1, Key: keyOf(2), Again: true})
		ids = append(ids, w.one(guest, Peer).ID)
	}

	if n := len(w.d.pairs); n != 1 {
		t.Errorf("%d pairs are on, want the last alone", n)
	}
	w.heard[host] = nil
	w.say(guest, Message{T: Cands, To: ids[0], Cands: cand("10.0.0.5:1")})
	w.nothing(host)
	w.say(guest, Message{T: Cands, To: ids[len(ids)-1], Cands: cand("10.0.0.5:1")})
	w.one(host, Cands)
}

func TestTheMatchmakerVouchesForTheAddressesItKnows(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, far, near := w.connect("198.51.100.1"), w.connect("198.51.100.9"), w.connect("198.51.100.1")
	m := openRoom(1)
	m.Cands = cands("192.168.0.2:5", "198.51.100.1:5", "203.0.113.77:5")
	w.say(host, m)
	code := w.one(host, RoomIs).Code

	lie := Candidate{Kind: PublicCandidate, Addr: netip.MustParseAddrPort("203.0.113.66:7"), Own: true}
	w.say(far, Message{T: Join, Code: code, Proto: 1, Key: make([]byte, 32), Cands: append(cands("192.168.0.3:7", "198.51.100.9:7", "203.0.113.1:60001"), lie)})
	own := func(m Message) (marks []bool) {
		for _, c := range m.Cands {
			marks = append(marks, c.Own)
		}
		return marks
	}
	if got, want := own(w.one(host, Peer)), []bool{false, true, true, false}; !slices.Equal(got, want) {
		t.Errorf("the host hears of the guest's %v, want %v: its own IP and the relay's, no private one, no third party", got, want)
	}
	if got, want := own(w.one(far, Peer)), []bool{false, true, false}; !slices.Equal(got, want) {
		t.Errorf("the guest hears of the host's %v, want %v", got, want)
	}
	w.say(near, Message{T: Join, Code: code, Proto: 1, Key: make([]byte, 32), Cands: cands("192.168.0.4:7")})
	if got := own(w.one(near, Peer)); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("a guest of the same IP hears of %v, want the private address too", got)
	}
}
