package netmsg

import (
	"math/rand/v2"
	"testing"
)

func TestSpansAgreeWithASetOfBytes(t *testing.T) {
	const size = 200
	rng := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		var s spans
		var model [size]bool
		for range 100 {
			p := span{rng.Uint32N(size), rng.Uint32N(size)}
			if p.from > p.to && rng.IntN(4) > 0 {
				p.from, p.to = p.to, p.from
			}
			if rng.IntN(2) == 0 {
				p.to = min(p.from+rng.Uint32N(20), size)
			}
			wantMissing(t, s, model[:], p)
			before := len(s)
			grows := s.grows(p)
			if rng.IntN(3) > 0 {
				s.add(p)
				if grows != (len(s) > before) {
					t.Fatalf("adding %v to %d spans gives %d, and grows says %v", p, before, len(s), grows)
				}
				for n := p.from; n < p.to; n++ {
					model[n] = true
				}
			} else {
				s.remove(p)
				for n := p.from; n < p.to; n++ {
					model[n] = false
				}
			}
			wantSpans(t, s, model[:])
		}
	}
}

func wantSpans(t *testing.T, s spans, model []bool) {
	t.Helper()
	var want spans
	for n := range model {
		if !model[n] {
			continue
		}
		if n > 0 && model[n-1] {
			want[len(want)-1].to++
		} else {
			want = append(want, span{uint32(n), uint32(n) + 1})
		}
	}
	if len(s) != len(want) {
		t.Fatalf("%v, want %v", s, want)
	}
	for i := range s {
		if s[i] != want[i] {
			t.Fatalf("%v, want %v", s, want)
		}
	}
}

func wantMissing(t *testing.T, s spans, model []bool, p span) {
	t.Helper()
	want := p
	for want.from < p.to && model[want.from] {
		want.from++
	}
	want.to = want.from
	for want.to < p.to && !model[want.to] {
		want.to++
	}
	got, ok := s.missing(p)
	if ok != (want.from < want.to) || ok && got != want {
		t.Fatalf("missing of %v in %v is %v %v, want %v", p, s, got, ok, want)
	}
}
