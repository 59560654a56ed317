package netmsg

import (
	"bytes"
	"sync"
	"sync/atomic"
	"time"
)

// ChannelHandler gives a Handler that puts each event on ch, for a loop or a
// select that drains it. Data is a copy that the receiver owns, so this path
// allocates. A full channel stops nothing: events wait in their connections,
// where values collapse to the newest and messages hold back their sender.
//
// An endpoint that reads by itself feeds the channel from one goroutine of its
// own, one event of each connection in turn. One that frames drive, or that is
// stepped, puts in Drain and Flush as much as the channel has room for. After
// Close, what is left is offered for one second more; the channel is never
// closed.
func ChannelHandler(ch chan<- Event) Handler { return channelHandler{ch} }

type channelHandler struct{ ch chan<- Event }

// HandleEvent puts a copy of e on the channel and waits until it has room.
func (h channelHandler) HandleEvent(e Event) {
	e.Data = bytes.Clone(e.Data)
	h.ch <- e
}

// channelGrace is how long after an endpoint's end a channel's reader may take
// the last events.
const channelGrace = time.Second

// A channelOutlet puts events on a channel. It takes one out of its connection
// at a time and holds it until the channel has it; a held value gives way to a
// newer one of its stream.
type channelOutlet struct {
	ch     chan<- Event
	turned bool // by run; otherwise feed runs in a goroutine

	mu    sync.Mutex
	queue ring[*Conn]

	blocked atomic.Bool   // the channel had no room for the held event
	wake    chan struct{} // to feed: there is something new
	leaving chan struct{} // closed by end
	stalled chan struct{} // a signal to end: the channel is full
	fed     chan struct{} // closed when feed has ended

	// of whoever feeds
	turn  sync.Mutex // run may be called by a frame and by a Close
	held  Event
	holds bool
}

func newChannelOutlet(ch chan<- Event, turned bool) *channelOutlet {
	o := &channelOutlet{
		ch: ch, turned: turned,
		wake: make(chan struct{}, 1), leaving: make(chan struct{}), stalled: make(chan struct{}, 1), fed: make(chan struct{}),
	}
	if !turned {
		go o.feed()
	}
	return o
}

func (o *channelOutlet) ready(c *Conn) {
	o.mu.Lock()
	*o.queue.push() = c
	o.mu.Unlock()
	stir(o.wake)
}

// stir sends a signal unless one is waiting.
func stir(signal chan<- struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

func (o *channelOutlet) run() {
	if !o.turned {
		return
	}
	o.turn.Lock()
	defer o.turn.Unlock()
	for o.hold() {
		select {
		case o.ch <- o.held:
			o.letGo()
		default:
			o.blocked.Store(true)
			return
		}
	}
}

// feed puts events on the channel until the outlet is ended and all are
// out, or for channelGrace more.
func (o *channelOutlet) feed() {
	defer close(o.fed)
	var giveUp <-chan time.Time
	leaving := o.leaving
	for {
		send := o.ch
		if !o.hold() {
			send = nil // nothing to send: wait for something
			if leaving == nil {
				return
			}
		} else if o.trySend() {
			continue
		}
		select {
		case send <- o.held:
			o.letGo()
		case <-o.wake:
		case <-leaving:
			leaving = nil
			giveUp = time.After(channelGrace)
		case <-giveUp:
			return
		}
	}
}

// trySend sends the held event if there is room. If not, everybody who asks is
// told.
func (o *channelOutlet) trySend() bool {
	select {
	case o.ch <- o.held:
		o.letGo()
		return true
	default:
		o.blocked.Store(true)
		stir(o.stalled)
		return false
	}
}

// hold makes sure that an event is held, the newest of its stream if it is a
// value. It returns false when there is none.
func (o *channelOutlet) hold() bool {
	if o.holds && !o.overtaken() {
		return true
	}
	o.letGo()
	for c := o.pop(); c != nil; c = o.pop() {
		var data []byte
		ok, more := c.take(&o.held, &data)
		if more {
			o.ready(c)
		}
		if ok {
			o.holds = true
			o.watch(o.wake)
			return true
		}
	}
	return false
}

func (o *channelOutlet) pop() *Conn {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.queue.len() == 0 {
		return nil
	}
	return o.queue.pop()
}

// letGo ends the holding of an event.
func (o *channelOutlet) letGo() {
	if !o.holds {
		return
	}
	o.blocked.Store(false)
	o.watch(nil)
	o.held, o.holds = Event{}, false
}

// watch has signal stirred when the connection of a held value has news, since
// a newer value may be among them.
func (o *channelOutlet) watch(signal chan<- struct{}) {
	if c := o.held.Conn; o.held.Kind == Update {
		c.mu.Lock()
		c.watcher = signal
		c.mu.Unlock()
	}
}

// overtaken says whether the held event is a value and a newer one of its
// stream waits.
func (o *channelOutlet) overtaken() bool {
	if o.held.Kind != Update {
		return false
	}
	c := o.held.Conn
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line.hasValue(o.held.Stream)
}

func (o *channelOutlet) waits() bool {
	if !o.turned {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.queue.len() > 0
}

func (o *channelOutlet) keepsUp() bool { return !o.blocked.Load() }

func (o *channelOutlet) limit() int { return 0 }

func (o *channelOutlet) end(patience time.Duration) {
	if o.turned {
		return
	}
	close(o.leaving)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-o.fed:
	case <-o.stalled: // the reader may be who closes
	case <-timer.C:
	}
}
