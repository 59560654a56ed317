// Package level makes the look of a game's ice: where it is bare and where snow
// lies. The host makes it, of a seed and its settings, and sends it whole to each
// guest, which could not make it without knowing both. The rules do not need it.
package level

import (
	"crypto/sha256"
	"fmt"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

const (
	// Side is how many points a level has each way.
	Side = 512

	// Size is a level in bytes: one for each point.
	Size = Side * Side

	// Reach is how far the level goes from the middle of the arena each way, in
	// the arena's units: a little beyond the ice.
	Reach = 16.0
)

// Settings are what a host chooses.
type Settings struct {
	Seed uint32
	Snow int // share of the ice that lies under snow, in percent: 0 to 100
}

// A Sum is a level's hash, by which a guest knows whether it has the host's.
type Sum [sha256.Size]byte

// A Level says of each point how much snow lies there: 0 is the darkest bare
// ice, 255 the deepest snow. It does not change once it is made.
type Level struct {
	points [Size]byte
	sum    Sum
}

// Parse gives the level of what Bytes gave elsewhere. The error says that the
// size is wrong, or that it is another level than that of sum.
func Parse(data []byte, sum Sum) (*Level, error) {
	if len(data) != Size {
		return nil, fmt.Errorf("level: %d bytes, not %d", len(data), Size)
	}
	if sha256.Sum256(data) != sum {
		return nil, fmt.Errorf("level: the hash is another")
	}
	return &Level{[Size]byte(data), sum}, nil
}

// Bytes gives the level's points, row by row from the top. They are to be read
// only.
func (l *Level) Bytes() []byte { return l.points[:] }

// Sum is the level's hash.
func (l *Level) Sum() Sum { return l.sum }

// At gives the point, as numbers from 0 to Side, at which a place of the arena is.
func At(p arena.Vec) (x, y float64) {
	return (p.X/Reach + 1) / 2 * Side, (p.Y/Reach + 1) / 2 * Side
}
