package party

import (
	"bytes"
	"net/netip"
	"reflect"
	"testing"
)

func exampleRoster() roster {
	r := roster{version: 3, epoch: 2, token: 0x01020304, last: 7}
	r.add(rosterMember{pid: 2, slot: 1, flags: isHost, key: [32]byte{1}, cands: []candidate{
		{candLocal, netip.MustParseAddrPort("192.168.1.20:27415")},
		{candPublic, netip.MustParseAddrPort("[2001:db8::1]:1")},
	}})
	r.add(rosterMember{pid: 7, slot: 0})
	r.add(rosterMember{pid: 3, slot: 2, flags: cannotHost})
	r.add(rosterMember{pid: 5, slot: 11, key: [32]byte{5}})
	return r
}

func TestRosterIsInTheOrderOfHeirs(t *testing.T) {
	r := exampleRoster()
	var got []PID
	for _, m := range r.members {
		got = append(got, m.pid)
	}
	if want := []PID{2, 5, 7, 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("order %v, want %v: by pid, those that cannot host last", got, want)
	}
}

func TestLibraryMessagesComeBack(t *testing.T) {
	r := exampleRoster()
	if got, ok := parseRoster(appendRoster(nil, &r)); !ok || !reflect.DeepEqual(got, r) {
		t.Errorf("roster %v, %v", got, ok)
	}
	a := accept{pid: 2, token: 77, seat: [seatSize]byte{1, 2, 3}}
	if got, ok := parseAccept(appendAccept(nil, a)); !ok || got != a {
		t.Errorf("accept %v, %v", got, ok)
	}
	h := handOff{epoch: 2, heir: 3}
	if got, ok := parseHandOff(appendHandOff(nil, h)); !ok || got != h {
		t.Errorf("handoff %v, %v", got, ok)
	}
	if got, ok := parseMoved(movedText(h)); !ok || got != h {
		t.Errorf("moved %v, %v", got, ok)
	}
	e := early{version: partyVersion, proto: 2, seat: [seatSize]byte{9}, followed: 4, opening: 5}
	if got, ok := parseEarly(appendEarly(nil, e)); !ok || got != e {
		t.Errorf("early %v, %v", got, ok)
	}
}

func TestLibraryMessagesAreBigEndian(t *testing.T) {
	got := appendAccept(nil, accept{pid: 0x0102, token: 0x03040506, seat: [seatSize]byte{0: 7, 15: 8}})
	want := []byte{1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8}
	if !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
}

func TestRosterOfTwelveFitsEveryPartysMessages(t *testing.T) {
	r := roster{last: 100}
	v6 := netip.MustParseAddrPort("[2001:db8::1]:60000")
	for i := range MaxMembers {
		r.add(rosterMember{pid: PID(i + 1), slot: uint8(i), cands: []candidate{{candPublic, v6}, {candLocal, v6}}})
	}
	if n := len(appendRoster(nil, &r)) + 2; n > leastMessage {
		t.Errorf("%d bytes, at most %d", n, leastMessage)
	}
}

func TestOddRostersAreRefused(t *testing.T) {
	good := exampleRoster()
	whole := appendRoster(nil, &good)
	for n := range whole {
		if _, ok := parseRoster(whole[:n]); ok {
			t.Errorf("the first %d bytes are a roster", n)
		}
	}
	odd := func(name string, change func(r *roster)) {
		r := exampleRoster()
		change(&r)
		if _, ok := parseRoster(appendRoster(nil, &r)); ok {
			t.Errorf("%s is a roster", name)
		}
	}
	odd("no host", func(r *roster) { r.members[0].flags = 0 })
	odd("two hosts", func(r *roster) { r.members[1].flags |= isHost })
	odd("pid twice", func(r *roster) { r.members[1].pid = 2 })
	odd("pid 0", func(r *roster) { r.members[1].pid = 0 })
	odd("pid never handed out", func(r *roster) { r.last = 6 })
	odd("slot twice", func(r *roster) { r.members[1].slot = 1 })
	odd("slot 12", func(r *roster) { r.members[1].slot = 12 })
	odd("candidate of no kind", func(r *roster) { r.members[0].cands[0].kind = 4 })
	odd("nine candidates", func(r *roster) { r.members[0].cands = make([]candidate, 9) })
	if _, ok := parseRoster(append(whole, 0)); ok {
		t.Error("a byte left over is a roster")
	}
}

func TestSeatsAreKnownByTheirKeysOnly(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	wire := appendRoster(nil, &h.place.roster)
	for _, m := range g {
		if bytes.Contains(wire, m.place.seat[:]) || bytes.Contains(wire, m.identity[:]) {
			t.Error("the roster shows a seat or a private key")
		}
		if own := h.place.roster.member(m.MyPID()); own.key != m.key {
			t.Error("the roster has another key")
		}
	}
}

func FuzzAccept(f *testing.F) {
	f.Add(appendAccept(nil, accept{pid: 2, token: 77}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, ok := parseAccept(b); ok && !bytes.Equal(appendAccept(nil, a), b) {
			t.Errorf("% x is not what it reads as", b)
		}
	})
}

func FuzzRoster(f *testing.F) {
	r := exampleRoster()
	f.Add(appendRoster(nil, &r))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, ok := parseRoster(b)
		if ok && len(r.members) > MaxMembers {
			t.Errorf("%d members", len(r.members))
		}
		again, okAgain := parseRoster(appendRoster(nil, &r))
		if ok && (!okAgain || !reflect.DeepEqual(r, again)) {
			t.Errorf("% x reads as %v, then as %v", b, r, again)
		}
	})
}

func FuzzHandOff(f *testing.F) {
	f.Add(appendHandOff(nil, handOff{2, 3}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, ok := parseHandOff(b); ok && !bytes.Equal(appendHandOff(nil, h), b) {
			t.Errorf("% x is not what it reads as", b)
		}
	})
}

func FuzzEarly(f *testing.F) {
	f.Add(appendEarly(nil, early{version: partyVersion, proto: 1, followed: 1}))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, ok := parseEarly(b)
		if ok && e.version == partyVersion && !bytes.Equal(appendEarly(nil, e), b) {
			t.Errorf("% x is not what it reads as", b)
		}
	})
}

func FuzzGuestMessage(f *testing.F) {
	f.Add([]byte{5, 2, 0, 3, 0, 4, 'x'})
	f.Fuzz(func(t *testing.T, b []byte) {
		g, ok := parseGuestMessage(b)
		if ok && 2+len(g.to)+len(g.data) != len(b) {
			t.Errorf("% x gives %d bytes of pids and %d of data", b, len(g.to), len(g.data))
		}
	})
}

func FuzzRoomKey(f *testing.F) {
	f.Add(appendRoomKey(nil, roomKey{code: "7K3M-Q0ZD"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, ok := parseRoomKey(b)
		if !ok {
			return
		}
		again, ok := parseRoomKey(appendRoomKey(nil, k))
		if !ok || again != k {
			t.Errorf("% x is read as %v, which is read as %v", b, k, again)
		}
	})
}
