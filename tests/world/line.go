package world

import (
	"errors"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// A line is a matchmaker.Line of the world: what matchmaker.Dial gives over
// WebSocket, with the same times.
type line struct {
	host   *Host
	to     *Matchmaker
	up     int
	err    error
	in     []matchmaker.Message
	client *client // while it is up
	wait   time.Duration
	retry  time.Duration // the server asked to stay away so long
	began  time.Duration // the present try
	ponged time.Duration
	closed bool
}

const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 30 * time.Second
	dialTime   = 5 * time.Second
	pingEvery  = 20 * time.Second
	handshakes = 2 // TCP's and WebSocket's: round trips before a line is up
)

var (
	errRefused = errors.New("world: nothing listens there")
	errTimeout = errors.New("world: no answer")
	errBroken  = errors.New("world: the line broke")
)

// line dials a matchmaker from a host.
func (h *Host) line(to *Matchmaker) *line {
	l := &line{host: h, to: to, wait: firstRetry}
	l.dial()
	return l
}

// dial tries once; what comes of it shows after the handshakes' round trips.
func (l *line) dial() {
	if l.closed || l.host.dead {
		return
	}
	w := l.host.world
	l.began = w.now
	out, back := l.host.waysTo(l.to.host)
	d, open := latency(append(out, back...)...)
	switch {
	case !open:
		w.After(dialTime, func() { l.fell(errTimeout) })
	case l.to.dir == nil:
		w.After(d, func() { l.fell(errRefused) })
	default:
		w.After(handshakes*d, l.rise)
	}
}

func (l *line) rise() {
	if l.closed || l.host.dead {
		return
	}
	c := l.to.enter(l)
	if c == nil {
		l.fell(errRefused)
		return
	}
	l.client, l.err = c, nil
	l.up++
	l.ponged = l.host.world.now
	l.ping(c)
}

// ping finds a line that is dead without a word.
func (l *line) ping(c *client) {
	w := l.host.world
	w.After(pingEvery, func() {
		if l.client != c || l.host.dead {
			return
		}
		sent := w.now
		c.up.send([]byte{framePing})
		w.After(dialTime, func() {
			if l.client == c && !l.host.dead && l.ponged < sent {
				c.close(l.host)
				l.fell(errTimeout)
			}
		})
		l.ping(c)
	})
}

// fell is the end of a try or of a line; the next try follows.
func (l *line) fell(err error) {
	if l.closed || l.host.dead {
		return
	}
	w := l.host.world
	if l.up%2 == 1 {
		l.up++
	}
	l.client, l.err = nil, err
	if w.now-l.began > lastRetry {
		l.wait = firstRetry
	}
	half := l.wait / 2
	w.After(max(l.retry, half+time.Duration(w.dice.Int64N(int64(half)))), l.dial)
	l.wait, l.retry = min(2*l.wait, lastRetry), 0
}

// receive takes what the matchmaker sent.
func (l *line) receive(c *client, data []byte) {
	switch {
	case l.closed || l.host.dead || l.client != c:
	case data == nil:
		l.fell(errBroken)
	case data[0] == framePing:
		l.client.up.send([]byte{framePong})
	case data[0] == framePong:
		l.ponged = l.host.world.now
	default:
		m, err := matchmaker.Parse(data)
		if err != nil {
			panic("world: the matchmaker says what its own package does not parse: " + err.Error())
		}
		l.retry = time.Duration(m.RetryMS) * time.Millisecond
		l.in = append(l.in, m)
	}
}

// Up counts how often the line came up and fell.
func (l *line) Up() int { return l.up }

// Err is why it is down.
func (l *line) Err() error { return l.err }

// Send queues a message; false while the line is down.
func (l *line) Send(m matchmaker.Message) bool {
	if l.client == nil || l.closed {
		return false
	}
	l.client.up.send(m.Encode())
	return true
}

// Receive gives the next message that came.
func (l *line) Receive() (matchmaker.Message, bool) {
	if len(l.in) == 0 {
		return matchmaker.Message{}, false
	}
	m := l.in[0]
	l.in = l.in[1:]
	return m, true
}

// Close ends the line at once.
func (l *line) Close() {
	if l.client != nil && !l.closed {
		l.client.close(l.host)
	}
	l.closed, l.client = true, nil
}
