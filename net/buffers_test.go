package netmsg

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNoBufferIsGivenTwiceAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p buffers
		out := map[*byte][]byte{}
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
			if p.kept > buffersKept {
				t.Fatalf("%d bytes are kept, at most %d", p.kept, buffersKept)
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
