package party

import (
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

func TestGuestJoinsAndBothSidesTalk(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()

	g.joins(h)
	w.runFor(time.Second)
	h.say(kindA, "to guest", Reliable)
	g.say(kindB, "to host", Reliable)
	w.runFor(time.Second)

	h.wantFacts(Fact{Kind: Joined, PID: 2})
	g.wantFacts(Fact{Kind: Joined, PID: 2})
	h.wantGame(said{2, kindB, "to host"})
	g.wantGame(said{1, kindA, "to guest"})
	if token, pid := g.JoinedAs(); token != 77 || pid != 2 {
		t.Errorf("joined as %d, %d", token, pid)
	}
}

func TestPIDsAreNeverHandedOutTwice(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g1 := w.guest(h)

	g1.Leave()
	w.runFor(time.Second)
	g2 := w.guest(h)

	if !slices.Equal(h.pids, []PID{2, 3}) || g2.MyPID() != 3 || h.MyPID() != 1 {
		t.Errorf("pids %v, want 2 and 3", h.pids)
	}
}

func TestTheThirteenthHearsFullWithinASecond(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	for range maxGuests {
		w.guest(h)
	}

	late := w.add()
	late.joins(h)
	w.runFor(time.Second)

	late.wantFacts(Fact{Kind: Down, Why: WhyFull})
	h.wantFacts()
	if n := len(h.hellos); n != maxGuests {
		t.Errorf("%d hellos, want %d: the game need not hear of one that has no seat", n, maxGuests)
	}
}

func TestAcceptBeyondTheSeatsIsZeroAndTold(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	h.ignore = true
	for range 13 {
		w.add().joins(h)
	}
	w.runFor(time.Second)

	for _, r := range h.hellos {
		h.pids = append(h.pids, h.Accept(r))
	}
	w.runFor(time.Second)

	if want := []PID{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0}; !slices.Equal(h.pids, want) {
		t.Errorf("pids %v, want %v", h.pids, want)
	}
	full := 0
	for _, m := range w.members[1:] {
		if f := m.find(Down); len(f) == 1 && f[0].Why == WhyFull {
			full++
		}
	}
	if full != 2 {
		t.Errorf("%d guests heard full, want 2", full)
	}
}

func TestAcceptOfAPeerThatHasGoneIsZero(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	h.ignore = true
	g.joins(h)
	w.runFor(time.Second)

	g.Cancel()
	w.runFor(time.Second)

	if pid := h.Accept(h.hellos[0]); pid != 0 {
		t.Errorf("pid %d", pid)
	}
	if h.Accept(nil) != 0 || h.PeerCount() != 0 {
		t.Error("somebody was accepted")
	}
	h.wantFacts()
}

func TestMoreThanSixteenStrangersHearFull(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	h.ignore = true
	for range maxStrangers {
		w.add().joins(h)
	}
	w.runFor(time.Second)

	late := w.add()
	late.joins(h)
	w.runFor(time.Second)

	late.wantFacts(Fact{Kind: Down, Why: WhyFull})
	if n := len(h.hellos); n != maxStrangers {
		t.Errorf("%d hellos", n)
	}
}

func TestIdleMinuteLeavesTheInboxesEmpty(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	for _, m := range w.members {
		m.got = nil
	}

	w.runFor(time.Minute)

	for _, m := range w.members {
		m.wantGame()
	}
	h.wantFacts()
	g[1].wantFacts()
}

func TestOnlyTheFirstHelloOfAStrangerReachesTheInbox(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	h.ignore = true
	g.joins(h)
	w.until(func() bool { return g.peers[0].open })
	for kind := Kind(1); kind <= 9; kind++ { // around the API, which refuses it
		g.peers[0].enqueue(Reliable, []byte{byte(kind), 0}, []byte("early"))
	}
	g.peers[0].enqueue(Unreliable, []byte{7, 0}, []byte("early"))

	w.runFor(2 * time.Second)
	if !slices.Equal(h.got, []said{{0, Hello, ""}}) {
		t.Errorf("the inbox had %v, want one hello", h.got)
	}
	h.Accept(h.hellos[0])
	w.runFor(2 * time.Second)

	if len(h.got) != 1 {
		t.Errorf("after Accept the inbox had %v", h.got)
	}
	if g.State() != StateJoined {
		t.Errorf("%v", g.State())
	}
}

func TestRefusedGuestReadsWhyAndDialsAgainWithANewHello(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	hello := func(text string) {
		wr := g.Write(Hello)
		wr.Str(text)
		wr.SetHello()
	}
	h.refuse = "wrong map"
	hello("first")
	g.joins(h)
	w.runFor(time.Second)
	g.wantFacts(Fact{Kind: Down, Why: WhyRefused, Text: "wrong map"})

	h.refuse = ""
	hello("second")
	if err := g.Dial(g.Target()); err != nil {
		t.Fatal(err)
	}
	w.runFor(time.Second)

	g.wantFacts(Fact{Kind: Down, Why: WhyRefused, Text: "wrong map"}, Fact{Kind: Joined, PID: 2})
	if !slices.Equal(h.got, []said{{0, Hello, "\x05first"}, {0, Hello, "\x06second"}}) {
		t.Errorf("hellos %v", h.got)
	}
}

func TestOtherProtoAndOtherVersionAreToldWithinASecond(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	other := w.add(func(c *Config) { c.Proto = 2 })
	other.joins(h)
	newer := w.hostileWith("10.6.6.6:6", h, []byte{partyVersion + 1, 9, 9})

	w.runFor(time.Second)

	other.wantFacts(Fact{Kind: Down, Why: WhyProto})
	if newer.left.Reason != netmsg.Denied || whyLeft(newer.left) != WhyVersion {
		t.Errorf("the newer version heard %v %d", newer.left.Reason, newer.left.Code)
	}
}

func TestNoDatagramIsOfTheSeedsWire(t *testing.T) {
	w := newWorld(t, 1)
	w.net.Watch = func(_, _ netip.AddrPort, data []byte) simnet.Fate {
		if string(data[:2]) == "ML" {
			t.Errorf("% x", data)
		}
		return simnet.Fate{}
	}
	h := w.host()
	w.guest(h)
	w.runFor(time.Second)
}

func TestJoinedNeedsAMessageEachWay(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	heard := 0
	w.net.Watch = func(from, _ netip.AddrPort, data []byte) simnet.Fate {
		const sealed = 0x80 // first bit of a packet; a handshake's has it not
		drop := from == h.addr() && data[0]&sealed != 0
		if !drop && from == g.addr() {
			heard++
		}
		return simnet.Fate{Drop: drop}
	}

	g.joins(h)
	w.runFor(15 * time.Second)

	if heard == 0 || len(h.hellos) != 1 {
		t.Errorf("the host got %d datagrams and %d hellos", heard, len(h.hellos))
	}
	g.wantFacts(Fact{Kind: Down, Why: WhyNoAnswer})
	h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhyClosed})
}

func TestHelloWaitGivesASlowHostLonger(t *testing.T) {
	slowHost := func(wait, at time.Duration) *member {
		w := newWorld(t, 1)
		h, g := w.host(), w.add()
		h.ignore = true
		g.joins(h)
		w.runFor(at)
		if wait > 0 {
			h.HelloWait(wait)
			g.HelloWait(wait)
		}
		w.runFor(12*time.Second - at)
		h.Accept(h.hellos[0])
		w.runFor(time.Second)
		return g
	}

	if g := slowHost(5*time.Second, 8*time.Second); g.State() != StateJoined {
		t.Errorf("with 5 s more at 8 s: %v", g.facts)
	}
	if g := slowHost(0, 8*time.Second); g.State() != StateIdle || g.Why() != WhyNoAnswer {
		t.Errorf("without: %v, %v", g.State(), g.facts)
	}
	if g := slowHost(time.Second, time.Second); g.State() != StateIdle || g.Why() != WhyNoAnswer {
		t.Errorf("with 1 s at 1 s: %v, %v", g.State(), g.facts)
	}
}

func TestHelloWaitNeverShortensAndNeverExceedsAMinute(t *testing.T) {
	w := newWorld(t, 1)
	g := w.add()
	g.Join(codes.Target{Addr: netip.MustParseAddrPort("10.9.9.9:1")})
	w.runFor(time.Second)
	g.HelloWait(time.Second)
	w.runFor(8 * time.Second)
	if g.State() != StateJoining {
		t.Fatalf("shortened: %v", g.facts)
	}
	for range 60 {
		g.HelloWait(time.Minute)
		w.runFor(time.Second)
	}
	g.wantFacts(Fact{Kind: Down, Why: WhyNoAnswer})
}

func TestGuestAndStrangerWaitAMinuteAtMost(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	h.ignore = true
	g.joins(h)
	for range 59 {
		w.runFor(time.Second)
		g.HelloWait(time.Minute)
		h.HelloWait(time.Minute)
	}
	if g.State() != StateJoining || h.count(roleStranger) != 1 {
		t.Fatalf("%v, %d strangers", g.State(), h.count(roleStranger))
	}

	w.runFor(2 * time.Second)

	g.wantFacts(Fact{Kind: Down, Why: WhyNoAnswer})
	if n := h.count(roleStranger); n != 0 {
		t.Errorf("%d strangers", n)
	}
}

func TestStrangerThatIsNotAnsweredIsLetGoAtTheHost(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	h.ignore = true
	g.joins(h)
	g.HelloWait(20 * time.Second)

	w.runFor(JoinTimeout + time.Second)

	g.wantFacts(Fact{Kind: Down, Why: WhyClosed})
	if n := h.count(roleStranger); n != 0 {
		t.Errorf("%d strangers are left", n)
	}
	h.wantFacts()
}

func TestSilentGuestIsGoneAfterSilenceTimeout(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h := w.host()
		g := w.guest(h)

		g.die()
		w.runFor(SilenceTimeout - 10*frame)
		h.wantFacts()
		w.runFor(time.Second)

		h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhySilent})
		if h.PeerOf(2) != nil || h.PeerCount() != 0 {
			t.Error("the seat is not free")
		}
	})
}

func TestSilenceTimeoutIsASecondToTwoMinutesAndTheSmallerOneRules(t *testing.T) {
	for _, c := range []struct{ host, guest, want time.Duration }{
		{300 * time.Millisecond, 0, time.Second},
		{0, 3 * time.Second, 3 * time.Second},
		{time.Hour, time.Hour, 2 * time.Minute},
		{-1, time.Hour, 0},
	} {
		w := newWorld(t, 1)
		h := w.host(func(cfg *Config) { cfg.SilenceTimeout = c.host })
		g := w.guest(h, func(cfg *Config) { cfg.SilenceTimeout = c.guest })
		w.runFor(time.Second)

		g.die()
		died := w.net.Now()
		for len(h.facts) == 0 && w.net.Now() < died+3*time.Minute {
			w.frame()
		}

		took := w.net.Now() - died
		switch {
		case c.want == 0 && len(h.facts) > 0:
			t.Errorf("%v and %v: gone after %v", c.host, c.guest, took)
		case c.want > 0 && (took < c.want-200*time.Millisecond || took > c.want+200*time.Millisecond):
			t.Errorf("%v and %v: gone after %v, want %v", c.host, c.guest, took, c.want)
		}
	}
}

func TestGuestThatComesBackWithItsSeatReplacesItsGhostAtOnce(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h := w.host()
		g := w.guest(h)
		seat := g.Seat()
		g.die()

		again := w.add(func(c *Config) { c.Seat = seat })
		again.joins(h)
		w.runFor(time.Second)

		h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhyReplaced}, Fact{Kind: Joined, PID: 3})
		again.wantFacts(Fact{Kind: Joined, PID: 3})
		w.runFor(2 * SilenceTimeout)
		h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhyReplaced}, Fact{Kind: Joined, PID: 3})
		if slices.Equal(again.Seat(), seat) {
			t.Error("the seat is still the ghost's")
		}
	})
}

func TestFullPartyHasRoomForItsOwnGhost(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	var last *member
	for range maxGuests {
		last = w.guest(h)
	}
	seat := last.Seat()
	last.die()

	again := w.add(func(c *Config) { c.Seat = seat })
	again.joins(h)
	w.runFor(time.Second)

	again.wantFacts(Fact{Kind: Joined, PID: 13})
}

func TestLiveDoubleOfAGuestHearsThatItWasReplaced(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g := w.guest(h)

	again := w.add(func(c *Config) { c.Seat = g.Seat() })
	again.joins(h)
	w.runFor(time.Second)

	g.wantFacts(Fact{Kind: Down, Why: WhyReplaced})
}

func TestSlotsAreUsedAgainAndPIDsAreNot(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)
	g[1].Leave()
	w.runFor(time.Second)
	w.guest(h)

	var got []string
	for m := range g[0].Members() {
		got = append(got, fmt.Sprintf("%d in %d host=%v me=%v peer=%v", m.PID, m.Slot, m.Host, m.Me, m.Peer != nil))
	}

	want := []string{
		"1 in 0 host=true me=false peer=true",
		"2 in 1 host=false me=true peer=false",
		"4 in 3 host=false me=false peer=false",
		"5 in 2 host=false me=false peer=false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("members %q, want %q", got, want)
	}
}

func TestClosedPeerIsLeftOutOfTheInboxOnTheWay(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g := w.guest(h)
	h.got = nil
	h.onMsg = func(m *Message) {
		if m.Kind == kindA {
			h.ClosePeer(m.From, "")
		}
	}

	g.say(kindA, "one", Reliable)
	g.say(kindA, "two", Reliable)
	w.runFor(time.Second)

	h.wantGame(said{2, kindA, "one"})
	g.wantFacts(Fact{Kind: Down, Why: WhyKicked})
}

func TestCloseWhenSentWaitsForTheLastMessage(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h := w.host()
		g := w.guest(h)
		w.link(netmsg.LinkConfig{Latency: 30 * time.Millisecond, Loss: 0.3})

		h.say(kindA, "farewell", Reliable)
		h.CloseWhenSent(h.PeerOf(2), 20*time.Second)
		w.runFor(5 * time.Second)

		h.wantFacts(Fact{Kind: Closed, PID: 2, Why: WhyKicked})
		g.wantGame(said{1, kindA, "farewell"})
		g.wantFacts(Fact{Kind: Down, Why: WhyKicked})
	})
}

func TestCloseWhenSentEndsAtItsLimit(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g := w.guest(h)
	g.die()

	h.say(kindA, "farewell", Reliable)
	h.CloseWhenSent(h.PeerOf(2), 2*time.Second)
	w.runFor(2*time.Second - 2*frame)
	h.wantFacts()
	w.runFor(4 * frame)

	h.wantFacts(Fact{Kind: Closed, PID: 2, Why: WhyKicked})
}

func TestGuestThatDoesNotKeepUpIsLetGo(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	g[0].frozen = true
	w.each = func() { g[0].KeepAlive() } // alive, but it takes nothing

	var err error
	for i := 0; i < 2*MaxQueued/MaxMessage && err == nil; i++ {
		wr := h.Write(kindA)
		wr.Bytes([]byte(text(MaxMessage)))
		err = wr.Send(h.PeerOf(2), Reliable)
		if h.PeerOf(2) == nil {
			break
		}
	}
	h.say(kindB, "to the others", Reliable)
	w.runFor(time.Second)

	h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhyOverflow})
	g[1].wantGame(said{1, kindB, "to the others"})
}

func TestHostThatLeavesIsGoneForStrangersToo(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	h.ignore = true
	g.joins(h)
	w.runFor(time.Second)

	h.Leave()
	w.runFor(time.Second)

	g.wantFacts(Fact{Kind: Down, Why: WhyClosed})
	h.wantFacts()
}

func TestWhatIsSaidInTheFrameOfAcceptIsHeard(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	h.play = func() {
		if h.PeerCount() == 1 && len(h.pids) == 1 {
			h.say(kindA, "welcome", Reliable)
			h.play = nil
		}
	}

	g.joins(h)
	w.runFor(time.Second)

	g.wantGame(said{1, kindA, "welcome"})
}

func TestPartyThatIsAskedToBePlainIsSealedAllTheSame(t *testing.T) {
	var log strings.Builder
	w := newWorld(t, 1)
	h := w.host(func(c *Config) { c.Plain, c.Log = true, slog.New(slog.NewTextHandler(&log, nil)) })
	g := w.guest(h)
	g.say(kindA, "x", Reliable)
	w.until(func() bool { return len(h.heardGame()) > 0 })

	if !strings.Contains(log.String(), "always sealed") {
		t.Errorf("the log says %q", log.String())
	}
	for name, side := range map[string]*Peer{"host": h.PeerOf(g.MyPID()), "guest": g.PeerOf(1)} {
		if side.conn.Binding() == [32]byte{} {
			t.Errorf("the %s's connection is not sealed", name)
		}
	}
}
