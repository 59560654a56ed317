package launch

import (
	"math/rand/v2"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/session"
	"github.com/partyline-go/partyline/party"
)

var botNames = [...]string{
	"Ada", "Bo", "Cleo", "Dov", "Esme", "Finn", "Gus", "Hana", "Ivo", "June", "Kai",
}

// A bot is a real guest: a session with a socket of its own, whose player is a
// Brain that sees only what the session shows it.
type bot struct {
	*session.Session
	brain  *arena.Brain
	dice   *rand.Rand
	read   uint64 // notes of the feed that it has seen
	silent int    // frames until it may chat again
}

func newBot(i int, seed uint64, cfg party.Config) *bot {
	seed += uint64(i) * 7919
	return &bot{
		Session: session.New(session.Config{Name: botNames[i%len(botNames)], NoForecast: true, Party: cfg}),
		brain:   arena.NewBrain(seed),
		dice:    rand.New(rand.NewPCG(seed, 1)),
		silent:  i * 40,
	}
}

// frame plays one tick.
func (b *bot) frame() {
	b.Frame(b.brain.Think(b.Shown(), b.Place()))
	b.silent = max(0, b.silent-1)
	for ; b.read < b.Feed().Count(); b.read++ {
		if n := b.Feed().Note(b.read); n != nil {
			b.remark(n)
		}
	}
}

const (
	chatty    = 0.3     // of the occasions to say something are taken
	chatPause = 12 * 60 // ticks between a bot's lines
)

// remark lets a bot say something to what happens to it, now and then.
func (b *bot) remark(n *session.Note) {
	lines := occasion(n.Kind)
	if n.Who != b.Me() || lines == nil || b.silent > 0 || b.dice.Float64() > chatty {
		return
	}
	if b.Say(lines[b.dice.IntN(len(lines))]) == nil {
		b.silent = chatPause
	}
}

func occasion(k session.NoteKind) []string {
	switch k {
	case session.NoteJoined:
		return []string{"hello!", "hi all", "room for one more?", "nice ice"}
	case session.NoteFell:
		return []string{"brrr!", "cold!", "glub", "again!", "I slipped", "next round is mine"}
	case session.NoteRound:
		return []string{"ha!", "too easy", "still dry", "gg"}
	case session.NoteMatch:
		return []string{"champion!", "thank you, thank you"}
	}
	return nil
}
