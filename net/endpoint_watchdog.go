package netmsg

import "time"

const (
	// lateFrame is how long a driven endpoint waits for the next frame before
	// the watchdog does its work.
	lateFrame = 100 * time.Millisecond

	// watchTick is the time between two turns of the watchdog while the frame
	// is late.
	watchTick = 20 * time.Millisecond
)

// watch stands in for frames that do not come, while a map loads or a window
// is dragged. While they do come, each puts off the alarm and watch sleeps.
func (e *Endpoint) watch() {
	for {
		select {
		case <-e.alarm.C:
			e.watchTurn()
		case <-e.closing:
			return
		}
	}
}

func (e *Endpoint) watchTurn() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	now := e.now()
	late := now - e.polled
	if late < lateFrame {
		e.alarm.Reset(lateFrame - late)
		return
	}
	if e.cfg.StallTimeout > 0 && late >= e.cfg.StallTimeout && !e.stalled {
		e.stall(now)
	}
	e.service(now)
	if !e.stalled || len(e.peers) > 0 {
		e.alarm.Reset(watchTick)
	}
}

// stall ends every connection: this side is alive, but nobody has polled for
// StallTimeout. Until a frame comes no client is taken.
func (e *Endpoint) stall(now time.Duration) {
	e.stalled = true
	if e.cfg.Log != nil {
		e.cfg.Log.Warn("netmsg: no frame for StallTimeout: all connections end", "local", e.Addr(), "connections", e.open)
	}
	for _, p := range append([]*peer(nil), e.peers...) {
		p.endAs(now, Stalled)
		p.touched()
	}
}

// endAs ends p for a reason and lets the other side know.
func (p *peer) endAs(now time.Duration, why CloseReason) {
	if p.dial != nil {
		p.dial.fail(why)
		p.dial.giveUp()
		return
	}
	p.core.end(now, why, true)
}
