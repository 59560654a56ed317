package netmsg

import (
	"testing"

	"pgregory.net/rapid"
)

func TestARingIsAQueueThatCanBeReachedInto(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring[int]
		var model []int
		for n := range 300 {
			if rapid.IntRange(0, 4).Draw(t, "op") < 2 && len(model) > 0 {
				if got := r.pop(); got != model[0] {
					t.Fatalf("popped %d, want %d", got, model[0])
				}
				model = model[1:]
			} else {
				if e := r.push(); *e != 0 {
					t.Fatalf("pushed place holds %d, want 0", *e)
				}
				*r.at(r.len() - 1) = n
				model = append(model, n)
			}
			if r.len() != len(model) {
				t.Fatalf("len %d, want %d", r.len(), len(model))
			}
			for i, want := range model {
				if got := *r.at(i); got != want {
					t.Fatalf("at %d: %d, want %d", i, got, want)
				}
			}
		}
	})
}

func TestARingThatHasGrownAllocatesNoMore(t *testing.T) {
	var r ring[uint64]
	allocs := testing.AllocsPerRun(100, func() {
		for range 60 {
			r.push()
		}
		for range 60 {
			r.pop()
		}
	})
	if allocs != 0 {
		t.Errorf("got %v allocations, want 0", allocs)
	}
}
