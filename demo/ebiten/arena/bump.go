package arena

const (
	bounce    = 0.92 // of the closing speed comes back
	heavy     = 2.2  // mass of a dashing disc; others have 1
	wallop    = 1.6  // units a second that a dash adds to a hit
	hitSpeed  = 0.8  // closing speed, units a second, from which a touch is a hit
	separates = 2    // passes that pull overlapping discs apart
)

// bumpAll lets discs that touch bounce off each other, in the order of places.
func (w *World) bumpAll() {
	if w.Phase == Countdown {
		return
	}
	for pass := range separates {
		for i := range w.Discs {
			for j := i + 1; j < MaxPlayers; j++ {
				w.bump(i, j, pass == 0)
			}
		}
	}
}

// bump parts two discs that overlap, and makes them bounce if they close in.
func (w *World) bump(i, j int, bounces bool) {
	a, b := &w.Discs[i], &w.Discs[j]
	if a.State != Skating || b.State != Skating {
		return
	}
	apart := b.Pos.Sub(a.Pos)
	dist := apart.Len()
	if dist >= 2*Radius {
		return
	}
	n := apart.Unit()
	if dist == 0 {
		n = Vec{1, 0}
	}
	share := b.mass() / (a.mass() + b.mass()) // of the way, for a
	overlap := 2*Radius - dist
	a.Pos = a.Pos.Sub(n.Scale(overlap * share))
	b.Pos = b.Pos.Add(n.Scale(overlap * (1 - share)))
	closing := a.Vel.Sub(b.Vel).Dot(n)
	if !bounces || closing <= 0 {
		return
	}
	back := (1 + bounce) * closing
	a.Vel = a.Vel.Sub(n.Scale(back*share + b.extra()))
	b.Vel = b.Vel.Add(n.Scale(back*(1-share) + a.extra()))
	if closing >= hitSpeed {
		a.HitBy, a.HitAgo = uint8(j+1), 0
		b.HitBy, b.HitAgo = uint8(i+1), 0
	}
}

func (d *Disc) mass() float64 {
	if d.Dash > 0 {
		return heavy
	}
	return 1
}

// extra is what the disc's dash adds to the other's speed.
func (d *Disc) extra() float64 {
	if d.Dash > 0 {
		return wallop
	}
	return 0
}
