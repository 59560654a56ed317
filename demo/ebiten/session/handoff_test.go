package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/party"
)

// heirOf waits until one of the others has become host and all are with it.
func (tb *table) heirOf(limit time.Duration, want int) *Session {
	tb.t.Helper()
	var heir *Session
	tb.until(limit, "an heir has everyone", func() bool {
		heir = nil
		for _, m := range tb.members {
			if tb.dead[m] || m.Status() != Playing {
				continue
			}
			if m.Hosting() {
				heir = m
			}
			if len(m.Players()) != want || m.roll.host() == 0 || !m.Hosting() && m.since > 30 {
				return false
			}
		}
		return heir != nil && heir.party.PeerCount() == want-1
	})
	return heir
}

func TestWhenTheHostLeavesAnHeirGoesOnFromItsNewestSnapshot(t *testing.T) {
	tb := newTable(t, 4, bad)
	tb.run(8 * time.Second)
	host := tb.members[0]
	tick, seed := host.world.Tick, host.world.Floe().Seed
	var discs []uint16
	for i := range host.world.Discs {
		if id := host.world.Discs[i].ID; id != 0 && id != uint16(host.Me()) {
			discs = append(discs, id)
		}
	}

	host.Leave()
	heir := tb.heirOf(40*time.Second, 4)

	w := heir.world
	if w.Tick+60 < tick || w.Tick > tick+45*TicksPerSecond || w.Round == 1 && w.Floe().Seed != seed {
		t.Errorf("the heir's world is at tick %d of floe %d; the host's was at %d of %d", w.Tick, w.Floe().Seed, tick, seed)
	}
	for _, id := range discs {
		if w.Place(id) < 0 {
			t.Errorf("player %d is out of the game", id)
		}
	}
	if w.Place(uint16(host.Me())) >= 0 {
		t.Error("the old host's disc is still there")
	}
	tb.run(5 * time.Second)
	for _, m := range tb.members[1:] {
		for _, p := range m.Players() {
			if len(p.Name) != len("Guest 1") || p.Host != (p.PID == heir.Me()) {
				t.Errorf("pid %d thinks of %+v", m.Me(), p)
			}
		}
		if got := notes(m); !slices.ContainsFunc(got, func(n string) bool { return strings.HasSuffix(n, "is the host now") }) {
			t.Errorf("pid %d was not told of the new host: %q", m.Me(), got)
		}
	}
	tb.rest()
}

func TestWhenTheHostFallsSilentAnHeirGoesOn(t *testing.T) {
	tb := newTable(t, 3, bad)
	tb.run(6 * time.Second)
	tb.dead[tb.members[0]] = true

	heir := tb.heirOf(60*time.Second, 3)

	if heir.Me() != 2 {
		t.Errorf("the heir is %d, want the first in order", heir.Me())
	}
	tb.run(5 * time.Second)
	tb.rest()
}

// What a member said in the host's last moment is lost, which the party says;
// after that its letters go on without a gap.
func TestLettersGoOnInOrderAfterTheOldHostSwallowedSome(t *testing.T) {
	tb := newTable(t, 3, bad)
	tb.run(3 * time.Second)
	for _, m := range tb.members[1:] {
		for range 3 {
			m.Say("did anyone hear that?")
		}
	}
	tb.dead[tb.members[0]] = true

	tb.heirOf(60*time.Second, 3)

	tb.run(5 * time.Second)
	tb.rest()
}

func TestAnHeirThatHadMissedAWhileIsFollowedAtOnce(t *testing.T) {
	tb := newTable(t, 3, bad)
	tb.run(3 * time.Second)
	first := slices.IndexFunc(tb.members, func(m *Session) bool { return m.Me() == 2 })
	heir := tb.members[first]
	tb.net.Cut(tb.address(0), tb.address(first)) // the first in order hears no more
	tb.run(5 * time.Second)
	tb.dead[tb.members[0]] = true

	tb.until(60*time.Second, "the heir has the others", func() bool {
		return heir.Hosting() && heir.party.PeerCount() == 2
	})
	tb.run(time.Second)

	for _, m := range tb.members[1:] {
		if m == heir {
			continue
		}
		if behind := int(heir.world.Tick) - int(m.replica.newest); behind < 0 || behind > 30 {
			t.Errorf("pid %d has tick %d, the heir is at %d", m.Me(), m.replica.newest, heir.world.Tick)
		}
	}
	tb.rest()
}

func TestAGuestCanJoinTheHeir(t *testing.T) {
	tb := newTable(t, 3, bad)
	tb.run(3 * time.Second)
	tb.members[0].Leave()
	heir := tb.heirOf(40*time.Second, 3)
	at := slices.Index(tb.members, heir)

	late := tb.seat("Late")
	addr := tb.address(at)
	if err := late.Join(codes.Target{Addr: addr}); err != nil {
		t.Fatal(err)
	}

	tb.until(10*time.Second, "it is in", func() bool { return len(late.Players()) == 4 && len(heir.Players()) == 4 })
	if late.Me() <= 4 {
		t.Errorf("pid %d was given out twice", late.Me())
	}
	tb.run(3 * time.Second)
	tb.rest()
}

func TestTheLastOneLeftHearsThatTheHostIsGone(t *testing.T) {
	tb := newTable(t, 1, bad)
	tb.run(3 * time.Second)

	tb.members[0].Leave()
	last := tb.members[1]
	tb.until(3*time.Second, "it has ended", func() bool { return last.Status() == Ended })

	if words, why := last.End(); why != party.WhyClosed || words != "The host closed the game." {
		t.Errorf("it hears %q (%v)", words, why)
	}
}
