package netmsg

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"
)

func TestAClientJoinsTalksAndLeaves(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	w.endpoint(1, &s, plainConfig())
	client := w.endpoint(2, &c, plainConfig())
	conn := w.dial(t, client, 1)

	w.runFor(50 * time.Millisecond)
	conn.SendReliable([]byte("hi"))
	conn.SendLatest(7, []byte("there"))
	w.runFor(50 * time.Millisecond)
	s.conn(0).SendReliable([]byte("oh"))
	w.runFor(50 * time.Millisecond)
	conn.Close()
	w.runFor(50 * time.Millisecond)

	s.want(t, "1 Joined", "1 message hi", "1 update 7 there", "1 left Remote")
	c.want(t, "1 Joined", "1 message oh", "1 left Local")
}

func TestAServerNumbersItsClientsFromOne(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	server := w.endpoint(1, &s, plainConfig())
	for i := range 3 {
		w.dial(t, w.endpoint(2+i, &c, plainConfig()), 1)
		w.runFor(50 * time.Millisecond)
	}
	if got := server.Len(); got != 3 {
		t.Errorf("Len is %d, want 3", got)
	}
	s.conn(1).Close()
	w.runFor(200 * time.Millisecond)

	s.want(t, "1 Joined", "2 Joined", "3 Joined", "2 left Local")
	c.want(t, "1 Joined", "1 Joined", "1 Joined", "1 left Remote")
	if got := server.Len(); got != 2 {
		t.Errorf("Len is %d, want 2", got)
	}
	var ids []ConnID
	for c := range server.Conns() {
		ids = append(ids, c.ID())
	}
	if !slices.Equal(ids, []ConnID{1, 3}) {
		t.Errorf("Conns yields %v, want 1 and 3", ids)
	}
}

func TestADialToNobodyEndsAsNoAnswer(t *testing.T) {
	w := newStepWorld(t)
	var c listener
	w.dial(t, w.endpoint(2, &c, plainConfig()), 1)
	w.runFor(5100 * time.Millisecond)
	c.want(t, "1 left NoAnswer")
}

func TestADialThatIsClosedEndsAsLocal(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	server := w.endpoint(1, &s, plainConfig())
	client := w.endpoint(2, &c, plainConfig())
	conn := w.dial(t, client, 1)

	// The server has opened it, and its Accept is on the way.
	client.Flush(w.now)
	server.Drain(w.now)
	server.Flush(w.now)
	client.Drain(w.now)
	client.Flush(w.now)
	server.Drain(w.now)
	conn.Close()
	if err := conn.SendReliable(nil); err != ErrClosed {
		t.Errorf("a send returns %v", err)
	}
	w.runFor(100 * time.Millisecond)

	c.want(t, "1 left Local")
	s.want(t, "1 Joined", "1 left Remote")
}

func TestAFullServerDenies(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	cfg := plainConfig()
	cfg.MaxClients = 1
	server := w.endpoint(1, &s, cfg)
	w.dial(t, w.endpoint(2, &c, plainConfig()), 1)
	w.runFor(50 * time.Millisecond)
	w.dial(t, w.endpoint(3, &c, plainConfig()), 1)
	w.runFor(50 * time.Millisecond)

	c.want(t, "1 Joined", "1 left Denied")
	s.want(t, "1 Joined")
	if full := server.Stats().Full; full != 1 {
		t.Errorf("Stats.Full is %d, want 1", full)
	}
}

// crashing is a client at address 2 of the server at 1, with three messages on
// their way that are not acknowledged.
func (w *stepWorld) crashing(t *testing.T, l *listener) *Endpoint {
	t.Helper()
	e := w.endpoint(2, l, plainConfig())
	w.dial(t, e, 1)
	w.runFor(50 * time.Millisecond)
	for range 3 {
		l.conn(0).SendReliable([]byte("late"))
	}
	e.Flush(w.now)
	return e
}

func TestANewClientAtTheSameAddressReplacesTheOld(t *testing.T) {
	w := newStepWorld(t)
	var s, old, young listener
	server := w.endpoint(1, &s, plainConfig())
	crashed := w.crashing(t, &old)

	w.all = slices.DeleteFunc(w.all, func(e *Endpoint) bool { return e == crashed })
	w.dial(t, w.endpoint(2, &young, plainConfig()), 1)
	w.runFor(100 * time.Millisecond)

	s.want(t, "1 Joined", "1 message late", "1 message late", "1 message late", "1 left Replaced", "2 Joined")
	young.want(t, "1 Joined")
	if n := server.Len(); n != 1 {
		t.Errorf("Len is %d, want 1", n)
	}
	w.runFor(15 * time.Second)
	if got := s.heard(); len(got) != 6 {
		t.Errorf("later the server heard %q", got[6:])
	}
}

func TestTheEndOfTheReplacedIsHeardBeforeTheNewOneJoins(t *testing.T) {
	w := newStepWorld(t)
	var s, old, young listener
	server := w.endpoint(1, &s, plainConfig())
	crashed := w.crashing(t, &old)
	w.all = nil
	defer crashed.Close()

	// While the server hands nothing out, all of it happens.
	again := w.endpoint(2, &young, plainConfig())
	w.dial(t, again, 1)
	for range 20 {
		w.frame()
		server.KeepAlive(w.now)
		w.now += 5 * time.Millisecond
	}
	young.want(t, "1 Joined")
	server.Drain(w.now)
	s.want(t, "1 Joined", "1 message late", "1 message late", "1 message late", "1 left Replaced", "2 Joined")
	server.Close()
}

func TestAConnectionOfADeadPeerTimesOut(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	w.endpoint(1, &s, plainConfig())
	client := w.endpoint(2, &c, plainConfig())
	w.dial(t, client, 1)
	w.runFor(50 * time.Millisecond)
	w.all = w.all[:1]
	joined := w.now
	for len(s.heard()) < 2 && w.now < joined+11*time.Second {
		w.runFor(5 * time.Millisecond)
	}
	s.want(t, "1 Joined", "1 left TimedOut")
	if silence := w.now - joined; silence < 9900*time.Millisecond || silence > 10100*time.Millisecond {
		t.Errorf("it took %v", silence)
	}
}

func TestALongFrameIsJudgedAfterTheSocketIsDrained(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	server := w.endpoint(1, &s, plainConfig())
	patient := plainConfig()
	patient.Timeout = -1
	client := w.endpoint(2, &c, patient)
	conn := w.dial(t, client, 1)
	w.runFor(50 * time.Millisecond)

	// The server sleeps for longer than the time-out, the client talks on.
	for i := range 25 {
		conn.SendReliable(fmt.Append(nil, i))
		for range 100 {
			client.Flush(w.now)
			w.now += 5 * time.Millisecond
		}
	}
	server.Drain(w.now)

	if got := s.heard(); len(got) != 26 || got[25] != "1 message 24" {
		t.Errorf("heard %q", got)
	}
}

func TestSeveralAddressesOfOnePeerAreAllAsked(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	w.endpoint(1, &s, plainConfig())
	client := w.endpoint(2, &c, plainConfig())
	conn, err := client.Dial([]netip.AddrPort{fakeAddr(8), fakeAddr(1), fakeAddr(9)}, DialOptions{ID: 40})
	if err != nil {
		t.Fatal(err)
	}
	w.runFor(50 * time.Millisecond)
	conn.SendReliable([]byte("x"))
	w.runFor(50 * time.Millisecond)

	s.want(t, "1 Joined", "1 message x")
	c.want(t, "40 Joined")
	if conn.Addr() != fakeAddr(1) {
		t.Errorf("Addr is %v", conn.Addr())
	}
}

func TestAnEndpointThatDoesNotAcceptAnswersNobody(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	server := w.endpoint(1, &s, plainConfig())
	server.SetAccepting(false)
	w.dial(t, w.endpoint(2, &c, plainConfig()), 1)
	w.runFor(time.Second)
	s.want(t)
	if n := server.Stats(); n.NotAccepting == 0 || n.Sent != 0 {
		t.Errorf("got %+v", n)
	}
	server.SetAccepting(true)
	w.runFor(time.Second)
	s.want(t, "1 Joined")
	c.want(t, "1 Joined")
}

func TestSendsBeforeJoinedAndAfterTheEndAreErrors(t *testing.T) {
	w := newStepWorld(t)
	var s, c listener
	w.endpoint(1, &s, plainConfig())
	client := w.endpoint(2, &c, plainConfig())
	conn := w.dial(t, client, 1)
	if err := conn.SendReliable([]byte("x")); err != ErrConnecting {
		t.Errorf("before: %v", err)
	}
	w.runFor(50 * time.Millisecond)
	conn.Close()
	if err := conn.SendLatest(1, nil); err != ErrClosed {
		t.Errorf("after: %v", err)
	}
}

func TestTheListIsHeardInOrderWhenTheServerCloses(t *testing.T) {
	w := newStepWorld(t)
	var s listener
	var cs [3]listener
	server := w.endpoint(1, &s, plainConfig())
	for i := range cs {
		w.dial(t, w.endpoint(2+i, &cs[i], plainConfig()), 1)
	}
	w.runFor(50 * time.Millisecond)
	for c := range server.Conns() {
		c.SendReliable([]byte("bye"))
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	s.want(t, "1 Joined", "2 Joined", "3 Joined", "1 left Local", "2 left Local", "3 left Local")
	w.runFor(50 * time.Millisecond)
	for i := range cs {
		cs[i].want(t, "1 Joined", "1 message bye", "1 left Remote")
	}
}

func TestANumberThatADialHasTakenIsGivenToNobodyElse(t *testing.T) {
	w := newStepWorld(t)
	var server listener
	e := w.endpoint(1, &server, plainConfig())
	if _, err := e.Dial(addrs(fakeAddr(99)), DialOptions{ID: 2}); err != nil {
		t.Fatal(err)
	}

	for i := range 3 {
		w.dial(t, w.endpoint(10+i, nil, plainConfig()), 1)
	}
	w.runFor(time.Second)

	server.want(t, "1 Joined", "3 Joined", "4 Joined")
}

func TestAClosedEndpointDialsNobody(t *testing.T) {
	e := MustListen("127.0.0.1:0", nil, plainConfig())
	e.Close()
	for _, to := range []netip.AddrPort{e.Addr(), netip.MustParseAddrPort("[2001:db8::1]:5")} {
		if _, err := e.Dial(addrs(to), DialOptions{}); err != ErrClosed {
			t.Errorf("to %v: %v", to, err)
		}
	}
}

func TestDialBeforeTheFirstFrameOfASteppedEndpointBeginsWithIt(t *testing.T) {
	eachProtocol(t, func(t *testing.T, plain bool) {
		w, h := newStepWorld(t), &listener{}
		w.now = time.Hour // nobody has told the endpoints so
		w.endpoint(1, nil, &Config{Plain: plain})
		w.dial(t, w.endpoint(2, h, &Config{Plain: plain}), 1)
		w.dial(t, w.all[1], 3) // where nobody is

		w.runFor(time.Second)
		h.want(t, "1 Joined")
		w.runFor(3900 * time.Millisecond)
		h.want(t, "1 Joined")
		w.runFor(200 * time.Millisecond)
		h.want(t, "1 Joined", "2 left NoAnswer")
	})
}
