package netmsg

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// limitedWorld is a stepped server whose Mailbox keeps so many messages, and a
// client that is joined to it.
func limitedWorld(t *testing.T, limit int) (w *stepWorld, m *Mailbox, client *Conn) {
	t.Helper()
	m, c := NewMailbox(limit), &listener{}
	w = newStepWorld(t)
	w.endpoint(1, m, nil)
	w.dial(t, w.endpoint(2, c, nil), 1)
	w.runFor(200 * time.Millisecond)
	if c.conn(0) == nil {
		t.Fatalf("not joined: heard %q", c.heard())
	}
	return w, m, c.conn(0)
}

func TestASealedMailboxKeepsItsLimitAndHoldsBackCredit(t *testing.T) {
	w, m, client := limitedWorld(t, 3)
	for i := range 3000 {
		client.SendReliable(fmt.Append(nil, i))
	}
	w.runFor(5 * time.Second) // and nobody looks

	// 1,024 are what the protocol lets the peer send without credit.
	if n := client.Stats().Unacked; n != 3000-1024 {
		t.Errorf("the peer keeps %d, want %d", n, 3000-1024)
	}
	first := []string{"1 Joined", "1 message 0", "1 message 1", "1 message 2"}
	if got := drained(m); !slices.Equal(got, first) {
		t.Errorf("the first All gives %q, want %q", got, first)
	}
	var got []string
	for rounds := 0; len(got) < 2997 && rounds < 3000; rounds++ {
		w.runFor(10 * time.Millisecond)
		one := drained(m)
		if len(one) > 3 {
			t.Fatalf("an All gives %d", len(one))
		}
		got = append(got, one...)
	}
	for i, s := range got {
		if want := fmt.Sprintf("1 message %d", i+3); s != want {
			t.Fatalf("heard %q, want %q", s, want)
		}
	}
	if n := client.Stats().Unacked; len(got) != 2997 || n != 0 {
		t.Errorf("%d more were heard, and the peer keeps %d", len(got), n)
	}
}

func TestNoChannelStarvesInAMailboxThatKeepsLittle(t *testing.T) {
	w, m, client := limitedWorld(t, 2)
	for i := range 100 {
		for ch := Unordered; ch <= Ordered3; ch++ {
			client.SendOn(ch, fmt.Append(nil, ch, i))
		}
	}
	var heard [channels]int
	for range 60 {
		w.runFor(10 * time.Millisecond)
		for e := range m.All() {
			if e.Kind == Message {
				heard[e.Channel]++
			}
		}
	}
	for ch := Unordered; ch <= Ordered3; ch++ {
		if heard[ch] < 15 {
			t.Errorf("of %v %d were heard; all: %v", ch, heard[ch], heard)
		}
	}
}

func TestWhatAMailboxHadNoRoomForComesBeforeLeft(t *testing.T) {
	w, m, client := limitedWorld(t, 2)
	for i := range 20 {
		client.SendReliable(fmt.Append(nil, i))
	}
	w.runFor(time.Second)
	client.Close()
	w.runFor(time.Second)

	got := drained(m)

	if len(got) != 22 || got[20] != "1 message 19" || got[21] != "1 left Remote" {
		t.Errorf("heard %q", got)
	}
}

func TestUnreliableMessagesBeyondAMailboxesLimitAreDropped(t *testing.T) {
	w, m, client := limitedWorld(t, 4)
	for i := range 20 {
		client.SendUnreliable(fmt.Append(nil, i))
	}
	w.runFor(time.Second)
	if got := drained(m); len(got) != 5 {
		t.Errorf("heard %q, want Joined and four", got)
	}
}

// Whatever the limit and the link, everything arrives in order.
func TestAnInboxOfAnySizeGetsEverythingThroughSealed(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 100} {
		link := LinkConfig{Loss: 0.2, Latency: 10 * ms, Jitter: 10 * ms}
		p := NewSimPair(nil, link, link, 1)
		p.B.setInboxLimit(limit)
		for n := range 300 {
			if err := p.A.SendReliable(PutU32(nil, uint32(n))); err != nil {
				t.Fatal(err)
			}
		}
		heard := uint32(0)
		for p.Now() < 2*time.Minute && heard < 300 {
			p.Advance(20 * ms)
			if held := p.B.in.messages.len(); held > limit {
				t.Fatalf("limit %d: %d are kept", limit, held)
			}
			for e := range p.EventsB() {
				if e.Kind != Message {
					continue
				}
				r := NewPacketReader(e.Data)
				if got := r.U32(); got != heard {
					t.Fatalf("limit %d: heard %d, want %d", limit, got, heard)
				}
				heard++
			}
		}
		if heard != 300 {
			t.Errorf("limit %d: %d of 300 were heard after %v", limit, heard, p.Now())
		}
	}
}

func TestAPairsMailboxKeepsItsLimitToo(t *testing.T) {
	m := NewMailbox(3)
	p := PairSimulated(nil, LinkConfig{}, LinkConfig{}, 1, HandlerFunc(func(Event) {}), m, 1, 1)
	defer p.Stop()
	for i := range 30 {
		p.A.SendReliable(fmt.Append(nil, i))
	}
	var got []string
	for end := time.Now().Add(20 * time.Second); len(got) < 31 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		one := drained(m)
		if len(one) > 4 {
			t.Fatalf("an All gives %q", one)
		}
		got = append(got, one...)
	}
	if len(got) != 31 || got[30] != "1 message 29" {
		t.Errorf("heard %q", got)
	}
}
