package session

import (
	"testing"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

// A link is a host's world and a guest's forecast, some ticks apart each way.
type link struct {
	world    arena.World
	queue    inputQueue
	history  history
	seq      uint16
	forecast forecast
	delay    int
	up       []uint16 // numbers of inputs on their way
	down     []snapshot
}

func newLink(delay int) *link {
	l := &link{delay: delay, world: *arena.New(3)}
	l.world.Join(1)
	l.world.Join(2)
	for l.world.Phase != arena.Play {
		l.world.Step(&[arena.MaxPlayers]arena.Input{})
	}
	l.world.Discs[0].Pos, l.world.Discs[1].Pos = arena.Vec{X: 4}, arena.Vec{X: -4}
	return l
}

// tick lets the guest, in place 1, do something.
func (l *link) tick(in arena.Input) {
	l.seq++
	l.history.set(l.seq, in)
	l.up = append(l.up, l.seq)
	if len(l.up) > l.delay {
		l.queue.put(l.up[0], l.history.at(l.up[0]))
		l.up = l.up[1:]
	}
	var all [arena.MaxPlayers]arena.Input
	all[1] = l.queue.take()
	l.world.Step(&all)
	s := snapshot{world: l.world}
	s.used[1] = l.queue.used
	l.down = append(l.down, s)
	if len(l.down) > l.delay {
		l.forecast.update(&l.down[0], 1, &l.history, l.seq)
		l.down = l.down[1:]
	}
}

func TestAForecastIsWhatTheHostWillDecide(t *testing.T) {
	l := newLink(6)
	var forecast, decided []arena.Vec
	for n := range 150 {
		l.tick(arena.Input{Y: int8(100 - n), Charge: n%50 > 20})
		forecast = append(forecast, l.forecast.world.Discs[1].Pos)
		decided = append(decided, l.world.Discs[1].Pos)
	}

	for n := 30; n < 140; n++ {
		// The host uses the input of tick n when it arrives.
		if got, want := forecast[n], decided[n+l.delay]; got != want {
			t.Fatalf("tick %d: forecast %v, decided %v", n, got, want)
		}
	}
}

func TestAGuestSeesItsOwnInputAtOnce(t *testing.T) {
	l := newLink(10)
	for range 60 {
		l.tick(arena.Input{})
	}
	before := l.forecast.world.Discs[1].Vel

	l.tick(arena.Input{X: 127})

	if l.forecast.world.Discs[1].Vel == before {
		t.Error("the push is not in the forecast")
	}
}

func TestACorrectionIsMadeGoodSmoothly(t *testing.T) {
	l := newLink(4)
	for range 60 {
		l.tick(arena.Input{})
	}
	shown := func() arena.Vec {
		w := l.world
		l.forecast.apply(&w, 1)
		return w.Discs[1].Pos
	}
	before := shown()

	l.world.Discs[1].Pos.Y += 1 // something the guest could not know
	jumped := 0.0
	for range 60 {
		l.tick(arena.Input{})
		now := shown()
		jumped = max(jumped, now.Sub(before).Len())
		before = now
	}

	if jumped > 0.3 || jumped == 0 {
		t.Errorf("a correction of 1 shows as a jump of %.2f", jumped)
	}
	if off := before.Sub(l.world.Discs[1].Pos).Len(); off > 0.01 {
		t.Errorf("still off by %.3f after a second", off)
	}
}

func TestThoseNearAreShownWhereTheyWillBe(t *testing.T) {
	var f forecast
	f.known = true
	disc := func(id uint16, x float64) arena.Disc {
		return arena.Disc{ID: id, State: arena.Skating, Pos: arena.Vec{X: x}}
	}
	f.world.Discs[0], f.world.Discs[1], f.world.Discs[2] = disc(1, 0), disc(2, 1.5), disc(3, 9)
	var shown arena.World
	shown.Discs[0], shown.Discs[1], shown.Discs[2] = disc(1, -1), disc(2, 2), disc(3, 8)

	f.apply(&shown, 0)

	for i, want := range []float64{0, 1.5, 8} {
		if got := shown.Discs[i].Pos.X; got != want {
			t.Errorf("disc %d shown at %v, want %v", i, got, want)
		}
	}
}
