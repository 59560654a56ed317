package tests

import (
	"encoding/binary"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// TestLossyLatency measures how long small reliable messages take, from the
// call in one frame to the frame that receives them: sixty of 64 bytes a second,
// sixty frames a second at both ends, 40 ms and 0 to 30 ms of jitter each way.
// The best of ENet, GameNetworkingSockets, QUIC, KCP with FEC and yojimbo need
// 183 ms and 417 ms for 99 of 100.
func TestLossyLatency(t *testing.T) {
	for _, c := range []struct {
		name string
		loss float64
		p99  time.Duration
		wire float64 // kB a second from the sender, headers of IP and UDP included
	}{
		{"5 percent lost", 0.05, 135 * time.Millisecond, 16},
		{"20 percent lost", 0.20, 170 * time.Millisecond, 22},
	} {
		t.Run(c.name, func(t *testing.T) {
			var delays []time.Duration
			wire := 0
			const seeds, length = 5, 60 * time.Second
			for seed := range uint64(seeds) {
				d, w := frameDelays(t, netmsg.Lossy(c.loss, 40*time.Millisecond, 30*time.Millisecond), length, seed)
				delays = append(delays, d...)
				wire += w
			}
			perSecond := float64(wire) / 1000 / (seeds * length).Seconds()
			p50, p95, p99 := percentile(delays, 0.5), percentile(delays, 0.95), percentile(delays, 0.99)
			t.Logf("p50 %v, p95 %v, p99 %v, worst %v; %.1f kB/s on the wire",
				round(p50), round(p95), round(p99), round(percentile(delays, 1)), perSecond)
			if p99 > c.p99 {
				t.Errorf("p99 %v, want at most %v", round(p99), c.p99)
			}
			if perSecond > c.wire {
				t.Errorf("%.1f kB/s, want at most %v", perSecond, c.wire)
			}
		})
	}
}

// frameDelays plays for so long and gives each message's delay, and the bytes
// sent. Every message has to arrive, in order.
func frameDelays(t *testing.T, link netmsg.LinkConfig, length time.Duration, seed uint64) (delays []time.Duration, wire int) {
	t.Helper()
	const frame = time.Second / 60
	b := newBench(&netmsg.Config{GoodRate: 60}, link, link, 1, seed)
	p := b.pairs[0]
	message := make([]byte, 64)
	sent := 0
	for ; b.now < length+2*time.Second; b.runUntil(b.now + frame/2) { // play goes on past the last that is measured
		binary.BigEndian.PutUint64(message, uint64(b.now))
		if err := p.A.SendReliable(message); err != nil {
			t.Fatalf("seed %d at %v: %v", seed, b.now, err)
		}
		p.A.Flush()
		if b.now < length {
			sent++
			wire = b.wireAB
		}
		b.runUntil(b.now + frame - frame/2) // the receiver's frames are between the sender's
		for e := range p.EventsB() {
			if e.Kind != netmsg.Message {
				continue
			}
			if at := time.Duration(binary.BigEndian.Uint64(e.Data)); at < length {
				delays = append(delays, b.now-at)
			}
		}
	}
	if len(delays) != sent {
		t.Fatalf("seed %d: %d messages of %d arrived", seed, len(delays), sent)
	}
	return delays, wire
}
