package arena

// dice are splitmix64: small, seeded, the same everywhere.
type dice uint64

func (d *dice) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// float gives a number from 0 up to 1.
func (d *dice) float() float64 { return float64(d.next()>>11) / (1 << 53) }

// between gives a number from lo up to hi.
func (d *dice) between(lo, hi float64) float64 { return lo + (hi-lo)*d.float() }

// below gives a whole number from 0 to n−1.
func (d *dice) below(n int) int { return int(d.next() % uint64(n)) }
