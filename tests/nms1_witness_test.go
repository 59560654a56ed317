package tests

import (
	"bytes"
	"fmt"
	"math"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// An nms1Witness watches one side of an open NMS1 connection from outside: what
// its application does, what arrives at it, what it sends and what is heard.
// With the sender and the receiver that it has from net/PROTOCOL.md it knows
// what each datagram has to be. Its methods say what is wrong.
type nms1Witness struct {
	settings nms1Settings
	session  uint64
	in       *nms1Receiver
	out      *nms1Sender

	heardAt time.Duration // the peer was heard
	ended   bool          // nothing is sent any more, but by a close
	why     netmsg.CloseReason

	closedAt    time.Duration // Close was called; math.MaxInt64: not
	lastWord    time.Duration // a Payload went after Close
	disconnects []time.Duration
}

func newNMS1Witness(cfg netmsg.Config, session uint64, now time.Duration) *nms1Witness {
	s := nms1Settings{
		packetSize: orDefault(cfg.MaxPacket, 1200),
		goodRate:   orDefault(cfg.GoodRate, 30),
		badRate:    orDefault(cfg.BadRate, 10),
		badRTT:     orDefault(cfg.BadRTT, 250*time.Millisecond),
		keepAlive:  orDefault(cfg.KeepAlive, 100*time.Millisecond),
		timeout:    orDefault(cfg.Timeout, 10*time.Second),
		resendMin:  orDefault(cfg.ResendMin, 40*time.Millisecond),
	}
	return &nms1Witness{
		settings: s, session: session, in: newNMS1Receiver(), out: newNMS1Sender(s, now),
		heardAt: now, closedAt: math.MaxInt64, lastWord: -1,
	}
}

func orDefault[T int | time.Duration](v, normally T) T {
	if v == 0 {
		return normally
	}
	return v
}

func (w *nms1Witness) closing() bool { return w.closedAt != math.MaxInt64 }

// arrived: a datagram is given to the side.
func (w *nms1Witness) arrived(b []byte, now time.Duration) error {
	d, err := decodeNMS1(b, w.settings.packetSize)
	if err != nil {
		return err
	}
	if w.ended || d.session != w.session {
		return nil
	}
	switch d.kind {
	case nms1Disconnect:
		if !w.closing() {
			w.ended, w.why = true, netmsg.Remote
		}
	case nms1Payload:
		if w.closing() || !w.in.takes(d) {
			return nil
		}
		w.heardAt = now
		w.out.acknowledged(d, now)
		if w.in.take(d) {
			w.out.arrived(d, now)
		}
	}
	return nil
}

// sent: the side sends a datagram.
func (w *nms1Witness) sent(b []byte, now time.Duration) error {
	d, err := decodeNMS1(b, w.settings.packetSize)
	switch {
	case err != nil:
		return err
	case d.session != w.session:
		return fmt.Errorf("session %016x is sent, it is %016x", d.session, w.session)
	case w.ended:
		return fmt.Errorf("kind %d is sent after the end (10)", d.kind)
	case d.kind == nms1Disconnect:
		return w.sentDisconnect(now)
	case d.kind != nms1Payload:
		return fmt.Errorf("kind %d is sent in an open connection (2)", d.kind)
	case w.closing() && len(w.disconnects) > 0:
		return fmt.Errorf("a Payload is sent after a Disconnect (10)")
	}
	if ack, bits := w.in.ack(); d.ack != ack || d.ackBits != bits {
		return fmt.Errorf("it acknowledges %04x %08x, what has arrived is %04x %08x (5)", d.ack, d.ackBits, ack, bits)
	}
	if w.closing() {
		w.lastWord = now
	}
	return w.out.sent(d, len(b), now)
}

// sentDisconnect: five of them, the first at once, or a tick after a Payload
// that went because of the close, the others a tick apart (10).
func (w *nms1Witness) sentDisconnect(now time.Duration) error {
	n := len(w.disconnects)
	due := w.closedAt
	switch {
	case !w.closing():
		return fmt.Errorf("a Disconnect is sent, and nobody has closed (10)")
	case n == 5:
		return fmt.Errorf("a sixth Disconnect is sent (10)")
	case n > 0:
		due = w.disconnects[n-1] + w.out.tick()
	case w.lastWord >= 0:
		due = w.lastWord + w.out.tick()
	}
	if now < due-slack {
		return fmt.Errorf("Disconnect %d is sent %v too early (10)", n+1, due-now)
	}
	w.disconnects = append(w.disconnects, now)
	return nil
}

// turned: the side has done all that it had to do by now.
func (w *nms1Witness) turned(now time.Duration) error {
	if w.ended {
		return nil
	}
	if !w.closing() && now-w.heardAt >= w.settings.timeout {
		w.ended, w.why = true, netmsg.TimedOut
		return nil
	}
	if at := w.out.goesAt(); !w.closing() && at < now-slack {
		return fmt.Errorf("a Payload should have gone at %v, %v ago (6); wants %v place %v keep %v owed %v rate %+v srtt %v round %+v delay %v", at, now-at, w.out.wantsAt(), w.out.place(), w.out.last+w.out.keepAlive, w.out.owedAt, w.out.rate, w.out.srtt, w.out.round, w.out.resendDelay())
	}
	return nil
}

// close: the application closes.
func (w *nms1Witness) close(now time.Duration) {
	if !w.ended && !w.closing() {
		w.closedAt, w.out.closing, w.why = now, true, netmsg.Local
	}
}

// heard: the application is told something.
func (w *nms1Witness) heard(e netmsg.Event) error {
	switch e.Kind {
	case netmsg.Message, netmsg.Update:
		return w.heardData(e)
	case netmsg.Left:
		if e.Reason != w.why {
			return fmt.Errorf("Left(%v) is heard where %v is due", e.Reason, w.why)
		}
		if !w.closing() && len(w.in.heard) > 0 {
			return fmt.Errorf("Left(%v) is heard before %d things that came earlier (10)", e.Reason, len(w.in.heard))
		}
	}
	return nil
}

func (w *nms1Witness) heardData(e netmsg.Event) error {
	due, ok := w.in.taken()
	if !ok {
		return fmt.Errorf("%v of %.20x is heard, and nothing is due", e.Kind, e.Data)
	}
	if due.message != (e.Kind == netmsg.Message) || due.stream != e.Stream || !bytes.Equal(due.data, e.Data) {
		return fmt.Errorf("%v of stream %d, %.20x, is heard where stream %d, %.20x, is due", e.Kind, e.Stream, e.Data, due.stream, due.data)
	}
	return nil
}

// measures compares the side's own measures with what the rules give.
func (w *nms1Witness) measures(got netmsg.Stats) error {
	if w.ended || w.closing() {
		return nil
	}
	const near = time.Microsecond
	srtt, rttvar := w.out.srtt, w.out.rttvar
	switch {
	case (got.RTT-srtt).Abs() > near || (got.RTTVar-rttvar).Abs() > near:
		return fmt.Errorf("the round trip is %v ± %v, the rules give %v ± %v (5)", got.RTT, got.RTTVar, srtt, rttvar)
	case math.Abs(got.Loss-w.out.loss) > 1e-6:
		return fmt.Errorf("the loss is %v, the rules give %v (5)", got.Loss, w.out.loss)
	case got.Good == w.out.rate.bad:
		return fmt.Errorf("the rate is good: %v, the rules give %v (9)", got.Good, !w.out.rate.bad)
	}
	return nil
}
