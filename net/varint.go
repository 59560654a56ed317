package netmsg

// A varint is an unsigned integer below 2^30 in 1, 2 or 4 bytes, big-endian.
// The top two bits of the first byte say how many (00, 01, 10; 11 is not
// valid), the rest is the value. Each value has one encoding, the shortest: a
// longer one is malformed, so that what parses encodes to the same bytes.

// maxVarint is the largest value that a varint holds.
const maxVarint = 1<<30 - 1

// varintLen is the number of bytes that v takes.
func varintLen(v uint32) int {
	switch {
	case v < 1<<6:
		return 1
	case v < 1<<14:
		return 2
	}
	return 4
}

// appendVarint appends v, which is at most maxVarint.
func appendVarint(b []byte, v uint32) []byte {
	switch varintLen(v) {
	case 1:
		return append(b, byte(v))
	case 2:
		return append(b, 1<<6|byte(v>>8), byte(v))
	}
	if v > maxVarint {
		panic("netmsg: a varint holds less than 2^30") // no wire length may get here unchecked
	}
	return append(b, 2<<6|byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

// parseVarint reads the varint at the start of b and says how many bytes it
// took: 0 when it is malformed or b ends within it.
func parseVarint(b []byte) (v uint32, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	form := b[0] >> 6
	n = 1 << form
	if form == 3 || len(b) < n {
		return 0, 0
	}
	v = uint32(b[0] & (1<<6 - 1))
	for _, x := range b[1:n] {
		v = v<<8 | uint32(x)
	}
	if varintLen(v) != n {
		return 0, 0
	}
	return v, n
}
