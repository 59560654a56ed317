package matchmaker

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
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

func TestRoomIsDropped45SecondsAfterTheLastRefreshAndItsCodeRestsAnHour(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	w.wait(40 * time.Second)
	w.say(host, Message{T: Refresh, Players: 3})
	w.one(host, RoomIs)

	w.wait(44 * time.Second)
	if n, _ := w.d.Len(); n != 1 {
		t.Fatalf("%d rooms 44 s after the refresh, want 1", n)
	}
	w.wait(2 * time.Second)
	if n, _ := w.d.Len(); n != 0 {
		t.Fatalf("%d rooms 46 s after the refresh, want none", n)
	}
	guest := w.connect("203.0.113.20")
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 1})
	w.wantError(guest, Closed)
	w.wait(time.Hour)
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 1})
	w.wantError(guest, NoRoom)
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

func TestClaimOfALivingHostsRoomIsAnsweredAliveAndTheHostHearsIt(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	heir := w.connect("203.0.113.20")

	w.say(heir, Message{T: Claim, Code: room.Code, Ticket: room.Ticket, Epoch: 1, Key: keyOf(2)})
	if m := w.one(host, Claimed); m.Epoch != 1 || !bytes.Equal(m.Key, keyOf(2)) {
		t.Fatalf("host heard %+v", m)
	}
	w.nothing(heir)
	if w.pings[host] != 1 {
		t.Fatalf("%d pings to the host, want 1", w.pings[host])
	}
	w.d.Ponged(w.now, host, 30*time.Millisecond)
	w.act()

	w.one(heir, Alive)
	w.nothing(host)
}

func TestTicketAloneStealsNoRoom(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	thief := w.connect("203.0.113.66")

	for range 12 { // a minute of claims beside a host that refreshes
		w.say(host, Message{T: Refresh, Players: 2})
		w.say(thief, Message{T: Claim, Code: room.Code, Ticket: room.Ticket, Epoch: 9, Key: keyOf(6)})
		w.d.Ponged(w.now, host, time.Millisecond)
		w.act()
		w.wait(5 * time.Second)
	}

	for _, m := range w.heard[thief] {
		if m.T != Alive {
			t.Fatalf("the thief heard %+v", m)
		}
	}
	for _, m := range w.heard[host] {
		if m.T == Moved {
			t.Fatal("the host heard that its room was moved")
		}
	}
}

func TestClaimIsGrantedWhenTheHolderHasNotAnsweredForTenSeconds(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	heir, guest := w.connect("203.0.113.20"), w.connect("203.0.113.30")
	claim := Message{T: Claim, Code: room.Code, Ticket: room.Ticket, Epoch: 1, Key: keyOf(2)}

	w.wait(time.Second)
	for range 5 {
		w.say(heir, claim)
		w.nothing(heir)
		w.wait(2 * time.Second)
	}
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 1})
	w.wantError(guest, Busy) // and is not led to a holder that is not there
	w.say(heir, claim)

	w.one(heir, RoomIs)
	if w.pings[host] != 5 {
		t.Errorf("%d pings to the holder, want 5", w.pings[host])
	}
}

func TestHolderThatWasAskedLongAgoIsNotInDoubt(t *testing.T) {
	w := newTestDir(t, Limits{})
	_, room := w.host("203.0.113.10", 1)
	heir := w.connect("203.0.113.20")

	for range 2 {
		w.say(heir, Message{T: Claim, Code: room.Code, Ticket: room.Ticket, Epoch: 1, Key: keyOf(2)})
		w.nothing(heir)
		w.wait(11 * time.Second)
	}
}

func TestClaimIsGrantedTenSecondsAfterTheHostsSocketIsGone(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	heir := w.connect("203.0.113.20")
	claim := Message{T: Claim, Code: room.Code, Ticket: room.Ticket, Epoch: 1, Key: keyOf(2), Cands: cand("10.0.0.5:4000")}
	w.d.Disconnected(w.now, host)

	w.wait(9 * time.Second)
	w.say(heir, claim)
	w.nothing(heir)
	w.wait(time.Second)
	w.say(heir, claim)

	if m := w.one(heir, RoomIs); m.Code != room.Code || m.Epoch != 1 || !bytes.Equal(m.Ticket, room.Ticket) {
		t.Fatalf("the heir heard %+v, want room %s", m, room.Code)
	}
	guest := w.connect("203.0.113.30")
	w.say(guest, Message{T: Join, Code: room.Code, Proto: 1})
	if m := w.one(guest, Peer); !bytes.Equal(m.Key, keyOf(2)) {
		t.Fatalf("the code leads to %x, want the heir", m.Key[:1])
	}
}

func TestClaimIsGrantedWhenTheHostMissesItsRefreshByTenSeconds(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	heir := w.connect("203.0.113.20")
	claim := Message{T: Claim, Code: room.Code, Ticket: room.Ticket, Epoch: 1, Key: keyOf(2)}

	w.wait(24 * time.Second)
	w.say(heir, claim)
	w.nothing(heir)
	w.wait(time.Second)
	w.say(heir, claim)

	w.one(heir, RoomIs)
	if got := w.heard[host]; got[len(got)-1].T != Moved {
		t.Fatalf("the old host heard %+v, want moved at last", got)
	}
}

func TestNamedHeirHasTheRoomAtOnce(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	heir := w.connect("203.0.113.20")

	w.say(host, Message{T: Handoff, Key: keyOf(2)})
	w.say(heir, Message{T: Claim, Code: room.Code, Ticket: room.Ticket, Epoch: 1, Key: keyOf(2)})

	w.one(heir, RoomIs)
	if m := w.one(host, Moved); m.Epoch != 1 {
		t.Fatalf("the old host heard %+v", m)
	}
}

func TestOldHostThatComesBackHearsThatItsRoomMoved(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	w.d.Disconnected(w.now, host)
	w.wait(11 * time.Second)
	heir := w.connect("203.0.113.20")
	w.say(heir, Message{T: Claim, Code: room.Code, Ticket: room.Ticket, Epoch: 1, Key: keyOf(2)})
	w.one(heir, RoomIs)

	back := w.connect("203.0.113.10")
	m := openRoom(1)
	m.Code, m.Ticket = room.Code, room.Ticket
	w.say(back, m)

	if m := w.one(back, Moved); m.Epoch != 1 {
		t.Fatalf("the old host heard %+v", m)
	}
	w.nothing(heir)
}

func TestHostReopensItsRoomAtAServerThatNeverKnewIt(t *testing.T) {
	w := newTestDir(t, Limits{})
	_, room := w.host("203.0.113.10", 1)
	fresh := newTestDir(t, Limits{})
	back := fresh.connect("203.0.113.10")
	m := openRoom(1)
	m.Code, m.Ticket, m.Epoch, m.Players = room.Code, room.Ticket, 3, 5

	fresh.say(back, m)

	if got := fresh.one(back, RoomIs); got.Code != room.Code || !bytes.Equal(got.Ticket, room.Ticket) || got.Epoch != 3 {
		t.Fatalf("heard %+v, want room %s", got, room.Code)
	}
}

func TestClaimWithAWrongTicketDoesNotTellWhetherThereIsARoom(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)
	w.d.Disconnected(w.now, host)
	w.wait(20 * time.Second)
	thief := w.connect("203.0.113.66")
	wrong := bytes.Repeat([]byte{1}, 16)

	for range 20 {
		w.say(thief, Message{T: Claim, Code: room.Code, Ticket: wrong, Epoch: 1, Key: keyOf(6)})
		there := w.wantError(thief, NoRoom)
		w.say(thief, Message{T: Claim, Code: "ZZZZ-ZZZZ", Ticket: wrong, Epoch: 1, Key: keyOf(6)})
		if nowhere := w.wantError(thief, NoRoom); there.Text != nowhere.Text || there.Code != nowhere.Code {
			t.Fatalf("heard %+v for a room and %+v for none", there, nowhere)
		}
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

func TestKickRenewsTheTicket(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)

	w.say(host, Message{T: Refresh, Players: 2, Renew: true})

	if m := w.one(host, RoomIs); bytes.Equal(m.Ticket, room.Ticket) || m.Code != room.Code {
		t.Fatalf("heard %+v, want another ticket", m)
	}
}

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
	if n := len(w.d.prefix.byPrefix); n > maxPrefixes {
		t.Fatalf("%d networks remembered, at most %d", n, maxPrefixes)
	}
	if _, sockets := w.d.Len(); sockets != 0 {
		t.Fatalf("%d sockets remain", sockets)
	}
	w.wait(20 * time.Minute)
	if n := len(w.d.prefix.byPrefix); n != 0 {
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
