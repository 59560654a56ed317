package netmsg

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// A funcOutlet calls a function, or a Handler of the program's own. Whoever
// has turned an endpoint hands events out, unless somebody does already: then
// he goes on until nothing is queued. So the handler is never entered twice at
// once, however many endpoints share it, and nobody waits for it.
type funcOutlet struct {
	handle Handler
	key    any // in funcOutlets; nil: shared by nobody

	mu    sync.Mutex
	queue ring[*Conn]
	busy  bool          // somebody hands out
	idle  chan struct{} // closed when nobody does and nothing is queued; nil: nobody waits for that

	users     int         // guarded by funcOutlets
	abandoned atomic.Bool // users fell to 0

	// of whoever is busy
	event Event
	data  []byte
}

// funcOutlets finds the outlet of a handler that is in use, so that endpoints
// that share a handler take turns with it.
var funcOutlets = struct {
	sync.Mutex
	byKey map[any]*funcOutlet
}{byKey: map[any]*funcOutlet{}}

func funcOutletFor(h Handler) *funcOutlet {
	key := handlerKey(h)
	if key == nil {
		return &funcOutlet{handle: quiet(h), users: 1}
	}
	funcOutlets.Lock()
	defer funcOutlets.Unlock()
	o := funcOutlets.byKey[key]
	if o == nil {
		o = &funcOutlet{handle: h, key: key}
		funcOutlets.byKey[key] = o
	}
	o.users++
	o.abandoned.Store(false)
	return o
}

// handlerKey gives what tells one handler from another, nil if nothing does.
// Functions cannot be compared, so a HandlerFunc is known by its closure.
func handlerKey(h Handler) any {
	if f, ok := h.(HandlerFunc); ok {
		if f == nil {
			return nil
		}
		return *(*unsafe.Pointer)(unsafe.Pointer(&f))
	}
	if h == nil || !reflect.ValueOf(h).Comparable() {
		return nil
	}
	return h
}

// quiet gives h, or a handler that ignores everything where there is none.
func quiet(h Handler) Handler {
	if f, ok := h.(HandlerFunc); h == nil || ok && f == nil {
		return HandlerFunc(func(Event) {})
	}
	return h
}

func (o *funcOutlet) ready(c *Conn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*o.queue.push() = c
}

func (o *funcOutlet) run() {
	o.mu.Lock()
	if o.busy || o.queue.len() == 0 {
		o.mu.Unlock()
		return
	}
	o.busy = true
	o.mu.Unlock()
	finished := false
	defer func() {
		if !finished { // the handler panics, and a frame may recover
			o.mu.Lock()
			o.rest()
			o.mu.Unlock()
		}
	}()
	for c := o.next(); c != nil; c = o.next() {
		o.handOut(c)
	}
	finished = true
	if o.abandoned.Load() {
		o.forget()
	}
}

// next takes the connection that is to be heard next. When there is none, the
// caller is busy no more: from then on it is for others to run.
func (o *funcOutlet) next() *Conn {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.queue.len() > 0 {
		return o.queue.pop()
	}
	o.rest()
	return nil
}

// handOut hands out one event of c.
func (o *funcOutlet) handOut(c *Conn) {
	o.data = o.data[:0]
	ok, more := c.take(&o.event, &o.data)
	if more {
		o.ready(c)
	}
	if ok {
		o.call()
	}
}

// call is the one place that a handler is called from; insideHandler looks for
// it on the stack.
//
//go:noinline
func (o *funcOutlet) call() { o.handle.HandleEvent(o.event) }

// rest ends being busy. The lock is held.
func (o *funcOutlet) rest() {
	o.busy = false
	o.event = Event{}
	if o.idle != nil {
		close(o.idle)
		o.idle = nil
	}
}

func (o *funcOutlet) waits() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.queue.len() > 0 && !o.busy
}

func (o *funcOutlet) keepsUp() bool { return true }

func (o *funcOutlet) limit() int { return 0 }

func (o *funcOutlet) end(patience time.Duration) {
	defer o.release()
	if insideHandler() {
		return
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		idle := o.untilIdle()
		if idle == nil {
			return
		}
		select {
		case <-idle:
		case <-timer.C:
			return
		}
	}
}

// untilIdle gives a channel that closes when whoever is busy rests, nil when
// everything has been handed out.
func (o *funcOutlet) untilIdle() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.busy && o.queue.len() == 0 {
		return nil
	}
	if o.idle == nil {
		o.idle = make(chan struct{})
	}
	return o.idle
}

// release counts one user less.
func (o *funcOutlet) release() {
	funcOutlets.Lock()
	o.users--
	o.abandoned.Store(o.users == 0)
	funcOutlets.Unlock()
	o.forget()
}

// forget takes an outlet that nobody uses out of funcOutlets. One that is still
// handing out stays until it has finished: whoever uses the handler anew must
// not enter it meanwhile.
func (o *funcOutlet) forget() {
	funcOutlets.Lock()
	defer funcOutlets.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.users == 0 && !o.busy && funcOutlets.byKey[o.key] == o {
		delete(funcOutlets.byKey, o.key)
	}
}

// insideHandler says whether a handler is what calls, however deep, so that
// waiting for it would be waiting for oneself.
func insideHandler() bool {
	var pcs [64]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		if slices.ContainsFunc(pcs[:n], isHandlerCall) {
			return true
		}
		if n < len(pcs) {
			return false
		}
	}
}

var handlerCall = runtime.FuncForPC(reflect.ValueOf((*funcOutlet).call).Pointer()).Entry()

func isHandlerCall(pc uintptr) bool {
	f := runtime.FuncForPC(pc - 1)
	return f != nil && f.Entry() == handlerCall
}
