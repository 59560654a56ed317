package netmsg

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// greedy gives the times of all packets that a bucket lets go in a while, when
// it is asked at each of the given times.
func greedy(rate int, times func(yield func(time.Duration) bool)) (went []time.Duration) {
	var b bucket
	for now := range times {
		for b.next(rate) <= now {
			b.take(now, rate)
			went = append(went, now)
		}
	}
	return went
}

func every(step, until time.Duration) func(yield func(time.Duration) bool) {
	return func(yield func(time.Duration) bool) {
		for now := time.Duration(0); now < until && yield(now); now += step {
		}
	}
}

// mostInASecond gives the largest number of times within any second.
func mostInASecond(times []time.Duration) (most int) {
	from := 0
	for i, at := range times {
		for times[from] <= at-time.Second {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

func TestNoSecondHasMoreThanTheRateAndOne(t *testing.T) {
	for _, rate := range []int{10, 30, 60} {
		went := greedy(rate, every(time.Millisecond, 10*time.Second))
		if most := mostInASecond(went); most > rate+1 {
			t.Errorf("rate %d: %d in one second", rate, most)
		}
		if want := 10 * rate; len(went) < want || len(went) > want+2 {
			t.Errorf("rate %d: %d in 10 s, want %d", rate, len(went), want)
		}
	}
}

func TestFramesAtTwiceTheRateGetEverySecondOne(t *testing.T) {
	frame := time.Second / 60 // a hair short of half an interval
	went := greedy(30, every(frame, 10*time.Second))

	for i, at := range went[1:] {
		if gap := at - went[i]; gap > 2*frame {
			t.Fatalf("packet %d came %v after the one before, want every second frame", i+1, gap)
		}
	}
}

func TestAfterSilenceABurstOfASixtiethOfASecondMayGo(t *testing.T) {
	for _, c := range []struct{ rate, want int }{{10, 1}, {30, 1}, {60, 1}, {120, 2}, {240, 4}} {
		var b bucket
		b.take(0, c.rate)
		now, n := 10*time.Second, 0
		for ; b.next(c.rate) <= now; n++ {
			b.take(now, c.rate)
		}
		if n != c.want {
			t.Errorf("rate %d: %d at once, want %d", c.rate, n, c.want)
		}
	}
}

func TestWithoutARateNothingWaits(t *testing.T) {
	var b bucket
	for range 100 {
		b.take(time.Second, -1)
	}
	if at := b.next(-1); at > time.Second {
		t.Errorf("the next waits until %v", at)
	}
}

func TestWheneverItIsAskedABucketKeepsTheRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(1, 200).Draw(t, "rate")
		now := time.Duration(0)
		went := greedy(rate, func(yield func(time.Duration) bool) {
			for range 300 {
				now += time.Duration(rapid.IntRange(0, 40000).Draw(t, "gap")) * time.Microsecond
				if !yield(now) {
					return
				}
			}
		})
		if most := mostInASecond(went); most > rate+max(1, rate/60) {
			t.Fatalf("rate %d: %d in one second", rate, most)
		}
	})
}
