package netmsg

import "time"

// WiFi is a home network with a wall in between: a little loss, some jitter.
// Use it for both ways.
func WiFi() LinkConfig {
	return LinkConfig{Loss: 0.01, Duplicate: 0.001, Latency: 8 * time.Millisecond, Jitter: 12 * time.Millisecond}
}

// Mobile is a telephone on the move: late, uneven, some loss, and a narrow
// link with a deep buffer.
func Mobile() LinkConfig {
	return LinkConfig{
		Loss: 0.03, Duplicate: 0.005, Reorder: 0.02,
		Latency: 45 * time.Millisecond, Jitter: 40 * time.Millisecond, ReorderDelay: 30 * time.Millisecond,
		Rate: 250_000, Buffer: 300 * time.Millisecond,
	}
}

// Satellite is a link over a geostationary satellite: a long way, even and
// nearly clean.
func Satellite() LinkConfig {
	return LinkConfig{Loss: 0.005, Latency: 300 * time.Millisecond, Jitter: 15 * time.Millisecond, Rate: 1_000_000, Buffer: 400 * time.Millisecond}
}

// Awful is worse than what anybody would play over, and must work all the
// same: a fifth is lost, a tenth comes twice, a tenth out of order.
func Awful() LinkConfig {
	return LinkConfig{
		Loss: 0.2, Duplicate: 0.1, Reorder: 0.1,
		Latency: 100 * time.Millisecond, Jitter: 100 * time.Millisecond, ReorderDelay: 100 * time.Millisecond,
	}
}
