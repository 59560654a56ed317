package netmsg

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func drained(m *Mailbox) (words []string) {
	for e := range m.All() {
		words = append(words, inWords(e))
	}
	return words
}

// mailWorld is a stepped server with a Mailbox, and a client.
func mailWorld(t *testing.T, m *Mailbox) (w *stepWorld, client *listener) {
	w, client = newStepWorld(t), &listener{}
	w.endpoint(1, m, plainConfig())
	w.dial(t, w.endpoint(2, client, plainConfig()), 1)
	w.runFor(50 * time.Millisecond)
	return w, client
}

func TestAMailboxGivesWhatWaits(t *testing.T) {
	m := NewMailbox(0)
	w, client := mailWorld(t, m)
	client.conn(0).SendReliable([]byte("a"))
	for i := range 10 {
		client.conn(0).SendLatest(1, fmt.Append(nil, i))
		w.runFor(50 * time.Millisecond)
	}
	client.conn(0).Close()
	w.runFor(50 * time.Millisecond)

	want := []string{"1 Joined", "1 message a", "1 update 1 9", "1 left Remote"}
	if got := drained(m); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := drained(m); got != nil {
		t.Errorf("then %q", got)
	}
}

func TestABreakLeavesTheRest(t *testing.T) {
	m := NewMailbox(0)
	w, client := mailWorld(t, m)
	for i := range 5 {
		client.conn(0).SendReliable(fmt.Append(nil, i))
	}
	w.runFor(100 * time.Millisecond)
	var got []string
	for range 7 {
		for e := range m.All() {
			got = append(got, inWords(e))
			break
		}
	}
	want := []string{"1 Joined", "1 message 0", "1 message 1", "1 message 2", "1 message 3", "1 message 4"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAMailboxKeepsItsLimitAndMakesThePeerWait(t *testing.T) {
	m := NewMailbox(10)
	w, client := mailWorld(t, m)
	for i := range 50 {
		client.conn(0).SendReliable(fmt.Append(nil, i))
	}
	w.runFor(time.Second)
	if got := drained(m); len(got) != 11 || got[10] != "1 message 9" {
		t.Errorf("got %q, want Joined and the first 10", got)
	}
	var got []string
	for range 20 {
		w.runFor(time.Second)
		got = append(got, drained(m)...)
	}
	if len(got) != 40 || got[39] != "1 message 49" {
		t.Errorf("got %q, want the other 40", got)
	}
}

func TestDataOfAMailboxIsGoodUntilTheNextAll(t *testing.T) {
	m := NewMailbox(0)
	w, client := mailWorld(t, m)
	for i := range 200 {
		client.conn(0).SendReliable(fmt.Appendf(nil, "message %d", i))
	}
	w.runFor(time.Second)
	var kept [][]byte
	for e := range m.All() {
		if e.Kind == Message {
			kept = append(kept, e.Data)
		}
	}
	for i, data := range kept {
		if string(data) != fmt.Sprintf("message %d", i) {
			t.Fatalf("message %d became %q within the loop", i, data)
		}
	}
	for range m.All() {
	}
	last := kept[len(kept)-1]
	if string(last) == "message 199" {
		t.Error("kept data does not show that it was kept")
	}
}

func TestWhatComesInDuringAllIsForTheNext(t *testing.T) {
	m := NewMailbox(0)
	p := PairInProcess(m, m, 7, 9)
	defer p.Stop()
	p.A.SendReliable([]byte("0"))
	rounds := 0
	for e := range m.All() {
		if e.Kind == Message {
			rounds++
			e.Conn.SendReliable([]byte("again"))
		}
	}
	if rounds != 1 {
		t.Errorf("All went through %d rounds", rounds)
	}
	if got := drained(m); !slices.Equal(got, []string{"7 message again"}) {
		t.Errorf("then %q", got)
	}
}

func TestAMailboxMayServeSeveralEndpoints(t *testing.T) {
	m := NewMailbox(0)
	w := newStepWorld(t)
	w.endpoint(1, m, plainConfig())
	w.dial(t, w.endpoint(2, m, plainConfig()), 1)
	w.runFor(50 * time.Millisecond)
	if got := drained(m); !slices.Equal(got, []string{"1 Joined", "1 Joined"}) {
		t.Errorf("got %q", got)
	}
}

func TestEventsCanBePostedToAMailbox(t *testing.T) {
	m := NewMailbox(3)
	data := []byte("abc")
	m.HandleEvent(Event{Kind: Message, ID: 4, Data: data})
	data[0] = 'x'
	m.HandleEvent(Event{Kind: Update, ID: 4, Stream: 1, Data: []byte("old")})
	m.HandleEvent(Event{Kind: Update, ID: 5, Stream: 1, Data: []byte("other")})
	m.HandleEvent(Event{Kind: Update, ID: 4, Stream: 1, Data: []byte("new")})
	m.HandleEvent(Event{Kind: Update, ID: 6, Stream: 1})
	m.HandleEvent(Event{Kind: Left, ID: 4, Reason: Remote})
	want := []string{"4 message abc", "4 update 1 new", "5 update 1 other", "4 left Remote"}
	if got := drained(m); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAFullMailboxEndsTheConnectionOfAPostedMessage(t *testing.T) {
	inner := NewMailbox(2)
	w, client := newStepWorld(t), &listener{}
	w.endpoint(1, HandlerFunc(inner.HandleEvent), plainConfig())
	w.dial(t, w.endpoint(2, client, plainConfig()), 1)
	w.runFor(50 * time.Millisecond)
	for i := range 5 {
		client.conn(0).SendReliable(fmt.Append(nil, i))
	}
	w.runFor(200 * time.Millisecond)
	want := []string{"1 Joined", "1 message 0", "1 left Local"}
	if got := drained(inner); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
