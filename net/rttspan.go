package netmsg

import "time"

// rttGrain is the part of a span that a bucket covers.
const rttGrain = 10

// An rttSpan knows the smallest and the mean of the round trips seen in the
// last span of time. It keeps buckets of a tenth of the span, so its memory does
// not depend on how many samples come; what it says covers the span and up to a
// tenth more. Its zero value has seen none.
type rttSpan struct {
	buckets [rttGrain + 2]rttBucket
	at      int // the bucket that is being filled
}

type rttBucket struct {
	from     time.Duration // when its first sample came
	min, sum time.Duration
	n        int // 0: never used
}

// add takes a sample at now. The span may differ from call to call.
func (s *rttSpan) add(now, span, rtt time.Duration) {
	b := &s.buckets[s.at]
	if b.n > 0 && now-b.from >= span/rttGrain {
		s.at = (s.at + 1) % len(s.buckets)
		b = &s.buckets[s.at]
		*b = rttBucket{}
	}
	if b.n == 0 {
		b.from, b.min = now, rtt
	}
	b.min = min(b.min, rtt)
	b.sum += rtt
	b.n++
}

// over reports the smallest and the mean of the n samples of the last span
// before now. With n = 0 there were none.
func (s *rttSpan) over(now, span time.Duration) (least, mean time.Duration, n int) {
	oldest := now - span - span/rttGrain
	for i := range s.buckets {
		b := &s.buckets[i]
		if b.n == 0 || b.from < oldest {
			continue
		}
		if n == 0 || b.min < least {
			least = b.min
		}
		mean += b.sum
		n += b.n
	}
	if n > 0 {
		mean /= time.Duration(n)
	}
	return least, mean, n
}
