package netmsg

import (
	"testing"
	"time"
)

// A handshake by hand, in each mode, ends in two cores that talk.
func TestAGateAndAClientByHandAgreeOnASession(t *testing.T) {
	for _, cfg := range []*Config{nil, {Plain: true}, {Secret: filled(12, 0), Identity: filled(32, 5)}} {
		g, h := NewChallengeGate(cfg, gateKey), NewClientHandshake(cfg, 0)
		buf, reply := make([]byte, 1200), make([]byte, 1200)
		var server Session
		for n := h.Transmit(0, buf); n > 0; n = h.Transmit(0, buf) {
			v := g.Receive(0, guest1, buf[:n], reply)
			if v.Joined {
				server = v.Session
			}
			h.Receive(0, reply[:v.Reply])
		}
		s, failed, done := h.Done()
		if !done || failed != 0 || h.Deadline() != never {
			t.Fatalf("done %v, %v", done, failed)
		}

		a, b := NewConnectionCore(cfg, s, 0), NewConnectionCore(cfg, server, 0)
		_ = a.SendReliable([]byte("hello"))
		n := a.Transmit(0, buf)
		if !b.Receive(0, buf[:n]) || !g.Opened(0, server) || g.Len() != 1 {
			t.Errorf("it does not open; %d are open", g.Len())
		}
		heard := ""
		for e := range b.Events() {
			heard += e.Kind.String() + " " + string(e.Data) + ";"
		}
		if heard != "Joined ;Message hello;" {
			t.Errorf("heard %q", heard)
		}
		g.Left(0, guest1, server)
		if g.Len() != 0 {
			t.Error("it is open after its end")
		}
	}
}

func TestAClientHandshakeSaysWhyItFailed(t *testing.T) {
	g := NewChallengeGate(&Config{Admit: func(Applicant) Admission { return Admission{Status: 70, Text: "moved"} }}, gateKey)
	h := NewClientHandshake(nil, 0)
	buf, reply := make([]byte, 1200), make([]byte, 1200)
	for n := h.Transmit(0, buf); n > 0; n = h.Transmit(0, buf) {
		h.Receive(0, reply[:g.Receive(0, guest1, buf[:n], reply).Reply])
	}
	_, failed, done := h.Done()
	if code, text := h.Why(); !done || failed != Denied || code != 70 || text != "moved" {
		t.Errorf("%v %v: %d %q", done, failed, code, text)
	}

	silent := NewClientHandshake(nil, 0)
	silent.Transmit(5*time.Second, buf)
	if _, failed, done := silent.Done(); !done || failed != NoAnswer {
		t.Errorf("%v, %v", failed, done)
	}
	closed := NewClientHandshake(nil, 0)
	closed.Close()
	if _, failed, done := closed.Done(); !done || failed != Local {
		t.Errorf("%v, %v", failed, done)
	}
}

func TestPlainAndNMS2DoNotMeet(t *testing.T) {
	for _, plain := range []bool{false, true} {
		g, h := NewChallengeGate(&Config{Plain: plain}, gateKey), NewClientHandshake(&Config{Plain: !plain}, 0)
		buf, reply := make([]byte, 1200), make([]byte, 1200)
		for now := time.Duration(0); now <= 5*time.Second; now += 250 * ms {
			n := h.Transmit(now, buf)
			if v := g.Receive(now, guest1, buf[:n], reply); v.Reply != 0 {
				t.Fatalf("an answer of %d bytes", v.Reply)
			}
		}
		if _, failed, done := h.Done(); !done || failed != NoAnswer {
			t.Errorf("%v, %v", failed, done)
		}
	}
}

func TestUnusableKeysPanicWhereNoErrorIsReturned(t *testing.T) {
	for name, f := range map[string]func(){
		"gate":   func() { NewChallengeGate(&Config{Identity: filled(31, 0)}, gateKey) },
		"client": func() { NewClientHandshake(&Config{Secret: filled(3, 0)}, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: made", name)
				}
			}()
			f()
		}()
	}
}

func TestAClosedGateTakesNobody(t *testing.T) {
	for plain, want := range map[bool]string{false: "shutting down", true: ""} {
		g, h := NewChallengeGate(&Config{Plain: plain}, gateKey), NewClientHandshake(&Config{Plain: plain}, 0)
		g.Close()
		buf, reply := make([]byte, 1200), make([]byte, 1200)
		for now := time.Duration(0); now <= 5*time.Second; now += 50 * ms {
			for n := h.Transmit(now, buf); n > 0; n = h.Transmit(now, buf) {
				h.Receive(now, reply[:g.Receive(now, guest1, buf[:n], reply).Reply])
			}
		}
		_, failed, done := h.Done()
		if _, text := h.Why(); !done || (failed == Denied) == plain || text != want {
			t.Errorf("plain %v: %v, %v, %q", plain, done, failed, text)
		}
	}
}
