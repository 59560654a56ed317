package netmsg

import "time"

// A new connection from the very address of an old one puts the old one in
// doubt: its program may have crashed and been started again.
const (
	doubtPings = 3
	doubtGap   = 150 * time.Millisecond // between them
	doubtLife  = 500 * time.Millisecond // or three probe timeouts, if that is longer
	doubtSlow  = 4                      // times as long, and as far between, together with the company: many on one socket may be slow
	doubtMost  = 5 * time.Second        // of one that is still heard, but does not answer: its late packets, or a slow machine
)

// A doubt asks whether the peer is still there, with PINGs of which one must be
// acknowledged. Its zero value asks nothing.
type doubt struct {
	until   time.Duration // 0: no doubt
	asked   time.Duration // when it was asked, or asked again
	most    time.Duration // when it is no longer asked again
	pings   int8          // still to be sent
	company bool          // there are older connections, which are asked before this one ends
	slow    bool          // asked together with the company
	news    doubtNews     // what the endpoint has not taken note of
	next    time.Duration
}

// doubtNews is what a doubt says of the other connections of its address.
type doubtNews uint8

const (
	doubtAsksAll doubtNews = iota + 1 // nobody has answered: they are to be asked too
	doubtVouches                      // one has answered: so live all that began later
)

// A doubtAsk says who else is asked.
type doubtAsk uint8

const (
	askAlone   doubtAsk = iota + 1 // there is nobody else
	askFirst                       // the others if this one does not answer
	askWithAll                     // all others, too
)

// question begins to doubt that the peer is there. Unless it answers, the
// connection ends as Replaced.
func (c *sealedConn) question(now time.Duration, ask doubtAsk) {
	if c.ending.ended || c.doubt.until > 0 {
		return
	}
	c.doubt.most = now + doubtMost
	c.doubt.company, c.doubt.slow = ask == askFirst, ask == askWithAll
	c.ask(now)
}

// ask asks, or asks again.
func (c *sealedConn) ask(now time.Duration) {
	d := &c.doubt
	life := max(doubtLife, 3*c.recovery.pto())
	if d.slow {
		life = max(life, doubtSlow*doubtLife)
	}
	d.until, d.asked = now+life, now
	d.pings, d.next = doubtPings, now
}

// judgeDoubt ends a connection whose peer has not answered. It is asked again as
// long as anything else is heard of it, and once more together with its company.
func (c *sealedConn) judgeDoubt(now time.Duration) {
	switch d := &c.doubt; {
	case now < d.ends() || c.ending.ended:
	case c.heard > d.asked && now < d.most:
		c.ask(now)
	case d.company:
		d.company, d.slow, d.news = false, true, doubtAsksAll
		c.ask(now)
	default:
		c.end(now, Replaced, false)
	}
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
	if d.slow {
		d.next = now + doubtSlow*doubtGap
	}
}

// answered notes that one was acknowledged.
func (d *doubt) answered() {
	if d.until > 0 {
		*d = doubt{news: doubtVouches}
	}
}

// vouched ends the doubt: another connection of the program has answered.
func (d *doubt) vouched() { *d = doubt{} }
