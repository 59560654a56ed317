package arena

// EventKind says what an Event tells.
type EventKind uint8

const (
	RoundBegan EventKind = iota + 1 // the countdown is over
	Fell                            // Who is in the water, pushed by By (0: by nobody)
	RoundEnded                      // Who has won the round (0: nobody)
	MatchEnded                      // Who has won the match; follows RoundEnded
)

// An Event is something that the last step decided. Events are for telling the
// players; they are not part of a snapshot.
type Event struct {
	Kind    EventKind
	Who, By uint16 // IDs
}

// maxEvents: everybody falls, and a round, a match and the next round turn.
const maxEvents = MaxPlayers + 3

func (w *World) tell(k EventKind, who, by uint16) {
	if w.count < maxEvents {
		w.events[w.count] = Event{k, who, by}
		w.count++
	}
}

// Events gives what the last Step decided. They are valid until the next.
func (w *World) Events() []Event { return w.events[:w.count] }
