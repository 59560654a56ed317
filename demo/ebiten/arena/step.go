package arena

// How a disc moves. The figures are chosen by feel: fast enough to cross the
// ice in four seconds, too slippery to stop in less than one.
const (
	tick    = 1.0 / TicksPerSecond
	thrust  = 12.0          // units a second, gained each second at full stick
	drag    = 1 - 1.55*tick // speed kept each tick
	soaked  = 1 - 6*tick    // the same in the water
	topDash = 12.0          // units a second from a full charge
	tapDash = 4.0           // from a tap
	slow    = 0.35          // of thrust while charging
	maxRush = 22.0          // nobody is ever faster, units a second
	coolFor = 50            // ticks from a dash to the next charge
	dashFor = 20            // ticks that a dash hits hard
)

// ChargeFull is how many ticks a full charge takes.
const ChargeFull = 40

// SinkTicks is how long a disc takes to go down.
const SinkTicks = 45

// Step moves the world on by one tick. in has the input of each place; those of
// empty places, and of discs in the water, do not matter.
func (w *World) Step(in *[MaxPlayers]Input) {
	w.count = 0
	w.Tick++
	w.advance()
	for i := range w.Discs {
		w.drive(&w.Discs[i], in[i])
	}
	w.bumpAll()
	for i := range w.Discs {
		d := &w.Discs[i]
		d.Pos, d.Vel = d.Pos.snap(posGrid), d.Vel.snap(velGrid)
		w.footing(d)
	}
	w.judge()
}

// drive applies a disc's input and moves it.
func (w *World) drive(d *Disc, in Input) {
	d.HitAgo = uint8(min(int(d.HitAgo)+1, 255))
	switch d.State {
	case Skating:
		d.listen(in)
		if w.Phase == Countdown {
			d.Charge = 0
			return
		}
		d.skate(in.Dir())
		d.Vel = d.Vel.Scale(drag)
	case Sinking:
		d.Vel = d.Vel.Scale(soaked)
	default:
		return
	}
	if v := d.Vel.Len(); v > maxRush {
		d.Vel = d.Vel.Scale(maxRush / v)
	}
	d.Pos = d.Pos.Add(d.Vel.Scale(tick))
}

// listen notes what the player's hands do.
func (d *Disc) listen(in Input) {
	d.Held = in.Charge
	d.Pushing = in.X != 0 || in.Y != 0
	if d.Pushing {
		d.Aim = [2]int8{in.X, in.Y}
	}
}

// skate turns stick and button into speed.
func (d *Disc) skate(dir Vec) {
	d.Dash -= min(d.Dash, 1)
	d.Cool -= min(d.Cool, 1)
	push := thrust * tick
	switch {
	case d.Held && d.Cool == 0:
		d.Charge = min(d.Charge+1, ChargeFull)
		push *= slow
	case d.Charge > 0:
		d.dash()
	}
	d.Vel = d.Vel.Add(dir.Scale(push))
}

// dash lets the charge go, in the direction of the aim.
func (d *Disc) dash() {
	power := float64(d.Charge) / ChargeFull
	aim := Vec{float64(d.Aim[0]), float64(d.Aim[1])}.Unit()
	d.Vel = d.Vel.Add(aim.Scale(tapDash + (topDash-tapDash)*power))
	d.Charge, d.Cool, d.Dash = 0, coolFor, dashFor
}

// Again is the input that the disc last showed: what to expect of a player of
// whom nothing newer is known.
func (d *Disc) Again() Input {
	in := Input{Charge: d.Held}
	if d.Pushing {
		in.X, in.Y = d.Aim[0], d.Aim[1]
	}
	return in
}

// creditFor is how many ticks after a hit a fall is the hitter's doing.
const creditFor = 3 * TicksPerSecond

// footing drops a disc that has no ice under its middle, and takes out one that
// has gone down.
func (w *World) footing(d *Disc) {
	switch {
	case d.State == Skating && !w.Solid(d.Pos):
		w.fall(d)
	case d.State == Sinking && d.Sink < SinkTicks:
		d.Sink++
	case d.State == Sinking && w.Phase == Lobby:
		w.respawn(d)
	case d.State == Sinking:
		d.State = Out
	}
}

func (w *World) fall(d *Disc) {
	d.State, d.Sink = Sinking, 0
	d.Charge, d.Dash, d.Cool = 0, 0, 0
	var by uint16
	if d.HitBy > 0 && d.HitAgo <= creditFor && w.Phase == Play {
		pusher := &w.Discs[d.HitBy-1]
		pusher.Pushes = uint8(min(int(pusher.Pushes)+1, 255))
		by = pusher.ID
	}
	w.tell(Fell, d.ID, by)
}
