package launch

import (
	"runtime"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// A meter measures the frames of one session.
//
// Times are of Session.Frame alone: all the networking and the rules, not the
// picture, and not the meter.
//
// Allocations are those of the whole process from the start of a Session.Frame
// to its end, by runtime.MemStats.Mallocs. That covers package party, netmsg
// and its system calls, the rules, and whatever other goroutines allocate
// meanwhile (the lossy relay, the watchdogs), which counts against us. It covers
// every frame but those within calm after a player came or went, for then
// peers are set up, names are made, and buffers grow to their working size.
// After that a buffer still grows now and then, on one of many connections, when
// more is under way than ever before; half a minute later hardly any does.
// allocs_measured counts every one of those, over allocs_frames frames.
// allocs_per_frame is the frame in the middle: the median of all measured frames,
// so that it says what a frame costs, and not what a record does.
type meter struct {
	times    histogram // microseconds
	rtts     histogram // tenths of a millisecond, of every line, each second
	allocs   histogram // of each measured frame
	mallocs  uint64    // in all of them
	mem      runtime.MemStats
	players  int
	restless int // frames until the party has been the same for long enough
}

// frame runs one frame of s and measures it.
func (m *meter) frame(s *session.Session, in arena.Input) {
	m.notice(s)
	runtime.ReadMemStats(&m.mem)
	before := m.mem.Mallocs
	start := time.Now()
	s.Frame(in)
	took := time.Since(start)
	runtime.ReadMemStats(&m.mem)
	if s.Status() != session.Playing {
		return
	}
	m.times.add(int(took.Microseconds()))
	m.notice(s)
	if m.restless == 0 {
		m.allocs.add(int(m.mem.Mallocs - before))
		m.mallocs += m.mem.Mallocs - before
	}
	if s.Frames()%session.TicksPerSecond == 0 {
		for l := range s.Lines() {
			m.rtts.add(int(l.Now().RTT / (100 * time.Microsecond)))
		}
	}
}

// calm is how many frames a party must have been the same.
const calm = 3 * session.TicksPerSecond

// notice keeps count of how long the party has been the same.
func (m *meter) notice(s *session.Session) {
	m.restless = max(0, m.restless-1)
	if n := len(s.Players()); n != m.players {
		m.players, m.restless = n, calm
	}
}

// A histogram counts whole numbers; those of its size and more count as the
// largest.
type histogram struct {
	counts [20_000]uint32
	total  int
}

func (h *histogram) add(v int) {
	h.counts[max(0, min(v, len(h.counts)-1))]++
	h.total++
}

// quantile is the smallest number that at least a share q of all are not over.
func (h *histogram) quantile(q float64) int {
	seen := 0
	for v, n := range h.counts {
		seen += int(n)
		if n > 0 && float64(seen) >= q*float64(h.total) {
			return v
		}
	}
	return 0
}
