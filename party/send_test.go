package party

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

func TestReliableMessagesArriveOnceInOrderOverALossyLink(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h := w.host()
		g := w.guest(h)
		w.link(netmsg.LinkConfig{Latency: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.3, Duplicate: 0.05})

		const n = 5000
		sent := uint32(0)
		h.play = func() {
			for i := 0; i < 10 && sent < n; i++ {
				h.sayNumber(kindA, sent, Reliable)
				g.sayNumber(kindB, sent, Reliable)
				sent++
			}
		}
		w.until(func() bool { return len(g.got) >= n && len(h.heardGame()) >= n })
		w.runFor(time.Second)

		wantUpTo(t, w.seed, g.numbers(kindA), n)
		wantUpTo(t, w.seed, h.numbers(kindB), n)
	})
}

func TestOneLostDatagramIsMadeUpForSoonAndNothingElseIsSentTwice(t *testing.T) {
	w := newWorld(t, 1)
	w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	h := w.host()
	g := w.guest(h)
	w.runFor(2 * time.Second)
	times := make(map[string]int)
	w.net.Watch = func(from, _ netip.AddrPort, data []byte) simnet.Fate {
		drop := false
		for n := range 60 {
			if name := fmt.Sprintf("<%02d>", n); from == h.addr() && strings.Contains(string(data), name) {
				times[name]++
				drop = drop || n == 10 && times[name] == 1
			}
		}
		return simnet.Fate{Drop: drop}
	}

	sent, late := 0, time.Duration(0)
	at := make(map[string]time.Duration)
	h.play = func() {
		if sent < 60 {
			name := fmt.Sprintf("<%02d>", sent)
			at[name] = w.net.Now()
			h.say(kindA, name, Reliable)
			sent++
		}
	}
	g.onMsg = func(m *Message) {
		if name := string(m.rest); name == "<10>" {
			late = w.net.Now() - at[name]
		}
	}
	w.runFor(3 * time.Second)

	if late == 0 || late > 240*time.Millisecond { // 40 ms of it are the link's and the frames'
		t.Errorf("the lost message took %v", late)
	}
	for name, n := range times {
		if n != 1 && name != "<10>" {
			t.Errorf("%s was sent %d times", name, n)
		}
	}
}

func TestUnreliableMessageIsDroppedWhenHalfASecondOld(t *testing.T) {
	for wait, arrives := range map[time.Duration]bool{300 * time.Millisecond: true, 600 * time.Millisecond: false} {
		w := newWorld(t, 1)
		h := w.host()
		g := w.guest(h)

		h.say(kindA, "old", Unreliable)
		w.net.Advance(wait)
		h.Begin(wait)
		h.Update()
		h.End()
		w.runFor(time.Second)

		if got := len(g.heardGame()) == 1; got != arrives {
			t.Errorf("End %v after Send: arrived is %v", wait, got)
		}
	}
}

func TestUnreliableMessagesOfOneFrameAllArriveOnAGoodLink(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g := w.guest(h)

	for n := range uint32(20) {
		h.sayNumber(kindA, n, Unreliable)
	}
	w.runFor(time.Second)

	got := g.numbers(kindA)
	slices.Sort(got)
	wantUpTo(t, 1, got, 20)
}

func TestUnreliableMessageIsNeverHeardTwice(t *testing.T) {
	eachSeed(t, func(t *testing.T, w *world) {
		h := w.host()
		g := w.guest(h)
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Jitter: 40 * time.Millisecond, Duplicate: 0.5, Loss: 0.1})

		n := uint32(0)
		h.play = func() {
			h.sayNumber(kindA, n, Unreliable)
			n++
		}
		w.runFor(10 * time.Second)

		got := g.numbers(kindA)
		all := len(got)
		slices.Sort(got)
		if len(slices.Compact(got)) != all || all < int(n)*6/10 {
			t.Errorf("seed %d: %d of %d, %d of them different", w.seed, all, n, len(slices.Compact(got)))
		}
	})
}

func TestSendReachesThoseItNames(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)
	send := func(text string, how func(*Writer) error) {
		wr := h.Write(kindA)
		wr.Bytes([]byte(text))
		if err := how(wr); err != nil {
			t.Error(err)
		}
	}

	send("one", func(wr *Writer) error { return wr.Send(h.PeerOf(3), Reliable) })
	send("all", func(wr *Writer) error { return wr.SendAll(Reliable) })
	send("but 2", func(wr *Writer) error { return wr.SendAllBut(h.PeerOf(2), Reliable) })
	send("2 and 4", func(wr *Writer) error { return wr.SendTo(Reliable, 2, 4) })
	w.runFor(time.Second)

	g[0].wantGame(said{1, kindA, "all"}, said{1, kindA, "2 and 4"})
	g[1].wantGame(said{1, kindA, "one"}, said{1, kindA, "all"}, said{1, kindA, "but 2"})
	g[2].wantGame(said{1, kindA, "all"}, said{1, kindA, "but 2"}, said{1, kindA, "2 and 4"})
}

func TestOneWriterSendsOneMessageManyWays(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)

	wr := h.Write(kindA)
	wr.Bytes([]byte("same"))
	for _, err := range []error{wr.SendAll(Reliable), wr.Send(h.PeerOf(2), Unreliable), wr.SendTo(Latest(3), 2)} {
		if err != nil {
			t.Error(err)
		}
	}
	wr.Loopback()
	w.runFor(time.Second)

	g[0].wantGame(said{1, kindA, "same"}, said{1, kindA, "same"}, said{1, kindA, "same"})
	h.wantGame(said{1, kindA, "same"})
}

func TestGuestSendsToMembersOverTheHost(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(4)
	for _, mode := range []Mode{Reliable, Unreliable, Latest(7), On(netmsg.Ordered2)} {
		wr := g[0].Write(kindA)
		wr.Bytes([]byte(mode.String()))
		if err := wr.SendTo(mode, 3, 5); err != nil {
			t.Error(err)
		}
		w.runFor(100 * time.Millisecond)
	}

	want := []said{{2, kindA, "Reliable"}, {2, kindA, "Unreliable"}, {2, kindA, "Latest(7)"}, {2, kindA, "On(2)"}}
	g[1].wantGame(want...)
	g[3].wantGame(want...)
	g[2].wantGame()
	g[0].wantGame()
	h.wantGame()
}

func TestGuestSendsToTheHostByItsPID(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)

	wr := g[0].Write(kindA)
	wr.Bytes([]byte("x"))
	if err := wr.SendTo(Reliable, 1, 3); err != nil {
		t.Fatal(err)
	}
	w.runFor(time.Second)

	h.wantGame(said{2, kindA, "x"})
	g[1].wantGame(said{2, kindA, "x"})
}

func TestSendToRefusesWhoIsNotThere(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	twelve := make([]PID, 12)
	for _, m := range []*member{h, g[0]} {
		wr := m.Write(kindA)
		var size *SizeError
		if err := wr.SendTo(Reliable, twelve...); !errors.As(err, &size) || err.Error() != "party: too many recipients: 12, at most 11" {
			t.Errorf("%s, twelve pids: %v", m.name, err)
		}
		if err := wr.SendTo(Reliable, 9); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "9") {
			t.Errorf("%s, nobody's pid: %v", m.name, err)
		}
		if err := wr.SendTo(Reliable, m.MyPID()); err == nil {
			t.Errorf("%s, its own pid: no error", m.name)
		}
		if err := wr.SendTo(Reliable); err == nil {
			t.Errorf("%s, nobody: no error", m.name)
		}
	}
	w.runFor(time.Second)
	h.wantGame()
	g[0].wantGame()
	g[1].wantGame()
}

func TestForwardKeepsTheAuthor(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)
	h.onMsg = func(m *Message) {
		switch m.Kind {
		case kindA:
			m.Byte() // what was read does not matter
			if err := h.Forward(m, Latest(3)); err != nil {
				t.Error(err)
			}
		case kindB:
			if err := h.Forward(m, Reliable, 4); err != nil {
				t.Error(err)
			}
		}
	}

	g[0].say(kindA, "to all but me", Reliable)
	w.runFor(time.Second)
	g[0].say(kindB, "to pid 4", Reliable)
	w.runFor(time.Second)

	g[0].wantGame()
	g[1].wantGame(said{2, kindA, "to all but me"})
	g[2].wantGame(said{2, kindA, "to all but me"}, said{2, kindB, "to pid 4"})
}

func TestForwardedValuesOfTwoAuthorsDoNotReplaceEachOther(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)
	h.onMsg = func(m *Message) {
		if m.Kind == kindA {
			h.Forward(m, Latest(0))
		}
	}

	g[0].say(kindA, "from 2", Latest(0))
	g[1].say(kindA, "from 3", Latest(0))
	h.say(kindA, "from 1", Latest(0))
	w.runFor(time.Second)

	got := g[2].heardGame()
	slices.SortFunc(got, func(a, b said) int { return int(a.by) - int(b.by) })
	if want := []said{{1, kindA, "from 1"}, {2, kindA, "from 2"}, {3, kindA, "from 3"}}; !slices.Equal(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
}

func TestOnlyTheHostForwards(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	var err error
	g[0].onMsg = func(m *Message) { err = g[0].Forward(m, Reliable) }

	h.say(kindA, "x", Reliable)
	w.runFor(time.Second)

	if !errors.Is(err, ErrNotHosting) {
		t.Errorf("%v, want %v", err, ErrNotHosting)
	}
}

func TestFloodOfOneAuthorDoesNotHoldUpAnothersMessage(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(3)
	say := func(m *member, kind Kind) {
		wr := m.Write(kind)
		if err := wr.SendTo(Reliable, 4); err != nil {
			t.Fatal(err)
		}
	}

	h.frozen = true // so that it finds all of them at once
	for range 500 {
		say(g[0], kindA)
	}
	say(g[1], kindB)
	say(g[1], kindB)
	w.runFor(time.Second)
	h.frozen = false
	w.runFor(time.Second)

	if n := len(g[2].got); n != 502 {
		t.Fatalf("%d messages", n)
	}
	at := slices.IndexFunc(g[2].got[1:], func(s said) bool { return s.kind == kindB })
	if at < 0 || at > 3 {
		t.Errorf("the second author's messages came after %d of the first's", at)
	}
}

func TestThousandsOfMessagesInOneFrameAllArrive(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)
	for n := range uint32(3000) {
		h.sayNumber(kindA, n, Reliable)
		g[0].sayNumber(kindB, n, Reliable)
	}
	if n := h.PeerOf(2).Stats().Unacked; n != 3000 {
		t.Errorf("%d messages wait", n)
	}

	w.runFor(5 * time.Second)

	wantUpTo(t, 1, g[0].numbers(kindA), 3000)
	wantUpTo(t, 1, h.numbers(kindB), 3000)
}

func TestSendsLeaveAtEndAndTogether(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g := w.guest(h)
	w.runFor(time.Second)

	h.Begin(frame)
	h.Update()
	before := h.sock.Sent
	for range 50 {
		h.say(kindA, text(20), Reliable)
	}
	if h.sock.Sent != before {
		t.Error("something left before End")
	}
	h.End()
	if n := h.sock.Sent.Datagrams - before.Datagrams; n == 0 || n > 2 {
		t.Errorf("%d datagrams for 50 messages of 20 bytes, want at most 2", n)
	}
	w.runFor(time.Second)
	if n := len(g.heardGame()); n != 50 {
		t.Errorf("%d messages", n)
	}
}

func TestFlushSendsToOnePeerWithoutWaitingForEnd(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	h.Begin(frame)
	h.Update()
	to := map[netip.AddrPort]int{}
	w.net.Watch = func(_, at netip.AddrPort, _ []byte) simnet.Fate {
		to[at]++
		return simnet.Fate{}
	}

	h.say(kindA, "now", Reliable)
	h.Flush(h.PeerOf(2))

	if to[g[0].addr()] != 1 || to[g[1].addr()] != 0 {
		t.Errorf("sent %v", to)
	}
	h.End()
	w.runFor(time.Second)
	g[0].wantGame(said{1, kindA, "now"})
	g[1].wantGame(said{1, kindA, "now"})
}

func TestErrorsSayWhatWasWrong(t *testing.T) {
	w := newWorld(t, 1)
	idle := w.add()
	h, g := w.party(1)
	other := w.add()
	gone := h.PeerOf(2)
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"idle", idle.Write(kindA).SendAll(Reliable), ErrIdle.Error()},
		{"kind 0", h.Write(0).SendAll(Reliable), "party: kind 0 is the library's own: kinds are 2 to 255, and 1 for the hello"},
		{"hello", g[0].Write(Hello).SendAll(Reliable), "party: kind 1 is the hello: SetHello sends it; kinds are 2 to 255"},
		{"no mode", h.Write(kindA).SendAll(0), "party: 0 is no mode: Reliable, Unreliable, Latest(stream) and On(channel) are"},
		{"stream 64", h.Write(kindA).SendAll(Latest(64)), "party: no such stream: streams are 0 to 63"},
		{"channel 4", h.Write(kindA).SendAll(On(4)), "party: no such channel: channels are 0 to 3"},
		{"another's peer", other.Write(kindA).Send(gone, Reliable), ErrIdle.Error()},
		{"nobody", h.Write(kindA).Send(nil, Reliable), ErrGone.Error()},
		{"host again", h.Host(0, 1), "party: a session is on, call Leave first: hosting"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.name, c.err, c.want)
		}
	}
	g[0].Leave()
	w.runFor(time.Second)
	if err := h.Write(kindA).Send(gone, Reliable); err != ErrGone {
		t.Errorf("a peer that left: %v", err)
	}
}

func TestUploadIsCounted(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	before, sock := h.BytesOut(), h.sock.Sent.Bytes

	for range 100 {
		h.say(kindA, text(50), Reliable)
	}
	w.runFor(time.Second)

	var again uint64
	for _, m := range g {
		again += h.PeerOf(m.MyPID()).Stats().MessagesResent
	}
	if n := h.KindBytes(kindA); n != (2*100+again)*(50+3) {
		t.Errorf("kind: %d bytes, want %d: %d messages went again", n, (2*100+again)*53, again)
	}
	if h.KindBytes(kindB) != 0 {
		t.Error("another kind has bytes")
	}
	if n, want := h.BytesOut()-before, uint64(h.sock.Sent.Bytes-sock); n != want || n < 10_000 {
		t.Errorf("%d bytes out, the socket sent %d", n, want)
	}
	h.ClearKindBytes()
	if n := h.KindBytes(kindA); n != 0 {
		t.Errorf("%d after clear", n)
	}
}

func TestWhatGoesAgainCountsAgain(t *testing.T) {
	bytes := func(loss float64) uint64 {
		w := newWorld(t, 1)
		h, _ := w.party(1)
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: loss})
		h.ClearKindBytes()
		for range 10 {
			h.say(kindB, text(20_000), Reliable)
		}
		w.runFor(10 * time.Second)
		if n := h.PeerOf(2).Stats().Unacked; n != 0 {
			t.Fatalf("%d messages are not acknowledged", n)
		}
		return h.KindBytes(kindB)
	}
	if n := bytes(0); n != 10*(20_000+3) {
		t.Errorf("%d bytes without loss, want %d", n, 10*20_003)
	}
	if n := bytes(0.2); n < 230_000 || n > 900_000 {
		t.Errorf("%d bytes at 20 %% loss, of 200,030", n)
	}
}
