package netmsg

import (
	"testing"
	"time"
)

const ms = time.Millisecond

func TestBulkTable(t *testing.T) {
	for _, c := range []struct {
		link simLink
	}{
		{simLink{10e6, 200 * ms, 40 * ms, 0, 0}},
		{simLink{10e6, 200 * ms, 40 * ms, 0, 0.01}},
		{simLink{10e6, 200 * ms, 40 * ms, 0, 0.05}},
		{simLink{10e6, 200 * ms, 40 * ms, 0, 0.2}},
		{simLink{10e6, 200 * ms, 40 * ms, 0, 0.3}},
		{simLink{10e6, 200 * ms, 100 * ms, 20 * ms, 0.05}},
		{simLink{10e6, 200 * ms, 100 * ms, 20 * ms, 0.3}},
		{simLink{10e6, 10 * ms, 60 * ms, 0, 0}},
		{simLink{10e6, 10 * ms, 60 * ms, 0, 0.1}},
		{simLink{10e6, 10 * ms, 60 * ms, 0, 0.3}},
		{simLink{50e6, 100 * ms, 40 * ms, 0, 0.05}},
		{simLink{2e6, 300 * ms, 60 * ms, 0, 0.05}},
		{simLink{2e6, 300 * ms, 60 * ms, 0, 0.3}},
		{simLink{10e6, 100 * ms, 100 * ms, 0, 0.01}},
	} {
		var use float64
		var queue time.Duration
		for seed := range uint64(1) {
			s := newBulkSim(c.link, seed, 0)
			s.runUntil(30 * time.Second)
			use += s.use(s.flows[0].received, 30*time.Second)
			queue += s.meanQueue()
		}
		t.Logf("%+v: %.1f %% queue %v", c.link, 100*use, queue)
	}
}
