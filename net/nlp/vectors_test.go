package nlp

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"
)

// What a Session answers to datagrams of real programs, and what a Hub says to
// them over a real socket, is what those programs say, but for numbers: ours
// start at 1, leave no gaps, and are 256 lower where nothing reliable is said.

func TestVectorsOfAClientGetTheAnswersOfTheVectors(t *testing.T) {
	v := vectors(t)
	s, err := Listen("127.0.0.1:0", HubConfig{Clients: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first, second, third := dialServer(t, s), dialServer(t, s), dialServer(t, s)
	for _, step := range []struct {
		from  *rawClient
		say   string
		hears *rawClient
		want  string
	}{
		{first, "ttt.p1.connect", first, "ttt.p1.connected"},
		{second, "hello.connect", second, "ttt.p2.connected"},
		{third, "ttt.p1.connect", third, "ttt.full"},
		{first, "ttt.p1.cursor.send", second, "ttt.p2.cursor.relayed"},
		{first, "safe.explicit", first, "safe.explicit.reply"},
		{first, "safe.dup", first, "safe.dup.reply"},
	} {
		t.Run(step.say+" is answered "+step.want, func(t *testing.T) {
			step.from.conn.Write(v[step.say])
			want, _ := Parse(v[step.want])
			if step.want == "ttt.full" {
				want.Flags = Unreliable // nobody is left who could take an acknowledgement
			}
			step.hears.wants(t, want)
		})
	}
}

// A rawClient is a bare socket that acknowledges nothing.
type rawClient struct{ conn net.Conn }

func dialServer(t *testing.T, s *Server) *rawClient {
	t.Helper()
	c, err := net.Dial("udp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return &rawClient{c}
}

// wants reads until a packet comes of the type wanted, and compares all but its
// number, and what has come from us by then.
func (c *rawClient) wants(t *testing.T, want Packet) {
	t.Helper()
	buf := make([]byte, MaxDatagram)
	for {
		n, err := c.conn.Read(buf)
		if err != nil {
			t.Fatalf("waiting for %+v: %v", want, err)
		}
		p, ok := Parse(buf[:n])
		if !ok {
			t.Fatalf("heard %x", buf[:n])
		}
		if p.Type != want.Type || p.Flags&Unreliable == 0 && p.Type == 0 {
			continue // a heartbeat, or a packet that is sent again
		}
		if p.Flags != want.Flags || p.Recipients != want.Recipients || !bytes.Equal(p.Data, want.Data) {
			t.Fatalf("heard %+v, want %+v", p, want)
		}
		return
	}
}

// What a peer says it has, and which of our packets that names. The older
// programs take more than it names; the last column says which, and none of
// those may be taken.
func TestFalseAcknowledgementsAreNeverTaken(t *testing.T) {
	for _, c := range []struct {
		ack, bits uint16
		first     uint16 // of the packets that wait
		last      uint16
		named     []uint16
		falsely   string
	}{
		{0, 0, 1, 15, nil, "0: a peer that has received nothing says so"},
		{0xFFFF, 0, 1, 15, nil, "none"},
		{16, 0xFFFF, 1, 15, span(1, 15), "none: ours may all have come"},
		{16, 0xFFFF, 10, 24, span(10, 16), "17 to 24, by the sign bit"},
		{16, 0x7FFF, 33, 47, nil, "33 to 47, by the shift"},
		{16, 0xFFFF, 32, 46, nil, "32 to 46, by the shift"},
		{16, 0x0001, 1, 15, span(15, 15), "none"},
		{2, 0x001B, 65530, 2, []uint16{65533, 65534, 0, 1, 2}, "none"},
		{37, 0xAAAA, 30, 40, []uint16{31, 33, 35, 37}, "none: bit 1 is 35, whoever set it"},
	} {
		t.Run(fmt.Sprintf("ack %04x bits %04x of %d to %d", c.ack, c.bits, c.first, c.last), func(t *testing.T) {
			s := newTestSession(t)
			s.next = c.first
			for n := c.first; n != c.last+1; n++ {
				s.Send(1, 0, 0, nil)
			}
			s.sent()

			s.receive(Packet{Flags: Unreliable, Ack: c.ack, Bits: c.bits})

			var want []uint16
			for n := c.first; n != c.last+1; n++ {
				if !slices.Contains(c.named, n) {
					want = append(want, n)
				}
			}
			var wait []uint16
			for _, o := range s.waiting[:s.inFlight] {
				wait = append(wait, o.seq)
			}
			if !slices.Equal(wait, want) {
				t.Errorf("%v still wait, want %v (older programs take also: %s)", wait, want, c.falsely)
			}
		})
	}
}

func span(first, last uint16) (all []uint16) {
	for n := first; n <= last; n++ {
		all = append(all, n)
	}
	return all
}

// What a receiver says of numbers with gaps, which only older programs leave.
func TestReceiverNamesNothingThatDidNotCome(t *testing.T) {
	for name, c := range map[string]struct {
		got       []uint16
		ack, bits uint16
	}{
		"ack.spaced3":          {every(3, 0, 51), 0x33, 0x4924},
		"ack.spaced2":          {every(2, 0, 34), 0x22, 0x2AAA},
		"ack.spaced2.lost":     {append(every(2, 1, 33), 37), 0x25, 0x2AA8},
		"ack.consecutive.lost": {append(every(1, 1, 17), 19), 0x13, 0x7FFE},
	} {
		t.Run(name, func(t *testing.T) {
			var r Received
			for _, n := range c.got {
				r.Take(n)
			}
			if ack, bits := r.Ack(); ack != c.ack || bits != c.bits {
				t.Errorf("ack %04x bits %04x, want %04x %04x", ack, bits, c.ack, c.bits)
			}
		})
	}
}

func every(step, first, last int) (all []uint16) {
	for n := first; n <= last; n += step {
		all = append(all, uint16(n))
	}
	return all
}

// An unreliable packet that carries the number of a reliable one that is lost,
// as older programs write it, does not make that one received; and ours carry a
// number that a receiver of theirs does not count.
func TestSharedNumberIsNoFalseAcknowledgementEitherWay(t *testing.T) {
	s := newTestSession(t)
	s.receive(Packet{Type: 2, Seq: 5, Flags: Unreliable})
	if ack, bits := s.received.Ack(); ack != 0xFFFF || bits != 0 {
		t.Errorf("unreliable 5 came: ack %d bits %04x", ack, bits)
	}
	for range 20 {
		s.Send(1, 0, 0, nil)
		s.Send(2, Unreliable, 0, nil)
		sent := s.sent()
		slices.SortFunc(sent, func(a, b Packet) int { return cmp.Compare(a.Type, b.Type) })
		if reliable, loose := sent[0].Seq, sent[1].Seq; Newer(loose, reliable) || reliable-loose < 200 {
			t.Fatalf("reliable %d and unreliable %d: a receiver counts both", reliable, loose)
		}
		s.receive(Packet{Flags: Unreliable, Ack: sent[0].Seq, Bits: 0x7FFF})
	}
}
