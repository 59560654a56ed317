package session

import (
	"testing"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

// in gives an input that can be told from others.
func in(n int) arena.Input { return arena.Input{X: int8(n % 100), Y: 1} }

func TestInputsAreUsedInOrderOneATick(t *testing.T) {
	var q inputQueue
	for seq := uint16(65530); seq != 20; seq++ { // over the wrap
		q.put(seq, in(int(seq)))

		if got := q.take(); got != in(int(seq)) || q.used != seq {
			t.Fatalf("input %d: got %+v, used %d", seq, got, q.used)
		}
	}
}

func TestAMissingInputIsTheLastOneAgain(t *testing.T) {
	var q inputQueue
	q.put(1, in(1))
	q.put(3, in(3))

	got := [...]arena.Input{q.take(), q.take(), q.take(), q.take()}

	if want := [...]arena.Input{in(1), in(1), in(3), in(3)}; got != want || q.used != 3 {
		t.Errorf("got %v, want %v; used %d", got, want, q.used)
	}
}

func TestAnInputThatComesAfterItsTurnIsForgotten(t *testing.T) {
	var q inputQueue
	q.put(5, in(5))
	q.take()

	q.put(4, in(4))
	q.put(5, in(50))

	if got := q.take(); got != in(5) || q.used != 5 {
		t.Errorf("got %+v, used %d", got, q.used)
	}
}

func TestRepeatsFillAGap(t *testing.T) {
	var q inputQueue
	q.put(1, in(1))
	for seq := uint16(5); seq > 1; seq-- { // a message of 5 with what went before
		q.put(seq, in(int(seq)))
	}

	for want := 1; want <= 5; want++ {
		if got := q.take(); got != in(want) {
			t.Fatalf("got %+v, want input %d", got, want)
		}
	}
}

func TestAfterAHaltTheQueueSkipsToWhatIsNew(t *testing.T) {
	var q inputQueue
	q.put(1, in(1))
	q.take()
	for seq := uint16(2); seq <= 40; seq++ {
		q.put(seq, in(int(seq)))
	}

	if q.take(); q.used != 40-keepWaiting {
		t.Errorf("used %d of 40", q.used)
	}
}

// One guest's clock runs a little fast: what piles up is let go of.
func TestAFastGuestDoesNotFallBehind(t *testing.T) {
	var q inputQueue
	seq := uint16(0)
	for tick := range 60 * 60 * 10 {
		n := 1
		if tick%500 == 0 {
			n = 2
		}
		for range n {
			seq++
			q.put(seq, in(int(seq)))
		}
		q.take()
		if waiting := int16(q.newest - q.used); waiting > 5 {
			t.Fatalf("tick %d: %d inputs wait", tick, waiting)
		}
	}
}

func TestUnevenArrivalsCostAFewRepeatsOnly(t *testing.T) {
	var q inputQueue
	seq, repeats := uint16(0), 0
	for tick := range 60 * 60 {
		if tick%4 == 3 { // four at once, every fourth tick
			for range 4 {
				seq++
				q.put(seq, in(int(seq)))
			}
		}
		before := q.used
		q.take()
		if tick > 60 && q.used == before {
			repeats++
		}
	}

	if repeats > 60 {
		t.Errorf("%d of 3600 ticks had no input of their own", repeats)
	}
}

func FuzzInputQueue(f *testing.F) {
	f.Add([]byte{1, 2, 3, 255, 254, 0, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		var q inputQueue
		for i := 0; i+1 < len(b); i += 2 {
			q.put(uint16(b[i])<<8|uint16(b[i+1]), in(i))
			q.take()
		}
	})
}
