package arena

import "math"

// How long the phases last, in ticks. Play ends with the ice at the latest.
const (
	CountdownTicks = 3 * TicksPerSecond
	OverTicks      = 4 * TicksPerSecond
	MatchOverTicks = 8 * TicksPerSecond
	lateJoin       = CountdownTicks / 3 // who joins in the countdown has at least two seconds
)

// advance moves the phases on.
func (w *World) advance() {
	w.Clock = uint16(min(int(w.Clock)+1, math.MaxUint16))
	enough := w.Players() >= 2
	switch {
	case w.Phase == Lobby && enough:
		w.countDown()
	case w.Phase != Lobby && !enough:
		w.idle()
	case w.Phase == Countdown && w.Clock >= CountdownTicks:
		w.enter(Play)
		w.tell(RoundBegan, 0, 0)
	case w.Phase == Play:
		w.Ice++
	case w.Phase == RoundOver && w.Clock >= OverTicks:
		w.nextRound()
	case w.Phase == MatchOver && w.Clock >= MatchOverTicks:
		w.clearScores()
		w.nextRound()
	}
}

func (w *World) enter(p Phase) { w.Phase, w.Clock = p, 0 }

// idle waits for a second player.
func (w *World) idle() {
	w.enter(Lobby)
	w.Ice = 0
	w.clearScores()
	for i := range w.Discs {
		if d := &w.Discs[i]; d.ID != 0 && d.State != Skating {
			w.respawn(d)
		}
	}
}

func (w *World) clearScores() {
	for i := range w.Discs {
		w.Discs[i].Wins, w.Discs[i].Pushes = 0, 0
	}
}

// nextRound freezes new ice, whose seed follows from the old.
func (w *World) nextRound() {
	d := dice(uint64(w.floe.Seed)<<16 | uint64(w.Round))
	w.Round++
	w.floe.Freeze(uint32(d.next()))
	w.countDown()
}

func (w *World) countDown() {
	w.enter(Countdown)
	w.Ice = 0
	w.lineUp()
}

// lineUp puts all players on a circle, at rest, facing the middle.
func (w *World) lineUp() {
	d := dice(w.floe.Seed)
	turn := d.float()
	n, at := float64(w.Players()), 0.0
	for i := range w.Discs {
		if w.Discs[i].ID == 0 {
			continue
		}
		w.stand(&w.Discs[i], polar((at+turn)*2*math.Pi/n, 2.9*ringWidth))
		at++
	}
}

// respawn puts a disc back on the ice near the middle, which the lobby needs.
func (w *World) respawn(d *Disc) {
	turn := dice(uint64(w.Tick)<<16 | uint64(d.ID))
	w.stand(d, polar(turn.float()*2*math.Pi, ringWidth))
}

// stand puts a disc on the ice, as new but for its score.
func (w *World) stand(d *Disc, at Vec) {
	in := at.Scale(-127 / at.Len())
	*d = Disc{
		ID: d.ID, Wins: d.Wins, Pushes: d.Pushes,
		State: Skating, Pos: at.snap(posGrid), Aim: [2]int8{int8(in.X), int8(in.Y)}, HitAgo: 255,
	}
}

// judge ends the round when at most one disc stands.
func (w *World) judge() {
	if w.Phase != Play || w.Standing() > 1 {
		return
	}
	w.Winner = 0
	w.enter(RoundOver)
	for i := range w.Discs {
		if d := &w.Discs[i]; d.State == Skating {
			w.Winner = d.ID
			d.Wins++
		}
	}
	w.tell(RoundEnded, w.Winner, 0)
	if at := w.Place(w.Winner); at >= 0 && w.Discs[at].Wins >= MatchWins {
		w.enter(MatchOver)
		w.tell(MatchEnded, w.Winner, 0)
	}
}
