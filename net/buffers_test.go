package netmsg

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNoBufferIsGivenTwiceAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p buffers
		out := map[*byte][]byte{}
		most := buffersKept
		for range 200 {
			if rapid.Bool().Draw(t, "put") {
				for first, b := range out {
					p.put(b)
					delete(out, first)
					break
				}
				continue
			}
			n := rapid.IntRange(0, 1<<17).Draw(t, "n")
			b := p.get(n)
			if len(b) != n || b == nil {
				t.Fatalf("got %d bytes, nil %v, want %d", len(b), b == nil, n)
			}
			if n == 0 {
				continue
			}
			if out[&b[0]] != nil {
				t.Fatalf("a buffer of %d bytes was given twice", n)
			}
			out[&b[0]] = b
			if most = max(most, min(p.lent, buffersMost)); p.kept > most {
				t.Fatalf("%d bytes are kept, at most %d", p.kept, most)
			}
		}
	})
}

func TestABufferOfEverySizeIsUsedAgain(t *testing.T) {
	var p buffers
	for _, n := range []int{1, 31, 32, 33, 64, 65, 1173, 1 << 16} {
		p.put(p.get(n))
		if allocs := testing.AllocsPerRun(10, func() { p.put(p.get(n)) }); allocs != 0 {
			t.Errorf("%d bytes: got %v allocations, want 0", n, allocs)
		}
	}
}

func TestBuffersThatABurstNeededAreKeptWhileItLasts(t *testing.T) {
	var p buffers
	burst := make([][]byte, 1000)
	round := func() {
		for i := range burst {
			burst[i] = p.get(1024)
		}
		for i := range len(burst) - 400 { // the others are still in use
			p.put(burst[i])
		}
		for i := range len(burst) - 400 {
			burst[i] = p.get(1024)
		}
		for _, b := range burst {
			p.put(b)
		}
	}
	round()

	if p.lent != 0 || p.kept > buffersKept {
		t.Errorf("of those that nobody uses %d bytes are kept, at most %d; %d count as used", p.kept, buffersKept, p.lent)
	}
	var held [800][]byte
	for i := range held {
		held[i] = p.get(1024)
	}
	if allocs := testing.AllocsPerRun(10, func() {
		for i := range 400 {
			p.put(held[i])
		}
		for i := range 400 {
			held[i] = p.get(1024)
		}
	}); allocs != 0 {
		t.Errorf("half of what is in use is allocated anew: %v times", allocs)
	}
}
