package s64

import (
	"math"
	"time"

	"github.com/partyline-go/partyline/net/nlp"
)

// BeatEvery is how often a game server reminds its master.
const BeatEvery = 180 * time.Second

// retryEvery is how long a Registrar waits after five unanswered sends.
const retryEvery = 60 * time.Second

// A Registrar is what a game server does at its master: it registers, reminds,
// registers again when it is asked to, and sends each until it is acknowledged.
// It is plain data; the game server's own socket carries it.
type Registrar struct {
	reg   Registration
	seq   uint16
	kind  string // that waits to be acknowledged, "" when nothing does
	sends int
	due   time.Duration
	asked time.Duration // when it may be asked to register again
	ended bool

	Registered bool // the master has acknowledged a REGISTER
}

// NewRegistrar begins to register at now.
func NewRegistrar(reg Registration, now time.Duration) *Registrar {
	return &Registrar{reg: reg, kind: Register, due: now}
}

// Receive acts on a datagram from the master; false: it is none of its words.
func (r *Registrar) Receive(now time.Duration, datagram []byte) bool {
	p, ok := Parse(datagram)
	if !ok || r.ended {
		return false
	}
	switch {
	case p.Type == Ack && r.kind != "" && r.sends > 0 && nlp.Acks(p.Ack, p.Bits, r.seq):
		r.Registered = r.Registered || r.kind == Register
		r.kind, r.due = "", now+BeatEvery
	case p.Type == Ack:
	case p.Type == Register && len(p.Data) == 0 && r.kind == Register && r.due <= now+nlp.ResendAfter:
		// It is about to.
	case p.Type == Register && len(p.Data) == 0:
		// At once, but not for each of many: anybody can write the master's address
		// on a datagram.
		r.begin(max(now, r.asked), Register)
		r.asked = r.due + nlp.ResendAfter
	default:
		return false
	}
	return true
}

func (r *Registrar) begin(now time.Duration, kind string) {
	r.kind, r.sends, r.due = kind, 0, now
}

// Transmit writes the datagram for the master that is due and gives its length;
// 0 when there is none. buf holds at least MaxDatagram bytes. A master that has
// not answered five times is asked again after a minute.
func (r *Registrar) Transmit(now time.Duration, buf []byte) int {
	if r.ended || now < r.due {
		return 0
	}
	if r.kind == "" {
		r.begin(now, Heartbeat)
	}
	if r.sends == nlp.MaxSends {
		// The master is away: later again, from the start.
		r.begin(now, Register)
		r.due = now + retryEvery
		r.Registered = false
		return 0
	}
	if r.sends == 0 {
		// From 1: a master that has received nothing says that it has number 0.
		r.seq = max(1, r.seq+1)
	}
	r.sends++
	r.due = now + nlp.ResendAfter
	b, err := Packet{Version: Version, Flags: ExplicitAck, Seq: r.seq, Ack: 0xFFFF, Type: r.kind, Data: AppendRegistration(nil, r.reg)}.Append(buf[:0])
	if err != nil || len(b) > len(buf) {
		return 0
	}
	return len(b)
}

// Deadline is when Transmit has something to do; math.MaxInt64 after Close.
func (r *Registrar) Deadline() time.Duration {
	if r.ended {
		return math.MaxInt64
	}
	return r.due
}

// Close ends it. The protocol has no word for leaving: the master forgets the
// server after ServerLife.
func (r *Registrar) Close() { r.ended = true }
