package netmsg

import "time"

// rttEstimator smooths round trips as RFC 6298 does: an eighth of each sample
// goes into the smoothed one, a quarter into the mean deviation. The zero
// value has measured nothing.
type rttEstimator struct {
	smoothed  time.Duration
	deviation time.Duration
	measured  bool
}

func (e *rttEstimator) sample(rtt time.Duration) {
	if !e.measured {
		e.smoothed, e.deviation, e.measured = rtt, rtt/2, true
		return
	}
	e.deviation += ((rtt - e.smoothed).Abs() - e.deviation) / 4
	e.smoothed += (rtt - e.smoothed) / 8
}
