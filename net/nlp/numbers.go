package nlp

import "time"

// Rules of both packet families, N64NL's game packets and its server packets.
const (
	Window      = 15          // reliable packets on their way at once
	ResendAfter = time.Second // since a packet was last sent
	MaxSends    = 5           // of one reliable packet; then the peer is given up
)

// remembered is how many numbers back a receiver knows what it has. Whatever
// is older came before.
const remembered = 256

// Newer says whether a is ahead of b on the wheel of 65,536 numbers. At exactly
// half a turn the greater is.
func Newer(a, b uint16) bool {
	d := a - b
	if d == 1<<15 {
		return a > b
	}
	return d != 0 && d < 1<<15
}

// Received is what a receiver knows of the other's reliable numbers. Its zero
// value has received none.
type Received struct {
	any    bool
	newest uint16
	seen   [remembered / 64]uint64 // bit n%remembered: number n came
}

// Take notes number n. False: it came before, or is so old that it must have.
func (r *Received) Take(n uint16) (fresh bool) {
	if !r.any {
		r.any, r.newest = true, n
		r.set(n)
		return true
	}
	if Newer(n, r.newest) {
		for skipped := r.newest + 1; skipped != n && n-skipped < remembered; skipped++ {
			r.clear(skipped)
		}
		if n-r.newest >= remembered {
			r.seen = [remembered / 64]uint64{}
		}
		r.newest = n
		r.set(n)
		return true
	}
	if r.newest-n >= remembered || r.has(n) {
		return false
	}
	r.set(n)
	return true
}

// Ack gives the fields of the next packet: the highest number and, in bit k,
// whether the number k+1 below it came. Bit 15 is never set, for a program in
// use would then take everything as received.
func (r *Received) Ack() (ack, bits uint16) {
	if !r.any {
		return 0xFFFF, 0
	}
	for k := range uint16(15) {
		if n := r.newest - 1 - k; r.has(n) {
			bits |= 1 << k
		}
	}
	return r.newest, bits
}

func (r *Received) set(n uint16)      { r.seen[n%remembered/64] |= 1 << (n % 64) }
func (r *Received) clear(n uint16)    { r.seen[n%remembered/64] &^= 1 << (n % 64) }
func (r *Received) has(n uint16) bool { return r.seen[n%remembered/64]>>(n%64)&1 == 1 }

// Acks says whether ack and bits name number n.
func Acks(ack, bits, n uint16) bool {
	d := ack - n
	return d == 0 || d <= 16 && bits>>(d-1)&1 == 1
}

// UnreliableNumber is what an unreliable packet carries when next is the number
// of the next reliable one: far enough back that no receiver counts it.
func UnreliableNumber(next uint16) uint16 { return next - 256 }
