package arena

// An Input is what one player does in one tick.
type Input struct {
	X, Y   int8 // the stick, −127 to 127 each; longer than 127 counts as 127
	Charge bool // the button: hold to charge, let go to dash
}

// InputSize is the length of an encoded Input, in bytes.
const InputSize = 3

// Steer gives the input for a stick at v, whose length is at most 1.
func Steer(v Vec, charge bool) Input {
	if v.Len() > 1 {
		v = v.Unit()
	}
	return Input{X: int8(v.X * 127), Y: int8(v.Y * 127), Charge: charge}
}

// Dir is the stick's direction, at most 1 long.
func (in Input) Dir() Vec {
	v := Vec{float64(in.X) / 127, float64(in.Y) / 127}
	if v.Len() > 1 {
		return v.Unit()
	}
	return v
}

// Append encodes the input at the end of b.
func (in Input) Append(b []byte) []byte {
	return append(b, byte(in.X), byte(in.Y), bit(in.Charge, 0))
}

// ParseInput reads what Append wrote; ok is false for anything else.
func ParseInput(b []byte) (in Input, ok bool) {
	if len(b) != InputSize || b[2] > 1 {
		return Input{}, false
	}
	return Input{X: int8(b[0]), Y: int8(b[1]), Charge: b[2] == 1}, true
}

func bit(on bool, at uint) byte {
	if on {
		return 1 << at
	}
	return 0
}
