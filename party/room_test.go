package party

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/matchmaker"
	"github.com/partyline-go/partyline/tests/simnet"
)

func TestAGuestJoinsByTheRoomsCodeAndKnowsTheHostsKey(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h := w.roomHost(d)
		h.wantFacts(Fact{Kind: RoomOpen, Text: h.Room()})
		if !codes.IsRoom(h.Room()) {
			t.Errorf("the room's code is %q", h.Room())
		}
		g := w.byRoom(h, d.with("10.0.0.2"))
		began := w.net.Now()
		w.until(func() bool { return g.State() == StateJoined })
		if took := w.net.Now() - began; took > time.Second {
			t.Errorf("that took %v", took)
		}
		w.runFor(time.Second)
		if g.Room() != h.Room() || g.place.room != h.place.room {
			t.Errorf("the guest knows room %q, want %q and its ticket", g.Room(), h.Room())
		}
		p := g.host
		if !p.Verified() || p.Path() != Local || h.PeerOf(g.MyPID()).Path() != Local {
			t.Errorf("verified %v, path %v, at the host %v", p.Verified(), p.Path(), h.PeerOf(g.MyPID()).Path())
		}
		if d.relays != 0 {
			t.Errorf("%d relayed addresses were asked for, and none was needed", d.relays)
		}
		w.runFor(lineLingers)
		if g.room.line != nil || h.room.line == nil {
			t.Error("the guest keeps its line, or the host does not")
		}
	})
}

func TestStunTellsTheAddressOutside(t *testing.T) {
	w := newWorld(t, 1)
	d := newDesk(w)
	h := w.roomHost(d)
	w.until(func() bool { return h.Outside().IsValid() })
	if h.Outside() != h.addr() {
		t.Errorf("outside is %v, want %v: there is no router here", h.Outside(), h.addr())
	}
	plain := w.host(func(c *Config) { c.StunAt = "203.0.113.1:27400" })
	w.until(func() bool { return plain.Outside() == plain.addr() })
	none := w.host(d.with("10.0.0.9"), func(c *Config) { c.NoStun = true })
	w.runFor(3 * time.Second)
	if none.Outside().IsValid() {
		t.Error("NoStun asked")
	}
}

func TestWithoutAMatchmakerRoomFailedIsToldAndPlayByAddressGoesOn(t *testing.T) {
	w := newWorld(t, 1)
	d := newDesk(w)
	d.stop()
	h := w.host(d.with("10.0.0.1"))
	w.runFor(time.Second)
	h.wantFacts(Fact{Kind: RoomFailed, Why: WhyNoMatchmaker})
	h.facts = nil
	w.guest(h)

	d.start()
	w.until(func() bool { return h.Room() != "" })
	h.wantFacts(Fact{Kind: RoomOpen, Text: h.Room()})
}

func TestARoomOutlivesItsMatchmaker(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h, g := w.roomParty(d, 1)
		code := h.Room()
		d.stop()
		w.runFor(2 * time.Second)
		if len(h.facts) > 0 {
			t.Errorf("after two seconds: %v", h.facts)
		}
		w.runFor(roomPatience)
		h.wantFacts(Fact{Kind: RoomFailed, Why: WhyNoMatchmaker})
		h.facts = nil
		d.start() // it knows nothing of the room
		w.until(func() bool { return len(h.facts) > 0 })
		h.wantFacts(Fact{Kind: RoomOpen, Text: code})
		g2 := w.byRoom(h, d.with("10.0.0.7"))
		w.until(func() bool { return g2.State() == StateJoined })
		g[0].wantFacts()
	})
}

func TestEveryWayAJoinByRoomFailsHasItsWhy(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(w *world, d *desk, h *member)
		guest  func(*Config)
		code   string
		want   Why
		within time.Duration
	}{
		{"no such room", nil, nil, "ZZZZ-ZZZZ", WhyNoRoom, time.Second},
		{"the room has ended", func(w *world, d *desk, h *member) { h.Leave() }, nil, "", WhyRoomClosed, time.Second},
		{"another game", nil, func(c *Config) { c.Proto = 9 }, "", WhyProto, time.Second},
		{"no matchmaker", func(w *world, d *desk, h *member) { d.stop() }, nil, "", WhyNoMatchmaker, signalTime + time.Second},
		{"a mute matchmaker", func(w *world, d *desk, h *member) { d.mute = true }, nil, "", WhyNoMatchmaker, JoinTimeout + time.Second},
		{"no path", func(w *world, d *desk, h *member) { h.sock.Close(); d.slow = true }, nil, "", WhyNoPath, JoinTimeout + time.Second},
		{"a game that does not answer", func(w *world, d *desk, h *member) { h.ignore = true }, nil, "", WhyNoAnswer, JoinTimeout + time.Second},
		{"between hosts", func(w *world, d *desk, h *member) { h.die(); w.runFor(time.Second) }, nil, "", WhyThrottled, JoinTimeout + time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 3)
			d := newDesk(w)
			h := w.roomHost(d)
			code := h.Room()
			if c.code != "" {
				code = c.code
			}
			if c.change != nil {
				c.change(w, d, h)
			}
			w.runFor(100 * time.Millisecond)
			g := w.add(d.with("10.0.0.2"))
			if c.guest != nil {
				g = w.add(d.with("10.0.0.2"), c.guest)
			}
			g.joinsRoom(code)
			w.runFor(c.within)
			downs := g.find(Down)
			if len(downs) != 1 || len(g.facts) != 1 || downs[0].Why != c.want {
				t.Fatalf("facts %v, want one Down(%v)", g.facts, c.want)
			}
			t.Logf("text %q", downs[0].Text)
			w.runFor(3 * time.Second)
			if len(g.facts) != 1 {
				t.Errorf("and then %v", g.facts[1:])
			}
			if g.room.line != nil || g.meeting != nil {
				t.Error("the line or the meeting stays")
			}
		})
	}
}

func TestAGuestThatCannotReachTheHostDirectlyGoesOverTheRelay(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h := w.roomHost(d)
		g := w.add(d.with("10.0.0.2"))
		w.block(h.addr(), g.addr())
		g.joinsRoom(h.Room())
		began := w.net.Now()
		w.until(func() bool { return g.State() != StateJoining })
		if took := w.net.Now() - began; g.State() != StateJoined || took > 5*time.Second {
			t.Fatalf("%v after %v, facts %v", g.State(), took, g.facts)
		}
		w.runFor(time.Second)
		at := h.PeerOf(g.MyPID())
		if g.host.Path() != Relayed || at.Path() != Relayed {
			t.Errorf("paths %v and %v, want relayed", g.host.Path(), at.Path())
		}
		m := h.place.roster.member(g.MyPID())
		if m.flags&relayOnly == 0 || len(m.cands) != 0 {
			t.Errorf("the roster has it at %v, flags %d", m.cands, m.flags)
		}
		g.say(kindA, "over", Reliable)
		h.say(kindB, "back", Reliable)
		w.runFor(time.Second)
		h.wantGame(said{g.MyPID(), kindA, "over"})
		g.wantGame(said{h.MyPID(), kindB, "back"})
	})
}

func TestARelayedConnectionMovesToADirectPathAndLosesNothing(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h := w.roomHost(d)
		g := w.add(d.with("10.0.0.2"))
		w.block(h.addr(), g.addr())
		g.joinsRoom(h.Room())
		w.until(func() bool { return g.State() == StateJoined })
		w.net.Mend(h.addr(), g.addr())
		w.net.Mend(g.addr(), h.addr())
		n := uint32(0)
		g.play = func() { g.sayNumber(kindA, n, Reliable); h.sayNumber(kindB, n, Reliable); n++ }
		w.runFor(12 * time.Second)
		g.play = nil
		w.runFor(time.Second)
		at := h.PeerOf(g.MyPID())
		if g.host.Path() != Local || at.Path() != Local {
			t.Errorf("paths %v and %v, want local", g.host.Path(), at.Path())
		}
		if g.meeting != nil && g.meeting.relay != nil {
			t.Error("the relay is kept")
		}
		if m := h.place.roster.member(g.MyPID()); m.flags&relayOnly != 0 || len(m.cands) == 0 {
			t.Errorf("the roster has it at %v, flags %d", m.cands, m.flags)
		}
		wantUpTo(t, w.seed, h.numbers(kindA), int(n))
		wantUpTo(t, w.seed, g.numbers(kindB), int(n))
		if len(g.find(Down)) > 0 {
			t.Error("it lost the host")
		}
	})
}

func TestForceRelayHidesTheGuestsAddress(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h := w.roomHost(d)
		g := w.byRoom(h, d.with("10.0.0.2"), func(c *Config) { c.ForceRelay = true })
		w.until(func() bool { return g.State() == StateJoined })
		w.runFor(40 * time.Second)
		at := h.PeerOf(g.MyPID())
		if g.host.Path() != Relayed || at.Path() != Relayed {
			t.Errorf("paths %v and %v, want relayed for good", g.host.Path(), at.Path())
		}
		for _, c := range at.cands {
			if c.Addr.Addr() == g.addr().Addr() {
				t.Errorf("the host was told %v", c)
			}
		}
	})
}

func TestAHostPunchesFewTimesWhereNobodyVouches(t *testing.T) {
	w := newWorld(t, 1)
	d := newDesk(w)
	h := w.roomHost(d)
	own, other := "198.51.100.2:1000", "203.0.113.77:2000"
	counts := map[string]int{}
	w.net.Watch = func(from, to netip.AddrPort, data []byte) (fate simnet.Fate) {
		if from == h.addr() && len(data) == 16 {
			counts[to.String()]++
		}
		return fate
	}
	line := &deskLine{d: d, addr: codesAt("198.51.100.2:1").Addr.Addr()}
	line.Up()
	line.Send(matchmaker.Message{T: matchmaker.Join, Code: h.Room(), Proto: 1, Key: make([]byte, 32), Cands: []matchmaker.Candidate{
		{Kind: matchmaker.PublicCandidate, Addr: codesAt(own).Addr}, {Kind: matchmaker.PublicCandidate, Addr: codesAt(other).Addr, Own: true},
	}})
	w.runFor(10 * time.Second)
	if counts[own] != punches || counts[other] != punchesOther {
		t.Errorf("punched %v, want %d to the asker's own address and %d to the other", counts, punches, punchesOther)
	}
}

func TestCancelEndsAJoinByRoomAtEveryMoment(t *testing.T) {
	for at := time.Duration(0); at < 4*time.Second; at += 100 * time.Millisecond {
		w := newWorld(t, uint64(at))
		d := newDesk(w)
		h := w.roomHost(d)
		g := w.add(d.with("10.0.0.2"))
		w.block(h.addr(), g.addr())
		h.ignore = true
		g.joinsRoom(h.Room())
		w.runFor(at)
		g.Cancel()
		w.runFor(2 * time.Second)
		g.wantFacts(Fact{Kind: Down, Why: WhyCancelled})
		if g.room.line != nil || g.meeting != nil || g.ep != nil || g.Stage() != StageNone {
			t.Fatalf("cancelled after %v: something stays", at)
		}
		w.net.Mend(h.addr(), g.addr())
		w.net.Mend(g.addr(), h.addr())
		h.ignore = false
		g.facts = nil
		g.joinsRoom(h.Room())
		w.until(func() bool { return g.State() == StateJoined })
	}
}

func TestStagesTellHowFarAJoinHasCome(t *testing.T) {
	w := newWorld(t, 1)
	d := newDesk(w)
	h := w.roomHost(d)
	h.ignore = true
	g := w.add(d.with("10.0.0.2"))
	w.block(h.addr(), g.addr())
	g.joinsRoom(h.Room())
	var seen []Stage
	for range 600 {
		if s := g.Stage(); len(seen) == 0 || seen[len(seen)-1] != s {
			seen = append(seen, s)
		}
		w.frame()
	}
	want := []Stage{StageAsking, StagePunching, StageRelaying, StageGreeting}
	if !slices.Equal(seen[:min(len(seen), 4)], want) {
		t.Errorf("stages %v, want %v", seen, want)
	}
}

func TestAnAddressOfThisMachineIsLocal(t *testing.T) {
	w := newWorld(t, 1)
	h := w.addAt("203.0.113.9:27415")
	if err := h.Host(0, 77); err != nil {
		t.Fatal(err)
	}
	same := w.addAt("203.0.113.9:27416")
	other := w.addAt("203.0.113.10:27416")
	for _, g := range []*member{same, other} {
		g.joins(h)
		w.until(func() bool { return g.State() == StateJoined })
	}

	if same.host.Path() != Local || other.host.Path() != Direct {
		t.Errorf("paths %v and %v, want local and direct", same.host.Path(), other.host.Path())
	}
}

func TestWhoJoinsWhileTheHostLearnsItsAddressHearsOfIt(t *testing.T) {
	for wait := range 20 { // frames from the room's opening to the join
		w := newWorld(t, uint64(wait+1))
		d := newDesk(w)
		h := w.roomHost(d)
		g := w.add(d.with("10.0.0.2"))
		for range wait {
			w.frame()
		}
		g.joinsRoom(h.Room())
		w.until(func() bool { return g.State() == StateJoined })
		w.runFor(time.Second)

		public := pick(nil, g.meeting.cands, matchmaker.PublicCandidate, 9)
		if !slices.Equal(public, []netip.AddrPort{h.Outside()}) {
			t.Errorf("joined %d frames after the room was open, the guest knows %v, want %v as public", wait, g.meeting.cands, h.Outside())
		}
	}
}
