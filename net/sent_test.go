package netmsg

import (
	"math/rand/v2"
	"testing"
	"time"
)

// fateList notes what became of packets, in order.
type fateList struct {
	ackedNumbers, lostNumbers []uint64
}

func (l *fateList) acked(now time.Duration, number uint64, r *sentPacket) {
	l.ackedNumbers = append(l.ackedNumbers, number)
}

func (l *fateList) lost(now time.Duration, number uint64, r *sentPacket) {
	l.lostNumbers = append(l.lostNumbers, number)
}

func TestTheSentLogAgreesWithAModel(t *testing.T) {
	type modelPacket struct {
		state byte // 'w' waits, 'l' lost, 'a' acknowledged, 's' skipped
		parts int
	}
	rng := rand.New(rand.NewPCG(11, 11))
	var l sentLog
	model := map[uint64]*modelPacket{}
	largest := uint64(0)
	pick := func() uint64 { return l.base + rng.Uint64N(l.next-l.base) }

	for step := range 100_000 {
		now := time.Duration(step) * time.Millisecond
		switch what := rng.IntN(10); {
		case what < 4 && !l.full() && l.next-l.base < 700:
			flags := sentEliciting | sentInFlight
			m := &modelPacket{state: 'w', parts: rng.IntN(4)}
			if rng.IntN(30) == 0 {
				flags, *m = sentSkipped, modelPacket{state: 's'}
			}
			for i := range m.parts {
				l.part(sentPart{number: uint32(l.next), from: uint32(i)})
			}
			model[l.add(now, 100, flags)] = m
		case what < 7 && l.base < l.next:
			low, high := pick(), pick()
			low = min(low, high)
			for n, ok := l.acked(low, high); ok; n, ok = l.acked(low, high) {
				if n < low || n > high || model[n].state == 'a' {
					t.Fatalf("step %d: acked gives %d of %d..%d, %c", step, n, low, high, model[n].state)
				}
				for m := n + 1; m <= high; m++ {
					if model[m].state != 'a' {
						t.Fatalf("step %d: acked passes by %d, which is %c", step, m, model[m].state)
					}
				}
				r := l.settle(n)
				for i := range int(r.parts) {
					if p := l.partOf(r, i); p.number != uint32(n) || p.from != uint32(i) {
						t.Fatalf("step %d: part %d of packet %d is %+v", step, i, n, p)
					}
				}
				if int(r.parts) != model[n].parts {
					t.Fatalf("step %d: packet %d has %d parts, want %d", step, n, r.parts, model[n].parts)
				}
				model[n].state = 'a'
				largest = max(largest, n)
				if n == 0 {
					break
				}
				high = n - 1
			}
		case what < 8:
			if n, ok := l.oldest(0); ok {
				l.lose(n)
				model[n].state = 'l'
			}
		default:
			l.retire(largest, now-300*time.Millisecond)
		}

		eliciting, oldest, found := 0, uint64(0), false
		for n := l.base; n < l.next; n++ {
			if model[n].state == 'w' {
				eliciting++
				if !found {
					oldest, found = n, true
				}
			}
		}
		if got, ok := l.oldest(0); ok != found || found && got != oldest {
			t.Fatalf("step %d: oldest is %d %v, want %d %v", step, got, ok, oldest, found)
		}
		if int(l.eliciting) != eliciting || l.inFlight != eliciting {
			t.Fatalf("step %d: %d outstanding, %d in flight, want %d", step, l.eliciting, l.inFlight, eliciting)
		}
	}
	if len(l.records) > 1024 || l.next < 10_000 {
		t.Errorf("%d records for 700 packets kept, %d sent", len(l.records), l.next)
	}
}

func TestTheSentLogAllocatesNothingWhenWarm(t *testing.T) {
	var l sentLog
	send := func() {
		l.part(sentPart{number: uint32(l.next)})
		n := l.add(0, 100, sentEliciting)
		if n >= 40 {
			l.settle(n - 40)
		}
		l.retire(l.next, 0)
	}
	for range 1000 {
		send()
	}
	if got := testing.AllocsPerRun(1000, send); got != 0 {
		t.Errorf("%v allocations a packet", got)
	}
}
