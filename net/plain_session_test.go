package netmsg

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// A recordedSession is a whole session, from the first Request to the last
// Disconnect, and its record: a line for each datagram sent and each event.
type recordedSession struct {
	record   strings.Builder
	now      time.Duration
	gate     *plainGate
	dial     *plainClient
	client   *ConnectionCore
	server   *ConnectionCore
	up, down *LinkSim
	accepts  int
}

func newRecordedSession() *recordedSession {
	link := Lossy(0.1, 20*ms, 10*ms)
	return &recordedSession{
		gate: newPlainGate(nil, gateKey),
		dial: newTestHandshake(Config{}, 7),
		up:   NewLinkSim(link, 3),
		down: NewLinkSim(link, 4),
	}
}

// note writes a line: the time in milliseconds, who, and what.
func (s *recordedSession) note(who, what string) {
	fmt.Fprintf(&s.record, "%d %s %s\n", s.now/ms, who, what)
}

// send puts a datagram on a link and notes it, or that it is lost by order.
func (s *recordedSession) send(who string, link *LinkSim, datagram []byte) {
	zeros := len(datagram) - len(bytes.TrimRight(datagram, "\x00"))
	if zeros < 100 {
		zeros = 0
	}
	text := fmt.Sprintf("sends %x", datagram[:len(datagram)-zeros])
	if zeros > 0 {
		text += fmt.Sprintf(" and %d zeros", zeros)
	}
	if datagram[4] == plainAccept {
		if s.accepts++; s.accepts == 1 {
			s.note(who, text+", which is lost")
			return
		}
	}
	s.note(who, text)
	link.Send(s.now, datagram)
}

func (s *recordedSession) events(who string, c *ConnectionCore) {
	for e := range c.Events() {
		s.note(who, "hears "+eventText(e))
	}
}

func (s *recordedSession) arriveAtServer(datagram []byte) {
	answer := make([]byte, plainChallengeLen)
	v := s.gate.Receive(s.now, guest1, datagram, answer)
	if v.Joined {
		s.server = NewConnectionCore(nil, v.Session, s.now)
	}
	if v.Reply > 0 {
		s.send("server", s.down, answer[:v.Reply])
	}
	if s.server != nil {
		s.server.Receive(s.now, datagram)
		s.events("server", s.server)
	}
}

func (s *recordedSession) arriveAtClient(datagram []byte) {
	if s.client == nil && s.dial.Receive(s.now, datagram) {
		if session, failed, done := s.dial.Done(); done && failed == 0 {
			s.client = NewConnectionCore(nil, session, s.now)
		}
	}
	if s.client != nil {
		s.client.Receive(s.now, datagram)
		s.events("client", s.client)
	}
}

// step is one millisecond: what arrives, then what is due.
func (s *recordedSession) step() {
	buf := make([]byte, 1200)
	for n, ok := s.up.Deliver(s.now, buf); ok; n, ok = s.up.Deliver(s.now, buf) {
		s.arriveAtServer(buf[:n])
	}
	for n, ok := s.down.Deliver(s.now, buf); ok; n, ok = s.down.Deliver(s.now, buf) {
		s.arriveAtClient(buf[:n])
	}
	if s.client == nil {
		s.transmit("client", s.dial, s.up)
	} else {
		s.transmit("client", s.client, s.up)
		s.events("client", s.client)
	}
	if s.server != nil {
		s.transmit("server", s.server, s.down)
		s.events("server", s.server)
	}
	s.now += ms
}

func (s *recordedSession) transmit(who string, from interface {
	Transmit(time.Duration, []byte) int
}, link *LinkSim) {
	buf := make([]byte, 1200)
	for n := from.Transmit(s.now, buf); n > 0; n = from.Transmit(s.now, buf) {
		s.send(who, link, buf[:n])
	}
}

func (s *recordedSession) run() string {
	for s.now < 1500*ms {
		if s.server != nil && s.now%(50*ms) == 0 && s.now < 900*ms {
			s.server.SendLatest(7, fmt.Appendf(nil, "at %d", s.now/ms))
		}
		switch {
		case s.client != nil && s.now == 200*ms:
			s.client.SendReliable([]byte("hello"))
			s.client.SendReliable(nil)
		case s.server != nil && s.now == 400*ms:
			for i := range 5 {
				s.server.SendReliable(fmt.Appendf(nil, "message %d", i))
			}
		case s.client != nil && s.now == time.Second:
			s.client.SendReliable([]byte("goodbye"))
			s.client.Close()
		}
		s.step()
	}
	return s.record.String()
}

// The record is a vector for other implementations. Where a change of the
// protocol is meant, PARTYLINE_RECORD=1 writes it anew.
func TestAWholeSessionIsAsRecorded(t *testing.T) {
	const file = "testdata/plain_session.txt"
	s := newRecordedSession()
	got := s.run()

	if os.Getenv("PARTYLINE_RECORD") == "1" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || gotLines[i] != wantLines[i] {
			t.Fatalf("from line %d on it is another: got\n%s\nwant\n%s", i+1,
				strings.Join(gotLines[min(i, len(gotLines)):], "\n"), strings.Join(wantLines[min(i, len(wantLines)):], "\n"))
		}
	}
}
