package world

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"

	"github.com/partyline-go/partyline/party"
)

var (
	worldSeeds = flag.Int("seeds", 3, "how many seeds, from 1 on, where a test takes several")
	worldSeed  = flag.Uint64("seed", 0, "successions: one seed alone")
)

const (
	heirWithin   = 20 * time.Second // a party whose host was killed has another
	unseenWithin = 45 * time.Second // the matchmaker does not see that the host is gone, and waits for its refresh
	heirPatience = 15 * time.Second // an heir with a line waits so long for the room
	settleWithin = 60 * time.Second // after the last of many faults
	replaced     = 45 * time.Second // an old host that comes back hears of it: its line may wait half a minute to be tried again
)

// eachSeed runs a test for every seed that the flags ask for.
func eachSeed(t *testing.T, test func(s *succession)) {
	first, n := uint64(1), uint64(*worldSeeds)
	if *worldSeed != 0 {
		first, n = *worldSeed, 1
	}
	name := t.Name()
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			s := newSuccession(t, name, seed)
			test(s)
			t.Logf("trace %016x, %v of the world's time: %s", s.Trace(), s.Now().Round(time.Second), s.script.String())
			if seed == first {
				again := newSuccession(t, name, seed)
				test(again)
				if again.Trace() != s.Trace() {
					t.Errorf("seed %d: the second run's trace is %016x, the first's %016x", seed, again.Trace(), s.Trace())
				}
			}
		})
	}
}

func newSuccession(t *testing.T, name string, seed uint64) *succession {
	s := &succession{play: newPlay(t, seed), dice: rand.New(rand.NewPCG(seed, 0x68656972))}
	s.play.again = fmt.Sprintf("go test ./tests/world -run '^%s$' -seed %d", name, seed)
	s.frame = time.Second / 30
	return s
}

// A succession is a party by room code whose host goes.
type succession struct {
	*play
	dice   *rand.Rand
	host   *player
	guests []*player
	pids   map[*player]party.PID
}

func (s *succession) upTo(d time.Duration) time.Duration {
	return time.Duration(s.dice.Int64N(int64(d) + 1))
}

func (s *succession) between(least, most time.Duration) time.Duration {
	return least + s.upTo(most-least)
}

func pick[T any](s *succession, from ...T) T { return from[s.dice.IntN(len(from))] }

func (s *succession) say(format string, args ...any) {
	fmt.Fprintf(&s.script, "; at %v ", s.Now().Round(time.Millisecond))
	fmt.Fprintf(&s.script, format, args...)
}

// place picks where a player is: behind a router of any kind, in a LAN with
// one who is there already, or without a router.
func (s *succession) place() *Host {
	link := netmsg.LinkConfig{Latency: s.between(2*time.Millisecond, 50*time.Millisecond), Jitter: s.upTo(10 * time.Millisecond), Loss: pick(s, 0, 0, 0.02)}
	if n := len(s.players); n > 0 && s.dice.IntN(6) == 0 {
		if lan := s.players[s.dice.IntN(n)].at.network; lan.router != nil {
			return lan.Host(fmt.Sprintf("10.0.0.%d", 2+len(lan.nodes)))
		}
	}
	all := sites()
	at := s.play.host(all[s.dice.IntN(len(all)-1)]) // the last lets no UDP through: it cannot be heir
	if at.network.router == nil {
		at.SetLink(link)
	} else {
		at.network.router.SetLink(link)
	}
	return at
}

// gather has a host and n guests, all talking.
func (s *succession) gather(n int) {
	relayed := s.dice.IntN(4) == 0
	fmt.Fprintf(&s.script, "a host and %d guests, relay only: %v", n, relayed)
	s.host = s.hosting(s.place())
	for range n {
		g := s.joining(s.place(), s.host, func(cfg *party.Config) { cfg.ForceRelay = relayed })
		s.guests = append(s.guests, g)
		s.run(s.upTo(500 * time.Millisecond))
	}
	s.until(20*time.Second, "all are in", func() bool { return s.united(s.host, s.guests) })
	s.pids = make(map[*player]party.PID)
	for _, m := range s.players {
		s.pids[m] = m.MyPID()
		m.every = 500 * time.Millisecond
	}
	paths := map[party.Path]int{}
	for _, g := range s.guests {
		paths[g.path()]++
	}
	fmt.Fprintf(&s.script, ", paths %v", paths)
	s.run(s.upTo(10 * time.Second))
}

// united says whether guests are in the party of a host, and nobody else is.
func (s *succession) united(host *player, guests []*player) bool {
	if host == nil || !host.Hosting() || host.PeerCount() != len(guests) {
		return false
	}
	for _, g := range guests {
		if g.State() != party.StateJoined || g.Token() != host.Token() || g.PeerCount() != 1 {
			return false
		}
	}
	return true
}

// newHost is the one of several that hosts; nil: none does, or more than one.
func newHost(among []*player) (host *player) {
	for _, m := range among {
		if m.Hosting() {
			if host != nil {
				return nil
			}
			host = m
		}
	}
	return host
}

func without(list []*player, one *player) (others []*player) {
	for _, m := range list {
		if m != one {
			others = append(others, m)
		}
	}
	return others
}

// wantOneHost sees the living go on under one of them, as who they were.
func (s *succession) wantOneHost(within time.Duration, living []*player) *player {
	s.t.Helper()
	began := s.Now()
	s.until(within, "the living have one host", func() bool {
		h := newHost(living)
		return h != nil && s.united(h, without(living, h))
	})
	s.say("they have a host, after %v", (s.Now() - began).Round(time.Millisecond))
	s.run(3 * time.Second)
	h := newHost(living)
	if h == nil || !s.united(h, without(living, h)) {
		s.failf("they had one host, and have it no more")
	}
	for _, m := range living {
		if m.MyPID() != s.pids[m] {
			s.failf("%s has pid %d, and had %d", m.name, m.MyPID(), s.pids[m])
		}
		if n := m.heard[source{h.Token(), h.MyPID()}]; m != h && n == 0 {
			s.failf("%s has not heard %s in 3 s", m.name, h.name)
		}
		if n := h.heard[source{h.Token(), m.MyPID()}]; m != h && n == 0 {
			s.failf("%s has not been heard by %s in 3 s", m.name, h.name)
		}
	}
	return h
}

// wantNamed sees all of the living have heard once of the new host.
func (s *succession) wantNamed(h *player, living []*player) {
	s.t.Helper()
	for _, m := range living {
		var named []party.PID
		for _, f := range m.facts {
			if f.Kind == party.NewHost {
				named = append(named, f.PID)
			}
		}
		if len(named) != 1 || named[0] != h.MyPID() {
			s.failf("%s hears of new hosts %v, want pid %d", m.name, named, h.MyPID())
		}
	}
}

// wantCodeLeadsTo sees one who joins by the room's code come to a host.
func (s *succession) wantCodeLeadsTo(h *player, code string) {
	s.t.Helper()
	late := s.player(s.open())
	late.join(code)
	s.until(relayedWithin, "one more joins by the code", func() bool { return late.joined > 0 })
	for peer := range late.Peers() {
		if peer.PID() != h.MyPID() || late.Token() != h.Token() {
			s.failf("the code leads to pid %d, want %d", peer.PID(), h.MyPID())
		}
	}
	if h.Room() != code {
		s.failf("the new host's room is %q, want %q", h.Room(), code)
	}
}

func TestPartyOutlivesItsHost(t *testing.T) {
	eachSeed(t, func(s *succession) {
		s.gather(pick(s, 3, 11))
		code := s.host.Room()
		how, within := pick(s, "is killed", "is killed", "loses its power", "is cut off"), unseenWithin
		s.say("the host %s", how)
		switch how {
		case "is killed":
			s.host.at.Kill()
			within = heirWithin
		case "loses its power":
			s.host.at.Cut()
			s.host.at.Kill()
		default:
			s.host.at.Cut()
		}

		h := s.wantOneHost(within, s.guests)
		s.wantNamed(h, s.guests)
		if within == unseenWithin {
			s.run(unseenWithin) // the room is granted late
		}
		s.wantCodeLeadsTo(h, code)

		if !s.host.at.dead {
			s.run(s.upTo(30 * time.Second))
			s.say("the old host is back")
			s.host.at.Mend()
			s.wantReplaced(s.host)
			if now := newHost(s.guests); now != h {
				s.failf("and then the party has another host")
			}
		}
	})
}

func TestEveryJoinEndsWhenTheHostDiesMeanwhile(t *testing.T) {
	eachSeed(t, func(s *succession) {
		n := 4 + s.dice.IntN(5)
		fmt.Fprintf(&s.script, "a host and %d who join", n)
		s.host = s.hosting(s.place())
		at := s.upTo(6 * time.Second)
		s.say("it is to be killed %v later", at.Round(time.Millisecond))
		s.After(at, s.host.at.Kill)
		code := s.host.Room()
		for range n {
			g := s.player(s.place())
			g.every = 500 * time.Millisecond
			g.join(code)
			s.guests = append(s.guests, g)
			s.run(s.upTo(1500 * time.Millisecond))
		}

		s.until(settleWithin, "there is one host, or one Down each", func() bool { return s.settled(s.guests, false) })
		s.run(10 * time.Second)

		if !s.settled(s.guests, false) {
			s.failf("they had settled, and then had not")
		}
		for _, g := range s.guests {
			if g.count(party.Joined) == 0 && g.count(party.NewHost) > 0 {
				s.failf("%s hears of a new host, and has not joined", g.name)
			}
		}
	})
}

func TestPartyIsHandedOnOverWhateverPathsThereAre(t *testing.T) {
	eachSeed(t, func(s *succession) {
		s.gather(pick(s, 3, 11))
		code := s.host.Room()
		switch how := pick(s, "leaves", "hands over", "hands over to one"); how {
		case "leaves":
			s.say("the host leaves")
			s.host.Leave()
		default:
			var to party.PID
			if how == "hands over to one" {
				to = s.pids[pick(s, s.guests...)]
			}
			s.say("the host hands over, to pid %d", to)
			if err := s.host.HandOff(to); err != nil {
				s.failf("HandOff: %v", err)
			}
			defer func() {
				if why, n := s.host.down(); why != party.WhyMoved || n != 1 {
					s.failf("the old host hears %d times Down, for %v", n, why)
				}
			}()
		}

		h := s.wantOneHost(heirWithin, s.guests)
		s.wantNamed(h, s.guests)
		s.wantCodeLeadsTo(h, code)
	})
}

func TestHeirsThatDoNotReachEachOtherAreNotBothHostWhileTheMatchmakerIsThere(t *testing.T) {
	eachSeed(t, func(s *succession) {
		s.host = s.hosting(s.open())
		for range 2 {
			lan := s.lan(strict) // two players who reach each other, and nobody else but open ones
			for i := range 2 {
				g := s.joining(lan.Host(fmt.Sprintf("10.0.0.%d", 2+i)), s.host)
				s.wantJoined(g, directWithin, party.Direct)
				s.guests = append(s.guests, g)
			}
		}
		s.pids = make(map[*player]party.PID)
		for _, m := range s.players {
			s.pids[m] = m.MyPID()
			m.every = 500 * time.Millisecond
		}
		s.run(s.upTo(20 * time.Second))

		s.host.at.Cut() // the matchmaker does not see that
		h := s.wantOneHost(unseenWithin, s.guests)
		s.wantNamed(h, s.guests)
	})
}

// wantReplaced sees a host that comes back hear that it was replaced.
func (s *succession) wantReplaced(old *player) {
	s.t.Helper()
	s.until(replaced, "the old host hears that it was replaced", func() bool { _, n := old.down(); return n > 0 })
	s.run(5 * time.Second)
	if why, n := old.down(); why != party.WhyReplaced || n != 1 {
		s.failf("the old host hears %d times Down, for %v, want once for %v", n, why, party.WhyReplaced)
	}
}
