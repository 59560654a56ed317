package matchmaker

import (
	"bytes"
	"testing"
	"time"
)

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
