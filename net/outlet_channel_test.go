package netmsg

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// heardThroughAChannel is a server that hears through a channel, and a client.
func heardThroughAChannel(t *testing.T, room int) (heard chan Event, client *listener, stop func()) {
	n := newFakeNet()
	heard = make(chan Event, room)
	client = &listener{}
	s := NewEndpoint(n.socket(fakeAddr(1)), ChannelHandler(heard), plainConfig())
	c := NewEndpoint(n.socket(fakeAddr(2)), client, plainConfig())
	dialFake(t, c, 1)
	return heard, client, func() { c.Close(); s.Close(); time.Sleep(2 * channelGrace) }
}

func drainChannel(ch chan Event) (words []string) {
	for {
		select {
		case e := <-ch:
			words = append(words, inWords(e))
		case <-time.After(time.Second):
			return words
		}
	}
}

func TestAChannelHearsTheSameAsAFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard, client, stop := heardThroughAChannel(t, 100)
		time.Sleep(100 * time.Millisecond)
		client.conn(0).SendReliable([]byte("a"))
		client.conn(0).SendLatest(3, []byte("b"))
		time.Sleep(100 * time.Millisecond)
		client.conn(0).Close()
		time.Sleep(100 * time.Millisecond)
		stop()
		want := []string{"1 Joined", "1 message a", "1 update 3 b", "1 left Remote"}
		if got := drainChannel(heard); !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
	})
}

func TestBehindAFullChannelOnlyTheNewestValueWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard, client, stop := heardThroughAChannel(t, 1)
		time.Sleep(100 * time.Millisecond) // Joined fills the channel
		for i := range 1000 {
			client.conn(0).SendLatest(1, fmt.Append(nil, i))
			client.conn(0).SendLatest(2, fmt.Append(nil, i))
			time.Sleep(5 * time.Millisecond)
		}
		client.conn(0).SendReliable([]byte("end"))
		time.Sleep(100 * time.Millisecond)
		want := []string{"1 Joined", "1 update 1 999", "1 update 2 999", "1 message end"}
		got := drainChannel(heard)
		if len(got) == len(want) {
			slices.Sort(got[1:3]) // the newest values of two streams have no order
		}
		if !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		stop()
	})
}

func TestBehindAFullChannelMessagesHoldBackTheirSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard, client, stop := heardThroughAChannel(t, 0)
		time.Sleep(100 * time.Millisecond)
		sent := 0
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			for client.conn(0).Stats().Unacked < plainWindow {
				client.conn(0).SendReliable(fmt.Append(nil, sent))
				sent++
			}
		}
		if sent > 2*plainWindow+2 {
			t.Errorf("%d messages went although nobody reads", sent)
		}
		<-heard
		for i := range sent {
			e := <-heard
			if string(e.Data) != fmt.Sprint(i) {
				t.Fatalf("message %d is %v", i, inWords(e))
			}
		}
		stop()
	})
}

func TestAChannelNobodyReadsDoesNotHoldUpClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heard, _, stop := heardThroughAChannel(t, 0)
		time.Sleep(100 * time.Millisecond)
		start := time.Now()
		stop()
		if d := time.Since(start); d != 2*channelGrace {
			t.Errorf("Close took %v", d-2*channelGrace)
		}
		if got := drainChannel(heard); got != nil {
			t.Errorf("afterwards it heard %q", got)
		}
	})
}

func TestASteppedEndpointFillsAChannelInItsFrames(t *testing.T) {
	w := newStepWorld(t)
	heard := make(chan Event, 2)
	w.endpoint(1, ChannelHandler(heard), plainConfig())
	var c listener
	client := w.endpoint(2, &c, plainConfig())
	w.dial(t, client, 1)
	w.runFor(50 * time.Millisecond)
	for i := range 4 {
		c.conn(0).SendReliable(fmt.Append(nil, i))
	}
	for i := range 50 {
		c.conn(0).SendLatest(9, fmt.Append(nil, i))
		w.runFor(50 * time.Millisecond)
	}
	var got []string
	for range 10 {
		for len(heard) > 0 {
			got = append(got, inWords(<-heard))
		}
		w.frame()
	}
	want := []string{"1 Joined", "1 message 0", "1 message 1", "1 message 2", "1 message 3", "1 update 9 49"}
	if !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

func TestChannelHandlerCopiesWhatItIsGiven(t *testing.T) {
	ch := make(chan Event, 1)
	data := []byte("abc")
	ChannelHandler(ch).HandleEvent(Event{Kind: Message, Data: data})
	data[0] = 'x'
	if e := <-ch; string(e.Data) != "abc" {
		t.Errorf("got %q", e.Data)
	}
}
