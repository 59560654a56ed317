package netmsg

// PairInProcess joins two connections of this process with nothing between
// them: what one side sends the other's handler hears in order and at once,
// nothing is lost, and there are no packets, so all Stats stay zero. A game
// whose server and player are in one process runs the same server and the same
// player as over UDP. Both are open at once; idA and idB are the IDs that a's
// and b's events carry, so that a handler shared by several pairs can tell them
// apart.
//
// Sizes, channels and streams are refused as a Config of defaults says; an
// unreliable message has at most 1,167 bytes, what fits a datagram on any path.
// Values are heard
// one by one as long as the handler takes them; in a [Mailbox], and behind a
// full channel, only the newest of each stream waits. Messages that nobody
// takes wait up to 64 MiB; the next is refused with QueueFull.
//
// A goroutine hands the events to a HandlerFunc until Stop.
func PairInProcess(a, b Handler, idA, idB ConnID) *Pair {
	p := newPair(a, b, idA, idB)
	cfg := (*Config)(nil).settle()
	inA, inB := newLocalLine(cfg, p.A.out), newLocalLine(cfg, p.B.out)
	inA.peer, inB.peer = inB, inA
	p.A.line, p.B.line = inA, inB
	go p.run(nil)
	return p
}

// localQueue is how many bytes wait for one side at most, each event with its
// overhead.
const localQueue = 64 << 20

// localLoose is the largest unreliable message, bytes: what a sealed connection
// takes while it knows nothing of its path.
const localLoose = minMaxDatagram - sealedExtra - smallAckFrame - 1

// localOverhead is about what an event takes beside its Data.
const localOverhead = 128

// A localLine is one end of an in-process pair. Events for this side wait in
// it; sending puts them into the peer's.
type localLine struct {
	cfg  *Config
	out  outlet // this side's
	peer *localLine

	in      ring[localEvent]
	first   uint64 // number of the event at the head of in
	dead    int    // overtaken values in it
	bytes   int
	pool    buffers
	lent    []byte
	waiting map[uint16]uint64 // number of the last value of each stream that waits

	used  map[uint16]bool // streams that this side has sent on
	left  Event
	state localState
}

type localState uint8

const (
	localOpen   localState = iota // Joined is in the queue, or was
	localLeaves                   // Left waits behind the queue
	localLeft                     // Left has been taken
)

type localEvent struct {
	event Event
	dead  bool // a value that a newer one has overtaken
}

func newLocalLine(cfg *Config, out outlet) *localLine {
	l := &localLine{cfg: cfg, out: out, waiting: map[uint16]uint64{}, used: map[uint16]bool{}}
	l.push(Event{Kind: Joined})
	return l
}

func (l *localLine) SendReliable(data []byte) error { return l.SendOn(Ordered1, data) }

func (l *localLine) SendOn(ch Channel, data []byte) error {
	switch limit := l.cfg.MaxReliable(); {
	case ch == Unreliable:
		return l.SendUnreliable(data)
	case ch > Ordered3:
		return ErrNoChannel
	case l.state != localOpen:
		return ErrClosed
	case len(data) > limit:
		return l.refuse(RefusedError{Reliable: true, Why: TooLarge, Size: len(data), Limit: limit})
	case l.peer.bytes+len(data) > localQueue:
		return l.refuse(RefusedError{Reliable: true, Why: QueueFull, Size: len(data), Limit: localQueue})
	}
	l.peer.push(Event{Kind: Message, Channel: ch, Data: l.peer.pool.copyOf(data)})
	return nil
}

// SendUnreliable loses what finds the peer's queue full, as a network would.
func (l *localLine) SendUnreliable(data []byte) error {
	switch {
	case l.state != localOpen:
		return ErrClosed
	case len(data) > localLoose:
		return l.refuse(RefusedError{Unreliable: true, Why: TooLarge, Size: len(data), Limit: localLoose})
	case l.peer.bytes+len(data) <= localQueue:
		l.peer.push(Event{Kind: Message, Channel: Unreliable, Data: l.peer.pool.copyOf(data)})
	}
	return nil
}

func (l *localLine) SendLatest(stream uint16, data []byte) error {
	switch limit := l.cfg.MaxLatest(); {
	case l.state != localOpen:
		return ErrClosed
	case len(data) > limit:
		return l.refuse(RefusedError{Stream: stream, Why: TooLarge, Size: len(data), Limit: limit})
	case !l.use(stream):
		return l.refuse(RefusedError{Stream: stream, Why: TooManyStreams, Size: len(data), Limit: l.cfg.MaxStreams})
	}
	l.peer.value(stream, data)
	return nil
}

// use counts a stream as used. It returns false if it is one too many.
func (l *localLine) use(stream uint16) bool {
	if !l.used[stream] && len(l.used) == l.cfg.MaxStreams {
		return false
	}
	l.used[stream] = true
	return true
}

// value puts a value for this side into the queue. Where values do not all
// have to be heard, it overtakes the one before it.
func (l *localLine) value(stream uint16, data []byte) {
	if l.state != localOpen {
		return
	}
	if number, ok := l.waiting[stream]; ok && (!l.out.keepsUp() || l.bytes+len(data) > localQueue) {
		old := l.in.at(int(number - l.first))
		l.bytes -= len(old.event.Data) + localOverhead
		l.pool.put(old.event.Data)
		old.dead, old.event.Data = true, nil
		l.dead++
	}
	l.waiting[stream] = l.first + uint64(l.in.len())
	l.push(Event{Kind: Update, Stream: stream, Data: l.pool.copyOf(data)})
	l.trim()
}

// trim takes overtaken values off the head of the queue, and all of them when
// they are most of it.
func (l *localLine) trim() {
	for l.in.len() > 0 && l.in.at(0).dead {
		l.drop()
	}
	if l.dead <= l.in.len()/2 {
		return
	}
	for range l.in.len() {
		e := *l.in.at(0)
		l.drop()
		if e.dead {
			continue
		}
		if e.event.Kind == Update {
			l.waiting[e.event.Stream] = l.first + uint64(l.in.len())
		}
		*l.in.push() = e
	}
}

// drop takes the head off the queue.
func (l *localLine) drop() {
	if l.in.pop().dead {
		l.dead--
	}
	l.first++
}

// push puts an event for this side into the queue.
func (l *localLine) push(e Event) {
	if l.state != localOpen {
		return
	}
	l.in.push().event = e
	l.bytes += len(e.Data) + localOverhead
}

func (l *localLine) refuse(why RefusedError) error {
	l.push(Event{Kind: Refused, Reliable: why.Reliable, Stream: why.Stream, Why: why.Why, Size: why.Size, Limit: why.Limit})
	return &why
}

func (l *localLine) SetStreamWeight(stream uint16, weight int) error {
	switch {
	case weight < 1:
		return ErrWeight
	case l.state != localOpen:
		return ErrClosed
	case !l.use(stream):
		return &RefusedError{Stream: stream, Why: TooManyStreams, Limit: l.cfg.MaxStreams}
	}
	return nil
}

func (l *localLine) Flush()       {}
func (l *localLine) Stats() Stats { return Stats{} }

func (l *localLine) CloseWith(code uint16, text string) {
	l.leave(Event{Reason: Local})
	l.peer.leave(Event{Reason: Remote, Code: code, Text: clip(text)})
}

// leave ends this side. What waits is still heard.
func (l *localLine) leave(left Event) {
	if l.state == localOpen {
		left.Kind = Left
		l.state, l.left = localLeaves, left
	}
}

func (l *localLine) ended() bool   { return l.state != localOpen }
func (l *localLine) pending() bool { return l.in.len() > 0 || l.state == localLeaves }

func (l *localLine) hasValue(stream uint16) bool {
	_, ok := l.waiting[stream]
	return ok
}

func (l *localLine) next(e *Event) bool {
	l.pool.put(l.lent)
	l.lent = nil
	l.trim()
	if l.in.len() > 0 {
		l.takeHead(e)
		return true
	}
	*e = Event{}
	if l.state != localLeaves {
		return false
	}
	l.state, *e = localLeft, l.left
	return true
}

func (l *localLine) takeHead(e *Event) {
	number := l.first
	*e = l.in.at(0).event
	l.drop()
	l.bytes -= len(e.Data) + localOverhead
	l.lent = e.Data
	if last, ok := l.waiting[e.Stream]; e.Kind == Update && ok && last == number {
		delete(l.waiting, e.Stream)
	}
	l.trim()
}
