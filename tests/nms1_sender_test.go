package tests

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"time"
)

// An nms1Sender is the half of a side that sends, as net/PROTOCOL.md has it: it
// is told what the application queues and what the peer acknowledges, and says
// of every Payload what must be in it and when it may, and must, go.
type nms1Sender struct {
	nms1Settings
	opened time.Duration

	sequence uint64      // of the next Payload, as if numbers did not wrap
	packets  []*nms1Sent // whose fate is open, the oldest first
	newest   uint64      // the newest sequence acknowledged, and one more; 0: none

	messages []nms1Queued // from the oldest that is not acknowledged
	base     uint64       // id of messages[0], as if numbers did not wrap

	streams []*nms1Stream // in the order of their first use
	went    int

	measured     bool
	srtt, rttvar time.Duration
	fates        int
	loss         float64

	round nms1Round
	rate  nms1Rate

	owedAt  time.Duration // an acknowledgement is owed from then on
	since   int           // packets that have come since the last Payload went
	last    time.Duration // the last Payload went
	closing bool
}

// nms1Settings are the constants of section 11 that can be set.
type nms1Settings struct {
	packetSize        int
	goodRate, badRate int
	badRTT            time.Duration
	keepAlive         time.Duration
	timeout           time.Duration
	resendMin         time.Duration
}

// An nms1Sent is a Payload that has gone and may still be acknowledged.
type nms1Sent struct {
	sequence uint64
	at       time.Duration
	ids      []uint64
	acked    bool
}

// What a sender remembers of packets whose fate is open; older ones are
// forgotten (5).
const (
	nms1OpenFates = 1024
	nms1OpenIDs   = 8192 - 255
)

// An nms1Queued is a message that is kept.
type nms1Queued struct {
	data  []byte
	sent  bool
	at    time.Duration // last
	acked bool
}

// An nms1Stream is a stream of values (8).
type nms1Stream struct {
	stream uint16
	number uint16
	waits  bool
	data   []byte
	weight int
	sum    int
	went   int // the how-manieth value of the side that was the stream's last; 0: none
}

// An nms1Round says where the resends of a silent peer are (7).
type nms1Round struct {
	on    bool
	began time.Duration
	pause time.Duration
}

// An nms1Rate is section 9.
type nms1Rate struct {
	even     time.Duration // when the next would go if all were spaced evenly
	bad      bool
	penalty  time.Duration
	was      bool          // it has turned good again once
	goodAt   time.Duration // it turned good
	halvedAt time.Duration
	calm     bool // bad, but the round trip is good
	calmAt   time.Duration
}

// slack is what may be lost or gained by rounding to nanoseconds.
const slack = 20 * time.Microsecond

func newNMS1Sender(s nms1Settings, now time.Duration) *nms1Sender {
	return &nms1Sender{
		nms1Settings: s, opened: now, last: now, owedAt: math.MaxInt64,
		rate: nms1Rate{even: now, penalty: 4 * time.Second, goodAt: now, halvedAt: now},
	}
}

// queue: the application sends a message.
func (s *nms1Sender) queue(data []byte) {
	s.messages = append(s.messages, nms1Queued{data: bytes.Clone(data)})
}

// set: the application sets a value.
func (s *nms1Sender) set(stream uint16, data []byte) {
	v := s.stream(stream)
	v.waits, v.data = true, bytes.Clone(data)
}

func (s *nms1Sender) stream(stream uint16) *nms1Stream {
	for _, v := range s.streams {
		if v.stream == stream {
			return v
		}
	}
	v := &nms1Stream{stream: stream, weight: 1}
	s.streams = append(s.streams, v)
	return v
}

// flush: the application asks for a tick (6).
func (s *nms1Sender) flush(now time.Duration) {
	if s.owedAt != math.MaxInt64 {
		s.owedAt = min(s.owedAt, now)
	}
}

// arrived: a Payload that is to be acknowledged has come; more of them are owed
// an acknowledgement half a tick after the first with a message, or after the
// sixteenth (6).
func (s *nms1Sender) arrived(d nms1Datagram, now time.Duration) {
	s.since++
	if (len(d.messages) > 0 || s.since >= 16) && s.owedAt == math.MaxInt64 {
		s.owedAt = now + s.tick()/2
	}
}

// acknowledged takes an acknowledgement (5).
func (s *nms1Sender) acknowledged(d nms1Datagram, now time.Duration) {
	news := false
	for k := 32; k >= 0; k-- { // from the oldest to the newest
		if k > 0 && d.ackBits>>(k-1)&1 == 0 {
			continue
		}
		if p := s.open(d.ack - uint16(k)); p != nil && !p.acked {
			news = true
			s.delivered(p, now)
		}
	}
	if !news {
		return
	}
	s.round = nms1Round{}
	for len(s.messages) > 0 && s.messages[0].acked {
		s.messages, s.base = s.messages[1:], s.base+1
	}
	for len(s.packets) > 0 && s.packets[0].sequence+33 < s.newest {
		if !s.packets[0].acked {
			s.fate(1)
		}
		s.packets = s.packets[1:]
	}
	s.turnRate(now)
}

// open gives the packet of a sequence whose fate is open; nil: none is.
func (s *nms1Sender) open(sequence uint16) *nms1Sent {
	for _, p := range s.packets {
		if uint16(p.sequence) == sequence {
			return p
		}
	}
	return nil
}

// delivered: a packet is acknowledged for the first time (5).
func (s *nms1Sender) delivered(p *nms1Sent, now time.Duration) {
	p.acked = true
	s.newest = max(s.newest, p.sequence+1)
	s.sample(now - p.at)
	s.fate(0)
	for _, id := range p.ids {
		if id >= s.base {
			s.messages[id-s.base].acked = true
		}
	}
}

// opens notes a packet that goes, and forgets the oldest if there are too many.
func (s *nms1Sender) opens(p *nms1Sent) {
	ids := 0
	for _, old := range s.packets {
		ids += len(old.ids)
	}
	for len(s.packets) >= nms1OpenFates || len(s.packets) > 0 && ids > nms1OpenIDs {
		ids -= len(s.packets[0].ids)
		s.packets = s.packets[1:]
	}
	s.packets = append(s.packets, p)
}

// sample takes a round trip (5).
func (s *nms1Sender) sample(rtt time.Duration) {
	if !s.measured {
		s.measured, s.srtt, s.rttvar = true, rtt, rtt/2
		return
	}
	s.rttvar += ((rtt - s.srtt).Abs() - s.rttvar) / 4
	s.srtt += (rtt - s.srtt) / 8
}

// fate: a packet was lost (1) or acknowledged (0) (5).
func (s *nms1Sender) fate(lost float64) {
	s.fates = min(s.fates+1, 64)
	s.loss += (lost - s.loss) / float64(s.fates)
}

// turnRate lets the rate become bad or good (9).
func (s *nms1Sender) turnRate(now time.Duration) {
	r := &s.rate
	over := s.srtt > s.badRTT
	switch {
	case !r.bad:
		for now-r.halvedAt >= 10*time.Second {
			r.halvedAt += 10 * time.Second
			r.penalty = max(r.penalty/2, time.Second)
		}
		if over {
			if r.was && now-r.goodAt < 10*time.Second {
				r.penalty = min(2*r.penalty, time.Minute)
			}
			r.bad, r.calm = true, false
		}
	case over:
		r.calm = false
	case !r.calm:
		r.calm, r.calmAt = true, now
	case now-r.calmAt >= r.penalty:
		r.bad, r.was, r.goodAt, r.halvedAt = false, true, now, now
	}
}

func (s *nms1Sender) perSecond() time.Duration {
	if s.rate.bad {
		return time.Duration(s.badRate)
	}
	return time.Duration(s.goodRate)
}

// tick is the time between two Payloads at the rate there is (9).
func (s *nms1Sender) tick() time.Duration { return time.Second / s.perSecond() }

// place is when the rate has a place for a Payload (9).
func (s *nms1Sender) place() time.Duration {
	if s.closing {
		return 0
	}
	holds := max(1, s.perSecond()/60)
	return s.rate.even - (holds-1)*s.tick() - s.tick()/8
}

// resendDelay is section 7's.
func (s *nms1Sender) resendDelay() time.Duration {
	if !s.measured {
		return max(100*time.Millisecond, s.resendMin)
	}
	return max(s.srtt+4*s.rttvar, s.resendMin)
}

// dueAt is when a message is due (7).
func (s *nms1Sender) dueAt(m *nms1Queued) time.Duration {
	if !m.sent {
		return 0
	}
	at := m.at + s.resendDelay()
	if s.round.on && at > s.round.began {
		at = max(at, s.round.began+s.round.pause)
	}
	return at
}

// resent: a Payload with a resend goes (7).
func (s *nms1Sender) resent(now time.Duration) {
	delay := s.resendDelay()
	switch {
	case !s.round.on:
		s.round = nms1Round{true, now, min(2*delay, max(time.Second, delay))}
	case now >= s.round.began+s.round.pause:
		s.round.began = now
		s.round.pause = min(2*s.round.pause, max(time.Second, delay))
	}
}

// wantsAt is the earliest time at which there is something to say (6), the
// rate apart.
func (s *nms1Sender) wantsAt() time.Duration {
	at := min(s.last+s.keepAlive, s.owedAt)
	for i := range s.messages {
		if m := &s.messages[i]; !m.acked {
			at = min(at, s.dueAt(m))
		}
	}
	for _, v := range s.streams {
		if v.waits {
			at = 0
		}
	}
	return at
}

// goesAt is when the next Payload goes.
func (s *nms1Sender) goesAt() time.Duration { return max(s.wantsAt(), s.place()) }

// sent: a Payload goes. It says what is wrong with that.
func (s *nms1Sender) sent(d nms1Datagram, size int, now time.Duration) error {
	if d.sequence != uint16(s.sequence) {
		return fmt.Errorf("sequence %d is sent, %d is next (5)", d.sequence, uint16(s.sequence))
	}
	if size > s.packetSize {
		return fmt.Errorf("%d bytes, the packet size is %d (3)", size, s.packetSize)
	}
	if at := s.place(); now < at-slack {
		return fmt.Errorf("sent %v before the rate has a place (9)", at-now)
	}
	if at := s.wantsAt(); now < at-slack {
		return fmt.Errorf("sent %v before there is something to say (6): %d messages, %d values", at-now, len(d.messages), len(d.values))
	}
	p := &nms1Sent{sequence: s.sequence, at: now}
	room := s.packetSize - 23
	room, err := s.sentMessages(p, d, room, now)
	if err == nil {
		err = s.sentValues(d, room)
	}
	if err != nil {
		return err
	}
	s.opens(p)
	s.sequence++
	s.last, s.since, s.owedAt = now, 0, math.MaxInt64
	if !s.closing {
		s.rate.even = max(s.rate.even, now) + s.tick()
	}
	return nil
}

// sentMessages: a Payload carries the due messages, the oldest first, until
// the next does not fit (6). What is due within the slack may be there or not.
func (s *nms1Sender) sentMessages(p *nms1Sent, d nms1Datagram, room int, now time.Duration) (left int, err error) {
	carried := d.messages
	for i := range s.messages {
		m, id := &s.messages[i], s.base+uint64(i)
		due := s.dueAt(m)
		if len(carried) > 0 && carried[0].id == uint16(id) {
			if err := s.mayCarry(m, carried[0], due-now); err != nil {
				return 0, fmt.Errorf("message %d is sent %w", id, err)
			}
			carried = carried[1:]
			if m.sent {
				s.resent(now)
			}
			m.sent, m.at = true, now
			p.ids = append(p.ids, id)
			room -= 4 + len(m.data)
			continue
		}
		if m.acked || due > now+slack || s.closing && m.sent {
			continue
		}
		if fits := 4+len(m.data) <= room && len(p.ids) < 255; !fits && len(carried) == 0 {
			return room, nil
		}
		if due <= now-slack {
			return 0, fmt.Errorf("message %d was due %v ago, is older than others or would fit, and is not there (6)", id, now-due)
		}
	}
	if len(carried) > 0 {
		return 0, fmt.Errorf("message %d is sent, which was not queued, or is out of order (6)", carried[0].id)
	}
	return room, nil
}

// mayCarry says what is wrong with a message in a Payload.
func (s *nms1Sender) mayCarry(m *nms1Queued, carried nms1Message, early time.Duration) error {
	switch {
	case m.acked:
		return errors.New("after it was acknowledged (7)")
	case early > slack:
		return fmt.Errorf("%v before it is due (7)", early)
	case !bytes.Equal(m.data, carried.data):
		return fmt.Errorf("as %.20x, and was queued as %.20x", carried.data, m.data)
	}
	return nil
}

// sentValues: then the values that wait, by priority, until the next does not
// fit (6, 8).
func (s *nms1Sender) sentValues(d nms1Datagram, room int) error {
	for _, v := range s.streams {
		if v.waits {
			v.sum += v.weight
		}
	}
	for i := 0; ; i++ {
		first := s.firstValue()
		if i == len(d.values) {
			if first != nil && 6+len(first.data) <= room && i < 255 {
				return fmt.Errorf("the value of stream %d waits and would fit, and is not there (8)", first.stream)
			}
			return nil
		}
		v := d.values[i]
		switch {
		case first == nil || v.stream != first.stream:
			return fmt.Errorf("stream %d goes before its turn (8)", v.stream)
		case v.number != first.number:
			return fmt.Errorf("the value of stream %d has number %d, next is %d (8)", v.stream, v.number, first.number)
		case !bytes.Equal(v.data, first.data):
			return fmt.Errorf("value %d of stream %d is sent as %.20x, and was set to %.20x", v.number, v.stream, v.data, first.data)
		}
		room -= 6 + len(v.data)
		s.went++
		first.waits, first.sum, first.went = false, 0, s.went
		first.number++
	}
}

// firstValue is the one that goes first of those that wait (8).
func (s *nms1Sender) firstValue() (first *nms1Stream) {
	for _, v := range s.streams {
		if v.waits && (first == nil || v.sum > first.sum || v.sum == first.sum && v.went < first.went) {
			first = v
		}
	}
	return first
}
