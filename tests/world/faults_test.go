package world

import (
	"fmt"
	"testing"
	"time"

	"github.com/partyline-go/partyline/party"
)

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
