package matchmaker

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// A Line is a party's connection to a matchmaker. It is polled and never waits;
// any goroutine may use it.
// [Dial] gives one over WebSocket; a simulated world has its own.
type Line interface {
	// Up counts how often the line has come up: odd while it is up, even while
	// it is down. A party opens its room again when it has changed.
	Up() int
	// Err is why the line is down, nil at first and while it is up.
	Err() error
	// Send queues m; false when the line is down or 64 messages wait.
	Send(m Message) bool
	// Receive gives the next message that came, false when there is none. A
	// line at which 64 wait and another comes breaks, and comes up again.
	Receive() (Message, bool)
	// Close ends the line, after what was sent. It does not wait.
	Close()
}

// Back-off between two tries to reach a matchmaker.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 30 * time.Second
	dialTime   = 5 * time.Second
	closeTime  = time.Second      // for what is queued when the line is closed
	pingEvery  = 20 * time.Second // keeps NATs and proxies from forgetting the line
	lineQueue  = 64               // messages that wait either way
)

// line is a Line over WebSocket, with one goroutine that connects and reads and
// one that writes while connected.
type line struct {
	url  string
	stop context.CancelFunc
	done chan struct{}
	out  chan []byte
	in   chan Message

	mu  sync.Mutex
	up  int
	err error
}

// Dial gives a Line to the matchmaker at url (ws:// or wss://). It returns at
// once; the line comes up, and comes up again after every break, by itself, with
// a growing wait between tries (half a second to half a minute).
func Dial(url string) Line {
	ctx, stop := context.WithCancel(context.Background())
	l := &line{url: url, stop: stop, done: make(chan struct{}), out: make(chan []byte, lineQueue), in: make(chan Message, lineQueue)}
	go l.run(ctx)
	return l
}

func (l *line) Up() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up
}

func (l *line) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *line) Send(m Message) bool {
	if l.Up()%2 == 0 {
		return false
	}
	select {
	case l.out <- m.Encode():
		return true
	default:
		return false
	}
}

func (l *line) Receive() (Message, bool) {
	select {
	case m := <-l.in:
		return m, true
	default:
		return Message{}, false
	}
}

// Close does not wait for the goroutines: what was sent has a second to go.
func (l *line) Close() { l.stop() }

func (l *line) run(ctx context.Context) {
	defer close(l.done)
	wait := firstRetry
	for ctx.Err() == nil {
		began := time.Now()
		retry, err := l.once(ctx)
		l.fell(err)
		if time.Since(began) > lastRetry {
			wait = firstRetry
		}
		// Half of the wait is by chance, so that a restarted matchmaker is not
		// met by everybody at once.
		pause := max(retry, wait/2+rand.N(wait/2))
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		wait = min(2*wait, lastRetry)
	}
}

// once connects and reads until the line breaks. retry is how long the server
// asked to stay away.
func (l *line) once(ctx context.Context) (retry time.Duration, err error) {
	one, cancel := context.WithTimeout(ctx, dialTime)
	conn, _, err := websocket.Dial(one, l.url, nil)
	cancel()
	if err != nil {
		return 0, err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(MaxMessage)
	closing := ctx
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	l.rose()
	var writer sync.WaitGroup
	writer.Go(func() { defer end(); l.write(ctx, closing, conn) })
	defer writer.Wait()
	defer end()
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return retry, err
		}
		m, err := Parse(data)
		if err != nil || kind != websocket.MessageText {
			return retry, errors.Join(errors.New("matchmaker: the server speaks another protocol"), err)
		}
		retry = time.Duration(m.RetryMS) * time.Millisecond
		select {
		case l.in <- m:
		default:
			return retry, errors.New("matchmaker: messages were not read")
		}
	}
}

// write sends what is queued, until ctx ends, or closing does and nothing is
// left to send.
func (l *line) write(ctx, closing context.Context, conn *websocket.Conn) {
	t := time.NewTicker(pingEvery)
	defer t.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-closing.Done():
			l.writeRest(ctx, conn)
			return
		case data := <-l.out:
			err = writeOne(ctx, conn, data, dialTime)
		case <-t.C:
			one, cancel := context.WithTimeout(ctx, dialTime)
			err = conn.Ping(one)
			cancel()
		}
		if err != nil {
			return
		}
	}
}

// writeRest sends what is queued when the line is closed.
func (l *line) writeRest(ctx context.Context, conn *websocket.Conn) {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	for len(l.out) > 0 {
		if writeOne(ctx, conn, <-l.out, closeTime) != nil {
			return
		}
	}
	defer time.AfterFunc(closeTime, func() { conn.CloseNow() }).Stop()
	conn.Close(websocket.StatusNormalClosure, "")
}

func writeOne(ctx context.Context, conn *websocket.Conn, data []byte, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, data)
}

// rose and fell keep Up and Err; what was queued for the broken line is dropped,
// for the party says everything anew.
func (l *line) rose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.out) > 0 {
		<-l.out
	}
	l.up++
	l.err = nil
}

func (l *line) fell(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.up%2 == 1 {
		l.up++
	}
	if err == nil {
		err = errors.New("matchmaker: the line ended")
	}
	l.err = err
}
