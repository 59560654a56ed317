package party

import (
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
)

// steady is a frame of a game in which everyone moves and talks. The host
// passes on what its guests say.
func steady(p *Party, sum *float32) {
	p.Begin(frame)
	for m := range p.Inbox() {
		switch m.Kind {
		case Hello:
			p.Accept(m.From)
		case kindA:
			x, y := m.Float32(), m.Float32()
			if m.Err() == nil {
				*sum += x + y
			}
			if p.Hosting() {
				p.Forward(m, Latest(0))
			}
		}
	}
	p.Update()
	w := p.Write(kindA)
	w.Float32(1)
	w.Float32(2)
	w.SendAll(Latest(0))
	w = p.Write(kindB)
	w.Str("hello, all")
	w.SendAll(Reliable)
	w.SendAll(Unreliable)
	for m := range p.Members() {
		if !m.Me && !p.Hosting() {
			w.SendTo(Reliable, m.PID)
		}
	}
	for r := range p.Peers() {
		*sum += float32(r.RTT().Seconds()) + float32(r.LastHeard().Seconds())
	}
	w.Loopback()
	p.End()
	for f := range p.Facts() {
		*sum += float32(f.Kind)
	}
}

// TestSteadyFrameAllocatesNothing counts a frame of a host and of its eleven
// guests, stepped.
func TestSteadyFrameAllocatesNothing(t *testing.T) {
	if raceOn {
		t.Skip("the race detector allocates")
	}
	w := newWorld(t, 1)
	h, _ := w.party(maxGuests)
	var sum float32
	all := func() {
		w.net.Advance(frame)
		for _, m := range w.members {
			steady(m.Party, &sum)
		}
	}
	for range 600 { // queues find their sizes
		all()
	}

	got := testing.AllocsPerRun(300, all)

	if got >= 1 || h.PeerCount() != maxGuests {
		t.Errorf("%v allocations in a frame of twelve members", got)
	}
}

// TestSteadyFrameAllocatesNothingLive is the same on real sockets.
func TestSteadyFrameAllocatesNothingLive(t *testing.T) {
	if raceOn {
		t.Skip("the race detector allocates")
	}
	h := New(Config{})
	if err := h.Host(0, 1); err != nil {
		t.Fatal(err)
	}
	defer h.Leave()
	members := []*Party{h}
	for range maxGuests {
		g := New(Config{NoHandOff: true})
		if err := g.Join(codes.Target{Addr: (&live{Party: h}).addr()}); err != nil {
			t.Fatal(err)
		}
		defer g.Leave()
		members = append(members, g)
	}
	var sum float32
	all := func() {
		for _, p := range members {
			steady(p, &sum)
		}
		time.Sleep(5 * time.Millisecond)
	}
	got := 1.0
	for range 10 { // on a busy machine it takes longer until the queues have their sizes
		for range 100 {
			all()
		}
		if got = testing.AllocsPerRun(100, all); got < 1 {
			break
		}
	}

	if got >= 1 || h.PeerCount() != maxGuests {
		t.Errorf("%v allocations in a frame of twelve members, %d guests", got, h.PeerCount())
	}
}

// BenchmarkFrame is a frame of a host with eleven guests, stepped: theirs are
// not counted.
func BenchmarkFrame(b *testing.B) {
	w := newWorld(b, 1)
	h, guests := w.party(maxGuests)
	var sum float32
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		b.StopTimer()
		w.net.Advance(frame)
		for _, g := range guests {
			steady(g.Party, &sum)
		}
		b.StartTimer()
		steady(h.Party, &sum)
	}
}
