package party

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
)

// wantParty checks that members are one party: the first hosts, the others are
// its guests, all know the same members and token, and messages go both ways.
func (w *world) wantParty(members ...*member) {
	w.t.Helper()
	h := members[0]
	if h.State() != StateHosting || h.PeerCount() != len(members)-1 {
		w.t.Fatalf("seed %d: %s is %v with %d peers, want hosting with %d", w.seed, h.name, h.State(), h.PeerCount(), len(members)-1)
	}
	for _, m := range members {
		if m != h && (m.State() != StateJoined || m.host == nil || m.host.PID() != h.MyPID()) {
			w.t.Fatalf("seed %d: %s is %v, host %v", w.seed, m.name, m.State(), m.host)
		}
		if m.Token() != h.Token() {
			w.t.Errorf("seed %d: %s has token %d, the host %d", w.seed, m.name, m.Token(), h.Token())
		}
		var pids, want []PID
		for one := range m.Members() {
			pids = append(pids, one.PID)
		}
		for _, one := range members {
			want = append(want, one.MyPID())
		}
		slices.Sort(want)
		if !slices.Equal(pids, want) {
			w.t.Errorf("seed %d: %s knows members %v, want %v", w.seed, m.name, pids, want)
		}
		m.got = nil
	}
	h.say(kindA, "all", Reliable)
	for _, m := range members[1:] {
		m.say(kindB, m.name, Reliable)
	}
	w.runFor(time.Second)
	for _, m := range members[1:] {
		m.wantGame(said{h.MyPID(), kindA, "all"})
		if !slices.Contains(h.got, said{m.MyPID(), kindB, m.name}) {
			w.t.Errorf("seed %d: %s did not hear %s: %v", w.seed, h.name, m.name, h.got)
		}
	}
}

func TestHostLeavesThreePlayersAndTheFirstIsHost(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.05})
		h, g := w.party(3)

		h.Leave()
		w.runFor(3 * time.Second)

		w.wantParty(g[0], g[1], g[2])
		for i, m := range g {
			want := []Fact{{Kind: NewHost, PID: 2, Why: WhyMoved, Text: "0"}}
			if i == 0 {
				want = append(want, Fact{Kind: Joined, PID: 3}, Fact{Kind: Joined, PID: 4})
			}
			m.wantFacts(want...)
			if m.MyPID() != PID(2+i) || m.Token() == 77 {
				t.Errorf("seed %d: pid %d, token %d", w.seed, m.MyPID(), m.Token())
			}
		}
	})
}

// The old host has said that it goes. What it hosts next is another party,
// although it may be at the same address and under the same key.
func TestHostThatLeftAndHostsAnewIsNotAskedByItsOldGuests(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h, guests := w.party(3)

		h.Leave()
		if err := h.Host(0, 78); err != nil {
			t.Fatal(err)
		}
		w.runFor(40 * time.Second)

		if len(h.hellos) != 3 {
			t.Errorf("seed %d: %d hellos of old guests reached the new party", w.seed, len(h.hellos)-3)
		}
		h.wantFacts()
		for _, g := range guests {
			if len(g.find(NewHost)) != 1 || len(g.find(Down)) != 0 {
				t.Errorf("seed %d: %s has facts %v", w.seed, g.name, g.facts)
			}
		}
	})
}

func TestNewHostHearsTheHellosOfItsMembers(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g1 := w.guest(h)
	g2 := w.add()
	g2.Write(Hello).SetHello()
	wr := g2.Write(Hello)
	wr.Str("second")
	wr.SetHello()
	g2.joins(h)
	w.runFor(time.Second)

	h.Leave()
	w.runFor(time.Second)

	if !slices.Equal(g1.got, []said{{3, Hello, "\x06second"}}) || !slices.Equal(g1.pids, []PID{3}) {
		t.Errorf("the heir heard %v and accepted %v", g1.got, g1.pids)
	}
}

func TestNewcomerOfANewHostGetsAPIDThatNobodyHad(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)
	g[2].Leave() // pid 4
	w.runFor(time.Second)

	h.Leave()
	w.runFor(time.Second)
	late := w.guest(g[0])

	if late.MyPID() != 5 {
		t.Errorf("pid %d, want 5", late.MyPID())
	}
	w.wantParty(g[0], g[1], late)
}

func TestHostHandsOffToTheOneItNames(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.1})
		h, g := w.party(3)

		if err := h.HandOff(3); err != nil {
			t.Fatal(err)
		}
		w.runFor(4 * time.Second)

		h.wantFacts(Fact{Kind: Down, Why: WhyMoved})
		w.wantParty(g[1], g[0], g[2])
		if epoch := g[1].place.roster.epoch; epoch != 2 {
			t.Errorf("seed %d: epoch %d, want the one that was named", w.seed, epoch)
		}
		for _, m := range g {
			if n := m.find(NewHost); len(n) != 1 || n[0].PID != 3 || n[0].Why != WhyMoved {
				t.Errorf("seed %d: %v", w.seed, n)
			}
		}
	})
}

func TestHostHandsOffToItsOnlyGuest(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)

	if err := h.HandOff(0); err != nil {
		t.Fatal(err)
	}
	w.runFor(2 * time.Second)

	h.wantFacts(Fact{Kind: Down, Why: WhyMoved})
	g[0].wantFacts(Fact{Kind: NewHost, PID: 2, Why: WhyMoved, Text: "0"})
	w.wantParty(g[0])
}

func TestHostThatLeavesOneGuestHasLeftIt(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)

	h.Leave()
	w.runFor(time.Second)
	g[0].wantFacts(Fact{Kind: Down, Why: WhyClosed})

	if err := g[0].StandAlone(); err != nil {
		t.Fatal(err)
	}
	late := w.guest(g[0])
	w.wantParty(g[0], late)
	if g[0].MyPID() != 2 || late.MyPID() != 3 {
		t.Errorf("pids %d and %d, want 2 and 3", g[0].MyPID(), late.MyPID())
	}
}

func TestHostThatDiesHasAnHeirWithinTwelveSeconds(t *testing.T) {
	for n := 2; n <= 5; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			eachSeed(t, func(t *testing.T, w *world) {
				w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.05})
				h, g := w.party(n)

				h.die()
				w.runFor(12 * time.Second)

				w.wantParty(g...)
				for i, m := range g {
					if f := m.find(NewHost); len(f) != 1 || f[0].PID != 2 || f[0].Why != WhySilent || m.MyPID() != PID(2+i) {
						t.Errorf("seed %d: %s has pid %d and facts %v", w.seed, m.name, m.MyPID(), m.facts)
					}
				}
			})
		})
	}
}

func TestHostAndHeirDieTogetherAndTheSecondIsHost(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h, g := w.party(4)

		h.die()
		g[0].die()
		w.runFor(17 * time.Second)
		if n := g[1].PeerCount(); n != 2 {
			t.Fatalf("seed %d: %d peers after 17 s", w.seed, n)
		}
		w.runFor(40 * time.Second)

		w.wantParty(g[1], g[2], g[3])
		if f := g[1].find(Gone); len(f) != 1 || f[0].PID != 2 || f[0].Why != WhySilent {
			t.Errorf("seed %d: %v", w.seed, f)
		}
	})
}

func TestSilentHostOfOneGuestIsDownAfterSilenceTimeout(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)

	h.die()
	w.runFor(SilenceTimeout - 2*frame)
	g[0].wantFacts()
	w.runFor(time.Second / 2)

	g[0].wantFacts(Fact{Kind: Down, Why: WhySilent})
	if g[0].Why() != WhySilent || g[0].State() != StateIdle {
		t.Errorf("%v, %v", g[0].State(), g[0].Why())
	}
}

func TestHostThatIsSilentForNineSecondsStaysHost(t *testing.T) {
	for _, n := range []int{2, 3, 11} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			eachSeed(t, func(t *testing.T, w *world) {
				h, g := w.party(n)

				h.frozen = true
				w.runFor(9 * time.Second)
				h.frozen = false
				w.runFor(20 * time.Second)

				w.wantParty(append([]*member{h}, g...)...)
				for _, m := range w.members {
					m.wantFacts()
					if n := m.count(roleDial) + m.count(roleAsker); n > 0 {
						t.Errorf("seed %d: %s still has %d connections of the scare", w.seed, m.name, n)
					}
				}
			})
		})
	}
}

func TestDialOfTheHeirIsTakenBackWhenTheHostIsHeardAgain(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	w.net.Cut(g[0].addr(), g[1].addr()) // the heir's answers
	h.frozen = true
	w.runFor(7 * time.Second)
	if g[1].count(roleDial) != 1 {
		t.Fatal("the heir was not dialled")
	}

	h.frozen = false
	w.runFor(time.Second)

	if n := g[1].count(roleDial); n != 0 || g[1].phase != phaseCalm {
		t.Errorf("%d dials, phase %d", n, g[1].phase)
	}
}

func TestGuestThatAloneLosesTheHostIsPointedBackAndThenDown(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h, g := w.party(3)

		w.net.Cut(h.addr(), g[2].addr())
		w.net.Cut(g[2].addr(), h.addr())
		w.runFor(45 * time.Second)

		g[2].wantFacts(append(g[2].find(Joined), Fact{Kind: Down, Why: WhySilent})...)
		h.wantFacts(Fact{Kind: Gone, PID: 4, Why: WhySilent})
		w.wantParty(h, g[0], g[1])
	})
}

func TestGuestThatHearsItsHostAgainWhileSeekingIsBack(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h, g := w.party(3)

		w.net.Cut(h.addr(), g[2].addr())
		w.net.Cut(g[2].addr(), h.addr())
		w.runFor(11 * time.Second)
		w.net.Mend(h.addr(), g[2].addr())
		w.net.Mend(g[2].addr(), h.addr())
		w.runFor(3 * time.Second / 2) // the others have pointed it to the host

		if f := g[2].find(Joined); len(f) != 1 || f[0].PID != 5 {
			t.Errorf("seed %d: %v", w.seed, g[2].facts)
		}
		w.wantParty(h, g[0], g[1], g[2])
	})
}

func TestOfTwoHeirsTheEarlierIsHost(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h, g := w.party(2)

		h.die()
		w.net.Cut(g[0].addr(), g[1].addr())
		w.net.Cut(g[1].addr(), g[0].addr())
		w.runFor(20 * time.Second)
		for _, m := range g {
			if m.phase != phaseOpen || m.heirEpoch != 2 {
				t.Fatalf("seed %d: %s is in phase %d, epoch %d", w.seed, m.name, m.phase, m.heirEpoch)
			}
		}
		w.net.Mend(g[0].addr(), g[1].addr())
		w.net.Mend(g[1].addr(), g[0].addr())
		w.runFor(3 * time.Second)

		w.wantParty(g[0], g[1])
	})
}

func TestSeekerThatItsOldHostAsksGoesBackToIt(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	part := func(a, b *member) {
		w.net.Cut(a.addr(), b.addr())
		w.net.Cut(b.addr(), a.addr())
	}
	part(h, g[0])
	part(h, g[1])
	part(g[0], g[1])
	w.runFor(12 * time.Second) // the host asks by now, and the second in order seeks

	w.net.Mend(h.addr(), g[1].addr())
	w.net.Mend(g[1].addr(), h.addr())
	w.runFor(2 * time.Second)

	if f := g[1].find(Joined); len(f) != 1 || f[0].PID != 4 {
		t.Errorf("%v", g[1].facts)
	}
}

func TestHostOfAnEpochNoLaterIsNotFollowed(t *testing.T) {
	for _, epoch := range []uint32{1, 2} {
		w := newWorld(t, 1)
		h, g := w.party(2)
		h.die()
		g[0].die()
		w.until(func() bool { return g[1].phase == phaseSeek && g[1].dialling(2) })
		dial := g[1].peers[0]

		r := roster{version: 1, epoch: epoch, token: 5, last: 3}
		r.add(rosterMember{pid: 2, slot: 1, flags: isHost, key: dial.key})
		r.add(rosterMember{pid: 3, slot: 2, key: g[1].key})
		g[1].dialSaid(dial, lib(opAccept, appendAccept(nil, accept{3, 5, g[1].place.seat})))
		g[1].dialSaid(dial, lib(opRoster, appendRoster(nil, &r)))

		if followed := g[1].host == dial; followed != (epoch == 2) {
			t.Errorf("epoch %d: followed is %v", epoch, followed)
		}
	}
}

func TestGuestThatStandsAloneLeavesItsHost(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)

	if err := g[0].StandAlone(); err != nil {
		t.Fatal(err)
	}
	w.runFor(time.Second)

	w.wantParty(g[0])
	h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhyClosed})
	w.wantParty(h, g[1])
}

// Nobody but the old host has come to the heir yet: it is a member as well.
func TestHostThatLeftAndJoinsItsHeirAtOnceIsItsFirstGuest(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h, g := w.party(2)
		g[1].frozen = true
		h.Leave()
		w.runFor(100 * time.Millisecond)

		h.joins(g[0])
		w.runFor(time.Second)

		h.wantFacts(Fact{Kind: Joined, PID: 1})
		g[0].wantFacts(Fact{Kind: NewHost, PID: 2, Why: WhyMoved, Text: "0"}, Fact{Kind: Joined, PID: 1})
		g[1].frozen = false
		w.runFor(2 * time.Second)
		w.wantParty(g[0], g[1], h)
	})
}

// A host that handed over, or that the game ended, has no host that it lost.
func TestHostThatIsDownCannotGoOnAsAGuest(t *testing.T) {
	for _, end := range []func(h *member){
		func(h *member) { h.Lose(WhyGame) },
		func(h *member) { h.HandOff(0) },
	} {
		w := newWorld(t, 1)
		h, _ := w.party(2)
		end(h)
		w.runFor(2 * time.Second)

		for what, err := range map[string]error{
			"StandAlone": h.StandAlone(),
			"BecomeHost": h.BecomeHost(0),
			"Follow":     h.Follow(codesAt("10.0.0.2:27415")),
		} {
			if !errors.Is(err, ErrNotJoined) || h.State() != StateIdle {
				t.Errorf("%s: error %v, %v", what, err, h.State())
			}
		}
		if err := h.Host(0, 1); err != nil {
			t.Error(err)
		}
	}
}

func TestHostThatWasCutOffHearsThatItWasReplaced(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h, g := w.party(3)

		w.net.Cut(h.addr(), netip.AddrPort{})
		w.net.Cut(netip.AddrPort{}, h.addr())
		w.runFor(20 * time.Second)
		w.wantParty(g...)
		if n := len(h.find(Gone)); n != 3 {
			t.Fatalf("seed %d: %v", w.seed, h.facts)
		}
		w.net.Mend(h.addr(), netip.AddrPort{})
		w.net.Mend(netip.AddrPort{}, h.addr())
		h.facts = nil
		w.runFor(5 * time.Second)

		h.wantFacts(Fact{Kind: Down, Why: WhyReplaced})
		h.joins(g[0])
		w.runFor(time.Second)
		w.wantParty(g[0], g[1], g[2], h)
	})
}

func TestWithoutHandOffThePartyEndsWithItsHost(t *testing.T) {
	off := func(c *Config) { c.NoHandOff = true }
	for _, leave := range []bool{true, false} {
		w := newWorld(t, 1)
		h := w.host(off)
		g := []*member{w.guest(h, off), w.guest(h, off)}

		want := WhySilent
		if leave {
			h.Leave()
			want = WhyClosed
		} else {
			h.die()
		}
		w.runFor(11 * time.Second)

		for _, m := range g {
			if f := m.find(Down); len(f) != 1 || f[0].Why != want || len(m.find(NewHost)) > 0 {
				t.Errorf("%v, want Down for %v", m.facts, want)
			}
		}
	}
}

func TestGameMayRuleTheSuccessionItself(t *testing.T) {
	off := func(c *Config) { c.NoHandOff = true }
	w := newWorld(t, 1)
	h := w.host(off)
	g := []*member{w.guest(h, off), w.guest(h, off), w.guest(h, off)}
	h.Leave()
	w.runFor(time.Second)
	for _, m := range g {
		if f := m.find(Down); len(f) != 1 || f[0].Why != WhyClosed {
			t.Fatalf("%v", m.facts)
		}
		m.facts = nil
	}

	if err := g[1].BecomeHost(99); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*member{g[0], g[2]} {
		if err := m.Follow(codes.Target{Addr: g[1].addr()}); err != nil {
			t.Fatal(err)
		}
	}
	w.runFor(2 * time.Second)

	w.wantParty(g[1], g[0], g[2])
	for i, m := range g {
		if f := m.find(NewHost); len(f) != 1 || f[0].PID != 3 || m.MyPID() != PID(2+i) || m.Token() != 99 {
			t.Errorf("pid %d, token %d, %v", m.MyPID(), m.Token(), m.facts)
		}
	}
}

func TestBecomeHostAndFollowDuringTheSuccessionChangeOnlyTheToken(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)

	h.Leave()
	w.frame()
	w.frame()
	g[0].BecomeHost(99)
	for _, m := range g[1:] {
		m.Follow(codes.Target{Addr: g[0].addr()})
	}
	w.runFor(3 * time.Second)

	w.wantParty(g...)
	for _, m := range g {
		if f := m.find(NewHost); len(f) != 1 || m.Token() != 99 {
			t.Errorf("%v, token %d", f, m.Token())
		}
	}
}

func TestFollowToNobodyIsDownWithNoAnswer(t *testing.T) {
	w := newWorld(t, 1)
	_, g := w.party(2)

	if err := g[0].Follow(codes.Target{Addr: netip.MustParseAddrPort("10.9.9.9:1")}); err != nil {
		t.Fatal(err)
	}
	w.runFor(JoinTimeout + time.Second)

	if f := g[0].find(Down); len(f) != 1 || f[0].Why != WhyNoAnswer {
		t.Errorf("%v", g[0].facts)
	}
}

func TestWhatTheOldHostHadNotAcknowledgedIsCounted(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)

	h.die()
	for range 5 {
		g[1].say(kindA, "lost", Reliable)
	}
	w.runFor(12 * time.Second)

	if f := g[1].find(NewHost); len(f) != 1 || f[0].Text != "5" {
		t.Errorf("%v", f)
	}
}

func TestSendsWithoutAHostAreRefused(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	h.die()
	g[0].die()
	w.runFor(11 * time.Second)

	err := g[1].Write(kindA).SendAll(Reliable)

	if err != ErrNoHost {
		t.Errorf("%v, want %v", err, ErrNoHost)
	}
	w.runFor(35 * time.Second)
	if f := g[1].find(Down); len(f) != 1 || f[0].Why != WhySilent {
		t.Errorf("%v", g[1].facts)
	}
}

func TestStrangerAtAGuestIsRefused(t *testing.T) {
	w := newWorld(t, 1)
	_, g := w.party(2)

	s := w.add()
	s.joins(g[0])
	w.runFor(time.Second)

	s.wantFacts(Fact{Kind: Down, Why: WhyRefused})
	g[0].wantFacts(g[0].find(Joined)...)
}

// A swarm of faults: whatever happens in the first minute, after it everyone
// who is not down is in a party that works.
func TestPartiesWorkAgainAfterAnyFaults(t *testing.T) {
	runs := 60
	if testing.Short() || raceOn {
		runs = 3
	}
	for seed := range uint64(runs) {
		w := newWorld(t, seed)
		dice := rand.New(rand.NewPCG(seed, 1))
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.02})
		_, g := w.party(2 + dice.IntN(3))
		story := w.faults(dice, len(g)+1)
		w.runFor(100 * time.Second)

		if complaint := w.wholeParties(); complaint != "" {
			t.Errorf("seed %d: %s after %v", seed, complaint, story)
		}
	}
}

// faults makes some, in steps of 5 s, and mends all that can be.
func (w *world) faults(dice *rand.Rand, n int) (story []string) {
	do := func(what string, f func()) {
		story = append(story, what)
		f()
	}
	for range 3 + dice.IntN(3) {
		a, b := w.members[dice.IntN(n)], w.members[dice.IntN(n)]
		switch dice.IntN(6) {
		case 0, 1:
			do("cut "+a.name+">"+b.name, func() { w.net.Cut(a.addr(), b.addr()) })
		case 2:
			do("part "+a.name+"|"+b.name, func() { w.net.Cut(a.addr(), b.addr()); w.net.Cut(b.addr(), a.addr()) })
		case 3:
			do("freeze "+a.name, func() { a.frozen = true })
		case 4:
			do("leave "+a.name, func() {
				if !a.frozen && dice.IntN(2) == 0 {
					a.Leave()
				}
			})
		case 5:
			do("isolate "+a.name, func() {
				w.net.Cut(a.addr(), netip.AddrPort{})
				w.net.Cut(netip.AddrPort{}, a.addr())
			})
		}
		w.runFor(time.Duration(1+dice.IntN(3)) * 5 * time.Second)
	}
	var all netip.AddrPort
	for _, a := range w.members {
		a.frozen = false
		w.net.Mend(a.addr(), all)
		w.net.Mend(all, a.addr())
		for _, b := range w.members {
			w.net.Mend(a.addr(), b.addr())
		}
	}
	return story
}

// wholeParties says what is wrong with the parties there are.
func (w *world) wholeParties() string {
	for _, m := range w.members {
		switch m.State() {
		case StateIdle:
		case StateJoined:
			if m.twoHosts {
				return m.name + " heard two hosts of one epoch"
			}
			if m.host == nil {
				return m.name + " has no host"
			}
			h := w.at(m.host.Addr())
			if h.State() != StateHosting || h.PeerOf(m.MyPID()) == nil || h.PeerOf(m.MyPID()).Addr() != m.addr() {
				return m.name + " follows " + h.name + ", which does not have it"
			}
			if h.Token() != m.Token() {
				return m.name + " has another token than " + h.name
			}
		case StateHosting:
			for r := range m.Peers() {
				if g := w.at(r.Addr()); g.State() != StateJoined || g.host == nil || g.host.Addr() != m.addr() {
					return m.name + " hosts " + g.name + ", which is not there"
				}
			}
		default:
			return m.name + " is " + m.State().String()
		}
	}
	return ""
}

func (w *world) at(addr netip.AddrPort) *member {
	for _, m := range w.members {
		if m.addr() == addr {
			return m
		}
	}
	return nil
}

func TestMemberThatTakesItsWayToTheNewHostBackKeepsItsPID(t *testing.T) {
	for _, heard := range []bool{true, false} {
		w := newWorld(t, 1)
		w.link(netmsg.LinkConfig{Latency: 40 * time.Millisecond})
		h, g := w.party(3)
		h.die()
		w.until(func() bool {
			r := g[0].PeerOf(3)
			return g[0].Hosting() && r != nil && !r.confirmed
		})

		if !heard {
			w.net.Cut(g[1].addr(), g[0].addr())
		}
		g[1].endDials(nil)
		w.runFor(300 * time.Millisecond)
		w.net.Mend(g[1].addr(), g[0].addr())
		w.runFor(4 * time.Second)

		w.wantParty(g...)
		if n := g[0].find(Gone); len(n) > 0 || g[1].MyPID() != 3 {
			t.Errorf("the host hears of it: %v: the member has pid %d, and the host hears %v", heard, g[1].MyPID(), n)
		}
	}
}
