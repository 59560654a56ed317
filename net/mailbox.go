package netmsg

import (
	"iter"
	"sync"
	"time"
)

// A Mailbox is a Handler that a loop drains: nothing is called, and events
// wait in their connections until All takes them. Of each stream only the
// newest value waits; messages wait up to the limit and then hold back their
// sender, so a loop that stops for a while makes its peers wait and its memory
// does not grow. One Mailbox may serve several endpoints and pairs.
type Mailbox struct {
	most int

	mu     sync.Mutex
	queue  ring[*Conn]
	posted ring[Event] // by HandleEvent

	// of the one loop that drains
	event Event
	arena []byte // Data of the events given out since All began
}

const (
	// mailboxPosted is how many events given to HandleEvent wait at most,
	// where NewMailbox names no limit.
	mailboxPosted = 1024

	// mailboxRound is how many events of one connection one All takes at most:
	// more than can wait at once, and an end for All while a peer goes on.
	mailboxRound = 1 << 16

	// arenaKept is the size in bytes up to which memory for Data is kept for
	// the next All even if little of it was used.
	arenaKept = 1 << 20
)

// NewMailbox makes a Mailbox. Limit is how many messages of one connection may
// wait, beside the newest value of each stream, and Joined and Left, which always
// may; 0 or less: as many as the protocol lets a peer send. What a peer has sent
// beyond that holds back its credit, and an All gives at most limit messages of
// a connection; an unreliable message is dropped.
func NewMailbox(limit int) *Mailbox { return &Mailbox{most: max(limit, 0)} }

// All takes out every event that waits, one by one, without waiting for more:
// what comes in meanwhile is for the next All. An event's Data is borrowed until
// the next All, which overwrites it. A break leaves the rest. Only one
// goroutine drains at a time; it may send, close and dial in the loop. Ranging
// allocates nothing.
func (m *Mailbox) All() iter.Seq[Event] {
	return func(yield func(Event) bool) { m.drain(yield) }
}

func (m *Mailbox) drain(yield func(Event) bool) {
	m.reuse()
	m.mu.Lock()
	posted, conns := m.posted.len(), m.queue.len()
	m.mu.Unlock()
	for range posted {
		if !yield(m.popPosted()) {
			return
		}
	}
	for range conns {
		if !m.drainConn(m.pop(), yield) {
			return
		}
	}
}

// drainConn gives out the events of one connection. It returns false when the
// loop wants no more.
func (m *Mailbox) drainConn(c *Conn, yield func(Event) bool) bool {
	for range mailboxRound {
		ok, more := c.take(&m.event, &m.arena)
		goOn := !ok || yield(m.event)
		if !goOn && more {
			m.ready(c)
		}
		if !goOn || !more {
			return goOn
		}
	}
	m.ready(c)
	return true
}

// reuse overwrites the Data of the last All, so that keeping it shows at once,
// and lets go of memory that only a burst needed.
func (m *Mailbox) reuse() {
	clear(m.arena)
	if cap(m.arena) > arenaKept && len(m.arena) < cap(m.arena)/8 {
		m.arena = nil
	}
	m.arena = m.arena[:0]
}

func (m *Mailbox) pop() *Conn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.queue.pop()
}

func (m *Mailbox) popPosted() Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.posted.pop()
}

// HandleEvent adds a copy of e, as if it had come from a connection: for a
// Handler that passes on some of its events. A value replaces one of its
// stream that waits. When as many wait as the limit says (1,024 if it says
// nothing), one more message closes its connection rather than be lost
// silently; a value or a refusal is dropped.
func (m *Mailbox) HandleEvent(e Event) {
	e.Data = append([]byte(nil), e.Data...)
	if m.post(e) || e.Kind != Message || e.Conn == nil {
		return
	}
	e.Conn.Close()
}

func (m *Mailbox) post(e Event) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Kind == Update && m.replace(e) {
		return true
	}
	most := m.most
	if most == 0 {
		most = mailboxPosted
	}
	if m.posted.len() >= most && e.Kind != Joined && e.Kind != Left {
		return false
	}
	*m.posted.push() = e
	return true
}

// replace puts e in the place of an older value of its stream.
func (m *Mailbox) replace(e Event) bool {
	for i := range m.posted.len() {
		old := m.posted.at(i)
		if old.Kind == Update && old.Conn == e.Conn && old.ID == e.ID && old.Stream == e.Stream {
			*old = e
			return true
		}
	}
	return false
}

func (m *Mailbox) ready(c *Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*m.queue.push() = c
}

// The rest of outlet: a loop runs a Mailbox, nobody else.

func (m *Mailbox) run()              {}
func (m *Mailbox) waits() bool       { return false }
func (m *Mailbox) keepsUp() bool     { return false }
func (m *Mailbox) limit() int        { return m.most }
func (m *Mailbox) end(time.Duration) {}
