package party

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

// The cases are what users of such libraries found broken elsewhere.

func TestCaseT1(t *testing.T) { // reliable ids past 16 bits
	const frames, each = 350, 200
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h := w.host()
		g := w.guest(h)

		sent := uint32(0)
		h.play = func() {
			for i := 0; i < each && sent < frames*each; i++ {
				h.sayNumber(kindA, sent, Reliable)
				sent++
			}
		}
		w.runFor(frames * frame)
		w.runFor(time.Second)

		wantUpTo(t, w.seed, g.numbers(kindA), frames*each)
		if n := h.PeerOf(2).Stats().Unacked; n != 0 {
			t.Errorf("seed %d: %d messages unacknowledged one second later", w.seed, n)
		}
		h.wantFacts()
		g.wantFacts()
	})
}

func TestCaseT3(t *testing.T) { // latest-wins wrap with reordering
	if raceOn {
		t.Skip("eighteen minutes of frames in one goroutine")
	}
	const last = 65600
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 10 * time.Millisecond, Reorder: 0.3, ReorderDelay: 40 * time.Millisecond, Duplicate: 0.05})
		h := w.host()
		g := w.guest(h)

		n := uint32(0)
		h.play = func() {
			if n <= last {
				h.sayNumber(kindA, n, Latest(7))
			}
			if n == 10 {
				h.sayNumber(kindB, 10, Latest(8))
			}
			n++
		}
		w.runFor((last + 100) * frame)

		seen := g.numbers(kindA)
		for i := range seen[1:] {
			if seen[i+1] <= seen[i] {
				t.Fatalf("seed %d: %d after %d", w.seed, seen[i+1], seen[i])
			}
		}
		if seen[len(seen)-1] != last || len(seen) < last/2 {
			t.Errorf("seed %d: the last of %d values is %d", w.seed, len(seen), seen[len(seen)-1])
		}
		if other := g.numbers(kindB); !slices.Equal(other, []uint32{10}) {
			t.Errorf("seed %d: stream 8 gave %v", w.seed, other)
		}
	})
}

func TestCaseT4(t *testing.T) { // acknowledgements silent for two seconds
	run := func(t *testing.T, w *world, silent bool) (datagrams int) {
		w.link(netmsg.LinkConfig{Latency: 25 * time.Millisecond})
		h := w.host()
		g := w.guest(h)
		w.runFor(2 * time.Second)

		if silent {
			w.net.Cut(g.addr(), h.addr())
		}
		before, n := h.sock.Sent.Datagrams, uint32(0)
		h.play = func() {
			h.say(kindA, string(rune('A'+n%26))+fmt.Sprintf("%039d", n), Reliable)
			n++
		}
		w.runFor(2 * time.Second)
		datagrams = h.sock.Sent.Datagrams - before
		h.play = nil
		w.net.Mend(g.addr(), h.addr())
		w.runFor(time.Second)

		got := g.heardGame()
		if len(got) != int(n) || len(got) < 119 {
			t.Fatalf("seed %d: %d of %d messages a second later", w.seed, len(got), n)
		}
		for i, s := range got {
			if want := string(rune('A'+i%26)) + fmt.Sprintf("%039d", i); s.data != want {
				t.Fatalf("seed %d: message %d is %q", w.seed, i, s.data)
			}
		}
		w.runFor(5 * time.Second)
		h.say(kindB, "late", Reliable)
		for range 6 {
			w.frame()
		}
		if last := g.got[len(g.got)-1]; last.kind != kindB {
			t.Errorf("seed %d: a message took over 6 frames", w.seed)
		}
		h.wantFacts()
		g.wantFacts()
		return datagrams
	}
	eachSeed(t, func(t *testing.T, w *world) {
		calm := run(t, newWorld(t, w.seed), false)
		if cut := run(t, w, true); float64(cut) > 2.5*float64(calm) {
			t.Errorf("seed %d: %d datagrams while nothing was acknowledged, %d otherwise", w.seed, cut, calm)
		}
	})
}

func TestCaseT6(t *testing.T) { // an eight-second frame
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h := w.host()
		g := w.guest(h)
		w.runFor(time.Second)

		wire := make(map[string]int)
		w.net.Watch = func(from, _ netip.AddrPort, data []byte) simnet.Fate {
			for n := range 16 {
				if from == g.addr() && strings.Contains(string(data), fmt.Sprintf("number %02d", n)) {
					wire[fmt.Sprint(n)]++
				}
			}
			return simnet.Fate{}
		}
		h.frozen = true
		for n := range 16 {
			g.say(kindA, fmt.Sprintf("number %02d", n), Reliable)
			w.runFor(time.Second / 2)
		}
		h.frozen = false
		before := h.sock.Sent.Datagrams
		w.frame()
		first := h.sock.Sent.Datagrams - before

		if got := h.heardGame(); len(got) != 16 || got[0].data != "number 00" || got[15].data != "number 15" {
			t.Errorf("seed %d: the first Begin gave %v", w.seed, got)
		}
		if first > 3 {
			t.Errorf("seed %d: the first End sent %d datagrams", w.seed, first)
		}
		for n, times := range wire {
			if times > 12 {
				t.Errorf("seed %d: message %s was on the wire %d times", w.seed, n, times)
			}
		}
		w.runFor(3 * time.Second)
		h.wantFacts()
		g.wantFacts()
	})
}

func TestCaseT6Several(t *testing.T) { // several guests talk to the host meanwhile, or the host to a guest
	for _, who := range []string{"host", "guest"} {
		t.Run(who, func(t *testing.T) {
			eachSeed(t, func(t *testing.T, w *world) {
				w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.1})
				h, g := w.party(5)
				quiet, talkers := h, g
				if who == "guest" {
					quiet, talkers = g[0], []*member{h}
				}

				quiet.frozen = true
				for n := range uint32(16) {
					for _, m := range talkers {
						m.sayNumber(kindA, n, Reliable)
					}
					w.runFor(time.Second / 2)
				}
				quiet.frozen = false
				before := quiet.sock.Sent.Datagrams
				w.frame()
				if n := quiet.sock.Sent.Datagrams - before; n > 3*len(talkers) {
					t.Errorf("seed %d: the first End sent %d datagrams", w.seed, n)
				}
				w.runFor(5 * time.Second)

				if n := len(quiet.numbers(kindA)); n != 16*len(talkers) {
					t.Errorf("seed %d: %d numbers arrived of %d", w.seed, n, 16*len(talkers))
				}
				for _, m := range w.members {
					m.wantFacts()
				}
			})
		})
	}
}

func TestCaseT7(t *testing.T) { // a loading screen
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h := w.host()
		var reads *readCounter
		g := w.guest(h, func(c *Config) {
			reads = &readCounter{StepSocket: c.Socket.(netmsg.StepSocket)}
			c.Socket = reads
		})

		n, messages := uint32(0), uint32(0)
		h.play = func() {
			h.sayNumber(kindA, n, Latest(1))
			if n%60 == 0 && messages < 30 {
				h.sayNumber(kindB, messages, Reliable)
				messages++
			}
			n++
		}
		g.frozen = true
		for i := range 1800 {
			w.frame()
			if i%15 == 0 {
				g.KeepAlive()
			}
		}
		h.play = nil
		reads.n = 0
		g.frozen, g.missed = false, 0
		w.frame()

		// Half a minute has been taken in by the keep-alives: what is left for the
		// frame is what came since the last of them, about a datagram for each of
		// the host's frames. That is far below the 5 ms that the frame may take,
		// which no busy machine's clock could tell.
		if reads.n > 20 {
			t.Errorf("seed %d: the first frame reads %d datagrams", w.seed, reads.n)
		}
		wantUpTo(t, w.seed, g.numbers(kindB), 30)
		if values := g.numbers(kindA); len(values) > 1 || len(values) == 1 && values[0] < 1780 {
			t.Errorf("seed %d: values %v", w.seed, values)
		}
		if g.State() != StateJoined {
			t.Errorf("seed %d: %v", w.seed, g.State())
		}
		h.wantFacts()
		g.wantFacts()
	})
}

// A readCounter counts what is read from a socket.
type readCounter struct {
	netmsg.StepSocket
	n int
}

func (c *readCounter) TryRead(d *netmsg.Datagram) bool {
	ok := c.StepSocket.TryRead(d)
	if ok {
		c.n++
	}
	return ok
}

func TestCaseT9(t *testing.T) { // a laptop's lid: one frame of three hours
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h := w.host()
		g := w.guest(h)
		w.runFor(time.Second)

		g.frozen = true
		w.runFor(15 * time.Second)
		h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhySilent})
		before := g.sock.Sent.Datagrams
		g.frozen, g.missed = false, 3*time.Hour
		w.frame()
		if n := g.sock.Sent.Datagrams - before; n > 3 {
			t.Errorf("seed %d: %d datagrams", w.seed, n)
		}
		w.runFor(13 * time.Second)

		g.wantFacts(Fact{Kind: Down, Why: WhySilent})
		g.facts, h.facts = nil, nil
		g.joins(h)
		w.runFor(time.Second)
		g.wantFacts(Fact{Kind: Joined, PID: 3})
		h.wantFacts(Fact{Kind: Joined, PID: 3})
	})
}

func TestCaseT9HostsLid(t *testing.T) { // the same at a host of several: they go on, and it hears so
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h, g := w.party(3)
		w.runFor(time.Second)
		h.frozen = true
		w.runFor(15 * time.Second)
		h.frozen, h.missed = false, 3*time.Hour
		w.runFor(40 * time.Second)

		w.wantParty(g...)
		if f := h.find(Down); len(f) != 1 || f[0].Why != WhyReplaced || len(h.find(Gone)) != 3 {
			t.Errorf("seed %d: the host has %v", w.seed, h.facts)
		}
		for _, m := range g {
			if len(m.find(NewHost)) != 1 || len(m.find(Down)) > 0 {
				t.Errorf("seed %d: %s has %v", w.seed, m.name, m.facts)
			}
		}
	})
}

func TestCaseT9HostsClockJumps(t *testing.T) { // three hours of dt, but not a moment without a frame
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h, g := w.party(3)
		h.missed = 3 * time.Hour
		w.runFor(40 * time.Second)

		for _, m := range g {
			if len(m.find(Down)) > 0 || m.State() == StateIdle {
				t.Errorf("seed %d: %s has %v", w.seed, m.name, m.facts)
			}
		}
	})
}

func TestCaseT11(t *testing.T) { // three guests, one address
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h := w.host()
		var g [5]*member
		for i := 1; i <= 3; i++ {
			g[i] = w.addAt(fmt.Sprintf("10.1.1.1:%d", 5000+i))
			g[i].joins(h)
		}
		w.runFor(time.Second)
		if n := len(h.find(Joined)); n != 3 {
			t.Fatalf("seed %d: %d joined", w.seed, n)
		}
		pids := []PID{g[1].MyPID(), g[2].MyPID(), g[3].MyPID()}
		slices.Sort(pids)
		if !slices.Equal(pids, []PID{2, 3, 4}) {
			t.Errorf("seed %d: pids %v", w.seed, pids)
		}
		h.facts = nil

		dead := g[2].MyPID()
		g[2].die()
		wr := h.Write(kindA)
		wr.Str("for three")
		if err := wr.Send(h.PeerOf(g[3].MyPID()), Reliable); err != nil {
			t.Fatal(err)
		}
		g[4] = w.addAt("10.1.1.1:5004")
		g[4].joins(h)
		w.runFor(2 * time.Second)
		if g[4].State() != StateJoined || h.PeerOf(dead) == nil {
			t.Errorf("seed %d: the ghost is %v, the newcomer %v", w.seed, h.PeerOf(dead), g[4].State())
		}
		w.runFor(15 * time.Second)

		if len(g[3].heardGame()) != 1 || len(g[1].heardGame()) != 0 {
			t.Errorf("seed %d: heard %v and %v", w.seed, g[1].got, g[3].got)
		}
		h.wantFacts(Fact{Kind: Joined, PID: 5}, Fact{Kind: Gone, PID: dead, Why: WhySilent})
		g[1].wantFacts(Fact{Kind: Joined, PID: g[1].MyPID()})
		g[3].wantFacts(Fact{Kind: Joined, PID: g[3].MyPID()})
	})
}

func TestCaseT12(t *testing.T) { // a lost accept
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h, g := w.host(), w.add()
		const plainAccept, plainPayload = 3, 4
		accepts, payloads := 0, 0
		w.net.Watch = func(from, _ netip.AddrPort, data []byte) simnet.Fate {
			count := &payloads
			switch {
			case from != h.addr():
				return simnet.Fate{}
			case data[4] == plainAccept:
				count = &accepts
			case len(data) < 60: // the party's accept and roster are larger
				return simnet.Fate{}
			}
			*count++
			switch *count {
			case 1:
				return simnet.Fate{Drop: true}
			case 2:
				return simnet.Fate{Delay: 600 * time.Millisecond}
			}
			return simnet.Fate{}
		}

		g.joins(h)
		w.until(func() bool { return g.State() == StateJoined })
		g.say(kindA, "once", Reliable)
		w.runFor(3 * time.Second)

		h.wantFacts(Fact{Kind: Joined, PID: 2})
		g.wantFacts(Fact{Kind: Joined, PID: 2})
		h.wantGame(said{2, kindA, "once"})
		if g.Token() != 77 || payloads < 3 {
			t.Errorf("seed %d: token %d, %d payloads", w.seed, g.Token(), payloads)
		}
	})
}

func TestCaseT14(t *testing.T) { // length zero
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
		h := w.host()
		g := w.guest(h)

		h.say(kindA, "", Reliable)
		h.say(kindB, "x", Reliable)
		h.say(9, "four", Latest(3))
		h.say(9, "", Latest(3))
		var frames [][]said
		for range 10 {
			g.got = nil
			w.frame()
			if len(g.got) > 0 {
				frames = append(frames, g.got)
			}
		}

		if len(frames) != 1 || !slices.Equal(frames[0], []said{{1, kindA, ""}, {1, kindB, "x"}, {1, 9, ""}}) {
			t.Errorf("seed %d: %v", w.seed, frames)
		}
	})
}

func TestCaseT15(t *testing.T) { // sizes at every edge
	const f, m, v = FragmentPayload, MaxMessage, MaxLatest
	eachSeed(t, func(t *testing.T, w *world) {
		w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.05})
		h := w.host()
		g := w.guest(h)
		for _, way := range []struct{ from, to *member }{{h, g}, {g, h}} {
			way.to.got = nil
			var want []int
			for _, n := range []int{0, 1, f - 1, f, f + 1, 2*f - 1, 2 * f, 2*f + 1, m - 1, m, m + 1} {
				wr := way.from.Write(kindA)
				wr.Bytes([]byte(text(n)))
				err := wr.SendAll(Reliable)
				if (err == nil) != (n <= m) {
					t.Fatalf("%d bytes: %v", n, err)
				}
				if err != nil {
					if want := fmt.Sprintf("party: message too large: %d, at most %d", n, m); err.Error() != want {
						t.Errorf("%v, want %v", err, want)
					}
					continue
				}
				want = append(want, n)
			}
			for i, n := range []int{v, v + 1} {
				wr := way.from.Write(kindB)
				wr.Bytes([]byte(text(n)))
				if err := wr.SendAll(Latest(uint16(i))); (err == nil) != (n <= v) {
					t.Fatalf("value of %d bytes: %v", n, err)
				}
			}
			for range 200 {
				way.from.say(9, text(1000), Reliable)
			}
			w.runFor(4 * time.Second)

			var sizes []int
			values, bulk := 0, 0
			for _, s := range way.to.heardGame() {
				if strings.Trim(s.data, "x") != "" {
					t.Fatalf("other bytes: %q", s.data)
				}
				switch s.kind {
				case kindA:
					sizes = append(sizes, len(s.data))
				case kindB:
					values++
				case 9:
					bulk++
				}
			}
			if !slices.Equal(sizes, want) || bulk != 200 || values > 1 {
				t.Errorf("seed %d: sizes %v (want %v), %d of 200, %d values", w.seed, sizes, want, bulk, values)
			}
		}
		h.wantFacts()
		g.wantFacts()
		if h.sock.Sent.Largest > MaxDatagram {
			t.Errorf("a datagram of %d bytes", h.sock.Sent.Largest)
		}
	})
}

func TestCaseT26(t *testing.T) { // the reason gets there
	reason := strings.Repeat("you stepped on my flowers! ", 2)[:40]
	good := 0
	for seed := range uint64(20) {
		w := newWorld(t, seed)
		h := w.host()
		g := w.guest(h)
		w.link(netmsg.LinkConfig{Latency: 30 * time.Millisecond, Loss: 0.3})
		w.runFor(time.Second)
		h.facts, g.facts = nil, nil

		g.frozen = true
		w.runFor(200 * time.Millisecond)
		h.ClosePeer(h.PeerOf(2), reason)
		if n := h.PeerCount(); n != 0 {
			t.Errorf("seed %d: %d peers after ClosePeer", seed, n)
		}
		w.runFor(2800 * time.Millisecond)
		g.frozen = false
		w.runFor(13 * time.Second)

		downs := g.find(Down)
		if len(downs) != 1 {
			t.Fatalf("seed %d: facts %v", seed, g.facts)
		}
		if downs[0].Why == WhyKicked && downs[0].Text == reason {
			good++
		}
		if downs[0].Why == WhySilent {
			t.Logf("seed %d: silent", seed)
		}
		h.wantFacts(Fact{Kind: Closed, PID: 2, Why: WhyKicked, Text: reason})
	}
	if good < 19 {
		t.Errorf("the reason was heard in %d of 20 runs", good)
	}
}

func TestCaseT26RefusedAtTheHello(t *testing.T) {
	for _, c := range []struct {
		name  string
		guest func(*Config)
		setUp func(h *member)
		want  Why
	}{
		{"proto", func(c *Config) { c.Proto = 2 }, func(*member) {}, WhyProto},
		{"refused", func(*Config) {}, func(h *member) { h.refuse = "no" }, WhyRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 7)
			w.link(netmsg.LinkConfig{Latency: 30 * time.Millisecond})
			h := w.host()
			c.setUp(h)
			g := w.add(c.guest)
			g.joins(h)
			w.runFor(time.Second)
			g.wantFacts(Fact{Kind: Down, Why: c.want, Text: h.refuse})
			w.runFor(3 * time.Second)
			g.wantFacts(Fact{Kind: Down, Why: c.want, Text: h.refuse})
			h.wantFacts()
		})
	}
}

func TestCaseT24(t *testing.T) { // the code shown is for the address that leads out
	machine := []localAddr{
		{"eth9", netip.MustParseAddr("169.254.7.7")},
		{"docker0", netip.MustParseAddr("172.17.0.1")},
		{"vboxnet0", netip.MustParseAddr("192.168.56.1")},
		{"eth0", netip.MustParseAddr("192.168.1.20")},
	}
	route := netip.MustParseAddr("192.168.1.20")

	chosen := bestAddr(machine, route)
	code, err := codes.Join(netip.AddrPortFrom(chosen, 27415))

	if err != nil || strings.ReplaceAll(code, "-", "") != "R2M0253B2Y" {
		t.Errorf("%v gives %q, %v", chosen, code, err)
	}

	for code, addrs := range map[string][]string{
		"R2M02-53B2Y": {"169.254.7.7", "172.17.0.1", "192.168.56.1", "192.168.1.20", "203.0.113.7"},
		"18000-0KB2W": {"127.0.0.1", "10.0.0.2"},
		"FW000-0BB2Y": {"169.254.7.7", "127.0.0.1"},
		"":            {"169.254.7.7"},
	} {
		w := newWorld(t, 1)
		h := w.addAt("0.0.0.0:27415", func(c *Config) {
			c.Network.LocalAddrs = func() (all []netip.Addr) {
				for _, a := range addrs {
					all = append(all, netip.MustParseAddr(a))
				}
				return all
			}
		})
		if err := h.Host(0, 1); err != nil {
			t.Fatal(err)
		}
		if got := h.JoinCode(); got != code {
			t.Errorf("of %v: %q, want %q", addrs, got, code)
		}
	}
}
