package party

import (
	"slices"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/matchmaker"
)

// oneHost says whether all who live are in one party, and gives its host.
func oneHost(members []*member) *member {
	var host *member
	for _, m := range members {
		switch {
		case m.dead:
		case m.State() == StateHosting && host == nil:
			host = m
		case m.State() != StateJoined:
			return nil
		}
	}
	if host == nil {
		return nil
	}
	for _, m := range members {
		if !m.dead && m != host && (m.Party.host == nil || m.Party.host.PID() != host.MyPID()) {
			return nil
		}
	}
	return host
}

func TestTheCodeLeadsToTheNewHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		ends   func(h *member)
		within time.Duration
	}{
		{"killed", func(h *member) { h.die() }, 20 * time.Second},
		{"left", func(h *member) { h.Leave() }, 5 * time.Second},
		{"handed over", func(h *member) { h.HandOff(3) }, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			roomSeeds(t, func(t *testing.T, w *world, d *desk) {
				h, guests := w.roomParty(d, 3)
				code, pids := h.Room(), []PID{2, 3, 4}
				c.ends(h)
				began := w.net.Now()
				var next *member
				w.until(func() bool { next = oneHost(guests); return next != nil && next.room.held })
				if took := w.net.Now() - began; took > c.within {
					t.Errorf("that took %v", took)
				}
				w.runFor(time.Second)
				for i, g := range guests {
					if g.MyPID() != pids[i] || g.Room() != code || len(g.find(NewHost)) != 1 || g.twoHosts {
						t.Errorf("%s: pid %d, room %q, facts %v", g.name, g.MyPID(), g.Room(), g.facts)
					}
				}
				if f := next.find(RoomOpen); len(f) != 1 || f[0].Text != code {
					t.Errorf("the new host's facts %v, want one RoomOpen with %s", next.facts, code)
				}
				late := w.byRoom(next, d.with("10.0.0.99"))
				w.until(func() bool { return late.State() == StateJoined })
				if late.Party.host.key != next.key {
					t.Error("the code leads elsewhere")
				}
				w.runFor(time.Second)
				if late.place.room != next.place.room {
					t.Errorf("the newcomer has the key to room %q, want that to %s", late.Room(), code)
				}
			})
		})
	}
}

func TestMembersThatCannotReachEachOtherMeetThroughTheRoom(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h, guests := w.roomParty(d, 3)
		for i, a := range guests {
			for _, b := range guests[:i] {
				w.block(a.addr(), b.addr())
			}
		}
		h.die()
		began := w.net.Now()
		var next *member
		w.until(func() bool { next = oneHost(guests); return next != nil })
		if took := w.net.Now() - began; took > 30*time.Second {
			t.Errorf("that took %v", took)
		}
		for _, g := range guests {
			if g != next && g.Party.host.Path() != Relayed {
				t.Errorf("%s reaches its host %v", g.name, g.Party.host.Path())
			}
		}
	})
}

func TestGuestsAreNotTornFromAHostThatLives(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h, guests := w.roomParty(d, 3)
		for _, g := range guests {
			w.block(h.addr(), g.addr())
		}
		began := w.net.Now()
		w.until(func() bool {
			relayed := func(g *member) bool { return g.Party.host != nil && g.Party.host.Path() == Relayed }
			return oneHost(w.members) == h && !slices.ContainsFunc(guests, func(g *member) bool { return !relayed(g) })
		})
		t.Logf("all are back after %v", w.net.Now()-began)
		w.runFor(10 * time.Second)
		for _, g := range guests {
			if len(g.find(NewHost)) > 0 || len(g.find(Down)) > 0 {
				t.Errorf("%s: facts %v", g.name, g.facts)
			}
		}
		if len(h.find(RoomFailed)) > 0 {
			t.Error("the host lost its room")
		}
	})
}

func TestATicketAloneStealsNoRoom(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h, guests := w.roomParty(d, 2)
		line := &deskLine{d: d, addr: codesAt("198.51.100.9:1").Addr.Addr()}
		line.Up()
		key := h.place.room
		thief := make([]byte, 32)
		thief[0] = 66
		for range 5 {
			line.Send(matchmaker.Message{T: matchmaker.Claim, Code: key.code, Ticket: key.ticket[:], Epoch: 99, Key: thief, Proto: 1})
			w.runFor(claimEvery)
		}
		if oneHost(w.members) != h || !h.room.held || len(h.facts)+len(guests[0].facts) > 0 {
			t.Errorf("held %v, facts %v %v", h.room.held, h.facts, guests[0].facts)
		}
		// With the host gone the matchmaker gives it to who has the ticket, but
		// no member follows a key that is not a member's.
		h.die()
		for range 10 {
			line.Send(matchmaker.Message{T: matchmaker.Claim, Code: key.code, Ticket: key.ticket[:], Epoch: 99, Key: thief, Proto: 1})
			w.runFor(time.Second)
		}
		w.runFor(15 * time.Second)
		if next := oneHost(guests); next == nil || next.Party.key == [32]byte(thief) {
			t.Error("the members have not found each other")
		}
	})
}

func TestAHostThatWasCutOffHearsThatItWasReplaced(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h, guests := w.roomParty(d, 3)
		cut := func(on bool) {
			for _, g := range guests {
				if on {
					w.block(h.addr(), g.addr())
				} else {
					w.net.Mend(h.addr(), g.addr())
					w.net.Mend(g.addr(), h.addr())
				}
			}
		}
		cut(true)
		h.room.line.(*deskLine).unplug()
		var next *member
		w.until(func() bool { next = oneHost(guests); return next != nil && next.room.held })
		cut(false)
		h.room.line.(*deskLine).shut = false
		w.until(func() bool { return len(h.find(Down)) > 0 })
		if f := h.find(Down); len(f) != 1 || f[0].Why != WhyReplaced {
			t.Errorf("the old host's facts %v", h.facts)
		}
		if oneHost(guests) != next {
			t.Error("the others were disturbed")
		}
	})
}

func TestAKickChangesTheTicketOfThoseWhoStay(t *testing.T) {
	w := newWorld(t, 1)
	d := newDesk(w)
	h, guests := w.roomParty(d, 2)
	before := h.place.room
	h.ClosePeer(h.PeerOf(guests[0].MyPID()), "out")
	w.runFor(2 * time.Second)
	switch {
	case h.place.room.ticket == before.ticket || h.place.room.code != before.code:
		t.Error("the ticket is the old one, or the code another")
	case guests[1].place.room != h.place.room:
		t.Error("who stays has not the new one")
	case guests[0].place.room != before:
		t.Error("who was kicked has the new one")
	}
}

func TestAPartyWithoutMatchmakerFindsItsHostAllTheSame(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h, guests := w.roomParty(d, 3)
		code := h.Room()
		d.stop()
		h.die()
		began := w.net.Now()
		var next *member
		w.until(func() bool { next = oneHost(guests); return next != nil })
		if took := w.net.Now() - began; took > 20*time.Second {
			t.Errorf("that took %v", took)
		}
		w.runFor(roomPatience + time.Second)
		if f := next.find(RoomFailed); len(f) != 1 || f[0].Why != WhyNoMatchmaker {
			t.Errorf("facts %v", next.facts)
		}
		d.start()
		w.until(func() bool { return next.room.held })
		if next.Room() != code {
			t.Errorf("the room is %s, was %s", next.Room(), code)
		}
	})
}

func TestStandAloneAsksForTheRoom(t *testing.T) {
	w := newWorld(t, 1)
	d := newDesk(w)
	h, guests := w.roomParty(d, 1)
	code := h.Room()
	h.die()
	w.until(func() bool { return guests[0].State() == StateIdle })
	guests[0].facts = nil
	if err := guests[0].StandAlone(); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return guests[0].room.held })
	if f := guests[0].find(RoomOpen); len(f) != 1 || f[0].Text != code {
		t.Errorf("facts %v, want RoomOpen with %s", guests[0].facts, code)
	}
}

func TestTheKeyToARoomIsReadAsItWasWritten(t *testing.T) {
	k := roomKey{code: "7K3M-Q0ZD", ticket: [ticketSize]byte{1, 2, 3, 15: 16}}
	b := appendRoomKey(nil, k)
	if got, ok := parseRoomKey(b); !ok || got != k || len(b) != codeSize+ticketSize {
		t.Errorf("read %v, %v", got, ok)
	}
	for _, bad := range [][]byte{nil, b[:23], append(slices.Clone(b), 0), append([]byte("7K3M-Q0Z"), b[8:]...)} {
		if _, ok := parseRoomKey(bad); ok {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestFollowGoesToTheHolderOfARoom(t *testing.T) {
	w := newWorld(t, 1)
	d := newDesk(w)
	_, guests := w.roomParty(d, 2)
	other := w.host(d.with("10.0.0.50"))
	w.until(func() bool { return other.Room() != "" })
	to, _ := codes.Parse(other.Room(), 0)
	if err := guests[1].Follow(to); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return len(guests[1].find(NewHost)) > 0 })
	if guests[1].Party.host.key != other.key || guests[1].State() != StateJoined {
		t.Errorf("%v, facts %v", guests[1].State(), guests[1].facts)
	}

	none, _ := codes.Parse("ZZZZ-ZZZZ", 0)
	if err := guests[0].Follow(none); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return len(guests[0].find(Down)) > 0 })
	if f := guests[0].find(Down); f[0].Why != WhyNoRoom {
		t.Errorf("facts %v", guests[0].facts)
	}
}
