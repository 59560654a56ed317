package tests

import (
	"encoding/binary"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// The link that bulk is measured on: 10 Mbit/s with a queue of 100 ms, 50 ms
// each way.
func bulkLink(loss float64) (there, back netmsg.LinkConfig) {
	there = netmsg.LinkConfig{Loss: loss, Latency: 50 * time.Millisecond, Rate: 10_000_000 / 8, Buffer: 100 * time.Millisecond}
	return there, netmsg.LinkConfig{Loss: loss, Latency: 50 * time.Millisecond}
}

const (
	bulkTotal = 4 << 20         // bytes
	bulkPiece = 64_000          // bytes a message
	bulkWarm  = 3 * time.Second // the connection has been open so long
)

// TestBulk measures a transfer of 4 MiB, alone, with values beside it and
// against another one.
func TestBulk(t *testing.T) {
	for _, c := range []struct {
		name string
		loss float64
		want float64 // Mbit/s
	}{
		{"1 percent lost", 0.01, 9.0},
		{"20 percent lost", 0.20, 7.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			const seeds = 10
			var sum, least float64
			for seed := range uint64(seeds) {
				there, back := bulkLink(c.loss)
				b := newBench(nil, there, back, 1, seed)
				b.runUntil(bulkWarm)
				flow := &bulkFlow{t: t, pair: b.pairs[0]}
				for !flow.done() {
					flow.turn(b.now)
					b.runUntil(b.now + time.Millisecond)
					if b.now > time.Minute {
						t.Fatalf("seed %d: %d bytes of %d in a minute", seed, flow.received, bulkTotal)
					}
				}
				rate := bulkTotal * 8 / 1e6 / (b.now - bulkWarm).Seconds()
				sum += rate
				if least == 0 || rate < least {
					least = rate
				}
			}
			t.Logf("%.2f Mbit/s, the least of %d runs %.2f", sum/seeds, seeds, least)
			if least < c.want {
				t.Errorf("%.2f Mbit/s in one run, want %.1f at least", least, c.want)
			}
		})
	}
	t.Run("values beside it", func(t *testing.T) {
		idle, busy := valueDelays(t, false), valueDelays(t, true)
		t.Logf("a value's delay: p95 %v alone, %v beside bulk", round(idle), round(busy))
		if busy > idle+40*time.Millisecond {
			t.Errorf("p95 %v, want at most %v", round(busy), round(idle+40*time.Millisecond))
		}
	})
	t.Run("two share", func(t *testing.T) {
		there, back := bulkLink(0.01)
		b := newBench(nil, there, back, 2, 1)
		flows := []*bulkFlow{{t: t, pair: b.pairs[0]}, {t: t, pair: b.pairs[1]}}
		for !flows[0].done() && !flows[1].done() {
			for _, f := range flows {
				f.turn(b.now)
			}
			b.runUntil(b.now + time.Millisecond)
		}
		share := float64(flows[0].received) / float64(flows[0].received+flows[1].received)
		t.Logf("they share %.0f / %.0f", 100*share, 100-100*share)
		if share < 0.4 || share > 0.6 {
			t.Errorf("one has %.0f %%, want 40 to 60", 100*share)
		}
	})
}

// valueDelays gives the p95 of the delay of a value set thirty times a second,
// while 4 MiB are sent or nothing else is.
func valueDelays(t *testing.T, bulk bool) time.Duration {
	t.Helper()
	there, back := bulkLink(0.01)
	b := newBench(nil, there, back, 1, 1)
	flow := &bulkFlow{t: t, pair: b.pairs[0]}
	if !bulk {
		flow.sent = bulkTotal
	}
	value := make([]byte, 200)
	next := time.Duration(0)
	for b.now < 3500*time.Millisecond {
		if b.now >= next {
			binary.BigEndian.PutUint64(value, uint64(b.now))
			if err := flow.pair.A.SendLatest(1, value); err != nil {
				t.Fatal(err)
			}
			next += time.Second / 30
		}
		flow.turn(b.now)
		b.runUntil(b.now + time.Millisecond)
	}
	flow.turn(b.now)
	return percentile(flow.values, 0.95)
}

// A bulkFlow sends 4 MiB in messages that wait in the queue, and counts what
// comes.
type bulkFlow struct {
	t              *testing.T
	pair           *netmsg.SimPair
	sent, received int
	values         []time.Duration
}

func (f *bulkFlow) done() bool { return f.received >= bulkTotal }

// turn queues what there is to send, and takes what has come.
func (f *bulkFlow) turn(now time.Duration) {
	for f.sent < bulkTotal {
		n := min(bulkPiece, bulkTotal-f.sent)
		if err := f.pair.A.SendReliable(make([]byte, n)); err != nil {
			f.t.Fatal(err)
		}
		f.sent += n
	}
	for e := range f.pair.EventsB() {
		switch e.Kind {
		case netmsg.Message:
			f.received += len(e.Data)
		case netmsg.Update:
			f.values = append(f.values, now-time.Duration(binary.BigEndian.Uint64(e.Data)))
		}
	}
}
