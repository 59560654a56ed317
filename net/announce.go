package netmsg

import "time"

const (
	usualMaxDatagram = 1_472          // a 1,500-byte path over IPv4
	usualMaxAckDelay = maxMaxAckDelay // values alone wait for a packet that goes anyway

	usualWindow = 1 << 20 // 10 Mbit/s over 100 ms fill it at one packet lost in five
	manyClients = 256     // servers of more announce a smaller window
	manyWindow  = 131_072
)

// announced are the parameters that a side with this Config sends: nearest to
// what it asks for within what the wire allows. socketTakes is the largest
// datagram that its socket takes; 0: any.
func announced(cfg *Config, server bool, socketTakes int) params {
	p := defaultParams
	p.maxDatagram = max(usualMaxDatagram, cfg.MaxPacket)
	if socketTakes > 0 {
		p.maxDatagram = min(p.maxDatagram, socketTakes)
	}
	p.maxDatagram = clamp(p.maxDatagram, minMaxDatagram, maxMaxDatagram)
	p.maxMessage = bounded(cfg.MaxMessage, p.maxMessage, minMaxMessage, maxMaxMessage)
	p.maxStreams = bounded(cfg.MaxStreams, p.maxStreams, 1, maxMaxStreams)
	p.maxLatest = bounded(cfg.MaxValue, p.maxLatest, minMaxLatest, maxMaxLatest)
	p.window = usualWindow
	if server && (cfg.MaxClients > manyClients || cfg.MaxClients < 0) {
		p.window = manyWindow
	}
	p.window = max(p.window, 2*p.maxMessage)
	p.idleTimeout = announcedTimeout(cfg.Timeout, p.idleTimeout)
	p.maxAckDelay = usualMaxAckDelay
	p.moves = !server || cfg.Roams
	return p
}

// announcedTimeout is in whole milliseconds; a side that never gives up says
// the longest there is.
func announcedTimeout(timeout, normal time.Duration) time.Duration {
	if timeout < 0 {
		return maxIdleTimeout
	}
	timeout = orDefault(timeout, normal).Truncate(time.Millisecond)
	return clamp(timeout, minIdleTimeout, maxIdleTimeout)
}

// bounded gives a limit of a Config: normal if it is zero, the highest if it is
// negative, so off.
func bounded(limit, normal, low, high int) int {
	if limit < 0 {
		return high
	}
	return clamp(orDefault(limit, normal), low, high)
}

func orDefault[T int | time.Duration](v, normal T) T {
	if v == 0 {
		return normal
	}
	return v
}

func clamp[T int | time.Duration](v, low, high T) T { return min(max(v, low), high) }
