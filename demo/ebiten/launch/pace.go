package launch

import (
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// A Pace gives sixty frames a second to a program that has no display to do so.
// A frame that comes late is caught up with, a long halt is not.
type Pace struct{ next time.Time }

// NewPace begins now.
func NewPace() *Pace { return &Pace{time.Now()} }

const mostLate = 250 * time.Millisecond

// Wait sleeps until the next frame is due.
func (p *Pace) Wait() {
	p.next = p.next.Add(session.Tick)
	if late := time.Since(p.next); late > mostLate {
		p.next = time.Now()
	}
	time.Sleep(time.Until(p.next))
}
