package nlp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

func TestRowsZ6Z9ReliableNumbersStartAtOneAndNothingIsAcknowledgedAtFirst(t *testing.T) {
	s := newTestSession(t)
	s.Send(1, 0, 0, nil)
	s.Send(2, 0, 0, nil)
	got := s.sent()
	if len(got) != 2 || got[0].Seq != 1 || got[1].Seq != 2 || got[0].Ack != 0xFFFF || got[0].Bits != 0 {
		t.Fatalf("sent %+v", got)
	}
}

func TestRowZ6NumbersAndAcksOfTheDescribedExchange(t *testing.T) {
	s := newTestSession(t)
	s.Send(1, 0, 0, nil)
	if p := s.sent()[0]; p.Seq != 1 {
		t.Fatalf("sent %+v", p)
	}
	s.receive(Packet{Type: 1, Seq: 100, Ack: 1})
	s.Send(2, 0, 0, nil)
	if p := s.sent()[0]; p.Seq != 2 || p.Ack != 100 {
		t.Fatalf("sent %+v, want 2 with ack 100", p)
	}
	s.receive(Packet{Type: 1, Seq: 101, Ack: 2, Bits: 1})
	if s.Unacked() != 0 {
		t.Fatalf("%d unacknowledged", s.Unacked())
	}
}

func TestRowZ10UnackedPacketGoesFiveTimesASecondApartAndThenThePeerIsLost(t *testing.T) {
	s := newTestSession(t)
	s.Send(1, 0, 0, []byte("x"))
	var at []time.Duration
	for ; !s.Ended() && s.now < 10*time.Second; s.now += time.Millisecond {
		for _, p := range s.sent() {
			if p.Type == 1 {
				at = append(at, s.now.Round(10*time.Millisecond))
			}
		}
	}
	if fmt.Sprint(at) != "[0s 1s 2s 3s 4s]" || s.now.Round(100*time.Millisecond) != 5*time.Second {
		t.Fatalf("sent at %v, ended at %v", at, s.now)
	}
	lost := 0
	for e := range s.Events() {
		if e.Kind == Lost {
			lost++
		}
	}
	if lost != 1 || s.Send(1, 0, 0, nil) != ErrEnded {
		t.Fatalf("heard Lost %d times", lost)
	}
}

func TestPeerThatIsHeardButNeverAcknowledgesIsLostInTheEnd(t *testing.T) {
	s := newTestSession(t)
	s.Send(1, 0, 0, nil)
	for ; !s.Ended() && s.now < time.Minute; s.now += 100 * time.Millisecond {
		s.receive(Packet{Type: 5, Flags: Unreliable, Ack: 0xFFFF})
		s.got()
		s.sent()
	}
	if took := s.now; took < 20*time.Second || took > 23*time.Second {
		t.Fatalf("lost after %v, want 20 sends, a second apart", took)
	}
}

func TestRowZ10OnlyWhatIsMissingGoesAgainWithItsNumberAndAFreshAck(t *testing.T) {
	s := newTestSession(t)
	for range 4 {
		s.Send(1, 0, 0, nil)
	}
	s.sent()
	s.receive(Packet{Type: 5, Seq: 70, Ack: 3, Bits: 3})
	s.now = 1100 * time.Millisecond
	var again []Packet
	for _, p := range s.sent() {
		if p.Type == 1 {
			again = append(again, p)
		}
	}
	if len(again) != 1 || again[0].Seq != 4 || again[0].Ack != 70 {
		t.Fatalf("sent again %+v, want number 4 with ack 70", again)
	}
}

func TestRowZ11AtMostFifteenAreOnTheirWayWithoutGaps(t *testing.T) {
	s := newTestSession(t)
	for range 40 {
		if err := s.Send(1, 0, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.sent(); len(got) != 15 || got[0].Seq != 1 || got[14].Seq != 15 {
		t.Fatalf("%d sent", len(got))
	}
	s.receive(Packet{Type: 0, Flags: Unreliable, Ack: 15, Bits: 0x1FFF}) // all but 1
	if got := s.sent(); len(got) != 0 {
		t.Fatalf("sent %+v while number 1 holds the window", got)
	}
	s.receive(Packet{Type: 0, Flags: Unreliable, Ack: 1})
	if got := s.sent(); len(got) != 15 || got[0].Seq != 16 || got[14].Seq != 30 {
		t.Fatalf("%d sent, want 16 to 30", len(got))
	}
}

func TestRowZ12UnreliableCarriesTheNumber256BelowTheNextAndGoesOnce(t *testing.T) {
	s := newTestSession(t)
	s.Send(3, Unreliable, 0, []byte{3})
	p := s.sent()[0]
	want, _ := Parse(vectors(t)["safe.unreliable"])
	if p.Seq != want.Seq || p.Seq != 0xff01 || p.Flags != Unreliable {
		t.Fatalf("sent %+v", p)
	}
	s.now = 400 * time.Millisecond
	if got := s.sent(); len(got) != 0 {
		t.Fatalf("sent again %+v", got)
	}
}

func TestRowZ12UnreliablePacketDoesNotCountAsReceived(t *testing.T) {
	s := newTestSession(t)
	s.receive(Packet{Type: 2, Seq: 10})
	s.receive(Packet{Type: 2, Seq: 11, Flags: Unreliable}) // the number of the next reliable, as older programs do
	s.Send(1, 0, 0, nil)
	if p := s.sent()[0]; p.Ack != 10 || p.Bits != 0 {
		t.Fatalf("ack %d bits %04x, want 10 and 0: reliable 11 was lost", p.Ack, p.Bits)
	}
	s.receive(Packet{Type: 2, Seq: 11})
	if got := s.got(); len(got) != 3 {
		t.Fatalf("delivered %v, want 10, 11 and 11", got)
	}
}

func TestRowZ14ExplicitAckIsAnsweredAtOnceAlsoWhenItComesAgain(t *testing.T) {
	s := newTestSession(t)
	v := vectors(t)
	for i := range 2 {
		if !s.Receive(s.now, v["safe.explicit"]) {
			t.Fatal("refused")
		}
		got := s.sent()
		if len(got) != 1 || got[0].Type != 0 || got[0].Flags != Unreliable || got[0].Ack != 2 || len(got[0].Data) != 0 {
			t.Fatalf("answer %d: %+v", i, got)
		}
	}
	if got := s.got(); len(got) != 0 {
		t.Fatalf("a heartbeat reached the game: %v", got)
	}
	if s.Duplicates != 1 {
		t.Fatalf("%d duplicates", s.Duplicates)
	}
}

func TestRowZ8SeventeenInARowSetFifteenBits(t *testing.T) {
	s := newTestSession(t)
	for n := range uint16(17) {
		s.receive(Packet{Type: 1, Seq: n})
	}
	s.Send(1, 0, 0, nil)
	if p := s.sent()[0]; p.Ack != 16 || p.Bits != 0x7FFF {
		t.Fatalf("ack %d bits %04x", p.Ack, p.Bits)
	}
}

func TestRowZ26TypeZeroIsNotTheGames(t *testing.T) {
	s := newTestSession(t)
	if err := s.Send(0, 0, 0, nil); err != ErrType {
		t.Fatal(err)
	}
	s.Send(255, 0, 0, nil)
	if p := s.sent()[0]; p.Type != 255 {
		t.Fatalf("sent %+v", p)
	}
}

func TestRowZ27QuietLinkIsBeatenAfterHalfASecondAndADeadPeerIsLostAfterFiveAndAHalf(t *testing.T) {
	s := newTestSession(t)
	s.now = 10 * time.Second
	s.receive(Packet{Type: 1, Seq: 1})
	s.sent()
	var first time.Duration
	heard := s.now
	for ; !s.Ended() && s.now < 20*time.Second; s.now += time.Millisecond {
		for _, p := range s.sent() {
			if p.Type == 0 && p.Flags == 0 && first == 0 {
				first = s.now - heard
			}
		}
	}
	if first.Round(10*time.Millisecond) != 500*time.Millisecond {
		t.Fatalf("first heartbeat after %v", first)
	}
	if took := (s.now - heard).Round(100 * time.Millisecond); took != 5500*time.Millisecond {
		t.Fatalf("lost after %v, want 5.5 s", took)
	}
}

func TestRowZ27HeartbeatIsAnswered(t *testing.T) {
	s := newTestSession(t)
	if !s.Receive(s.now, vectors(t)["ttt.heartbeat"]) {
		t.Fatal("refused")
	}
	s.now += 100 * time.Millisecond
	got := s.sent()
	if len(got) != 1 || got[0].Type != 0 || got[0].Ack != 2 {
		t.Fatalf("answered %+v, want an acknowledgement of 2", got)
	}
}

func TestFullQueueIsAnErrorAndNothingIsLost(t *testing.T) {
	s := newTestSession(t)
	for range MaxQueued {
		if err := s.Send(1, 0, 0, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Send(1, 0, 0, nil); err != ErrFull {
		t.Fatal(err)
	}
	if s.Unacked() != MaxQueued {
		t.Fatalf("%d wait", s.Unacked())
	}
}

func TestWhatTheGameDoesNotTakeIsNotAcknowledged(t *testing.T) {
	s := newTestSession(t)
	for n := range uint16(maxEvents + 5) {
		s.receive(Packet{Type: 1, Seq: n})
	}
	if ack, _ := s.received.Ack(); ack != maxEvents-1 {
		t.Fatalf("acknowledged %d, want %d", ack, maxEvents-1)
	}
	s.got()
	s.receive(Packet{Type: 1, Seq: maxEvents})
	if got := s.got(); len(got) != 1 {
		t.Fatalf("delivered %v", got)
	}
}

// Two sessions over 30 % loss, repeats and reordering: every reliable packet
// arrives once, past the wrap of the numbers too, and none is falsely taken as
// acknowledged.
func TestRowZ28EveryReliablePacketArrivesOnceOverABadLink(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { badLink(t, seed, 300, 1) })
	}
	t.Run("wrap", func(t *testing.T) { badLink(t, 99, 300, 65_400) })
}

func badLink(t *testing.T, seed uint64, count int, first uint16) {
	random := rand.New(rand.NewPCG(seed, 1))
	ab, ba := &link{random: random, loss: 0.3}, &link{random: random, loss: 0.3}
	a, b := NewSession(0), NewSession(0)
	a.next, b.next = first, first
	var sent, got [2]int
	seen := [2]map[uint32]int{{}, {}}
	for now := time.Duration(0); got[0] < count || got[1] < count; now += 5 * time.Millisecond {
		if now > 10*time.Minute {
			t.Fatalf("seed %d: %v of %d arrived", seed, got, count)
		}
		for i, s := range []*Session{a, b} {
			if sent[i] < count && s.Unacked() < 30 {
				if err := s.Send(7, 0, 0, binary.BigEndian.AppendUint32(nil, uint32(sent[i]))); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				s.Send(8, Unreliable, 0, []byte("loose"))
				sent[i]++
			}
		}
		for i, end := range []struct {
			s       *Session
			in, out *link
		}{{a, ba, ab}, {b, ab, ba}} {
			for _, d := range end.in.arrived(now) {
				end.s.Receive(now, d)
			}
			for e := range end.s.Events() {
				if e.Kind == Lost {
					t.Fatalf("seed %d at %v: gave up a peer that lives", seed, now)
				}
				if e.Packet.Type != 7 {
					continue
				}
				n := binary.BigEndian.Uint32(e.Packet.Data)
				if seen[i][n]++; seen[i][n] > 1 {
					t.Fatalf("seed %d: %d came twice", seed, n)
				}
				got[i]++
			}
			var buf [MaxDatagram]byte
			for n := end.s.Transmit(now, buf[:]); n > 0; n = end.s.Transmit(now, buf[:]) {
				end.out.send(now, buf[:n])
			}
		}
	}
}

func FuzzSession(f *testing.F) {
	for _, b := range vectors(f) {
		f.Add(append([]byte{byte(len(b))}, b...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newTestSession(t)
		for len(data) > 0 && !s.Ended() {
			n := min(int(data[0]), len(data)-1)
			s.now += time.Duration(data[0]) * time.Millisecond
			s.Receive(s.now, data[1:1+n])
			s.Send(data[0], Flags(data[0]>>4), 0, data[1:1+n])
			s.sent()
			data = data[1+n:]
		}
		if len(s.events) > maxEvents+1 || s.inFlight > Window || len(s.waiting) > MaxQueued {
			t.Fatalf("%d events, %d on their way, %d wait", len(s.events), s.inFlight, len(s.waiting))
		}
	})
}
