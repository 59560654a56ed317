package nlp

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// Times of a Session.
const (
	BeatAfter = 500 * time.Millisecond // of silence
	ackAfter  = 50 * time.Millisecond  // an acknowledgement waits no longer for company
)

// At 30 % loss one packet in 400 is lost five times in a row. So a peer that was
// heard lately is not given up for that, until patience ends.
const (
	alive    = 2 * time.Second // since the peer was heard
	patience = 20              // sends of one packet
)

// MaxQueued is how many reliable packets may wait in a Session, those on their
// way included.
const MaxQueued = 256

// Errors of Send. Unreliable packets wait apart from the reliable, as many of them.
var (
	ErrType  = errors.New("nlp: type 0 is for heartbeats and acknowledgements; a game has 1 to 255")
	ErrFull  = fmt.Errorf("nlp: %d reliable packets wait already", MaxQueued)
	ErrEnded = errors.New("nlp: the session has ended")
)

// An EventKind says what an Event tells.
type EventKind uint8

const (
	Arrived EventKind = iota + 1 // a packet for the game
	Lost                         // a reliable packet was sent MaxSends times, never acknowledged, and the peer is silent; the session has ended
)

// An Event is something that happened to a Session.
type Event struct {
	Kind   EventKind
	Packet Packet // Arrived: Data is borrowed until the next call of Events
}

// A Session is one end of a link: it numbers, acknowledges, sends again what
// was lost, keeps a quiet link alive, and finds out that the other is gone
// (about 5.5 s after its last packet). Make it with NewSession.
type Session struct {
	next     uint16 // number of the next reliable packet
	received Received
	waiting  []outgoing // reliable, oldest first; the first inFlight have numbers
	inFlight int
	loose    []outgoing // unreliable, to be sent once
	spare    [][]byte

	ackDue     time.Duration // an acknowledgement is due, or never
	ackNow     int           // explicit acknowledgements asked for
	lastHeard  time.Duration
	lastBeat   time.Duration
	beating    bool // a heartbeat waits to be acknowledged
	ended      bool
	events     []Event
	arrived    [][]byte
	now        time.Duration
	Resent     uint64 // packets sent again
	Duplicates uint64 // reliable packets that came again
}

const never = time.Duration(math.MaxInt64)

// outgoing is a packet that waits, or waits to be acknowledged.
type outgoing struct {
	kind       uint8
	flags      Flags
	recipients uint32
	data       []byte
	seq        uint16
	sends      int
	last       time.Duration
}

// NewSession starts a session at now. Its first reliable packet has number 1.
func NewSession(now time.Duration) *Session {
	return &Session{next: 1, ackDue: never, lastHeard: now, lastBeat: now, now: now}
}

// Send queues a packet of type kind. Unreliable in flags sends it once; without,
// it is sent until it is acknowledged, MaxSends times to a silent peer. data is
// copied. Recipients are as in Packet. Errors are ErrType, ErrFull and ErrEnded, and
// one that says both sizes for data over MaxData bytes.
func (s *Session) Send(kind uint8, flags Flags, recipients uint32, data []byte) error {
	switch {
	case s.ended:
		return ErrEnded
	case kind == 0:
		return ErrType
	case len(data) > MaxData:
		return fmt.Errorf("nlp: %d bytes of data, at most %d", len(data), MaxData)
	}
	return s.queue(kind, flags, recipients, data)
}

func (s *Session) queue(kind uint8, flags Flags, recipients uint32, data []byte) error {
	list := &s.waiting
	if flags&Unreliable != 0 {
		list = &s.loose
	}
	if len(*list) >= MaxQueued {
		return ErrFull
	}
	*list = append(*list, outgoing{kind: kind, flags: flags, recipients: recipients, data: s.copyOf(data)})
	return nil
}

// Receive acts on one datagram. False: it is no packet of this kind.
func (s *Session) Receive(now time.Duration, datagram []byte) bool {
	s.turn(now)
	p, ok := Parse(datagram)
	if !ok || s.ended {
		return false
	}
	s.lastHeard = s.now
	s.acknowledged(p.Ack, p.Bits)
	if p.Type != 0 && len(s.events) >= maxEvents {
		return true // not acknowledged: what is reliable comes again
	}
	fresh := true
	if p.Flags&Unreliable == 0 {
		if fresh = s.received.Take(p.Seq); !fresh {
			s.Duplicates++
		}
		s.ackDue = min(s.ackDue, s.now+ackAfter)
	}
	if p.Flags&ExplicitAck != 0 {
		s.ackNow = min(s.ackNow+1, Window)
	}
	if fresh && p.Type != 0 {
		s.deliver(p)
	}
	return true
}

// maxEvents is how many packets wait for the game. One that comes beyond is
// dropped and not acknowledged, so that a reliable one comes again.
const maxEvents = 256

func (s *Session) deliver(p Packet) {
	p.Data = s.copyOf(p.Data)
	s.events = append(s.events, Event{Kind: Arrived, Packet: p})
}

// acknowledged lets go of what the peer says it has.
func (s *Session) acknowledged(ack, bits uint16) {
	kept := s.waiting[:0]
	flying := 0
	for i, o := range s.waiting {
		if i < s.inFlight && Acks(ack, bits, o.seq) {
			s.beating = s.beating && o.kind != 0
			s.spare = append(s.spare, o.data)
			continue
		}
		if i < s.inFlight {
			flying++
		}
		kept = append(kept, o)
	}
	clear(s.waiting[len(kept):])
	s.waiting, s.inFlight = kept, flying
}

// Transmit writes the next datagram that is due and returns its length; 0 when
// there is none. buf holds at least MaxDatagram bytes.
func (s *Session) Transmit(now time.Duration, buf []byte) int {
	s.turn(now)
	if s.ended {
		return 0
	}
	s.beat()
	if n := s.transmitReliable(buf); n > 0 || s.ended {
		return n
	}
	if len(s.loose) > 0 {
		o := s.loose[0]
		s.loose = append(s.loose[:0], s.loose[1:]...)
		o.seq = UnreliableNumber(s.next)
		s.spare = append(s.spare, o.data)
		return s.write(buf, o)
	}
	if s.ackNow > 0 || s.now >= s.ackDue {
		s.ackNow = max(0, s.ackNow-1)
		return s.write(buf, outgoing{flags: Unreliable, seq: UnreliableNumber(s.next)})
	}
	return 0
}

// beat queues a heartbeat on a link that has been silent, unless one is on its
// way already.
func (s *Session) beat() {
	if s.beating || s.now < s.beatAt() || s.queue(0, 0, 0, nil) != nil {
		return
	}
	s.beating, s.lastBeat = true, s.now
}

func (s *Session) beatAt() time.Duration { return max(s.lastHeard, s.lastBeat) + BeatAfter }

// transmitReliable sends again what is overdue, oldest first, then a new one.
func (s *Session) transmitReliable(buf []byte) int {
	for i := range s.waiting[:s.inFlight] {
		o := &s.waiting[i]
		if s.now-o.last <= ResendAfter {
			continue
		}
		if o.sends >= MaxSends && (s.now-s.lastHeard > alive || o.sends >= patience) {
			s.end()
			return 0
		}
		o.sends++
		o.last = s.now
		s.Resent++
		return s.write(buf, *o)
	}
	if s.inFlight == len(s.waiting) || s.inFlight >= Window {
		return 0
	}
	o := &s.waiting[s.inFlight]
	if o.seq = s.next; s.inFlight > 0 && o.seq-s.waiting[0].seq >= Window {
		return 0 // the oldest holds the window
	}
	s.inFlight++
	s.next++
	o.sends, o.last = 1, s.now
	return s.write(buf, *o)
}

func (s *Session) end() {
	s.ended = true
	s.events = append(s.events, Event{Kind: Lost})
}

// write makes the datagram, with the newest acknowledgement: also one that is
// sent again carries it.
func (s *Session) write(buf []byte, o outgoing) int {
	p := Packet{Version: Version, Type: o.kind, Flags: o.flags, Seq: o.seq, Recipients: o.recipients, Data: o.data}
	p.Ack, p.Bits = s.received.Ack()
	s.ackDue = never
	b, err := p.Append(buf[:0])
	if err != nil || len(b) > len(buf) {
		return 0
	}
	return len(b)
}

// Deadline is when Transmit has something to do; it is not in the past after a
// turn of Transmit to 0.
func (s *Session) Deadline() time.Duration {
	if s.ended {
		return never
	}
	at := s.ackDue
	if len(s.loose) > 0 || s.ackNow > 0 || s.inFlight < len(s.waiting) && s.hasRoom() {
		return s.now
	}
	for i := range s.waiting[:s.inFlight] {
		at = min(at, s.waiting[i].last+ResendAfter+1)
	}
	if !s.beating {
		at = min(at, s.beatAt())
	}
	return at
}

func (s *Session) hasRoom() bool {
	return s.inFlight < Window && (s.inFlight == 0 || s.next-s.waiting[0].seq < Window)
}

// Events gives what has happened, in order; a break leaves the rest. Data is
// borrowed until the next call of Events.
func (s *Session) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		s.spare = append(s.spare, s.arrived...)
		s.arrived = s.arrived[:0]
		for {
			e, ok := s.event()
			if !ok {
				return
			}
			if e.Packet.Data != nil {
				s.arrived = append(s.arrived, e.Packet.Data)
			}
			if !yield(e) {
				return
			}
		}
	}
}

// event takes the oldest event; its data is the caller's.
func (s *Session) event() (e Event, ok bool) {
	if len(s.events) == 0 {
		return Event{}, false
	}
	e = s.events[0]
	s.events = append(s.events[:0], s.events[1:]...)
	return e, true
}

// Ended says that the peer was given up or the session was closed.
func (s *Session) Ended() bool { return s.ended }

// Unacked is how many reliable packets wait or are not yet acknowledged.
func (s *Session) Unacked() int { return len(s.waiting) }

// Close ends the session. The protocol has no word for it: the peer finds out by
// silence.
func (s *Session) Close() { s.ended = true }

func (s *Session) turn(now time.Duration) { s.now = max(s.now, now) }

func (s *Session) copyOf(data []byte) []byte {
	var b []byte
	if n := len(s.spare); n > 0 {
		b, s.spare = s.spare[n-1][:0], s.spare[:n-1]
	}
	return append(b, data...)
}
