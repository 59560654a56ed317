package netmsg

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestTimersGiveTheEarliestDeadlineWhateverMoves(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		var heap timers
		peers := make([]*peer, 1+rng.IntN(60))
		model := map[*peer]time.Duration{} // those with a deadline
		for i := range peers {
			peers[i] = new(peer)
		}
		for range 2_000 {
			p := peers[rng.IntN(len(peers))]
			switch at := time.Duration(rng.IntN(100)); {
			case rng.IntN(4) > 0:
				heap.set(p, at)
				model[p] = at
			case rng.IntN(2) == 0:
				heap.set(p, never)
				delete(model, p)
			default:
				heap.remove(p)
				delete(model, p)
			}
			checkTimers(t, &heap, model, time.Duration(rng.IntN(100)))
		}
	}
}

// checkTimers compares the heap with what it has been told.
func checkTimers(t *testing.T, heap *timers, model map[*peer]time.Duration, now time.Duration) {
	t.Helper()
	earliest, due := never, 0
	for p, at := range model {
		earliest = min(earliest, at)
		if at <= now {
			due++
		}
		if e := heap.heap[p.place-1]; e.peer != p || e.due != at {
			t.Fatalf("a peer due at %v finds %+v in its place", at, e)
		}
	}
	if heap.next() != earliest || len(heap.heap) != len(model) {
		t.Fatalf("next at %v of %d, want %v of %d", heap.next(), len(heap.heap), earliest, len(model))
	}
	if p := heap.due(now); (p != nil) != (earliest <= now) || p != nil && model[p] != earliest {
		t.Fatalf("due at %v: %v", now, p)
	}
	list := heap.appendDue(nil, now)
	seen := map[*peer]bool{}
	for _, p := range list {
		if at, ok := model[p]; !ok || at > now || seen[p] {
			t.Fatalf("at %v it lists one that is due at %v, or twice", now, at)
		}
		seen[p] = true
	}
	if len(list) != due {
		t.Fatalf("at %v it lists %d of %d", now, len(list), due)
	}
}
