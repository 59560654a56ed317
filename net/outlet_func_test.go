package netmsg

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAHandlerSharedByManyIsNeverEnteredTwiceAtOnce(t *testing.T) {
	const clients, each = 20, 50
	n := newFakeNet()
	heard, left := 0, 0 // guarded by nothing: the race detector watches
	h := HandlerFunc(func(e Event) {
		switch e.Kind {
		case Joined:
			for range each {
				e.Conn.SendReliable([]byte("x"))
			}
		case Message:
			heard++
		case Left:
			left++
		}
	})
	all := []*Endpoint{NewEndpoint(n.socket(fakeAddr(1)), h, plainConfig())}
	for i := range clients {
		e := NewEndpoint(n.socket(fakeAddr(2+i)), h, plainConfig())
		dialFake(t, e, 1)
		all = append(all, e)
	}
	eventually(t, "all is heard", func() bool {
		got := 0
		for _, e := range all {
			for c := range e.Conns() {
				got += int(c.Stats().MessagesReceived)
			}
		}
		return got == 2*clients*each
	})
	for _, e := range all {
		e.Close()
	}
	if heard != 2*clients*each || left != 2*clients {
		t.Errorf("heard %d messages and %d ends, want %d and %d", heard, left, 2*clients*each, 2*clients)
	}
}

func TestFunctionsAreToldApartByTheirClosures(t *testing.T) {
	make := func(n int) HandlerFunc { return func(Event) { n++ } }
	one, two := make(1), make(2)
	before := len(funcOutlets.byKey)
	a, b, c := funcOutletFor(one), funcOutletFor(one), funcOutletFor(two)
	if a != b || a == c {
		t.Error("outlets are shared by the wrong ones")
	}
	l := &listener{}
	d, e := funcOutletFor(l), funcOutletFor(l)
	if d != e || d == funcOutletFor(nil) {
		t.Error("a handler with an identity does not share its outlet")
	}
	for _, o := range []*funcOutlet{a, b, c, d, e} {
		o.release()
	}
	if n := len(funcOutlets.byKey); n != before {
		t.Errorf("%d outlets are known, %d were", n, before)
	}
}

func TestHandlersMayDoEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet()
		var words []string
		var client *Endpoint
		server := NewEndpoint(n.socket(fakeAddr(1)), HandlerFunc(func(e Event) {
			if e.Kind == Message {
				e.Conn.SendReliable(e.Data)
			}
		}), plainConfig())
		client = NewEndpoint(n.socket(fakeAddr(2)), HandlerFunc(func(e Event) {
			words = append(words, inWords(e))
			switch e.Kind {
			case Joined:
				e.Conn.SendReliable([]byte("x"))
				e.Conn.SendReliable(make([]byte, 5000))
				client.Len()
			case Message:
				client.Close()
				words = append(words, "closed")
			}
		}), plainConfig())
		dialFake(t, client, 1)
		time.Sleep(time.Second)
		server.Close()
		want := []string{"1 Joined", "1 refused TooLarge true 0 Refused 5000/1173", "1 message x", "closed", "1 left Local"}
		if !slices.Equal(words, want) {
			t.Errorf("heard %q, want %q", words, want)
		}
	})
}

func TestCloseReturnsWhenItsEventsHaveBeenHeard(t *testing.T) {
	for range 50 {
		n := newFakeNet()
		var b strings.Builder // no lock: what Close waits for happens before it returns
		h := HandlerFunc(func(e Event) { fmt.Fprintln(&b, inWords(e)) })
		server := NewEndpoint(n.socket(fakeAddr(1)), h, plainConfig())
		client := NewEndpoint(n.socket(fakeAddr(2)), h, plainConfig())
		dialFake(t, client, 1)
		eventually(t, "both have joined", func() bool { return client.Len() == 1 })
		client.Close()
		server.Close()
		if got := strings.Count(b.String(), "left"); got != 2 {
			t.Fatalf("heard\n%s", b.String())
		}
	}
}

func TestAHandlerThatWaitsHoldsUpItsEventsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet()
		var s listener
		release := make(chan struct{})
		server := NewEndpoint(frameFake{n.socket(fakeAddr(1))}, HandlerFunc(func(e Event) {
			s.HandleEvent(e)
			if e.Kind == Message {
				<-release
			}
		}), plainConfig())
		var cs [2]listener
		clients := make([]*Endpoint, 2)
		for i := range clients {
			clients[i] = NewEndpoint(n.socket(fakeAddr(2+i)), &cs[i], plainConfig())
			dialFake(t, clients[i], 1)
			time.Sleep(time.Second)
		}
		cs[0].conn(0).SendReliable([]byte("wait"))
		for range 30 {
			time.Sleep(time.Second)
			cs[1].conn(0).SendReliable([]byte("go on"))
		}
		if got := s.conn(1).Stats().MessagesReceived; got < 29 {
			t.Errorf("%d messages were received beside a waiting handler, want 30", got)
		}
		if server.Len() != 2 || clients[0].Len() != 1 || clients[1].Len() != 1 {
			t.Error("a connection has ended")
		}
		close(release)
		time.Sleep(time.Second)
		if got := s.heard(); len(got) != 2+1+30 {
			t.Errorf("heard %q", got)
		}
		server.Close()
		for _, c := range clients {
			c.Close()
		}
	})
}

func TestAHandlerThatPanicsInAFrameLeavesTheOutletUsable(t *testing.T) {
	w := newStepWorld(t)
	var words []string
	server := w.endpoint(1, HandlerFunc(func(e Event) {
		words = append(words, inWords(e))
		if e.Kind == Joined {
			panic("oh")
		}
	}), plainConfig())
	var c listener
	client := w.endpoint(2, &c, plainConfig())
	w.dial(t, client, 1)
	for range 20 {
		func() {
			defer func() { recover() }()
			w.runFor(5 * time.Millisecond)
		}()
		w.now += 5 * time.Millisecond
	}
	c.conn(0).SendReliable([]byte("x"))
	w.runFor(50 * time.Millisecond)
	if !slices.Equal(words, []string{"1 Joined", "1 message x"}) || server.Len() != 1 {
		t.Errorf("heard %q", words)
	}
}
