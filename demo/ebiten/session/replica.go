package session

import (
	"math"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

// A replica is the host's world as a guest knows it: the newest snapshots, and
// a moment a little before the newest that the guest shows, smoothly.
type replica struct {
	ring   [32]snapshot
	newest uint32  // its tick; 0: none came yet
	play   float64 // the tick shown now
	quiet  float64 // frames since the newest came
	jitter float64 // how unevenly they come, in frames
}

type snapshot struct {
	world arena.World
	used  [arena.MaxPlayers]uint16 // the last input used of each place
}

func (r *replica) slot(tick uint32) *snapshot { return &r.ring[tick%uint32(len(r.ring))] }

// latest is the newest snapshot; only after one came.
func (r *replica) latest() *snapshot { return r.slot(r.newest) }

// take decodes a snapshot. It is false for one that is damaged or not new.
func (r *replica) take(data []byte, used [arena.MaxPlayers]uint16) bool {
	tick, ok := arena.TickOf(data)
	if !ok || tick <= r.newest {
		return false
	}
	s := r.slot(tick)
	if s.world.Decode(data) != nil {
		s.world.Tick = 0
		return false
	}
	s.used = used
	if r.newest > 0 {
		late := r.quiet - float64(tick-r.newest)
		r.jitter += (math.Abs(late) - r.jitter) / 32
	}
	r.newest, r.quiet = tick, 0
	return true
}

const (
	leastDelay = 2.0 // ticks that the shown moment stays behind the newest snapshot
	mostDelay  = 12.0
	catchUp    = 0.04 // of the distance to the right moment, each frame
	mostSpeed  = 0.15 // faster or slower than normal
	jump       = 40.0 // ticks off: no use in catching up
)

// advance moves the shown moment on by a frame.
func (r *replica) advance() {
	r.quiet++
	if r.newest == 0 {
		return
	}
	delay := min(leastDelay+2*r.jitter, mostDelay)
	want := float64(r.newest) + r.quiet - delay
	r.play++
	off := want - r.play
	if math.Abs(off) > jump {
		r.play = want
		return
	}
	r.play += max(-mostSpeed, min(off*catchUp, mostSpeed))
}

// around gives the snapshots before and after the shown moment. after is nil
// past the newest.
func (r *replica) around() (before, after *snapshot) {
	at := uint32(max(r.play, 0))
	for back := range uint32(len(r.ring)) {
		s := r.slot(at - back)
		if at >= back && s.world.Tick == at-back && s.world.Tick > 0 {
			before = s
			break
		}
	}
	for tick := at + 1; tick <= r.newest; tick++ {
		if s := r.slot(tick); s.world.Tick == tick {
			after = s
			break
		}
	}
	return before, after
}

// coast is how many ticks a disc is shown to go straight on for want of news.
const coast = 8.0

// show puts the world of the shown moment into w. It is false before the first
// snapshot.
func (r *replica) show(w *arena.World) bool {
	before, after := r.around()
	switch {
	case before == nil && after == nil:
		if r.newest == 0 {
			return false
		}
		*w = r.latest().world
		return true
	case before == nil:
		*w = after.world
		return true
	}
	*w = before.world
	past := r.play - float64(before.world.Tick)
	if after == nil {
		drift(w, min(past, coast)/arena.TicksPerSecond)
		return true
	}
	blend(w, &after.world, past/float64(after.world.Tick-before.world.Tick))
	return true
}

// drift lets every disc go straight on for some seconds.
func drift(w *arena.World, seconds float64) {
	for i := range w.Discs {
		if d := &w.Discs[i]; d.State == arena.Skating {
			d.Pos = d.Pos.Add(d.Vel.Scale(seconds))
		}
	}
}

// blend moves the discs of w a share t of the way to where they are in next,
// unless they were put elsewhere in between.
func blend(w, next *arena.World, t float64) {
	for i := range w.Discs {
		a, b := &w.Discs[i], &next.Discs[i]
		if a.ID == b.ID && a.State == b.State && a.Pos.Sub(b.Pos).Len() < 3 {
			a.Pos, a.Vel = a.Pos.Lerp(b.Pos, t), a.Vel.Lerp(b.Vel, t)
		}
	}
}

// restart forgets the snapshots of a host that is gone; what is shown stays
// until the next one's come.
func (r *replica) restart() {
	for i := range r.ring {
		r.ring[i].world.Tick = 0
	}
	r.newest = 0
}
