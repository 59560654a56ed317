package matchmaker

import (
	"bytes"
	"testing"
	"time"
)

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

func TestKickRenewsTheTicket(t *testing.T) {
	w := newTestDir(t, Limits{})
	host, room := w.host("203.0.113.10", 1)

	w.say(host, Message{T: Refresh, Players: 2, Renew: true})

	if m := w.one(host, RoomIs); bytes.Equal(m.Ticket, room.Ticket) || m.Code != room.Code {
		t.Fatalf("heard %+v, want another ticket", m)
	}
}
