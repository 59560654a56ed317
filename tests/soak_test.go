package tests

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

var (
	soakSeeds = flag.Int("seeds", 40, "TestSoak: how many seeds, from 1 on")
	soakSeed  = flag.Uint64("seed", 0, "TestSoak: one seed alone")
)

// TestSoak runs connections and whole parties through whatever a seed picks:
// links, rates, partitions, frames that stall, peers that come and go. After
// every step it checks what must always hold. A seed decides everything, so
// that one seed gives one trace, to the bit.
func TestSoak(t *testing.T) {
	first, n := uint64(1), uint64(*soakSeeds)
	if *soakSeed != 0 {
		first, n = *soakSeed, 1
	}
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			what, trace := soakOnce(t, seed)
			t.Logf("%s: trace %016x, in %v", what, trace, time.Since(began).Round(time.Millisecond))
			if again := seed%10 == 0; again {
				if _, second := soakOnce(t, seed); second != trace {
					t.Fatalf("seed %d: the second run's trace is %016x, the first's %016x", seed, second, trace)
				}
			}
		})
	}
}

// soakOnce does what the seed says, and gives the hash of all that was sent
// and heard.
func soakOnce(t *testing.T, seed uint64) (what string, trace uint64) {
	t.Helper()
	s := newSoak(t, seed)
	switch s.dice.IntN(12) {
	case 0:
		what = "a simulated pair"
		soakSimPair(s)
	case 1:
		what = "a succession"
		soakSuccession(s)
	case 2, 3:
		what = "a party"
		soakParty(s)
	case 4, 5, 6, 7:
		what = "two sealed cores"
		soakSealed(s)
	default:
		what = "two cores"
		soakPair(s)
	}
	return what, s.trace.Sum64()
}

// A soak is one run of one seed: its dice, its clock and its trace.
type soak struct {
	t      *testing.T
	seed   uint64
	dice   *rand.Rand
	now    time.Duration
	trace  hash.Hash64
	script string // what was picked, for whoever reads a failure
}

func newSoak(t *testing.T, seed uint64) *soak {
	return &soak{t: t, seed: seed, dice: rand.New(rand.NewPCG(seed, 0x50a4)), trace: fnv.New64a()}
}

// failf ends the run, and says how to see it again.
func (s *soak) failf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%v after the start: %s\nit was %s\nagain: go test ./tests -run 'TestSoak$' -seed %d -v",
		s.now, fmt.Sprintf(format, args...), s.script, s.seed)
}

// note puts something that happened into the trace.
func (s *soak) note(what byte, who int, data []byte) {
	var b [18]byte
	binary.LittleEndian.PutUint64(b[0:], uint64(s.now))
	binary.LittleEndian.PutUint64(b[8:], uint64(len(data)))
	b[16], b[17] = what, byte(who)
	s.trace.Write(b[:])
	s.trace.Write(data)
}

// pick gives one of several things.
func pick[T any](s *soak, from ...T) T { return from[s.dice.IntN(len(from))] }

// upTo gives a length of time from 0 to limit.
func (s *soak) upTo(limit time.Duration) time.Duration {
	return time.Duration(s.dice.Int64N(int64(limit) + 1))
}

// pickLink gives a link of the matrix: from perfect to hardly a link.
func (s *soak) pickLink() netmsg.LinkConfig {
	link := netmsg.LinkConfig{
		Loss:         pick(s, 0, 0, 0.01, 0.05, 0.2, 0.4, 0.6),
		Duplicate:    pick(s, 0, 0, 0.05, 0.2),
		Reorder:      pick(s, 0, 0, 0.1, 0.3),
		ReorderDelay: s.upTo(120 * time.Millisecond),
		Latency:      s.upTo(pick(s, 5*time.Millisecond, 60*time.Millisecond, 400*time.Millisecond)),
		Jitter:       s.upTo(pick(s, 0, 10*time.Millisecond, 100*time.Millisecond)),
	}
	if s.dice.IntN(3) == 0 {
		link.Rate = pick(s, 8_000, 40_000, 125_000, 125_000_000) // 64 kbit/s to 1 Gbit/s
		link.Buffer = pick(s, 20*time.Millisecond, 100*time.Millisecond, 500*time.Millisecond)
	}
	return link
}

// A span is a time in which something is so: a partition, a stall.
type span struct{ from, to time.Duration }

func (p span) String() string {
	return fmt.Sprintf("%v–%v", p.from.Round(time.Millisecond), p.to.Round(time.Millisecond))
}

func (p span) has(now time.Duration) bool { return now >= p.from && now < p.to }

// pickSpans gives up to most spans within a run of a given length.
func (s *soak) pickSpans(most int, run time.Duration, lengths ...time.Duration) (spans []span) {
	for range s.dice.IntN(most + 1) {
		from := s.upTo(run)
		spans = append(spans, span{from, from + pick(s, lengths...)})
	}
	return spans
}

func anyHas(spans []span, now time.Duration) bool {
	for _, p := range spans {
		if p.has(now) {
			return true
		}
	}
	return false
}
