// Package arena holds the rules of Floe: up to twelve discs on a sheet of ice
// push each other into the water while the sheet breaks up under them. The last
// one standing scores.
//
// A [World] is the whole game, moved by [World.Step] sixty times a second from
// one [Input] a disc. It knows no network, clock or picture. It holds no
// pointers, so an assignment copies it, and every number in it lies on the grid
// of the snapshot, so that
//
//	w.Append(nil)
//
// loses nothing: whoever decodes a snapshot has the very world it was taken
// from, and steps it to the very same future. Guests predict with that, and an
// heir goes on with it when a host leaves.
//
// Lengths are in units of about a disc's diameter (the ice is some 23 across),
// times in ticks. The middle of the ice is 0, 0; y grows downwards.
package arena

// MaxPlayers is how many discs a world has room for.
const MaxPlayers = 12

// TicksPerSecond is how often a world steps.
const TicksPerSecond = 60

// Radius of a disc.
const Radius = 0.62

// MatchWins is how many rounds win the match.
const MatchWins = 3

// Phase says what is going on.
type Phase uint8

const (
	Lobby     Phase = iota + 1 // fewer than two players: free skating, the ice holds
	Countdown                  // the discs stand lined up
	Play                       // the ice breaks; who falls is out
	RoundOver                  // a breather: Winner has scored
	MatchOver                  // a longer one: Winner has won MatchWins rounds
)

// String gives the phase's name.
func (p Phase) String() string {
	names := [...]string{"Phase(0)", "Lobby", "Countdown", "Play", "RoundOver", "MatchOver"}
	if int(p) < len(names) {
		return names[p]
	}
	return "Phase(?)"
}

// State says where a disc is.
type State uint8

const (
	Skating State = iota + 1 // on the ice
	Sinking                  // in the water, going down
	Out                      // gone until the next round
)

// A Disc is one player's. The zero Disc is an empty place.
type Disc struct {
	ID       uint16 // who: the session's number for the player, 0 for nobody
	State    State
	Pos, Vel Vec     // units, units a second
	Aim      [2]int8 // the last direction the stick was pushed in
	Pushing  bool    // the stick is out
	Held     bool    // the charge button is down
	Charge   uint8   // ticks of charge gathered, up to ChargeFull
	Cool     uint8   // ticks until the next charge may begin
	Dash     uint8   // ticks of dash left: the disc is heavy and hits hard
	Sink     uint8   // ticks under water, up to SinkTicks
	HitBy    uint8   // place of the last one who hit this disc, plus one
	HitAgo   uint8   // ticks since, at most 255
	Wins     uint8   // rounds won in this match
	Pushes   uint8   // others pushed into the water in this match
}

// A World is a whole game at one tick.
type World struct {
	Tick   uint32 // steps so far
	Phase  Phase
	Clock  uint16 // ticks in this phase
	Ice    uint16 // ticks that the ice has been breaking
	Round  uint16 // counts from 1
	Winner uint16 // ID of the last round's winner; 0: nobody
	Discs  [MaxPlayers]Disc

	floe   Floe
	events [maxEvents]Event
	count  int
}

// New gives a world without players, in the lobby. The same seed and the same
// inputs give the same game.
func New(seed uint32) *World {
	w := &World{Phase: Lobby, Round: 1}
	w.floe.Freeze(seed)
	return w
}

// Floe is the ice of this round.
func (w *World) Floe() *Floe { return &w.floe }

// Place gives the index in Discs of the player id, or -1.
func (w *World) Place(id uint16) int {
	for i := range w.Discs {
		if id != 0 && w.Discs[i].ID == id {
			return i
		}
	}
	return -1
}

// Players counts the discs that are somebody's.
func (w *World) Players() int {
	n := 0
	for i := range w.Discs {
		if w.Discs[i].ID != 0 {
			n++
		}
	}
	return n
}

// Standing counts the discs on the ice.
func (w *World) Standing() int {
	n := 0
	for i := range w.Discs {
		if w.Discs[i].State == Skating {
			n++
		}
	}
	return n
}

// Join gives the player id a place and returns it; -1 if all are taken or id
// is 0. In the lobby and in the countdown the disc stands on the ice at once,
// otherwise from the next round.
func (w *World) Join(id uint16) int {
	if at := w.Place(id); at >= 0 || id == 0 {
		return at
	}
	for i := range w.Discs {
		if w.Discs[i].ID != 0 {
			continue
		}
		w.Discs[i] = Disc{ID: id, State: Out, Aim: [2]int8{0, -127}}
		switch w.Phase {
		case Lobby:
			w.respawn(&w.Discs[i])
		case Countdown:
			w.lineUp()
			w.Clock = min(w.Clock, lateJoin)
		}
		return i
	}
	return -1
}

// Leave takes the player id out of the game.
func (w *World) Leave(id uint16) {
	at := w.Place(id)
	if at < 0 {
		return
	}
	w.Discs[at] = Disc{}
	for i := range w.Discs {
		if w.Discs[i].HitBy == uint8(at+1) {
			w.Discs[i].HitBy = 0
		}
	}
}

// Rename gives a player another id: the disc and its score stay what they are.
func (w *World) Rename(from, to uint16) {
	if at := w.Place(from); at >= 0 && to != 0 && w.Place(to) < 0 {
		w.Discs[at].ID = to
		if w.Winner == from {
			w.Winner = to
		}
	}
}
