package peer

import "sync"

// An Inbox takes the events of a library that has goroutines of its own: to the
// handler at once, or to the next Poll.
type Inbox struct {
	Handler Handler // nil: frames take them

	calls sync.Mutex // the handler hears one event at a time

	mu      sync.Mutex
	waiting page
	read    page
}

// A page is events with their bytes behind one another.
type page struct {
	events []Event
	sizes  []int
	bytes  []byte
}

// Put hears an event of e. The data is copied, or used before Put returns.
func (in *Inbox) Put(e Endpoint, ev Event) {
	if in.Handler != nil {
		in.calls.Lock()
		defer in.calls.Unlock()
		in.Handler(e, ev)
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.waiting.bytes = append(in.waiting.bytes, ev.Data...)
	in.waiting.sizes = append(in.waiting.sizes, len(ev.Data))
	ev.Data = nil
	in.waiting.events = append(in.waiting.events, ev)
}

// Poll gives h what has been put since the last time.
func (in *Inbox) Poll(e Endpoint, h Handler) {
	in.mu.Lock()
	in.waiting, in.read = in.read, in.waiting
	in.mu.Unlock()
	rest := in.read.bytes
	for i, ev := range in.read.events {
		n := in.read.sizes[i]
		ev.Data, rest = rest[:n:n], rest[n:]
		h(e, ev)
	}
	in.read.events, in.read.sizes, in.read.bytes = in.read.events[:0], in.read.sizes[:0], in.read.bytes[:0]
}
