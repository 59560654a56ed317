package netmsg

import (
	"math/rand/v2"
	"testing"
	"time"
)

var (
	patientPacket  = packetFacts{eliciting: true, moves: true}
	pressingPacket = packetFacts{eliciting: true, pressing: true, moves: true}
	urgentPacket   = packetFacts{eliciting: true, pressing: true, urgent: true}
)

// readAck gives the numbers that the ACK frame in b says have come.
func readAck(t testing.TB, b []byte, next uint64) map[uint64]bool {
	t.Helper()
	frames, ok := readFrames(0, b)
	if !ok || len(frames) != 1 {
		t.Fatalf("%x is not one frame", b)
	}
	largest, ok := numberBelow(next, frames[0].largest)
	if !ok {
		t.Fatalf("%x names a number that was not sent", b)
	}
	spans, told := spansOf(&frames[0], largest), map[uint64]bool{}
	for low, high, ok := spans.next(); ok; low, high, ok = spans.next() {
		for n := low; n <= high; n++ {
			if told[n] {
				t.Fatalf("%x tells of %d twice", b, n)
			}
			told[n] = true
		}
	}
	if spans.bad {
		t.Fatalf("%x goes below 0", b)
	}
	return told
}

func TestAckFrameKinds(t *testing.T) {
	receive := func(except func(n uint64) bool, last uint64) ackState {
		a := newAckState(40 * time.Millisecond)
		for n := uint64(0); n <= last; n++ {
			if !except(n) {
				a.receive(0, n, pressingPacket)
			}
		}
		return a
	}
	for _, v := range []struct {
		name     string
		missing  func(n uint64) bool
		last     uint64
		reported int // ACK frames before the one looked at
		kind     frameKind
		size     int
	}{
		{"the first packet", func(n uint64) bool { return false }, 0, 0, frameAckAll, 5},
		{"all of 33", func(n uint64) bool { return false }, 32, 0, frameAckAll, 5},
		{"all of 100, reported before", func(n uint64) bool { return false }, 100, 3, frameAckAll, 5},
		{"one missing of 33", func(n uint64) bool { return n == 20 }, 32, 0, frameAckBits, 10},
		{"one missing of the newest 33, the rest reported", func(n uint64) bool { return n == 90 }, 100, 3, frameAckBits, 10},
		{"a long run not reported", func(n uint64) bool { return false }, 200, 0, frameAckRanges, 8},
		{"one missing in a long run", func(n uint64) bool { return n == 50 }, 60, 0, frameAckRanges, 9},
		{"every fifth missing", func(n uint64) bool { return n%5 == 3 }, 200, 0, frameAckBits, 6 + 25},
	} {
		a := receive(v.missing, v.last)
		for range v.reported {
			a.append(nil, 0, 1200)
		}

		b := a.append(nil, 0, 1200)
		if kindOf(b[0]) != v.kind || len(b) != v.size {
			t.Errorf("%s: kind %d of %d bytes, want kind %d of %d: %x", v.name, b[0], len(b), v.kind, v.size, b)
		}
		readAck(t, b, v.last+1)
	}
}

func TestVectorAckFrames(t *testing.T) {
	a := newAckState(40 * time.Millisecond)
	for n := uint64(0x1234 - 31); n <= 0x1234; n++ {
		a.receive(time.Second, n, pressingPacket)
	}
	b := a.append(nil, time.Second+163*time.Microsecond, 1200)

	if got, want := string(b), string(fromHex(t, "031234000a04ffffff7f")); got != want {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestAnAckIsDue(t *testing.T) {
	for _, v := range []struct {
		name  string
		facts []packetFacts
		want  time.Duration
	}{
		{"never for packets that do not ask", []packetFacts{{}, {}, {}}, never},
		{"at once for the first packet", []packetFacts{patientPacket}, 0},
		{"at once for an urgent one", []packetFacts{{}, urgentPacket}, 0},
		{"after 20 ms for reliable data", []packetFacts{{}, pressingPacket}, 20 * ms},
		{"after max_ack_delay for what is patient", []packetFacts{{}, patientPacket}, 40 * ms},
		{"by the most pressing one", []packetFacts{{}, patientPacket, pressingPacket, patientPacket}, 20 * ms},
		{"at once for the eighth", []packetFacts{{}, patientPacket, patientPacket, patientPacket, patientPacket, patientPacket, patientPacket, patientPacket, patientPacket}, 0},
	} {
		a := newAckState(40 * ms)
		a.talkedAt = 0
		for n, facts := range v.facts {
			a.receive(0, uint64(n), facts)
		}
		if a.due != v.want {
			t.Errorf("%s: due at %v, want %v", v.name, a.due, v.want)
		}
	}
}

func TestASideThatSaysNothingElseAcknowledgesSooner(t *testing.T) {
	a := newAckState(40 * ms)
	a.receive(0, 0, packetFacts{})
	a.receive(0, 1, pressingPacket)
	if a.due != 5*ms {
		t.Errorf("due at %v, want 5ms", a.due)
	}
}

// talkingAcks is an ackState that has told of its first packet, at a side that
// says something every 16 ms.
func talkingAcks() ackState {
	a := newAckState(250 * ms)
	a.receive(0, 0, patientPacket)
	for range reportedEnough {
		a.append(nil, 0, 1200)
	}
	a.talkedAt = 0
	return a
}

// ridesFrom is when a packet first takes an ACK frame along, of one every
// 16 ms.
func (a *ackState) ridesFrom(at time.Duration) time.Duration {
	for ; at < time.Second; at += 16 * ms {
		if a.rides(at) {
			return at
		}
		a.talkedAt = at
	}
	return never
}

func TestAnAckRidesAtOnceUnlessNobodyWaitsForIt(t *testing.T) {
	none := newAckState(250 * ms)
	if none.rides(0) {
		t.Error("one rides before anything has come")
	}
	for _, v := range []struct {
		name  string
		facts []packetFacts
		want  time.Duration // of packets at 16, 32, ... ms
	}{
		{"nothing new", nil, never},
		{"a value", []packetFacts{patientPacket}, 112 * ms},
		{"a packet that does not ask", []packetFacts{{}}, 112 * ms},
		{"reliable data", []packetFacts{pressingPacket}, 16 * ms},
		{"a value after reliable data", []packetFacts{pressingPacket, patientPacket}, 16 * ms},
		{"an urgent packet", []packetFacts{urgentPacket}, 16 * ms},
		{"the eighth value", []packetFacts{patientPacket, patientPacket, patientPacket, patientPacket, patientPacket, patientPacket, patientPacket, patientPacket}, 16 * ms},
	} {
		a := talkingAcks()
		for i, facts := range v.facts {
			a.receive(10*ms, uint64(1+i), facts)
		}
		if got := a.ridesFrom(16 * ms); got != v.want {
			t.Errorf("%s: rides at %v, want %v", v.name, got, v.want)
		}
	}
}

func TestAnAckRidesWithASideThatSeldomSpeaks(t *testing.T) {
	a := talkingAcks()
	a.receive(90*ms, 1, patientPacket)
	if !a.rides(100 * ms) {
		t.Error("not with the first packet for 100 ms: there may be none for as long")
	}
}

func TestAnAckOfReliableDataRidesTwice(t *testing.T) {
	a := talkingAcks()
	a.receive(1*ms, 1, pressingPacket)
	a.append(nil, 1*ms, 1200)
	a.talkedAt = 1 * ms
	if a.rides(5 * ms) {
		t.Error("again after 4 ms with nothing new")
	}
	if !a.rides(6 * ms) {
		t.Error("not again after 5 ms: the first may be lost")
	}
	a.append(nil, 6*ms, 1200)
	a.talkedAt = 6 * ms
	if a.rides(30 * ms) {
		t.Error("a third time, at once")
	}
	if !a.rides(101 * ms) {
		t.Error("not a third time after 95 ms")
	}
	a.append(nil, 101*ms, 1200)
	if a.rides(time.Second) {
		t.Error("a fourth time")
	}
}

func TestEveryNumberIsInThreeAckFrames(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, loss := range []float64{0, 0.01, 0.2, 0.6} {
		a := newAckState(40 * time.Millisecond)
		told := map[uint64]int{}
		var waiting []uint64 // arrive late
		for n := uint64(0); n < 20_000; n++ {
			switch {
			case rng.Float64() < loss:
			case rng.IntN(20) == 0:
				waiting = append(waiting, n)
			default:
				told[n] += 0
				a.receive(0, n, pressingPacket)
			}
			if len(waiting) > 0 && rng.IntN(10) == 0 {
				late := waiting[0]
				waiting = waiting[1:]
				if a.came.fresh(late) && n-late < 200 {
					told[late] += 0
					a.receive(0, late, pressingPacket)
				}
			}
			if rng.IntN(8) > 0 || a.came.next == 0 {
				continue
			}
			for m := range readAck(t, a.append(nil, 0, 1200), n+1) {
				if _, came := told[m]; !came {
					t.Fatalf("loss %v: number %d is acknowledged and has not come", loss, m)
				}
				told[m]++
			}
		}
		for n, times := range told {
			if times < 3 && n < 19_000 {
				t.Errorf("loss %v: number %d was in %d ACK frames", loss, n, times)
			}
		}
	}
}

func TestAnAckFrameFitsItsRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	a := newAckState(40 * time.Millisecond)
	for n := uint64(0); n < 3000; n++ {
		if rng.IntN(3) > 0 {
			a.receive(0, n, pressingPacket)
		}
	}
	for room := range 100 {
		saved := a
		b := saved.append(nil, 0, room)
		if len(b) > room {
			t.Errorf("%d bytes in a room of %d", len(b), room)
		}
		if room >= smallAckFrame && len(b) == 0 {
			t.Errorf("nothing in a room of %d", room)
		}
		if len(b) > 0 {
			readAck(t, b, 3000)
		}
	}
}

// FuzzAcks runs a receiver and reads its ACK frames into a model set. Each byte
// is a step: the low two bits say what, the rest how much.
func FuzzAcks(f *testing.F) {
	f.Add([]byte{0, 0, 0, 3, 1, 2, 3, 250, 2, 3, 3, 3})
	f.Add([]byte{0, 5, 9, 13, 17, 3, 2, 3, 6, 10, 3, 3})
	f.Fuzz(func(t *testing.T, steps []byte) {
		a, came := newAckState(40*time.Millisecond), map[uint64]bool{}
		next, told := uint64(0), map[uint64]int{}
		receive := func(n uint64) {
			if a.came.fresh(n) {
				a.receive(0, n, pressingPacket)
				came[n] = true
			}
		}
		for _, step := range steps {
			much := uint64(step >> 2)
			switch step & 3 {
			case 0: // the next ones come
				for range much%8 + 1 {
					receive(next)
					next++
				}
			case 1: // some are lost, then one comes
				next += much * much
				receive(next)
				next++
			case 2: // an old one comes
				if next > 0 {
					receive(next - 1 - min(next-1, much*much))
				}
			case 3:
				if next == 0 {
					continue
				}
				room := 10 + int(much)*20
				for n := range readAck(t, a.append(nil, 0, room), next) {
					if !came[n] {
						t.Fatalf("%d is acknowledged and has not come", n)
					}
					told[n]++
				}
			}
		}
		if next == 0 {
			return
		}
		// However the frames were cut, three long ones now tell everything that
		// 512 packets can.
		for range 3 {
			for n := range readAck(t, a.append(nil, 0, 1200), next) {
				told[n]++
			}
		}
		for n := range came {
			if told[n] == 0 && n+512 >= a.came.next {
				t.Fatalf("%d has come and was never told of", n)
			}
		}
	})
}
