package netmsg

import (
	"bytes"
	"testing"
	"time"
)

// A sealedPair is two NMS2 cores over simulated links, and what each has heard.
type sealedPair struct {
	*SimPair
	t    testing.TB
	a, b *sealedConn

	heardA, heardB []heardEvent
}

// A heardEvent is an event with a copy of its data.
type heardEvent struct {
	Event
	at time.Duration
}

func newSealedPair(t testing.TB, cfg *Config, link LinkConfig, seed uint64) *sealedPair {
	p := &sealedPair{t: t, SimPair: NewSimPair(cfg, link, link, seed)}
	p.a, p.b = p.A.machine.(*sealedConn), p.B.machine.(*sealedConn)
	return p
}

// run moves the clock on, in frames of a 60th of a second, and pulls what there
// is to hear.
func (p *sealedPair) run(d time.Duration) {
	for end := p.Now() + d; p.Now() < end; {
		p.frame()
	}
}

func (p *sealedPair) frame() {
	p.Advance(time.Second / 60)
	p.pull()
}

func (p *sealedPair) pull() {
	for e := range p.EventsA() {
		p.heardA = append(p.heardA, p.copy(e))
	}
	for e := range p.EventsB() {
		p.heardB = append(p.heardB, p.copy(e))
	}
}

func (p *sealedPair) copy(e Event) heardEvent {
	e.Data = bytes.Clone(e.Data)
	return heardEvent{e, p.Now()}
}

// messagesOn gives the data of the messages of a channel.
func messagesOn(heard []heardEvent, ch Channel) (data [][]byte) {
	for _, e := range heard {
		if e.Kind == Message && e.Channel == ch {
			data = append(data, e.Data)
		}
	}
	return data
}

// left gives the Left event, nil if there is none.
func left(heard []heardEvent) *heardEvent {
	for i := range heard {
		if heard[i].Kind == Left {
			return &heard[i]
		}
	}
	return nil
}

// wantOpen fails if either side has ended.
func (p *sealedPair) wantOpen() {
	p.t.Helper()
	for name, heard := range map[string][]heardEvent{"A": p.heardA, "B": p.heardB} {
		if l := left(heard); l != nil {
			p.t.Fatalf("%s left: %v, code %d %q, at %v", name, l.Reason, l.Code, l.Text, l.at)
		}
	}
}

// wantMessages compares what came on a channel with what was sent.
func wantMessages(t testing.TB, got, want [][]byte) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("message %d: got %d bytes %.20x, want %d bytes %.20x", i, len(got[i]), got[i], len(want[i]), want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d", len(got), len(want))
	}
}
