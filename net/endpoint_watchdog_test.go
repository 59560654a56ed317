package netmsg

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// drivenWorld is a driven host and a guest that runs by itself, on the fake
// clock of a synctest bubble.
type drivenWorld struct {
	net   *fakeNet
	host  *Endpoint
	mail  *Mailbox
	guest *Endpoint
	heard listener // at the guest
}

func newDrivenWorld(t *testing.T, cfg *Config) *drivenWorld {
	cfg.Plain, cfg.Driven = true, true
	w := &drivenWorld{net: newFakeNet(), mail: NewMailbox(0)}
	w.host = NewEndpoint(frameFake{w.net.socket(fakeAddr(1))}, w.mail, cfg)
	w.guest = NewEndpoint(w.net.socket(fakeAddr(2)), &w.heard, plainConfig())
	dialFake(t, w.guest, 1)
	w.frames(100 * time.Millisecond)
	return w
}

// frames runs the host at 60 Hz.
func (w *drivenWorld) frames(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Second / 60) {
		w.host.Drain(0)
		w.host.Flush(0)
	}
}

func (w *drivenWorld) stop() {
	w.guest.Close()
	w.host.Close()
}

func TestADrivenHostIsFedByItsFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDrivenWorld(t, &Config{})
		defer w.stop()
		w.heard.conn(0).SendReliable([]byte("x"))
		w.frames(100 * time.Millisecond)
		if got := drained(w.mail); !slices.Equal(got, []string{"1 Joined", "1 message x"}) {
			t.Errorf("heard %q", got)
		}
	})
}

func TestAFrameOfEightSecondsLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDrivenWorld(t, &Config{})
		defer w.stop()
		drained(w.mail)
		var want []string
		for i := range 16 { // 8 s without a call at the host
			w.heard.conn(0).SendReliable(fmt.Append(nil, i))
			want = append(want, fmt.Sprintf("1 message %d", i))
			time.Sleep(500 * time.Millisecond)
		}
		if w.guest.Len() != 1 || w.host.Len() != 1 {
			t.Fatal("the connection has ended")
		}
		if unacked := w.heard.conn(0).Stats().Unacked; unacked > 1 {
			t.Errorf("%d messages are not acknowledged by the watchdog", unacked)
		}
		w.host.Drain(0)
		if got := drained(w.mail); !slices.Equal(got, want) {
			t.Errorf("heard %q", got)
		}
	})
}

func TestTheWatchdogHandsNothingToFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet()
		var words []string // guarded by nothing: only frames may call
		h := HandlerFunc(func(e Event) { words = append(words, inWords(e)) })
		host := NewEndpoint(frameFake{n.socket(fakeAddr(1))}, h, &Config{Plain: true, Driven: true})
		var g listener
		guest := NewEndpoint(n.socket(fakeAddr(2)), &g, plainConfig())
		dialFake(t, guest, 1)
		time.Sleep(2 * time.Second)
		if words != nil {
			t.Errorf("without a frame it heard %q", words)
		}
		host.Drain(0)
		if !slices.Equal(words, []string{"1 Joined"}) {
			t.Errorf("in the frame it heard %q", words)
		}
		guest.Close()
		host.Close()
	})
}

func TestAHostThatHasStoppedIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDrivenWorld(t, &Config{})
		defer w.stop()
		drained(w.mail)
		time.Sleep(59 * time.Second)
		if w.guest.Len() != 1 {
			t.Fatal("it ended too early")
		}
		time.Sleep(1500 * time.Millisecond)
		w.heard.want(t, "1 Joined", "1 left Remote")
		time.Sleep(time.Minute)
		w.host.Drain(0)
		if got := drained(w.mail); !slices.Equal(got, []string{"1 left Stalled"}) {
			t.Errorf("the host heard %q", got)
		}
		dialFake(t, w.guest, 1)
		w.frames(time.Second)
		if w.host.Len() != 1 {
			t.Error("when frames come again, it takes no client")
		}
	})
}

func TestAStalledHostTakesNoClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDrivenWorld(t, &Config{StallTimeout: time.Second})
		defer w.stop()
		time.Sleep(2 * time.Second)
		dialFake(t, w.guest, 1)
		time.Sleep(6 * time.Second)
		w.heard.want(t, "1 Joined", "1 left Remote", "2 left NoAnswer")
	})
}

func TestKeepAlivePutsOffTheStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDrivenWorld(t, &Config{StallTimeout: time.Second})
		defer w.stop()
		for range 100 {
			time.Sleep(250 * time.Millisecond)
			w.host.KeepAlive(0)
		}
		if w.guest.Len() != 1 || w.host.Len() != 1 {
			t.Error("the connection has ended")
		}
	})
}

// A stepped endpoint has nobody but KeepAlive to stand in for its frames.
func TestKeepAliveAloneCarriesALoadingScreen(t *testing.T) {
	w := newStepWorld(t)
	m := NewMailbox(0)
	var h listener
	w.endpoint(1, &h, plainConfig())
	client := w.endpoint(2, m, plainConfig())
	w.dial(t, client, 1)
	w.runFor(100 * time.Millisecond)
	drained(m)

	w.all = w.all[:1]
	var want []string
	for i := range 1800 {
		h.conn(0).SendLatest(1, fmt.Append(nil, i))
		if i%60 == 0 {
			h.conn(0).SendReliable(fmt.Append(nil, i))
			want = append(want, fmt.Sprintf("1 message %d", i))
		}
		w.frame()
		w.now += time.Second / 60
		if i%15 == 0 {
			client.KeepAlive(w.now)
		}
	}
	client.Drain(w.now)
	got := drained(m)
	newest := got[len(got)-1] // one a tick goes, so it may be the last but one
	if !slices.Equal(got[:len(got)-1], want) || newest < "1 update 1 1797" {
		t.Errorf("heard %q", got)
	}
	h.want(t, "1 Joined")
}

func TestFramesPutOffTheWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newDrivenWorld(t, &Config{})
		defer w.stop()
		sock := w.host.socks[0].(frameFake)
		for range 300 {
			w.host.Drain(0)
			w.host.Flush(0)
			before := sock.batches.Load()
			time.Sleep(99 * time.Millisecond)
			if sock.batches.Load() != before {
				t.Fatal("the watchdog did the work of a frame that was not late")
			}
		}
	})
}
