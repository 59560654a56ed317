package netmsg

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// An application that knows nothing of what it runs on: each side greets, sets
// a value, answers the other's greeting, and B closes when it has all.
func greeter(l *listener) Handler {
	return HandlerFunc(func(e Event) {
		l.HandleEvent(e)
		switch {
		case e.Kind == Joined:
			e.Conn.SendReliable([]byte("hello"))
			e.Conn.SendReliable(make([]byte, 1<<17))
		case e.Kind == Message && string(e.Data) == "hello":
			e.Conn.SendReliable([]byte("welcome"))
		case e.Kind == Message && string(e.Data) == "welcome":
			e.Conn.SendLatest(3, []byte("here"))
		case e.Kind == Update && e.ID == 9:
			e.Conn.SendReliable([]byte("bye"))
			time.AfterFunc(time.Second, e.Conn.Close)
		}
	})
}

func TestOneProgramRunsOnEveryKindOfConnection(t *testing.T) {
	kinds := map[string]func(a, b Handler) (stop func()){
		"in process": func(a, b Handler) func() { return PairInProcess(a, b, 7, 9).Stop },
		"simulated": func(a, b Handler) func() {
			return PairSimulated(nil, Lossy(0.1, 20*time.Millisecond, 10*time.Millisecond), LinkConfig{}, 1, a, b, 7, 9).Stop
		},
		"endpoints": func(a, b Handler) func() {
			n := newFakeNet()
			client := NewEndpoint(n.socket(fakeAddr(2)), a, nil)
			server := NewEndpoint(n.socket(fakeAddr(1)), b, nil)
			server.lastID = 8 // its first client is 9
			client.Dial(addrs(fakeAddr(1)), DialOptions{ID: 7})
			return func() { client.Close(); server.Close() }
		},
	}
	for name, join := range kinds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var a, b listener
				stop := join(greeter(&a), greeter(&b))
				time.Sleep(10 * time.Second)
				stop()
				refused := fmt.Sprintf("refused TooLarge true 0 Refused %d/", 1<<17)
				wantLike(t, a.heard(), "7 Joined", "7 "+refused, "7 message hello", "7 message welcome", "7 update 3 here", "7 message bye", "7 left Remote")
				wantLike(t, b.heard(), "9 Joined", "9 "+refused, "9 message hello", "9 message welcome", "9 update 3 here", "9 left Local")
			})
		})
	}
}

// wantLike compares words as sets, each by its beginning: what is refused and
// what comes meanwhile may change places.
func wantLike(t *testing.T, got []string, want ...string) {
	t.Helper()
	ok := len(got) == len(want)
	for _, w := range want {
		ok = ok && slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, w) })
	}
	if !ok || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
		t.Errorf("heard %q, want %q", got, want)
	}
}

func TestInProcessEverythingIsHeardInOrder(t *testing.T) {
	const sends = 10000
	heard := make(chan string, sends+1)
	p := PairInProcess(nil, HandlerFunc(func(e Event) { heard <- inWords(e) }), 7, 9)
	defer p.Stop()
	for i := range sends {
		if i%2 == 0 {
			p.A.SendReliable(fmt.Append(nil, i))
		} else {
			p.A.SendLatest(1, fmt.Append(nil, i))
		}
	}
	if w := <-heard; w != "9 Joined" {
		t.Fatalf("first heard %q", w)
	}
	for i := range sends {
		want := fmt.Sprintf("9 message %d", i)
		if i%2 == 1 {
			want = fmt.Sprintf("9 update 1 %d", i)
		}
		if w := <-heard; w != want {
			t.Fatalf("send %d was heard as %q", i, w)
		}
	}
	if p.A.Stats() != (Stats{}) || p.B.Stats() != (Stats{}) {
		t.Error("Stats of an in-process pair are not zero")
	}
}

func TestInProcessRefusesWhatTheDefaultsRefuse(t *testing.T) {
	var a, b listener
	p := PairInProcess(&a, &b, 7, 9)
	most, mostLatest := (*Config)(nil).MaxReliable(), (*Config)(nil).MaxLatest()
	var errs []error
	errs = append(errs, p.A.SendReliable(make([]byte, most)), p.A.SendReliable(make([]byte, most+1)))
	errs = append(errs, p.A.SendLatest(0, make([]byte, mostLatest)), p.A.SendLatest(0, make([]byte, mostLatest+1)))
	for i := range 63 {
		if err := p.A.SendLatest(uint16(1000+i*1000), nil); err != nil {
			t.Error(err)
		}
	}
	errs = append(errs, p.A.SendLatest(65535, nil), p.A.SetStreamWeight(0, 0), p.A.SetStreamWeight(65535, 2), p.A.SetStreamWeight(0, 2))
	want := []string{"<nil>", (&RefusedError{Reliable: true, Why: TooLarge, Size: most + 1, Limit: most}).Error(),
		"<nil>", (&RefusedError{Why: TooLarge, Size: mostLatest + 1, Limit: mostLatest}).Error(),
		(&RefusedError{Stream: 65535, Why: TooManyStreams, Limit: 64}).Error(), ErrWeight.Error(),
		(&RefusedError{Stream: 65535, Why: TooManyStreams, Limit: 64}).Error(), "<nil>"}
	for i, err := range errs {
		if fmt.Sprint(err) != want[i] {
			t.Errorf("send %d returned %v, want %v", i, err, want[i])
		}
	}
	p.Stop()
	if err := p.A.SendReliable(nil); err != ErrClosed {
		t.Errorf("after Stop: %v", err)
	}
	refused := 0
	for _, w := range a.heard() {
		if strings.Contains(w, "refused") {
			refused++
		}
	}
	if refused != 3 || len(b.heard()) != 1+1+64+1 {
		t.Errorf("heard %d refusals, and at the other end %d events", refused, len(b.heard()))
	}
}

func TestInProcessMemoryStaysBoundedWhenNobodyDrains(t *testing.T) {
	m := NewMailbox(0)
	p := PairInProcess(nil, m, 7, 9)
	defer p.Stop()
	p.A.SendReliable([]byte("first"))
	value := make([]byte, 1000)
	for i := range 100_000 {
		p.A.SendLatest(uint16(i%3), value)
	}
	line := p.B.line.(*localLine)
	if n := line.in.len(); n > 20 {
		t.Errorf("%d events wait", n)
	}
	if got := drained(m); len(got) != 1+1+3 {
		t.Errorf("heard %d events", len(got))
	}
	var err error
	sent := 0
	for ; err == nil; sent++ {
		err = p.A.SendReliable(value)
	}
	if refused, ok := err.(*RefusedError); !ok || refused.Why != QueueFull || sent < 50_000 || sent > 70_000 {
		t.Errorf("after %d messages: %v", sent, err)
	}
}

func TestClosingAnInProcessPairIsHeardAtBothEnds(t *testing.T) {
	m := NewMailbox(0)
	p := PairInProcess(m, m, 7, 9)
	p.A.SendReliable([]byte("last"))
	p.A.CloseWith(100, "enough")
	p.A.CloseWith(101, "again")
	var left Event
	var words []string
	for e := range m.All() {
		words = append(words, inWords(e))
		if e.ID == 9 && e.Kind == Left {
			left = e
		}
	}
	slices.Sort(words)
	want := []string{"7 Joined", "7 left Local", "9 Joined", "9 left Remote", "9 message last"}
	if !slices.Equal(words, want) || left.Code != 100 || left.Text != "enough" {
		t.Errorf("heard %q, then %+v", words, left)
	}
	p.Stop()
}

func TestASimulatedPairTakesTheTimeOfItsLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var joined, heard time.Time
		link := LinkConfig{Latency: 200 * time.Millisecond}
		p := PairSimulated(nil, link, link, 1, HandlerFunc(func(e Event) {
			if e.Kind == Joined {
				joined = time.Now()
				e.Conn.SendReliable([]byte("x"))
			}
		}), HandlerFunc(func(e Event) {
			if e.Kind == Message {
				heard = time.Now()
			}
		}), 1, 2)
		time.Sleep(time.Second)
		p.Stop()
		p.Stop()
		if d := heard.Sub(joined); d < 200*time.Millisecond || d > 300*time.Millisecond {
			t.Errorf("it took %v", d)
		}
		if s := p.A.Stats(); s.RTT < 400*time.Millisecond || s.MessagesSent != 1 {
			t.Errorf("got %+v", s)
		}
	})
}

func TestAPairLeavesNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		ch := make(chan Event, 10)
		PairSimulated(nil, LinkConfig{}, LinkConfig{}, 1, nil, ChannelHandler(ch), 1, 2).Stop()
		PairInProcess(NewMailbox(0), ChannelHandler(ch), 1, 2).Stop()
	}
	eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before })
}

// What the sends of a side return, and what the other side hears.
func sendOnEveryChannel(p *Pair, heard *[]string) (said []string) {
	for ch := range Channel(7) {
		said = append(said, fmt.Sprint(p.A.SendOn(ch, []byte{byte(ch)})))
	}
	said = append(said, fmt.Sprint(p.A.SendUnreliable([]byte("u"))), fmt.Sprint(p.A.SendUnreliable(make([]byte, 60_000))))
	time.Sleep(time.Second)
	p.A.CloseWith(64, strings.Repeat("long", 100))
	time.Sleep(time.Second)
	said = append(said, fmt.Sprint(p.A.SendOn(9, nil)), fmt.Sprint(p.A.SendUnreliable(nil)))
	p.Stop()
	slices.Sort(*heard) // channels do not wait for each other
	return append(said, *heard...)
}

func TestInProcessChannelsAreThoseOfANetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var near, far []string
		hear := func(words *[]string) Handler {
			return HandlerFunc(func(e Event) {
				*words = append(*words, fmt.Sprint(e.Kind, e.Channel, string(e.Data), e.Reason, e.Code, e.Text))
			})
		}

		inProcess := sendOnEveryChannel(PairInProcess(nil, hear(&near), 7, 9), &near)
		simulated := sendOnEveryChannel(PairSimulated(nil, LinkConfig{}, LinkConfig{}, 1, nil, hear(&far), 7, 9), &far)

		if !slices.Equal(inProcess, simulated) {
			t.Errorf("in process\n%q, simulated\n%q", inProcess, simulated)
		}
	})
}

func TestStopEndsBothSidesOfAPairAsLocal(t *testing.T) {
	for name, join := range map[string]func(a, b Handler) *Pair{
		"in process": func(a, b Handler) *Pair { return PairInProcess(a, b, 7, 9) },
		"simulated":  func(a, b Handler) *Pair { return PairSimulated(nil, LinkConfig{}, LinkConfig{}, 1, a, b, 7, 9) },
		"plain": func(a, b Handler) *Pair {
			return PairSimulated(plainConfig(), LinkConfig{}, LinkConfig{}, 1, a, b, 7, 9)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var a, b listener

			join(&a, &b).Stop()

			a.want(t, "7 Joined", "7 left Local")
			b.want(t, "9 Joined", "9 left Local")
		})
	}
}
