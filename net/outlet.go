package netmsg

import "time"

// An outlet hands the events of connections to one Handler. There is a kind of
// outlet for each kind of Handler, and they differ in who pulls. What is not
// pulled stays in the connection, which bounds it.
type outlet interface {
	// ready queues c, which has something to tell. c's lock is held, so no
	// handler is called from here.
	ready(c *Conn)

	// run hands out what is queued, if that is for the caller to do. No lock is
	// held. Whoever has turned an endpoint or a pair calls it.
	run()

	// waits says that run has something to do.
	waits() bool

	// keepsUp says that events are taken as they come, so that values need
	// not collapse.
	keepsUp() bool

	// limit is how many events a connection may keep waiting, 0 for as many
	// as it does by itself.
	limit() int

	// end says that an endpoint or a pair uses the outlet no longer, and waits
	// until what is queued has been handed out: at most for patience, and not
	// at all when a handler is what calls.
	end(patience time.Duration)
}

// newOutlet makes what hands events to h. A turned one is run by whoever turns
// an endpoint in frames, and has no goroutine.
func newOutlet(h Handler, turned bool) outlet {
	switch h := h.(type) {
	case *Mailbox:
		return h
	case channelHandler:
		return newChannelOutlet(h.ch, turned)
	}
	return funcOutletFor(h)
}
