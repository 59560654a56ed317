package party

import "encoding/binary"

// Put8 writes v at b[at] and says whether that is inside b. Nothing is
// written outside.
func Put8(b []byte, at int, v uint8) bool {
	if at < 0 || at >= len(b) {
		return false
	}
	b[at] = v
	return true
}

// Put32 writes v, little-endian, at b[at:at+4] and says whether all of that is
// inside b. If it is not, nothing is written.
func Put32(b []byte, at int, v uint32) bool {
	if at < 0 || at > len(b)-4 {
		return false
	}
	binary.LittleEndian.PutUint32(b[at:], v)
	return true
}

// Get8 reads what Put8 wrote; false outside b.
func Get8(b []byte, at int) (uint8, bool) {
	if at < 0 || at >= len(b) {
		return 0, false
	}
	return b[at], true
}

// Get32 reads what Put32 wrote; false unless all four bytes are inside b.
func Get32(b []byte, at int) (uint32, bool) {
	if at < 0 || at > len(b)-4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b[at:]), true
}

// Copy copies the n bytes at src[from] to dst[at] and says whether all of that
// is inside both. If it is not, nothing is copied.
func Copy(dst []byte, at int, src []byte, from, n int) bool {
	if n < 0 || at < 0 || at > len(dst)-n || from < 0 || from > len(src)-n {
		return false
	}
	copy(dst[at:at+n], src[from:])
	return true
}
