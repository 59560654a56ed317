package netmsg

import "time"

// A bucket spaces packets: so many a second, and a burst of a sixtieth of a
// second's worth, at least one. One packet takes one place. It is kept as the
// time at which the next packet would go if all went evenly. The zero bucket
// is full.
type bucket struct {
	even time.Duration
}

// bucketSlack is the part of an interval that a packet may go early, so that a
// frame which is due a hair before its packet need not wait for the frame
// after. What went early is not gained: the next is counted from the even time.
const bucketSlack = 8

// interval is the time between packets at rate a second, 0 if rate is no limit.
func interval(rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	return time.Second / time.Duration(rate)
}

// next is the earliest time at which a packet may go.
func (b *bucket) next(rate int) time.Duration {
	return b.nextOf(rate, max(1, rate/60))
}

// nextOf is next for a bucket of another burst.
func (b *bucket) nextOf(rate, burst int) time.Duration {
	each := interval(rate)
	return b.even - time.Duration(burst-1)*each - each/bucketSlack
}

// take takes a place for a packet that goes now.
func (b *bucket) take(now time.Duration, rate int) {
	b.even = max(b.even, now) + interval(rate)
}
