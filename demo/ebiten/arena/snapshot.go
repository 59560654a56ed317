package arena

import (
	"encoding/binary"
	"errors"
)

// A snapshot is, big-endian:
//
//	tick u32, phase u8, clock u16, ice u16, round u16, winner u16, seed u32, places u16,
//	and for each place whose bit is set, from the lowest:
//	id u16, x i16, y i16, vx i16, vy i16 (steps of the grids), aim 2 × i8,
//	flags u8 (state; 4: stick out; 8: button down),
//	charge, cool, dash, sink, hit by, hit ago, wins, pushes: u8 each
const (
	headSize = 19
	discSize = 21

	// SnapshotMax is the length of a snapshot of twelve players, in bytes.
	SnapshotMax = headSize + MaxPlayers*discSize

	flagState   = 3
	flagPushing = 2 // bits
	flagHeld    = 3
)

// ErrSnapshot says that the bytes are no snapshot.
var ErrSnapshot = errors.New("arena: not a snapshot")

// Append encodes the world at the end of b: all of it, but for the events.
func (w *World) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, w.Tick)
	b = append(b, byte(w.Phase))
	b = binary.BigEndian.AppendUint16(b, w.Clock)
	b = binary.BigEndian.AppendUint16(b, w.Ice)
	b = binary.BigEndian.AppendUint16(b, w.Round)
	b = binary.BigEndian.AppendUint16(b, w.Winner)
	b = binary.BigEndian.AppendUint32(b, w.floe.Seed)
	var places uint16
	for i := range w.Discs {
		if w.Discs[i].ID != 0 {
			places |= 1 << i
		}
	}
	b = binary.BigEndian.AppendUint16(b, places)
	for i := range w.Discs {
		if w.Discs[i].ID != 0 {
			b = w.Discs[i].append(b)
		}
	}
	return b
}

func (d *Disc) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, d.ID)
	b = appendVec(b, d.Pos, posGrid)
	b = appendVec(b, d.Vel, velGrid)
	return append(b, byte(d.Aim[0]), byte(d.Aim[1]),
		byte(d.State)|bit(d.Pushing, flagPushing)|bit(d.Held, flagHeld),
		d.Charge, d.Cool, d.Dash, d.Sink, d.HitBy, d.HitAgo, d.Wins, d.Pushes)
}

func appendVec(b []byte, v Vec, grid float64) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(toGrid(v.X, grid)))
	return binary.BigEndian.AppendUint16(b, uint16(toGrid(v.Y, grid)))
}

// Decode makes w the world of a snapshot. Bytes that are not exactly one give
// ErrSnapshot and leave w as it was.
func (w *World) Decode(b []byte) error {
	if len(b) < headSize {
		return ErrSnapshot
	}
	n := World{
		Tick:   binary.BigEndian.Uint32(b),
		Phase:  Phase(b[4]),
		Clock:  binary.BigEndian.Uint16(b[5:]),
		Ice:    binary.BigEndian.Uint16(b[7:]),
		Round:  binary.BigEndian.Uint16(b[9:]),
		Winner: binary.BigEndian.Uint16(b[11:]),
	}
	seed := binary.BigEndian.Uint32(b[13:])
	places := binary.BigEndian.Uint16(b[17:])
	b = b[headSize:]
	if n.Phase < Lobby || n.Phase > MatchOver || places>>MaxPlayers != 0 {
		return ErrSnapshot
	}
	for i := range n.Discs {
		if places>>i&1 == 0 {
			continue
		}
		if len(b) < discSize || !n.Discs[i].decode(b[:discSize]) || n.Place(n.Discs[i].ID) != i {
			return ErrSnapshot
		}
		b = b[discSize:]
	}
	if len(b) != 0 {
		return ErrSnapshot
	}
	n.floe = w.floe
	if seed != n.floe.Seed || w.Phase == 0 {
		n.floe.Freeze(seed)
	}
	*w = n
	return nil
}

func (d *Disc) decode(b []byte) bool {
	*d = Disc{
		ID:      binary.BigEndian.Uint16(b),
		Pos:     vecOf(b[2:], posGrid),
		Vel:     vecOf(b[6:], velGrid),
		Aim:     [2]int8{int8(b[10]), int8(b[11])},
		State:   State(b[12] & flagState),
		Pushing: b[12]>>flagPushing&1 == 1,
		Held:    b[12]>>flagHeld&1 == 1,
		Charge:  b[13], Cool: b[14], Dash: b[15], Sink: b[16],
		HitBy: b[17], HitAgo: b[18], Wins: b[19], Pushes: b[20],
	}
	return d.ID != 0 && d.State != 0 && b[12]>>4 == 0 && d.Charge <= ChargeFull && d.HitBy <= MaxPlayers
}

func vecOf(b []byte, grid float64) Vec {
	x, y := int16(binary.BigEndian.Uint16(b)), int16(binary.BigEndian.Uint16(b[2:]))
	return Vec{float64(x) * grid, float64(y) * grid}
}

// TickOf is the tick of a snapshot, without decoding the rest.
func TickOf(b []byte) (tick uint32, ok bool) {
	if len(b) < headSize {
		return 0, false
	}
	return binary.BigEndian.Uint32(b), true
}
