package netmsg

import "math/bits"

// messageWindow is how many reliable messages of a channel may be under way,
// counted from the lowest that the peer has not delivered.
const messageWindow = 1024

// messageBits is a bit for each message of a channel's window.
type messageBits [messageWindow / 64]uint64

func (m *messageBits) set(number uint64)   { m[number/64%uint64(len(m))] |= 1 << (number % 64) }
func (m *messageBits) clear(number uint64) { m[number/64%uint64(len(m))] &^= 1 << (number % 64) }

// first gives the lowest message from from on, below end, whose bit is set;
// false if there is none. From from to end is not more than the window.
func (m *messageBits) first(from, end uint64) (number uint64, ok bool) {
	for n := from; n < end; n = n&^63 + 64 {
		if w := m[n/64%uint64(len(m))] >> (n % 64); w != 0 {
			number = n + uint64(bits.TrailingZeros64(w))
			return number, number < end
		}
	}
	return 0, false
}
