package netmsg

import (
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// lookFor is how long a reader looks again before it waits.
	lookFor = 50 * time.Microsecond

	// quickWait is how long a quick exchange lasts at most for one who waits: on
	// idle processors of a virtual machine to wake both sides takes half of it.
	quickWait = 200 * time.Microsecond

	// So many quick exchanges in a row begin the looks: at first the fewest, and
	// after looks that did not pay twice as many.
	fewestQuick = 8
	mostQuick   = 1024

	// looksInRow find something before the reader waits again for once, so that
	// goroutines that need its processor have it.
	looksInRow = 64

	// Looks have to find something lookCost times as often as not, except for
	// the first few: processes that shared a processor come apart only after a
	// while, and the other side may have begun to look later.
	lookCost   = 4
	firstTrust = 4 * lookCost
)

// A lookout decides whether a reader that finds nothing looks again for a while
// before it waits. To be woken takes longer than the datagram, so in a quick
// exchange with one peer looks are worth their while. They go on only as long as
// they pay: one datagram comes, one or two are sent, the next comes from the same
// peer within lookFor, and it does not take longer than when the reader waits.
// Frames, ticks, streams, crowds and silence see none.
type lookout struct {
	clock func() time.Duration // nil: it never looks
	sent  atomic.Int32         // datagrams since the last one came

	state lookState
	since time.Duration // when nothing was there
	peer  netip.AddrPort

	open  bool // looks are worth their while
	trust int  // open: how many may be in vain, times lookCost
	count int  // open: looks in a row that found something; otherwise: quick exchanges in a row
	need  int  // quick exchanges in a row that open

	usualWait, usualLook time.Duration // how long they take: moving averages
}

// A lookState says what a reader does until the next datagram.
type lookState uint8

const (
	lookBusy   lookState = iota // with the last one
	lookAgain                   // it looks
	lookWaits                   // it waits
	lookInVain                  // it waits, after it has looked
)

// newLookout makes a lookout with a clock; nil: one that never looks.
func newLookout(clock func() time.Duration) *lookout {
	return &lookout{clock: clock, need: fewestQuick}
}

// clockFromNow gives the system's clock, from 0 on.
func clockFromNow() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// again says, when nothing is there, whether to look once more. Otherwise the
// reader is to wait.
func (l *lookout) again() bool {
	switch {
	case l.clock == nil:
		return false
	case l.state == lookBusy:
		l.since, l.state = l.clock(), lookWaits
		if l.open && mayLook() {
			l.state = lookAgain
		}
	case l.state == lookAgain && l.clock()-l.since >= lookFor:
		lookers.Add(-1)
		l.state = lookInVain
	}
	return l.state == lookAgain
}

// lookers is how many readers of the process look at this moment.
var lookers atomic.Int32

// mayLook counts one more who looks, if that leaves a processor to others.
func mayLook() bool {
	if int(lookers.Add(1)) < runtime.GOMAXPROCS(0) {
		return true
	}
	lookers.Add(-1)
	return false
}

// letOthersRun gives the processor to a process that waits for it: often the
// one whose answer is looked for, which the system likes to wake here.
func letOthersRun() { unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// came notes what was read; nothing: reading failed.
func (l *lookout) came(got []Datagram) {
	if l.clock == nil {
		return
	}
	was := l.state
	l.state = lookBusy
	if was == lookAgain {
		lookers.Add(-1)
	}
	sent := l.sent.Swap(0)
	switch {
	case len(got) != 1 || sent < 1 || sent > 2 || got[0].Addr != l.peer:
		l.shut()
	case was == lookWaits:
		l.waited(l.clock() - l.since)
	case was == lookAgain:
		l.found(l.clock() - l.since)
	case was == lookInVain:
		l.missed(l.clock() - l.since)
	}
	if len(got) > 0 {
		l.peer = got[0].Addr
	}
}

// shut ends the looks: there is no quick exchange.
func (l *lookout) shut() { l.open, l.count = false, 0 }

// waited notes a wait without looks.
func (l *lookout) waited(took time.Duration) {
	switch {
	case took >= quickWait:
		l.shut()
		return
	case l.count == 0 && !l.open:
		l.usualWait = took
	}
	average(&l.usualWait, took)
	if l.open {
		return // others had looked
	}
	if l.count++; l.count >= l.need {
		l.open, l.count, l.trust = true, 0, firstTrust
	}
}

// found notes a look that found something.
func (l *lookout) found(took time.Duration) {
	average(&l.usualLook, took)
	l.count++
	l.trust = min(l.trust+1, firstTrust)
	switch {
	case l.usualLook > 2*l.usualWait:
		l.giveUp()
	case l.count == looksInRow:
		l.need = fewestQuick
		l.open, l.count = false, l.need-1
	}
}

// missed notes a wait after looks that were in vain.
func (l *lookout) missed(took time.Duration) {
	l.count = 0
	l.trust -= lookCost
	switch {
	case took >= quickWait:
		l.shut()
	case l.trust <= 0:
		l.giveUp()
	}
}

// giveUp ends looks that do not pay, and asks for more before the next.
func (l *lookout) giveUp() {
	l.shut()
	l.need = min(2*l.need, mostQuick)
	l.usualLook = 0
}

// average moves a towards d.
func average(a *time.Duration, d time.Duration) { *a += (d - *a) / 16 }
