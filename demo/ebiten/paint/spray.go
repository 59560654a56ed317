package paint

import (
	"math"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

// A drop is one speck of snow, water or light, or a ring that widens.
type drop struct {
	pos, vel arena.Vec
	height   float64 // units over the ice
	rise     float64 // units a second
	age      float64 // seconds
	life     float64
	size     float64 // units
	ring     bool
	color    Color
}

// spray is every drop in the air. The oldest makes room for the newest.
type spray struct {
	drops [600]drop
	next  int
	rolls uint32
}

func (s *spray) add(d drop) {
	s.drops[s.next] = d
	s.next = (s.next + 1) % len(s.drops)
}

// roll gives a number from −1 to 1.
func (s *spray) roll() float64 {
	s.rolls++
	return 2*chance(s.rolls) - 1
}

// burst throws n drops from a place.
func (s *spray) burst(at arena.Vec, n int, speed, rise, size, life float64, col Color) {
	for range n {
		a := s.roll() * math.Pi
		v := speed * (0.4 + 0.6*math.Abs(s.roll()))
		s.add(drop{
			pos: at, vel: arena.Vec{X: math.Cos(a) * v, Y: math.Sin(a) * v},
			rise: rise * (0.6 + 0.4*s.roll()), size: size * (0.7 + 0.4*s.roll()),
			life: life * (0.8 + 0.3*s.roll()), color: col,
		})
	}
}

func (s *spray) ripple(at arena.Vec, size, life float64, col Color) {
	s.add(drop{pos: at, size: size, life: life, ring: true, color: col})
}

const gravity = 9.0 // units a second, each second

// move lets dt seconds pass.
func (s *spray) move(dt float64) {
	for i := range s.drops {
		d := &s.drops[i]
		if d.life == 0 {
			continue
		}
		d.age += dt
		if d.age >= d.life {
			*d = drop{}
			continue
		}
		d.pos = d.pos.Add(d.vel.Scale(dt))
		d.vel = d.vel.Scale(1 - 1.5*dt)
		if d.rise != 0 {
			d.rise -= gravity * dt
			d.height = max(0, d.height+d.rise*dt)
		}
	}
}

func (s *spray) draw(c *Canvas, k Camera) {
	for i := range s.drops {
		d := &s.drops[i]
		if d.life == 0 {
			continue
		}
		t := d.age / d.life
		at := k.At(d.pos, d.height)
		if d.ring {
			r := k.Size(d.size) * (0.3 + 0.7*math.Sqrt(t))
			c.Ring(at, r, r*tilt, max(1, k.Size(0.16)*(1-t)), d.color.Fade(1-t))
			continue
		}
		r := k.Size(d.size) * (1 - 0.5*t)
		c.Ellipse(at, r, r, d.color.Fade(1-t*t))
	}
}
