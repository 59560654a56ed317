package netmsg

// A Handler takes the events of an endpoint's connections. The package has
// three: [HandlerFunc], [ChannelHandler] and [Mailbox]; any other is called as
// a HandlerFunc is. What a connection tells comes one event at a time and in
// the order it happened: Joined first, Left last and once.
//
// One Handler may serve many connections, endpoints and pairs. It is never
// entered twice at once, never under a lock of this package, and never from
// inside a send. It must not wait: while it does, events stay in their
// connections, values collapse to the newest and messages hold back their
// sender.
type Handler interface{ HandleEvent(Event) }

// A HandlerFunc is a Handler that is a function. The event's Data is borrowed
// until it returns. It may use any connection and any endpoint, and close
// them. An endpoint that frames drive, or that is stepped, calls it in Drain,
// Flush and Close alone; any other from a goroutine of its own.
type HandlerFunc func(Event)

// HandleEvent calls f.
func (f HandlerFunc) HandleEvent(e Event) { f(e) }
