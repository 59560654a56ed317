package netmsg

import (
	"testing"
	"time"
)

func TestTheRoundTripIsSmoothedAsRFC6298Says(t *testing.T) {
	var e rttEstimator
	for _, c := range []struct{ sample, smoothed, deviation time.Duration }{
		{100 * ms, 100 * ms, 50 * ms},                                             // the first, and half of it
		{100 * ms, 100 * ms, 37500 * time.Microsecond},                            // 3/4 of 50
		{180 * ms, 110 * ms, 48125 * time.Microsecond},                            // 100+80/8; 37.5+(80-37.5)/4
		{110 * ms, 110 * ms, 36093750 * time.Nanosecond},                          // 3/4 of 48.125
		{30 * ms, 100 * ms, (36093750 + (80000000-36093750)/4) * time.Nanosecond}, // below counts as above
	} {
		e.sample(c.sample)
		if e.smoothed != c.smoothed || e.deviation != c.deviation {
			t.Errorf("after %v: got %v ± %v, want %v ± %v", c.sample, e.smoothed, e.deviation, c.smoothed, c.deviation)
		}
	}
}
