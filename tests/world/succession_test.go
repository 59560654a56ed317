package world

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"

	"github.com/partyline-go/partyline/matchmaker"
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

// A fault lasts from one time to another.
type fault struct {
	begin, end time.Duration
	what       string
	on, off    func()
	matchmaker bool // it is the matchmaker that is gone
	splits     bool // who is cut off may become a party of its own
}

// fault picks one: a way between two players that is dead in one direction or
// both, a player cut off, the matchmaker gone.
func (s *succession) fault(among []*player) fault {
	a, b := pick(s, among...), pick(s, among...)
	f := fault{begin: s.Now() + s.upTo(20*time.Second)}
	f.end = f.begin + s.between(time.Second, 30*time.Second)
	// A LAN with several players may go on by itself, and an heir does not wait
	// for ever for what the matchmaker says.
	f.splits = f.end-f.begin >= heirPatience || len(a.at.network.nodes) > 1 && a.at.network.router != nil
	switch s.dice.IntN(6) {
	case 0:
		f.what = "the matchmaker is gone"
		f.matchmaker = true
		f.on, f.off = s.service.Stop, s.service.Start
	case 1:
		f.what = a.name + " is cut off"
		f.on, f.off = a.at.Cut, a.at.Mend
	case 2:
		f.what = "nobody hears " + a.name
		f.on, f.off = a.at.Out.Cut, a.at.Out.Mend
	case 3:
		f.what = a.name + " hears nobody"
		f.on, f.off = a.at.In.Cut, a.at.In.Mend
	case 4:
		f.splits = false
		f.what = fmt.Sprintf("%s does not reach %s", a.name, b.name)
		f.on = func() { s.CutBetween(a.at, b.at) }
		f.off = func() { s.MendBetween(a.at, b.at) }
	default:
		f.splits = false
		f.what = fmt.Sprintf("%s and %s do not reach each other", a.name, b.name)
		f.on = func() { s.CutBetween(a.at, b.at); s.CutBetween(b.at, a.at) }
		f.off = func() { s.MendBetween(a.at, b.at); s.MendBetween(b.at, a.at) }
	}
	return f
}

// schedule has a fault happen, and gives when it is over.
func (s *succession) schedule(f fault) (end time.Duration) {
	fmt.Fprintf(&s.script, "; from %v to %v %s", f.begin.Round(time.Millisecond), f.end.Round(time.Millisecond), f.what)
	s.After(f.begin-s.Now(), f.on)
	s.After(f.end-s.Now(), f.off)
	return f.end
}

func TestPartyWhoseHostDiesSettlesAfterWhateverElseHappens(t *testing.T) {
	eachSeed(t, func(s *succession) {
		s.gather(3 + s.dice.IntN(4))
		s.say("the host is killed")
		s.host.at.Kill()
		end := s.Now()
		living := s.guests
		if s.dice.IntN(2) == 0 {
			second := pick(s, s.guests[0], pick(s, s.guests...)) // the first is mostly the heir
			at := s.upTo(25 * time.Second)
			s.say("%s is to be killed %v later", second.name, at.Round(time.Millisecond))
			s.After(at, second.at.Kill)
			living, end = without(living, second), max(end, s.Now()+at)
		}
		several, gone := false, false
		for range s.dice.IntN(3) {
			f := s.fault(s.guests)
			if f.matchmaker && gone {
				continue
			}
			gone = gone || f.matchmaker
			several = several || f.matchmaker || f.splits
			end = max(end, s.schedule(f))
		}

		s.run(end - s.Now())
		s.until(settleWithin, "there is one host, or one Down each", func() bool { return s.settled(living, several) })
		s.run(10 * time.Second)

		if !s.settled(living, several) {
			s.failf("they had settled, and then had not")
		}
	})
}

// settled: of the living some are one party, and the others have heard once
// that they are out. Where several is set those that did not reach each other may
// be several parties: without the matchmaker nothing could tell them of each other,
// and none leaves a host that it hears. At most one has the room then.
func (s *succession) settled(living []*player, several bool) bool {
	parties := make(map[uint32][]*player)
	for _, m := range living {
		switch _, n := m.down(); {
		case n == 0:
			parties[m.Token()] = append(parties[m.Token()], m)
		case n > 1:
			s.failf("%s hears Down %d times", m.name, n)
		}
	}
	rooms := 0
	for _, in := range parties {
		h := newHost(in)
		if h == nil || !s.united(h, without(in, h)) {
			return false
		}
		if h.hasRoom() {
			rooms++
		}
	}
	return len(parties) <= 1 || several && rooms <= 1
}

// hasRoom says whether the last that a host heard of its room is that it has it.
func (m *player) hasRoom() (has bool) {
	for _, f := range m.facts {
		switch f.Kind {
		case party.RoomOpen:
			has = true
		case party.RoomFailed:
			has = false
		}
	}
	return has
}

// ticket is the ticket of the party's room, which a game does not see.
func (m *player) ticket() matchmaker.Bytes {
	of := reflect.ValueOf(m.Party).Elem().FieldByName("place").FieldByName("room").FieldByName("ticket")
	t := make(matchmaker.Bytes, of.Len())
	for i := range t {
		t[i] = byte(of.Index(i).Uint())
	}
	return t
}

func TestTicketAloneStealsNoRoom(t *testing.T) {
	p := newPlay(t, 1)
	h := p.hosting(p.at(restricted))
	g := p.joining(p.at(restricted), h)
	p.wantJoined(g, directWithin, party.Direct)
	thief := p.open().Signal(p.service.URL())
	p.run(time.Second)

	for range 60 {
		thief.Send(matchmaker.Message{
			T: matchmaker.Claim, App: []byte("PLparty\x01"), Proto: 1, Key: make([]byte, 32),
			Code: h.Room(), Ticket: g.ticket(), Epoch: 99,
		})
		p.run(time.Second)
	}

	for m, ok := thief.Receive(); ok; m, ok = thief.Receive() {
		if m.T != matchmaker.Alive {
			p.failf("the thief hears %+v", m)
		}
	}
	late := p.joining(p.open(), h)
	p.wantJoined(late, relayedWithin, party.Direct)
	if h.count(party.RoomFailed) > 0 || late.Token() != h.Token() {
		p.failf("the host has lost its room")
	}
}

func TestRoomTakenFromALivingHostComesBackWhenItsTakerGoes(t *testing.T) {
	p := newPlay(t, 1)
	h := p.hosting(p.at(restricted))
	g := p.joining(p.at(restricted), h)
	p.wantJoined(g, directWithin, party.Direct)
	p.service.Stop()
	p.run(20 * time.Second) // the host does not ask often any more
	p.service.Start()
	at := p.open()
	taker := at.Signal(p.service.URL())
	p.until(5*time.Second, "the taker's line is up", func() bool { return taker.Up() == 1 })
	taker.Send(matchmaker.Message{
		T: matchmaker.Open, App: []byte("PLparty\x01"), Proto: 1, Key: make([]byte, 32),
		Code: h.Room(), Ticket: g.ticket(), Epoch: 2,
	})
	p.run(40 * time.Second) // the host is back by now, and hears that its room is another's

	at.Kill()
	p.until(time.Minute, "the host has it back", func() bool { return h.count(party.RoomOpen) == 2 })

	late := p.joining(p.open(), h)
	p.wantJoined(late, relayedWithin, party.Direct)
	if h.PeerCount() != 2 {
		p.failf("the host has %d guests, want 2", h.PeerCount())
	}
}

func TestNoPartyIsTornFromALivingHost(t *testing.T) {
	eachSeed(t, func(s *succession) {
		s.gather(3 + s.dice.IntN(3))
		code := s.host.Room()
		var end time.Duration
		lost := pick(s, s.guests...)
		for _, f := range []fault{
			{what: "the matchmaker is gone", on: s.service.Stop, off: s.service.Start},
			{
				what: lost.name + " and the host do not reach each other",
				on:   func() { s.CutBetween(lost.at, s.host.at); s.CutBetween(s.host.at, lost.at) },
				off:  func() { s.MendBetween(lost.at, s.host.at); s.MendBetween(s.host.at, lost.at) },
			},
			{
				what: "nobody hears " + lost.name,
				on:   func() { lost.at.Out.Cut() },
				off:  func() { lost.at.Out.Mend() },
			},
		} {
			if s.dice.IntN(2) == 0 {
				f.begin = s.Now() + s.upTo(20*time.Second)
				f.end = f.begin + s.between(time.Second, 40*time.Second)
				end = max(end, s.schedule(f))
			}
		}
		s.run(max(end-s.Now(), 0) + settleWithin)

		others := without(s.guests, lost)
		for _, m := range append(others, s.host) {
			if _, n := m.down(); n > 0 || m.count(party.NewHost) > 0 {
				s.failf("%s, whose host lives, does not have it any more", m.name)
			}
		}
		if _, n := lost.down(); n > 1 || n == 0 && lost.Token() != s.host.Token() {
			s.failf("%s has heard Down %d times, and has another party", lost.name, n)
		}
		s.wantCodeLeadsTo(s.host, code)
	})
}
