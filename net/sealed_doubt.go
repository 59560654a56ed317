package netmsg

import "time"

// A new connection from the very address of an old one puts the old one in
// doubt: its program may have crashed and been started again.
const (
	doubtPings = 3
	doubtGap   = 150 * time.Millisecond // between them
	doubtLife  = 500 * time.Millisecond // or three probe timeouts, if that is longer
)

// A doubt asks whether the peer is still there, with PINGs of which one must be
// acknowledged. Its zero value asks nothing.
type doubt struct {
	until time.Duration // 0: no doubt
	pings int           // still to be sent
	next  time.Duration
	sure  bool // nobody has answered
}

// question begins to doubt that the peer is there. Unless it answers, the
// connection ends as Replaced.
func (c *sealedConn) question(now time.Duration) {
	if c.ending.ended || c.doubt.until > 0 {
		return
	}
	c.doubt = doubt{until: now + max(doubtLife, 3*c.recovery.pto()), pings: doubtPings, next: now}
}

// ends is when the doubt has become certain.
func (d *doubt) ends() time.Duration {
	if d.until == 0 {
		return never
	}
	return d.until
}

// pingAt is when the next PING that asks goes.
func (d *doubt) pingAt() time.Duration {
	if d.pings == 0 {
		return never
	}
	return d.next
}

// pinged notes that one went.
func (d *doubt) pinged(now time.Duration) {
	d.pings--
	d.next = now + doubtGap
}

// answered notes that one was acknowledged.
func (d *doubt) answered() { *d = doubt{} }
