package netmsg

import (
	"container/heap"
	"time"
)

// drawCID gives row a cid that is not in use.
func (g *secureGate) drawCID(row *gateRow) bool {
	var ok bool
	row.cid, ok = drawCID(g.random, func(cid uint32) bool {
		return g.byCID[cid] != nil || g.inUse != nil && g.inUse(cid)
	})
	return ok
}

func (g *secureGate) keepProvisional(row *gateRow) {
	g.stats.Accepted++
	row.state = rowProvisional
	row.allowance.provisional++
	if row.prefix != nil {
		row.prefix.provisional++
	}
	g.attempts[row.key.attempt]++
	g.byCID[row.cid] = row
	g.due.forgetAt(row, g.now+provisionalLife)
}

// again answers a Response that was answered before.
func (g *secureGate) again(row *gateRow, buf []byte) int {
	if row.state >= rowOpen || g.now-row.last < acceptPause {
		g.stats.Known++
		return 0
	}
	g.stats.Repeated++
	row.last = g.now
	row.sent++
	if row.state == rowProvisional {
		g.due.forgetAt(row, min(g.now+provisionalLife, row.first+provisionalLimit))
	}
	return copy(buf, row.accept)
}

// advance moves the clock, which never turns back, and forgets what is due.
func (g *secureGate) advance(now time.Duration) {
	g.now = max(g.now, now)
	for len(g.due) > 0 && g.due[0].due <= g.now {
		row := heap.Pop(&g.due).(*gateRow)
		if row.state == rowProvisional {
			g.stats.Forgotten++
			g.unprovision(row)
		}
		delete(g.rows, row.key)
		delete(g.byCID, row.cid)
	}
}

// unprovision takes back what a provisional row counted for.
func (g *secureGate) unprovision(row *gateRow) {
	row.allowance.provisional--
	if row.prefix != nil {
		row.prefix.provisional--
	}
	if g.attempts[row.key.attempt]--; g.attempts[row.key.attempt] == 0 {
		delete(g.attempts, row.key.attempt)
	}
	row.accept, row.session, row.allowance, row.prefix = nil, nil, nil, nil
}

// provisional gives the session of a provisional connection, for a packet
// that carries its cid to be opened with: it will verify if the client is
// there.
func (g *secureGate) provisional(now time.Duration, cid uint32) (Session, bool) {
	g.advance(now)
	row := g.byCID[cid]
	if row == nil || row.state != rowProvisional {
		return Session{}, false
	}
	s := *row.session
	if row.sent == 1 {
		s.rtt = g.now - row.first // the client sends as soon as it has the Accept
	}
	return Session{secure: &s}, true
}

// opened is told that a packet of a provisional connection has verified. It is
// false when the connection may not open: it is gone, its pair's psk has been
// used, or every place is taken. replaced is the cid of the open connection
// that this one takes the place of, since both showed one token; 0: none.
func (g *secureGate) opened(now time.Duration, cid uint32) (replaced uint32, ok bool) {
	g.advance(now)
	row := g.byCID[cid]
	if row == nil || row.state != rowProvisional {
		return 0, false
	}
	var before *gateRow
	if row.tokenShown {
		before = g.tokens[row.tokenID]
	}
	if row.pair != nil && row.pair.used || g.full() && before == nil {
		g.due.forgetAt(row, g.now)
		g.advance(g.now)
		return 0, false
	}
	g.stats.Opened++
	g.due.never(row)
	g.unprovision(row)
	row.state = rowOpen
	g.open++
	if row.pair != nil {
		row.pair.used = true
	}
	if row.tokenShown {
		g.tokens[row.tokenID] = row
	}
	if before != nil {
		return before.cid, true
	}
	return 0, true
}

// closed is told that an open connection has ended.
func (g *secureGate) closed(now time.Duration, cid uint32) {
	g.advance(now)
	row := g.byCID[cid]
	if row == nil || row.state != rowOpen {
		return
	}
	row.state = rowEnded
	g.open--
	if row.tokenShown && g.tokens[row.tokenID] == row {
		delete(g.tokens, row.tokenID)
	}
	g.due.forgetAt(row, g.now+endedLife)
}
