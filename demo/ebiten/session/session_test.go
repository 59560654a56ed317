package session

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/demo/ebiten/arena"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

var bad = netmsg.LinkConfig{Loss: 0.1, Latency: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Duplicate: 0.02}

func TestTwelvePlayOverABadLineAndNoLetterIsLost(t *testing.T) {
	tb := newTable(t, 11, bad)

	tb.run(15 * time.Second)
	tb.rest()

	for _, m := range tb.members {
		if len(m.Players()) != 12 || m.Disconnects() != 0 {
			t.Errorf("pid %d: %d players, %d disconnects", m.Me(), len(m.Players()), m.Disconnects())
		}
	}
	sent, received := 0, 0
	for _, m := range tb.members {
		sent += m.Tally().Sent
		received += m.Tally().Received
	}
	if sent != received || sent < 11*15 {
		t.Errorf("%d letters were sent, hop by hop, %d received", sent, received)
	}
}

func TestAGuestHasTheHostsWorldExactly(t *testing.T) {
	tb := newTable(t, 3, netmsg.LinkConfig{Latency: 30 * time.Millisecond})
	host, guest := tb.members[0], tb.members[1]
	worlds := map[uint32][]byte{}
	checked := 0

	for range 20 * TicksPerSecond {
		tb.tick()
		worlds[host.world.Tick] = host.world.Append(nil)
		if w := &guest.replica.latest().world; w.Tick > 0 && worlds[w.Tick] != nil {
			checked++
			if !slices.Equal(w.Append(nil), worlds[w.Tick]) {
				t.Fatalf("tick %d: the guest has another world than the host", w.Tick)
			}
		}
	}

	if checked < 1000 {
		t.Errorf("only %d worlds compared", checked)
	}
}

// On a clean line nothing that others do touches this disc, so the forecast is
// what the host decides, to the last bit.
func TestAGuestAloneOnTheIceIsForecastExactly(t *testing.T) {
	tb := newTable(t, 1, netmsg.LinkConfig{Latency: 50 * time.Millisecond})
	host, guest := tb.members[0], tb.members[1]
	tb.until(20*time.Second, "play", func() bool { return host.world.Phase == arena.Play })
	host.world.Discs[0].Pos = arena.Vec{X: -9}
	host.world.Discs[1].Pos = arena.Vec{X: 6}
	push := func(n int) arena.Input { return arena.Input{Y: int8(40 - n%80), X: int8(n % 7)} }
	forecast := map[uint16]arena.Vec{}

	for n := range 180 {
		tb.net.Advance(Tick)
		host.Frame(arena.Input{})
		guest.Frame(push(n))
		forecast[guest.seq] = guest.forecast.world.Discs[1].Pos
		used := host.queues[1].used
		if want, ok := forecast[used]; ok && n > 60 && host.world.Discs[1].Pos != want {
			t.Fatalf("input %d: forecast %v, decided %v", used, want, host.world.Discs[1].Pos)
		}
	}
}

func TestNoInputIsMissedThoughAThirdOfTheDatagramsAre(t *testing.T) {
	tb := newTable(t, 1, netmsg.LinkConfig{Loss: 0.33, Latency: 20 * time.Millisecond})
	host, guest := tb.members[0], tb.members[1]

	checked := 0
	for n := range 10 * TicksPerSecond {
		tb.net.Advance(Tick)
		host.Frame(arena.Input{})
		guest.Frame(arena.Input{X: int8(n % 100)})
		q := &host.queues[1]
		if n < 60 || !q.started {
			continue
		}
		checked++
		if want := guest.history.at(q.used); q.last != want {
			t.Fatalf("input %d: the host used %+v, the guest did %+v", q.used, q.last, want)
		}
	}

	if checked < 400 {
		t.Errorf("only %d inputs compared", checked)
	}
}

func TestNamesAndComingAndGoingAreToldToAll(t *testing.T) {
	tb := newTable(t, 3, netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	late := tb.join("Guest 1") // a name that is taken
	tb.until(5*time.Second, "the late one is in", func() bool { return len(late.Players()) == 5 })
	tb.run(time.Second)

	want := []string{"Host", "Guest 1", "Guest 2", "Guest 3", "Guest 1 2"}
	for _, m := range tb.members {
		var got []string
		for _, p := range m.Players() {
			got = append(got, p.Name)
			if p.Host != (p.Name == "Host") || p.Me != (p.PID == m.Me()) {
				t.Errorf("pid %d thinks of %+v", m.Me(), p)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("pid %d has %q, want %q", m.Me(), got, want)
		}
	}

	late.Leave()
	tb.until(2*time.Second, "it is gone for all", func() bool {
		return !slices.ContainsFunc(tb.members[:4], func(m *Session) bool { return len(m.Players()) != 4 })
	})
	for _, m := range tb.members[:4] {
		if got := notes(m); got[len(got)-1] != "Guest 1 2 left" {
			t.Errorf("pid %d heard %q", m.Me(), got)
		}
	}
	if n := tb.members[0].Disconnects(); n != 0 {
		t.Errorf("leaving counts as %d disconnects", n)
	}
	tb.rest()
}

func TestAGuestThatLeavesHasNoLineFromThatFrameOn(t *testing.T) {
	tb := newTable(t, 2, netmsg.LinkConfig{})
	tb.run(time.Second)
	h := tb.members[0]

	tb.members[1].Leave()

	tb.until(2*time.Second, "the host knows", func() bool { return h.party.PeerCount() == 1 })
	for l := range h.Lines() {
		if h.party.PeerOf(l.PID) == nil {
			t.Errorf("there is a line to pid %d, which has left", l.PID)
		}
	}
}

func TestEveryMemberKnowsTheCodeToJoinBy(t *testing.T) {
	tb := newTable(t, 2, netmsg.LinkConfig{})
	tb.run(time.Second)

	for _, m := range tb.members {
		if to, err := codes.Parse(m.Code(), 1); err != nil || to.Addr.String() != hostAt {
			t.Errorf("pid %d: code %q is %v, error %v", m.Me(), m.Code(), to.Addr, err)
		}
	}
}

func TestAnInvitationJoinsToo(t *testing.T) {
	tb := newTable(t, 0, netmsg.LinkConfig{Latency: 10 * time.Millisecond})
	to, err := ParseCode(tb.members[0].Invitation())
	if err != nil {
		t.Fatal(err)
	}

	friend := tb.seat("Friend")
	if err := friend.Join(to); err != nil {
		t.Fatal(err)
	}

	tb.until(3*time.Second, "the friend is in", func() bool { return friend.Status() == Playing })
	if friend.Invitation() != "" {
		t.Error("a guest invites")
	}
}

func TestPingsReachEveryone(t *testing.T) {
	tb := newTable(t, 2, netmsg.LinkConfig{Latency: 50 * time.Millisecond})

	tb.run(4 * time.Second)

	for _, m := range tb.members {
		for _, p := range m.Players() {
			switch ms := p.Ping.Milliseconds(); {
			case p.Host && ms != 0:
				t.Errorf("pid %d: the host is %d ms from itself", m.Me(), ms)
			case !p.Host && (ms < 95 || ms > 160 || p.Snapshots < 55 || p.Snapshots > 62):
				t.Errorf("pid %d: %s has a ping of %d ms and %d snapshots a second", m.Me(), p.Name, ms, p.Snapshots)
			}
		}
	}
}

func TestTheThirteenthHearsThatTheGameIsFull(t *testing.T) {
	tb := newTable(t, 11, netmsg.LinkConfig{})

	late := tb.join("Late")
	tb.until(2*time.Second, "it was turned away", func() bool { return late.Status() == Ended })

	if words, why := late.End(); why != party.WhyFull || !strings.Contains(words, "full") {
		t.Errorf("it hears %q (%v)", words, why)
	}
	if n := len(tb.members[0].Players()); n != 12 {
		t.Errorf("%d players", n)
	}
}

func TestNobodyThereIsToldInWords(t *testing.T) {
	tb := newTable(t, 0, netmsg.LinkConfig{})
	tb.dead[tb.members[0]] = true
	alone := tb.join("Alone")

	tb.until(12*time.Second, "the join has ended", func() bool { return alone.Status() == Ended })

	if words, why := alone.End(); why != party.WhyNoAnswer || !strings.Contains(words, "Nobody answered") {
		t.Errorf("it hears %q (%v)", words, why)
	}
}

func TestChatReachesAllInItsAuthorsWords(t *testing.T) {
	tb := newTable(t, 3, bad)

	for _, m := range tb.members {
		if err := m.Say("hello from " + m.roll.name(m.Me())); err != nil {
			t.Fatal(err)
		}
	}
	tb.run(3 * time.Second)

	for _, m := range tb.members {
		for _, by := range tb.members {
			name := m.roll.name(by.Me())
			want := name + ": hello from " + name
			if got := notes(m); !slices.Contains(got, want) {
				t.Errorf("pid %d did not hear %q: %q", m.Me(), want, got)
			}
		}
	}
	tb.rest()
}

func TestALineOfChatThatIsTooLongIsRefusedWhole(t *testing.T) {
	tb := newTable(t, 1, netmsg.LinkConfig{})
	host, guest := tb.members[0], tb.members[1]
	before := host.Feed().Count()

	err := guest.Say(strings.Repeat("x", MaxChat+1))
	tb.run(time.Second)

	if err == nil || !strings.Contains(err.Error(), "121") || host.Feed().Count() != before {
		t.Errorf("error %v, feed %q", err, notes(host))
	}
	if err := guest.Say(strings.Repeat("x", MaxChat)); err != nil {
		t.Error(err)
	}
	tb.rest()
}

func TestWhoFloodsTheChatIsSentAway(t *testing.T) {
	tb := newTable(t, 2, netmsg.LinkConfig{})
	rude := tb.members[1]

	for range 3 * floodLimit {
		rude.Say("me me me")
	}
	tb.until(2*time.Second, "it was sent away", func() bool { return rude.Status() == Ended })

	if words, why := rude.End(); why != party.WhyKicked || !strings.Contains(words, "too much chat") {
		t.Errorf("it hears %q (%v)", words, why)
	}
	if n := len(tb.members[0].Players()); n != 2 {
		t.Errorf("%d players are left", n)
	}
}

func TestAGuestCannotSpeakForTheHost(t *testing.T) {
	tb := newTable(t, 2, netmsg.LinkConfig{})
	host, rude, other := tb.members[0], tb.members[1], tb.members[2]
	before := other.Feed().Count()

	for _, kind := range []party.Kind{kindWho, kindGone, kindFell, kindRound, kindWelcome, kindSnapshot, 200} {
		w := rude.party.Write(kind)
		w.Uint32(rude.ledger.mine + 1)
		w.Uint16(1)
		w.Byte(0)
		w.SendAll(party.Reliable)
	}
	w := rude.party.Write(kindInput) // too short
	w.Byte(1)
	w.SendAll(party.Latest(stream))
	tb.run(time.Second)

	for _, m := range []*Session{host, other} {
		if len(m.Players()) != 3 || m.Feed().Count() > before+4 {
			t.Errorf("pid %d: %d players, %q", m.Me(), len(m.Players()), notes(m))
		}
	}
	tb.rest()
}

func TestASilentGuestIsGoneAtTenSecondsWithWords(t *testing.T) {
	tb := newTable(t, 2, netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	host, silent := tb.members[0], tb.members[1]
	tb.dead[silent] = true

	tb.run(9500 * time.Millisecond)
	if !host.Has(silent.Me()) {
		t.Fatal("gone before ten seconds")
	}
	tb.run(time.Second)

	if host.Has(silent.Me()) || host.Disconnects() != 1 {
		t.Errorf("still there: %v; %d disconnects", host.Has(silent.Me()), host.Disconnects())
	}
	if got := notes(host); !slices.Contains(got, "Guest 1 has not been heard of for ten seconds and is gone") {
		t.Errorf("the host tells %q", got)
	}
	if host.world.Place(uint16(silent.Me())) >= 0 {
		t.Error("its disc is still in the game")
	}
}

func TestWhoComesBackWithItsSeatHasItsNameItsDiscAndItsScore(t *testing.T) {
	tb := newTable(t, 2, netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	host, crashed := tb.members[0], tb.members[1]
	seat, name := crashed.Seat(), crashed.roll.name(crashed.Me())
	old := host.world.Place(uint16(crashed.Me()))
	host.world.Discs[old].Wins = 2
	tb.dead[crashed] = true
	tb.run(time.Second)

	back := tb.seat(name)
	back.party = party.New(party.Config{Proto: Proto, MaxMessage: largest, Seat: seat, Socket: tb.net.Socket("10.0.0.77:27415")})
	if err := back.Join(codes.Target{Addr: tb.address(0)}); err != nil {
		t.Fatal(err)
	}
	tb.until(time.Second, "it is back", func() bool { return back.Status() == Playing && len(back.Players()) == 3 })
	tb.run(3 * time.Second)

	if len(host.Players()) != 3 || host.roll.name(back.Me()) != name || host.Disconnects() != 0 {
		t.Errorf("players %+v, %d disconnects", host.Players(), host.Disconnects())
	}
	if d := host.world.Discs[old]; d.ID != uint16(back.Me()) || d.Wins != 2 || host.world.Players() != 3 {
		t.Errorf("disc %+v of %d", d, host.world.Players())
	}
}

func TestASteadyFrameAllocatesNothing(t *testing.T) {
	tb := newTable(t, 11, netmsg.LinkConfig{})
	tb.run(5 * time.Second)
	var mem runtime.MemStats
	allocs := map[bool]uint64{}

	const frames = 3 * TicksPerSecond
	for range frames {
		tb.net.Advance(Tick)
		for i, m := range tb.members {
			in := tb.brains[i].Think(m.Shown(), m.Place())
			runtime.ReadMemStats(&mem)
			before := mem.Mallocs
			m.Frame(in)
			runtime.ReadMemStats(&mem)
			allocs[m.Hosting()] += mem.Mallocs - before
		}
	}

	// A buffer may still grow to a new record; what a frame costs shows in all of them.
	if allocs[true] > frames/10 || allocs[false] > 11*frames/10 {
		t.Errorf("in %d frames the host allocated %d times, its 11 guests %d times", frames, allocs[true], allocs[false])
	}
}

// Whatever the line does, discs glide over a guest's screen: its own, those near
// it, and the others.
func TestWhatAGuestIsShownMovesSmoothly(t *testing.T) {
	tb := newTable(t, 5, bad)
	guest := tb.members[1]
	var before arena.World
	steps, jumps, worst := 0, 0, 0.0

	for range 20 * TicksPerSecond {
		tb.tick()
		now := *guest.Shown()
		for i := range now.Discs {
			a, b := &before.Discs[i], &now.Discs[i]
			if a.ID != b.ID || a.State != arena.Skating || b.State != arena.Skating || before.Phase != arena.Play || now.Phase != arena.Play {
				continue
			}
			steps++
			step := b.Pos.Sub(a.Pos).Len()
			worst = max(worst, step)
			if step > 0.6 { // 36 units a second: faster than any disc
				jumps++
			}
		}
		before = now
	}

	t.Logf("%d steps, %d jumps, the largest step %.2f units", steps, jumps, worst)
	if steps < 1500 || jumps*500 > steps {
		t.Errorf("%d jumps in %d steps, the largest %.2f units", jumps, steps, worst)
	}
}
