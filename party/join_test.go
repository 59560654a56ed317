package party

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
)

var nobody = codes.Target{Addr: netip.MustParseAddrPort("10.9.9.9:1")}

func TestJoinOfNobodyIsDownOnceAndTheObjectJoinsAgain(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	if err := g.Join(nobody); err != nil {
		t.Fatal(err)
	}
	w.runFor(JoinTimeout - 2*frame)
	g.wantFacts()
	w.runFor(4 * frame)
	g.wantFacts(Fact{Kind: Down, Why: WhyNoAnswer})
	sent := g.sock.Sent.Datagrams
	w.runFor(10 * time.Second)
	g.wantFacts(Fact{Kind: Down, Why: WhyNoAnswer})
	if n := g.sock.Sent.Datagrams - sent; n != 0 {
		t.Errorf("%d datagrams after Down", n)
	}

	g.facts = nil
	g.joins(h)
	w.runFor(time.Second)
	g.wantFacts(Fact{Kind: Joined, PID: 2})
}

func TestJoinOfARoomNeedsAMatchmaker(t *testing.T) {
	w := newWorld(t, 1)
	g := w.add()

	if err := g.Join(codes.Target{Room: "K7QX2M9T"}); err != nil {
		t.Fatal(err)
	}
	w.runFor(time.Second)

	g.wantFacts(Fact{Kind: Down, Why: WhyNoMatchmaker, Text: "K7QX2M9T"})
	if g.State() != StateIdle || g.Why() != WhyNoMatchmaker {
		t.Errorf("%v, %v", g.State(), g.Why())
	}
}

func TestJoinOfNoAddressIsAnErrorAndNoFact(t *testing.T) {
	w := newWorld(t, 1)
	g := w.add()

	err := g.Join(codes.Target{})
	w.runFor(time.Second)

	if !errors.Is(err, WhyBadCode) || g.State() != StateIdle {
		t.Errorf("%v, %v", err, g.State())
	}
	g.wantFacts()
}

func TestAddressWithoutAPortMeansConfigPort(t *testing.T) {
	for _, c := range []struct{ port, want uint16 }{{0, DefaultPort}, {5000, 5000}} {
		w := newWorld(t, 1)
		h := w.addAt(fmt.Sprintf("10.2.0.1:%d", c.want))
		if err := h.Host(0, 1); err != nil {
			t.Fatal(err)
		}
		g := w.add(func(cfg *Config) { cfg.Port = c.port })

		if err := g.Join(codes.Target{Addr: netip.AddrPortFrom(h.addr().Addr(), 0)}); err != nil {
			t.Fatal(err)
		}
		w.runFor(time.Second)

		g.wantFacts(Fact{Kind: Joined, PID: 2})
	}
}

func TestCancelEndsAJoinInOneFact(t *testing.T) {
	for _, at := range []time.Duration{0, frame, 3 * frame, time.Second} {
		w := newWorld(t, 1)
		h, g := w.host(), w.add()
		h.ignore = true
		g.joins(h)
		w.runFor(at)

		g.Cancel()
		g.Cancel()
		w.runFor(15 * time.Second)

		g.wantFacts(Fact{Kind: Down, Why: WhyCancelled})
		h.wantFacts()
		if h.count(roleStranger) != 0 {
			t.Errorf("cancelled after %v: the stranger is still there", at)
		}
	}
}

func TestCancelOfAJoinedPartyDoesNothing(t *testing.T) {
	w := newWorld(t, 1)
	_, g := w.party(1)

	g[0].Cancel()

	if g[0].State() != StateJoined {
		t.Errorf("%v", g[0].State())
	}
}

func TestLeaveWhileJoiningIsACancelledJoin(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	g.joins(h)

	g.Leave()
	w.runFor(time.Second)

	g.wantFacts(Fact{Kind: Down, Why: WhyCancelled})
}

func TestLeaveEndsAtOnceAndTheHostHears(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)

	g[0].Leave()
	if g[0].State() != StateIdle || g[0].Why() != WhyNone || g[0].MyPID() != 0 {
		t.Errorf("%v, %v, pid %d", g[0].State(), g[0].Why(), g[0].MyPID())
	}
	w.runFor(time.Second)

	g[0].wantFacts()
	h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhyClosed})
	g[0].joins(h)
	w.runFor(time.Second)
	g[0].wantFacts(Fact{Kind: Joined, PID: 3})
}

func TestLoseIsDownForTheGamesReasonAndTheFirstReasonWins(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)

	g[0].Lose(WhyGame)
	h.die()
	w.runFor(15 * time.Second)
	g[0].Lose(WhyKicked)
	w.runFor(time.Second)

	g[0].wantFacts(Fact{Kind: Down, Why: WhyGame})
	if g[0].Why() != WhyGame || g[0].State() != StateIdle {
		t.Errorf("%v, %v", g[0].State(), g[0].Why())
	}
	g[0].Fresh()
	if g[0].Why() != WhyNone || g[0].MyPID() != 0 || g[0].Token() != 0 {
		t.Error("Fresh did not forget")
	}
}

func TestHostThatLosesIsDownAndSoAreItsGuests(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)

	h.Lose(WhyGame)
	w.runFor(time.Second)

	h.wantFacts(Fact{Kind: Down, Why: WhyGame})
	g[0].wantFacts(Fact{Kind: Down, Why: WhyClosed})
}

func TestDialElsewhereInheritsTheJoin(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	g.Join(nobody)
	w.runFor(2 * time.Second)

	if err := g.Dial(codes.Target{Addr: h.addr()}); err != nil {
		t.Fatal(err)
	}
	w.runFor(15 * time.Second)

	g.wantFacts(Fact{Kind: Joined, PID: 2})
}

func TestDialThatFailsEndsTheJoinThatWasOn(t *testing.T) {
	w := newWorld(t, 1)
	g := w.add()
	if err := g.Join(codesAt("10.0.0.9:27415")); err != nil {
		t.Fatal(err)
	}
	w.runFor(time.Second)

	err := g.Dial(codes.Target{})

	if !errors.Is(err, WhyBadCode) || g.State() != StateIdle {
		t.Errorf("error %v, %v", err, g.State())
	}
	w.runFor(2 * JoinTimeout)
	g.wantFacts(Fact{Kind: Down, Why: WhyCancelled})
	if err := g.Dial(codes.Target{}); !errors.Is(err, WhyBadCode) {
		t.Errorf("error %v", err)
	}
	w.runFor(time.Second)
	g.wantFacts(Fact{Kind: Down, Why: WhyCancelled})
}

func TestDialWhileJoinedIsBusy(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)
	if err := g[0].Dial(codes.Target{Addr: h.addr()}); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
	if err := g[0].Join(codes.Target{Addr: h.addr()}); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
}

func TestFactsOfASessionEndWithIt(t *testing.T) {
	w := newWorld(t, 1)
	_, g := w.party(1)
	g[0].Lose(WhyGame) // and nobody reads the fact

	if err := g[0].Host(0, 1); err != nil {
		t.Fatal(err)
	}

	for f := range g[0].Facts() {
		t.Errorf("%v", f)
	}
}

func TestHelloTooLargeFailsTheJoin(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	wr := g.Write(Hello)
	wr.Bytes([]byte(text(MaxMessage + 1)))
	wr.SetHello()

	var size *SizeError
	if err := g.Join(codes.Target{Addr: h.addr()}); !errors.As(err, &size) || size.Size != MaxMessage+1 || size.Limit != MaxMessage {
		t.Errorf("%v", err)
	}

	wr = g.Write(Hello)
	wr.Bytes([]byte(text(MaxMessage)))
	wr.SetHello()
	g.joins(h)
	w.runFor(time.Second)
	if len(h.got) != 1 || len(h.got[0].data) != MaxMessage {
		t.Errorf("%v", h.got)
	}
}

func TestStateTellsAPartysLife(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.add(), w.add()
	var life []string
	note := func(m *member) {
		s := m.State()
		life = append(life, fmt.Sprintf("%v active=%v live=%v pid=%d token=%d port=%d why=%v", s, s.Active(), s.Live(), m.MyPID(), m.Token(), m.Port(), m.Why()))
	}
	note(h)
	h.Host(0, 77)
	note(h)
	g.joins(h)
	note(g)
	w.runFor(time.Second)
	note(g)
	h.Leave()
	w.runFor(time.Second)
	note(h)
	note(g)

	want := []string{
		"idle active=false live=false pid=0 token=0 port=0 why=party: none",
		"hosting active=true live=true pid=1 token=77 port=27415 why=party: none",
		"joining active=true live=false pid=0 token=0 port=27415 why=party: none",
		"joined active=true live=true pid=2 token=77 port=27415 why=party: none",
		"idle active=false live=false pid=0 token=0 port=0 why=party: none",
		"idle active=false live=false pid=2 token=77 port=0 why=party: closed",
	}
	if !slices.Equal(life, want) {
		t.Errorf("life:\n%q\nwant:\n%q", life, want)
	}
	if g.Target().Addr != h.addr() || g.Time() < 2*time.Second || g.Time() > 2*time.Second+3*frame {
		t.Errorf("target %v, time %v", g.Target(), g.Time())
	}
}

func TestPeersTellAddressAndLastHeard(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)
	g[1].frozen = true
	w.runFor(2 * time.Second)

	if n := h.PeerCount(); n != 3 {
		t.Fatalf("%d peers", n)
	}
	i := 0
	for r := range h.Peers() {
		if !r.On() || r.PID() != PID(2+i) || r.Addr() != g[i].addr() || h.PeerOf(r.PID()) != r {
			t.Errorf("peer %d: on=%v pid=%d %v", i, r.On(), r.PID(), r.Addr())
		}
		silent := r.LastHeard() > 1900*time.Millisecond && r.LastHeard() < 2200*time.Millisecond
		if silent != (i == 1) {
			t.Errorf("peer %d was heard %v ago", i, r.LastHeard())
		}
		i++
	}
	for r := range g[0].Peers() {
		if r.PID() != 1 || r.Addr() != h.addr() || r.RTT() == 0 || r.Stats().PacketsReceived == 0 {
			t.Errorf("the guest's peer: pid %d, %v, %v", r.PID(), r.Addr(), r.RTT())
		}
	}
}

func TestEveryKindOfFactComesOnce(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g1, g2, g3, g4 := w.add(), w.add(), w.add(), w.add()
	for _, g := range []*member{g1, g2, g3, g4} {
		g.joins(h)
		w.runFor(time.Second)
	}

	g4.Leave()                      // Gone
	h.ClosePeer(h.PeerOf(4), "bye") // Closed, Down
	w.runFor(time.Second)
	h.Leave() // NewHost
	w.runFor(2 * time.Second)

	for _, c := range []struct {
		m    *member
		want []Fact
	}{
		{h, []Fact{{Kind: Joined, PID: 2}, {Kind: Joined, PID: 3}, {Kind: Joined, PID: 4}, {Kind: Joined, PID: 5}, {Kind: Closed, PID: 4, Why: WhyKicked, Text: "bye"}, {Kind: Gone, PID: 5, Why: WhyClosed}}},
		{g1, []Fact{{Kind: Joined, PID: 2}, {Kind: NewHost, PID: 2, Why: WhyMoved, Text: "0"}, {Kind: Joined, PID: 3}}},
		{g2, []Fact{{Kind: Joined, PID: 3}, {Kind: NewHost, PID: 2, Why: WhyMoved, Text: "0"}}},
		{g3, []Fact{{Kind: Joined, PID: 4}, {Kind: Down, Why: WhyKicked, Text: "bye"}}},
		{g4, []Fact{{Kind: Joined, PID: 5}}},
	} {
		c.m.wantFacts(c.want...)
	}
	if n := len(g1.find(PeersChanged)); n != 4 { // three came, then two went at once
		t.Errorf("%d times PeersChanged", n)
	}
}

func TestFactsKeepWhatABreakLeaves(t *testing.T) {
	w := newWorld(t, 1)
	_, g := w.party(1)
	g[0].Lose(WhyGame)
	g[0].tell(Fact{Kind: PeersChanged})

	var got []FactKind
	for range 2 {
		for f := range g[0].Facts() {
			got = append(got, f.Kind)
			break
		}
	}

	if !slices.Equal(got, []FactKind{Down, PeersChanged}) {
		t.Errorf("%v", got)
	}
}

func TestFactsThatNobodyReadsAreBounded(t *testing.T) {
	w := newWorld(t, 1)
	_, g := w.party(1)
	for n := range 3 * maxFacts {
		g[0].tell(Fact{Kind: PeersChanged, PID: PID(n)})
	}

	n, first := 0, PID(0)
	for f := range g[0].Facts() {
		if n == 0 {
			first = f.PID
		}
		n++
	}

	if n != maxFacts || first != 2*maxFacts {
		t.Errorf("%d facts from %d", n, first)
	}
}

func TestSameRandomAndSameCallsAreTheSameParty(t *testing.T) {
	run := func() string {
		w := newWorld(t, 7)
		_, g := w.party(3)
		return fmt.Sprintf("%x %x %x %d", g[0].Seat(), g[1].Seat(), g[2].Seat(), w.net.Now())
	}
	if a, b := run(), run(); a != b {
		t.Errorf("two runs: %s and %s", a, b)
	}
}
