package netmsg

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

const testSalt = 0x0707070707070707 // of newTestHandshake(…, 7)

// outcome gives how a handshake stands: "", "open", or why it failed.
func (h *plainClient) outcome() string {
	switch _, failed, done := h.Done(); {
	case !done:
		return ""
	case failed == 0:
		return "open"
	default:
		return failed.String()
	}
}

// run lets time pass from one time to another and gives what the client sends,
// by kind.
func (h *plainClient) run(from, to time.Duration) (kinds []byte) {
	buf := make([]byte, 1200)
	for now := from; now <= to; now = max(now, h.Deadline()) {
		for n := h.Transmit(now, buf); n > 0; n = h.Transmit(now, buf) {
			kinds = append(kinds, buf[4])
		}
	}
	return kinds
}

func TestAClientAsksEvery250MillisecondsForFiveSeconds(t *testing.T) {
	h := newTestHandshake(Config{}, 7)
	want := append(unhex(t, "4e4d5331 00 0707070707070707"), make([]byte, 1187)...)

	for n := range 20 {
		at := time.Duration(n) * 250 * time.Millisecond
		if h.Deadline() != at {
			t.Fatalf("Request %d is due at %v, want %v", n, h.Deadline(), at)
		}
		if got := transmitted(h, at); !bytes.Equal(got, want) {
			t.Fatalf("Request %d: got %x", n, got)
		}
		if got := transmitted(h, at); got != nil {
			t.Fatalf("two at once")
		}
	}
	if h.Deadline() != 5*time.Second || h.outcome() != "" {
		t.Errorf("deadline %v, outcome %q", h.Deadline(), h.outcome())
	}
	if got := transmitted(h, 5*time.Second); got != nil || h.outcome() != "NoAnswer" || h.Deadline() != never {
		t.Errorf("at 5 s: sent %x, outcome %q, deadline %v", got, h.outcome(), h.Deadline())
	}
}

func TestEachHandshakeHasASaltOfItsOwn(t *testing.T) {
	a, b := newPlainClient(nil, 0), newPlainClient(nil, 0)
	if a.salt == b.salt || a.salt == 0 {
		t.Errorf("salts %x and %x", a.salt, b.salt)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestWithoutRandomNumbersNoHandshakeBegins(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it did not panic")
		}
	}()
	newPlainClient(&Config{Random: brokenReader{}}, 0)
}

func TestAChallengeIsAnsweredAtOnceAndThenEvery250Milliseconds(t *testing.T) {
	h := newTestHandshake(Config{}, 7)
	h.run(0, 100*time.Millisecond)

	if h.Receive(100*time.Millisecond, appendPlainChallenge(nil, testSalt^1, 5)) {
		t.Error("a Challenge with another salt was taken")
	}
	if !h.Receive(100*time.Millisecond, appendPlainChallenge(nil, testSalt, 5)) {
		t.Error("the Challenge was not taken")
	}
	want := append(unhex(t, "4e4d5331 02 0707070707070707 0000000000000005"), make([]byte, 1179)...)
	if got := transmitted(h, 100*time.Millisecond); !bytes.Equal(got, want) {
		t.Errorf("got %x", got)
	}
	if h.Deadline() != 350*time.Millisecond {
		t.Errorf("the next is due at %v, want 350ms", h.Deadline())
	}
	h.Receive(110*time.Millisecond, appendPlainChallenge(nil, testSalt, 5))
	if h.Deadline() != 350*time.Millisecond {
		t.Errorf("after the same Challenge again: %v, want 350ms", h.Deadline())
	}
}

func TestAfterFourResponsesWithoutAnAnswerTheClientAsksAgain(t *testing.T) {
	h := newTestHandshake(Config{}, 7)
	h.run(0, 0)
	h.Receive(0, appendPlainChallenge(nil, testSalt, 5))

	got := h.run(0, 1250*time.Millisecond)

	if want := []byte{2, 2, 2, 2, 0, 0}; !bytes.Equal(got, want) {
		t.Errorf("sent kinds %v, want %v", got, want)
	}
	h.Receive(1300*time.Millisecond, appendPlainChallenge(nil, testSalt, 6)) // the server started again
	if got := transmitted(h, 1300*time.Millisecond); !bytes.Equal(got[:21], unhex(t, "4e4d5331 02 0707070707070707 0000000000000006")) {
		t.Errorf("sent %x, want a Response with the new cookie", got[:21])
	}
}

func TestWhatOpensAndWhatDoesNot(t *testing.T) {
	const session = testSalt ^ 5
	for name, c := range map[string]struct {
		datagram []byte
		want     string
	}{
		"Accept":                        {appendPlainShort(nil, plainAccept, session), "open"},
		"Accept of another session":     {appendPlainShort(nil, plainAccept, session^1), ""},
		"Payload":                       {appendPlainHeader(nil, session, 0, 0xffff, 0), "open"},
		"Payload of another session":    {appendPlainHeader(nil, session^1, 0, 0xffff, 0), ""},
		"malformed Payload":             {append(appendPlainHeader(nil, session, 0, 0xffff, 0), 1), ""},
		"Denied":                        {appendPlainShort(nil, plainDenied, testSalt), "Denied"},
		"Denied with another salt":      {appendPlainShort(nil, plainDenied, testSalt^1), ""},
		"Disconnect":                    {appendPlainShort(nil, plainDisconnect, session), "Remote"},
		"Disconnect of another session": {appendPlainShort(nil, plainDisconnect, session^1), ""},
		"a Request":                     {appendPlainRequest(nil, testSalt), ""},
		"nothing":                       {nil, ""},
	} {
		h := newTestHandshake(Config{}, 7)
		h.Receive(0, appendPlainChallenge(nil, testSalt, 5))

		took := h.Receive(0, c.datagram)

		if h.outcome() != c.want || took != (c.want != "") {
			t.Errorf("%s: outcome %q, taken %v; want %q", name, h.outcome(), took, c.want)
		}
		if s, _, _ := h.Done(); c.want == "open" && s.ID != session {
			t.Errorf("%s: session %x, want %x", name, s.ID, uint64(session))
		}
	}
}

func TestTheServerMayHaveTakenAnyCookieThatWasAnswered(t *testing.T) {
	h := newTestHandshake(Config{}, 7)
	for cookie := range uint64(plainCookies) {
		h.Receive(0, appendPlainChallenge(nil, testSalt, cookie))
	}
	h.Receive(0, appendPlainShort(nil, plainAccept, plainSession(testSalt, 0)))
	if h.outcome() != "open" {
		t.Errorf("the first of %d cookies: %q", plainCookies, h.outcome())
	}
}

func TestOnlySoManyCookiesAreRemembered(t *testing.T) {
	h := newTestHandshake(Config{}, 7)
	for cookie := range uint64(100) {
		h.Receive(0, appendPlainChallenge(nil, testSalt, cookie))
	}
	if h.Receive(0, appendPlainShort(nil, plainAccept, plainSession(testSalt, 99-plainCookies))) || h.cookies.len() != plainCookies {
		t.Errorf("%d are remembered, want %d", h.cookies.len(), plainCookies)
	}
}

func TestADeniedAfterTheEndChangesNothing(t *testing.T) {
	h := newTestHandshake(Config{}, 7)
	h.Receive(0, appendPlainChallenge(nil, testSalt, 5))
	h.Receive(0, appendPlainShort(nil, plainAccept, testSalt^5))

	if h.Receive(0, appendPlainShort(nil, plainDenied, testSalt)) || h.outcome() != "open" {
		t.Errorf("outcome %q", h.outcome())
	}
	if got := h.run(0, time.Minute); len(got) != 0 {
		t.Errorf("sent %v after the end", got)
	}
}

func TestAHandshakeThatIsGivenUpTellsAServerThatMayHaveOpened(t *testing.T) {
	h := newTestHandshake(Config{}, 7)
	h.Receive(0, appendPlainChallenge(nil, testSalt, 5))
	h.run(0, 0)

	h.Close()

	if got := h.run(0, time.Minute); !bytes.Equal(got, []byte{5, 5, 5, 5, 5}) || h.outcome() != "Local" {
		t.Errorf("sent %v, outcome %q", got, h.outcome())
	}
	early := newTestHandshake(Config{}, 7)
	early.Close()
	if got := early.run(0, time.Minute); len(got) != 0 || early.outcome() != "Local" {
		t.Errorf("before any Challenge: sent %v, outcome %q", got, early.outcome())
	}
}

func TestHandshakeTimesFollowTheConfig(t *testing.T) {
	h := newTestHandshake(Config{ConnectTimeout: time.Second, ConnectRetry: 100 * time.Millisecond}, 7)
	if got := h.run(0, time.Minute); len(got) != 10 || h.outcome() != "NoAnswer" {
		t.Errorf("sent %d, outcome %q", len(got), h.outcome())
	}
	once := newTestHandshake(Config{ConnectTimeout: -1, ConnectRetry: -1}, 7)
	if got := once.run(0, time.Hour); len(got) != 1 || once.Deadline() != never {
		t.Errorf("all off: sent %d, deadline %v", len(got), once.Deadline())
	}
}

func TestAHandshakeWritesNothingIntoASmallBuffer(t *testing.T) {
	h := newTestHandshake(Config{}, 7)
	if n := h.Transmit(0, make([]byte, 1199)); n != 0 {
		t.Errorf("got %d bytes", n)
	}
}
