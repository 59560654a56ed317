package launch

import (
	"bytes"
	"os"
	"path/filepath"
)

// A seatFile keeps a player's seat on disk. With the empty name it keeps nothing.
type seatFile struct {
	name string
	kept []byte
}

// read gives the seat of an earlier run; nil if there is none.
func (f *seatFile) read() []byte {
	if f.name == "" {
		return nil
	}
	seat, err := os.ReadFile(f.name)
	if err != nil {
		return nil
	}
	f.kept = seat
	return seat
}

// keep writes a seat that is new, in one piece: whoever holds it can take the
// player's place, so nobody else may read it.
func (f *seatFile) keep(seat []byte) error {
	if f.name == "" || len(seat) == 0 || bytes.Equal(seat, f.kept) {
		return nil
	}
	next := filepath.Join(filepath.Dir(f.name), "."+filepath.Base(f.name)+".new")
	if err := os.WriteFile(next, seat, 0o600); err != nil {
		return err
	}
	if err := os.Rename(next, f.name); err != nil {
		return err
	}
	f.kept = bytes.Clone(seat)
	return nil
}

// drop forgets the seat: the player has left for good.
func (f *seatFile) drop() {
	if f.name != "" && f.kept != nil {
		os.Remove(f.name)
		f.kept = nil
	}
}
