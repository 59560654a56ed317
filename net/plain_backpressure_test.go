package netmsg

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestAFullInboxMakesThePeerKeepItsMessages(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	s.B.setInboxLimit(100)
	for n := range 300 {
		s.send(strconv.Itoa(n))
	}
	s.Advance(5 * time.Second) // B pulls nothing

	if held := s.B.in.held[Ordered1].messages; held != 100 {
		t.Errorf("%d messages are held, want the limit, 100", held)
	}
	if got := s.A.Stats().Unacked; got < 200 {
		t.Errorf("A keeps %d, want at least the 200 that B could not", got)
	}
	s.run(10 * time.Second)
	wantNumbered(t, messages(s.b), 300)
	if got := s.A.Stats().Unacked; got != 0 {
		t.Errorf("%d are not acknowledged in the end", got)
	}
}

func TestAPacketThatCouldNotBeKeptWholeIsNotAcknowledged(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.setInboxLimit(2)
	packet := r.packet(0, 0xffff, 0, []item{msg(0, "0"), msg(1, "1"), msg(2, "2")}, []item{val(1, 0, "v")})

	r.core.Receive(0, packet)
	if sent := r.run(100 * ms); sent[0].ack != 0xffff {
		t.Errorf("acknowledged %v", sent[0])
	}
	wantEvents(t, r.core, "Joined 0 1 1=v")
	r.core.Receive(r.now, packet)
	if sent := r.run(100 * ms); sent[0].ack != 0 {
		t.Errorf("with room again: %v", sent[0])
	}
	wantEvents(t, r.core, "2")
}

func TestAnInboxOfOneStillGetsEverythingThrough(t *testing.T) {
	for _, limit := range []int{-1, 0, 1, 2, 7} {
		link := LinkConfig{Loss: 0.2, Latency: 10 * ms, Jitter: 10 * ms}
		s := newSimTest(t, nil, link, link, 1)
		s.keep = false
		s.B.setInboxLimit(limit)
		for n := range 100 {
			s.send(strconv.Itoa(n))
		}
		for s.Now() < 2*time.Minute && len(messages(s.b)) < 100 {
			s.run(100 * ms)
		}
		wantNumbered(t, messages(s.b), 100)
	}
}

func TestAnApplicationThatStopsPullingKeepsItsConnection(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	s.keep = false
	for n := range 1024 {
		s.send(strconv.Itoa(n))
	}
	s.Advance(time.Minute)
	for n := range 1024 { // B holds 1,024, and A may keep as many again
		s.send(strconv.Itoa(1024 + n))
	}
	s.Advance(time.Minute)

	s.run(30 * time.Second)
	wantNumbered(t, messages(s.b), 2048)
	if len(s.a) != 1 {
		t.Errorf("A heard %q", s.a)
	}
}

// Whatever the link, the limit and the pulling, what was sent arrives.
func TestNoLimitAndNoLinkBringsMessagesToAStandstill(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		link := LinkConfig{
			Loss:    rapid.Float64Range(0, 0.4).Draw(rt, "loss"),
			Latency: time.Duration(rapid.IntRange(0, 150).Draw(rt, "latency")) * ms,
			Jitter:  time.Duration(rapid.IntRange(0, 60).Draw(rt, "jitter")) * ms,
		}
		s := newSimTest(t, nil, link, link, rapid.Uint64().Draw(rt, "seed"))
		s.keep = false
		s.B.setInboxLimit(rapid.IntRange(1, 300).Draw(rt, "limit"))
		size := rapid.IntRange(4, 300).Draw(rt, "size")
		count := rapid.IntRange(1, 200).Draw(rt, "count")
		pause := time.Duration(rapid.IntRange(10, 500).Draw(rt, "pause")) * ms
		most := rapid.IntRange(1, 60).Draw(rt, "most") // events pulled at a time
		for range count {
			s.send(string(patterned(size)))
		}
		heard := 0
		for s.Now() < 10*time.Minute && heard < count {
			s.Advance(pause)
			taken := 0
			for e := range s.B.Events() {
				if e.Kind == Message {
					heard++
				}
				if taken++; taken == most {
					break
				}
			}
		}
		if heard < count {
			rt.Fatalf("%d of %d were heard after %v", heard, count, s.Now())
		}
	})
}
