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
	told bool // that it cannot be kept
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

// keep writes a seat that is new. It may be tried again and again: that it fails
// is told once, until it succeeds.
func (f *seatFile) keep(seat []byte) error {
	if f.name == "" || len(seat) == 0 || bytes.Equal(seat, f.kept) {
		return nil
	}
	err, told := f.write(seat), f.told
	f.told = err != nil
	switch {
	case err == nil:
		f.kept = bytes.Clone(seat)
	case told:
		return nil
	}
	return err
}

// write writes a seat in one piece: whoever holds it can take the player's
// place, so nobody else may read it.
func (f *seatFile) write(seat []byte) error {
	next := filepath.Join(filepath.Dir(f.name), "."+filepath.Base(f.name)+".new")
	if err := os.WriteFile(next, seat, 0o600); err != nil {
		return err
	}
	return os.Rename(next, f.name)
}

// drop forgets the seat: the player has left for good.
func (f *seatFile) drop() {
	if f.name != "" && f.kept != nil {
		os.Remove(f.name)
		f.kept = nil
	}
}
