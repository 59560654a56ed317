package party

import (
	"bytes"
	"slices"
	"testing"
	"time"
)

// read drains the inbox of one frame.
func read(p *Party, most int) (all []said) {
	n := 0
	for m := range p.Inbox() {
		all = append(all, said{m.By, m.Kind, string(m.Bytes())})
		if n++; n == most {
			break
		}
	}
	return all
}

func TestInboxKeepsWhatABreakLeavesUntilTheNextBegin(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)
	for _, s := range []string{"one", "two", "three"} {
		h.say(kindA, s, Reliable)
	}
	h.frame(frame)
	w.net.Advance(frame)

	g[0].Begin(frame)
	first, second := read(g[0].Party, 1), read(g[0].Party, 1)
	g[0].Begin(frame)
	third := read(g[0].Party, 0)

	if !slices.Equal(first, []said{{1, kindA, "one"}}) || !slices.Equal(second, []said{{1, kindA, "two"}}) || third != nil {
		t.Errorf("%v, %v, %v", first, second, third)
	}
}

func TestLoopbackIsHeardInTheFrameThatReadsOn(t *testing.T) {
	w := newWorld(t, 1)
	h, _ := w.party(1)
	h.Begin(frame)
	h.Write(kindA).Loopback()

	if got := read(h.Party, 0); !slices.Equal(got, []said{{1, kindA, ""}}) {
		t.Errorf("the same frame: %v", got)
	}

	h.Write(kindB).Loopback() // after the inbox was read
	h.End()
	h.Begin(frame)
	wr := h.Write(kindA)
	wr.Bytes([]byte("later"))
	wr.Loopback()
	if got := read(h.Party, 0); !slices.Equal(got, []said{{1, kindB, ""}, {1, kindA, "later"}}) {
		t.Errorf("the next frame: %v", got)
	}
	h.Begin(frame)
	if got := read(h.Party, 0); got != nil {
		t.Errorf("the frame after: %v", got)
	}
}

func TestLoopbackIsFromThisSideItself(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)
	for _, m := range []*member{h, g[0]} {
		m.Begin(frame)
		m.Write(kindA).Loopback()
		for msg := range m.Inbox() {
			if msg.By != m.MyPID() || msg.From == nil || msg.From.PID() != m.MyPID() {
				t.Errorf("%s: by %d from %v", m.name, msg.By, msg.From)
			}
			if err := m.Write(kindA).Send(msg.From, Reliable); err != ErrGone {
				t.Errorf("a send to itself: %v", err)
			}
		}
	}
}

func TestHostForwardsItsOwnMessage(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(1)
	h.onMsg = func(m *Message) {
		if m.Kind == kindA {
			h.Forward(m, Reliable)
		}
	}

	wr := h.Write(kindA)
	wr.Bytes([]byte("mine"))
	wr.Loopback()
	w.runFor(time.Second)

	g[0].wantGame(said{1, kindA, "mine"})
}

func TestNumbersOnTheWireAreLittleEndian(t *testing.T) {
	p := New(Config{})
	p.Begin(frame)
	wr := p.Write(kindA)
	wr.Int(1)
	wr.Float32(1)
	wr.Loopback()

	for m := range p.Inbox() {
		if got, want := m.Bytes(), []byte{1, 0, 0, 0, 0, 0, 0x80, 0x3f}; !bytes.Equal(got, want) {
			t.Errorf("% x, want % x", got, want)
		}
		return
	}
	t.Error("nothing came")
}
