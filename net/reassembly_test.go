package netmsg

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// noiseBytes gives n bytes that differ from place to place.
func noiseBytes(n int, seed uint64) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(seed, 99))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// FuzzReassembly puts a message together as a byte array would. The first bytes
// give the size; then each four are a fragment's offset and length.
func FuzzReassembly(f *testing.F) {
	f.Add([]byte{0, 100, 0, 0, 0, 50, 0, 50, 0, 50})
	f.Add([]byte{1, 0, 0, 10, 0, 1, 0, 0, 0, 200, 0, 3, 1, 0})
	f.Add([]byte{255, 255, 250, 0, 10, 0, 0, 0, 200, 0, 100, 0, 200, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) < 2 {
			return
		}
		total := max(1, int(script[0])<<8|int(script[1]))
		message := noiseBytes(total, uint64(total))
		var pool buffers
		var r reassembly
		var have []bool = make([]bool, total)
		missing := total
		for script = script[2:]; len(script) >= 4 && missing > 0; script = script[4:] {
			from := (int(script[0])<<8 | int(script[1])) % total
			n := min((int(script[2])<<8|int(script[3]))%1500+1, total-from)
			part := bytes.Clone(message[from : from+n])
			for i := range part {
				if have[from+i] {
					part[i] ^= 0xff // bytes held already are not rewritten
				} else {
					have[from+i] = true
					missing--
				}
			}

			whole := r.add(uint32(from), part, total, &pool)
			if whole != (missing == 0) {
				t.Fatalf("whole is %v with %d bytes missing", whole, missing)
			}
			if r.got != total-missing {
				t.Fatalf("%d bytes are had, want %d", r.got, total-missing)
			}
		}
		wantHeld(t, &r, message, have)
	})
}

// wantHeld compares what a reassembly holds with the message.
func wantHeld(t *testing.T, r *reassembly, message []byte, have []bool) {
	t.Helper()
	packed := r.data
	for _, p := range r.have {
		got := packed[:p.to-p.from]
		if r.placed {
			got = r.data[p.from:p.to]
		} else {
			packed = packed[p.to-p.from:]
		}
		if !bytes.Equal(got, message[p.from:p.to]) {
			t.Fatalf("bytes %d to %d are wrong", p.from, p.to)
		}
	}
	wantSpans(t, r.have, have)
}

func TestAMessageIsPutTogetherFromAnyCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		total := 1 + rng.IntN(70_000)
		message := noiseBytes(total, rng.Uint64())
		var pool buffers
		var r reassembly
		for !r.have.is(uint32(total)) {
			gap, _ := r.have.missing(span{0, uint32(total)})
			from := int(gap.from)
			if rng.IntN(2) == 0 {
				from = rng.IntN(total)
			}
			n := min(1+rng.IntN(3000), total-from)
			r.add(uint32(from), message[from:from+n], total, &pool)
		}
		if !bytes.Equal(r.data, message) {
			t.Fatalf("a message of %d bytes is wrong", total)
		}
	}
}

func TestAReassemblyTakesMemoryAsBytesCome(t *testing.T) {
	var pool buffers
	total := 0
	for range 4 {
		var r reassembly
		for i := range 25 {
			r.add(uint32(60_000-i*2_000), []byte{1}, 65_535, &pool)
		}
		total += cap(r.data) + cap(r.have)*8
	}
	if total > 64<<10 {
		t.Errorf("100 one-byte fragments of 4 messages take %d bytes", total)
	}
}

func TestTheRangesOfAMessageAreLimited(t *testing.T) {
	var pool buffers
	var r reassembly
	for i := range maxRanges {
		p := span{uint32(2 * i), uint32(2*i + 1)}
		if r.refuses(p, 1) {
			t.Fatalf("range %d is refused", i)
		}
		r.add(p.from, []byte{1}, 65_535, &pool)
	}
	if !r.refuses(span{1000, 1001}, 1) {
		t.Error("range 257 is taken")
	}
	if r.refuses(span{1, 2}, 1) {
		t.Error("a fragment that joins two ranges is refused")
	}
}
