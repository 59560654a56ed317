package party

import (
	"crypto/sha256"
)

// seatSize is the size of a seat: a member's secret, which the host gave it.
const seatSize = 16

// A place is what a member knows of itself and of its party. It outlives the
// session, until the next or Fresh, so that StandAlone can go on from it.
type place struct {
	pid    PID
	seat   [seatSize]byte
	seated bool   // seat is one
	roster roster // the newest; its epoch is the one this side follows
}

// seatFrom reads Config.Seat; one of another size is none.
func seatFrom(b []byte) (seat [seatSize]byte, ok bool) {
	return seat, copy(seat[:], b) == seatSize && len(b) == seatSize
}

// seatKey is what the roster says of a seat: enough to know it again, too
// little to show it.
func seatKey(seat [seatSize]byte) [32]byte { return sha256.Sum256(seat[:]) }

// fresh forgets all but the seat.
func (l *place) fresh() { *l = place{seat: l.seat, seated: l.seated} }

// Seat is this member's proof of its place, 16 bytes. Store it, and give it to
// Config.Seat when the program runs again after a crash: the host then knows
// who comes back. Nil before Joined. Whoever has it can take the place.
func (p *Party) Seat() []byte {
	if !p.place.seated {
		return nil
	}
	return append([]byte(nil), p.place.seat[:]...)
}
