package netmsg

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const aFrame = time.Second / 60

// A simTest is a SimPair, and all that its sides have heard.
type simTest struct {
	*SimPair
	t      testing.TB
	a, b   []string // events, as eventText says them
	ato    []rawPacket
	bto    []rawPacket
	keep   bool // note packets
	filter func(fromA bool, p rawPacket) bool
}

func newSimTest(t testing.TB, cfg *Config, aToB, bToA LinkConfig, seed uint64) *simTest {
	s := &simTest{SimPair: NewSimPair(plainly(cfg), aToB, bToA, seed), t: t, keep: true}
	s.Tap = func(now time.Duration, fromA bool, datagram []byte) bool {
		p := takeApart(t, now, datagram)
		if s.keep && fromA {
			s.ato = append(s.ato, p)
		} else if s.keep {
			s.bto = append(s.bto, p)
		}
		return s.filter == nil || s.filter(fromA, p)
	}
	return s
}

// plainly gives cfg, in plain mode.
func plainly(cfg *Config) *Config {
	if cfg == nil {
		cfg = new(Config)
	}
	plain := *cfg
	plain.Plain = true
	return &plain
}

// run lets time pass a millisecond at a time and pulls all events.
func (s *simTest) run(d time.Duration) {
	s.t.Helper()
	for end := s.Now() + d; s.Now() < end; {
		s.Advance(min(ms, end-s.Now()))
		s.pull()
	}
}

func (s *simTest) pull() {
	for e := range s.EventsA() {
		s.a = append(s.a, eventText(e))
	}
	for e := range s.EventsB() {
		s.b = append(s.b, eventText(e))
	}
}

// send sends on side A.
func (s *simTest) send(text string) {
	s.t.Helper()
	if err := s.A.SendReliable([]byte(text)); err != nil {
		s.t.Fatalf("at %v: %v", s.Now(), err)
	}
}

func (s *simTest) latest(stream uint16, text string) {
	s.t.Helper()
	if err := s.A.SendLatest(stream, []byte(text)); err != nil {
		s.t.Fatalf("at %v: %v", s.Now(), err)
	}
}

// messages gives the events that are neither values nor Joined.
func messages(events []string) (out []string) {
	for _, e := range events {
		if e != "Joined" && !strings.Contains(e, "=") {
			out = append(out, e)
		}
	}
	return out
}

// values gives those of a stream.
func values(events []string, stream int) (out []string) {
	prefix := fmt.Sprintf("%d=", stream)
	for _, e := range events {
		if v, ok := strings.CutPrefix(e, prefix); ok {
			out = append(out, v)
		}
	}
	return out
}

// wantNumbered wants 0, 1, 2 … n-1.
func wantNumbered(t testing.TB, got []string, n int) {
	t.Helper()
	for i, m := range got {
		if m != strconv.Itoa(i) {
			t.Fatalf("message %d of %d is %q", i, len(got), m)
		}
	}
	if len(got) != n {
		t.Fatalf("%d messages were heard, want %d", len(got), n)
	}
}

// wantRising wants numbers that strictly rise to last.
func wantRising(t testing.TB, got []string, last int) {
	t.Helper()
	before := -1
	for _, v := range got {
		n, err := strconv.Atoi(v)
		if err != nil || n <= before {
			t.Fatalf("%q came after %d", v, before)
		}
		before = n
	}
	if before != last {
		t.Fatalf("the last is %d, want %d", before, last)
	}
}

func TestAMessageIsHeardOnceOverALossyLinkAndTheSameSeedRunsTheSame(t *testing.T) {
	var traces [2]uint64
	for i := range traces {
		link := Lossy(0.2, 40*ms, 30*ms)
		s := newSimTest(t, nil, link, link, 1)
		s.send("one")
		s.run(3 * time.Second)
		if got := strings.Join(s.b, " "); got != "Joined one" {
			t.Errorf("heard %q", got)
		}
		traces[i] = s.Trace()
	}
	if traces[0] != traces[1] {
		t.Errorf("two runs of one seed differ: %x and %x", traces[0], traces[1])
	}
}

func TestALostValueIsGoneForGood(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	dropped := 0
	s.filter = func(fromA bool, p rawPacket) bool {
		for _, v := range p.values {
			if v == "3#0=unique" {
				dropped++
				return false
			}
		}
		return true
	}
	s.latest(3, "unique")
	s.run(2 * time.Second)
	s.latest(3, "next")
	s.run(time.Second)

	if got := values(s.b, 3); dropped != 1 || !slices.Equal(got, []string{"next"}) {
		t.Errorf("on the wire %d times, heard %q", dropped, got)
	}
}

func TestValuesNeverGoBackHoweverTheLinkReorders(t *testing.T) {
	for _, seed := range []uint64{1, 7, 23, 101} {
		link := LinkConfig{Reorder: 0.3, ReorderDelay: 80 * ms}
		s := newSimTest(t, nil, link, link, seed)
		for n := range 1000 {
			s.latest(7, strconv.Itoa(n))
			s.run(aFrame)
		}
		s.run(time.Second)
		wantRising(t, values(s.b, 7), 999)
	}
}

func TestEachMessageArrivesOnceAndInOrder(t *testing.T) {
	for _, seed := range []uint64{1, 7, 23, 101} {
		link := LinkConfig{Loss: 0.3, Duplicate: 0.1, Reorder: 0.1, ReorderDelay: 50 * ms, Latency: 30 * ms, Jitter: 20 * ms}
		s := newSimTest(t, nil, link, link, seed)
		s.keep = false
		for n := range 2000 {
			s.send(strconv.Itoa(n))
			s.run(10 * ms)
		}
		s.run(10 * time.Second)
		wantNumbered(t, messages(s.b), 2000)
	}
}

func TestAMissingMessageHoldsNoValuesBack(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	s.filter = func(fromA bool, p rawPacket) bool { return s.Now() > time.Second || !slices.Contains(p.ids, 0) }
	s.send("0")
	for n := range 60 {
		s.latest(1, strconv.Itoa(n))
		s.run(aFrame)
	}
	if got := values(s.b, 1); len(got) < 15 {
		t.Errorf("%d values were heard in the second in which the message was lost", len(got))
	}
	s.run(2 * time.Second)
	wantNumbered(t, messages(s.b), 1)
}

func TestBytesArriveAsTheyWereSentWhateverTheirNumber(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{}, LinkConfig{}, 1)
	for _, size := range []int{0, 1, 1173} {
		want := patterned(size)
		s.A.SendReliable(want)
		s.B.SendReliable(want)
		s.Advance(100 * ms)
		for name, c := range map[string]*ConnectionCore{"a": s.A, "b": s.B} {
			heard := false
			for e := range c.Events() {
				if e.Kind == Message {
					heard = bytes.Equal(e.Data, want) && e.Channel == Ordered1
				}
			}
			if !heard {
				t.Errorf("%s did not hear %d bytes as they were sent", name, size)
			}
		}
	}
	s.A.SendLatest(1, patterned(1171))
	s.Advance(100 * ms)
	for e := range s.B.Events() {
		if e.Kind != Update || !bytes.Equal(e.Data, patterned(1171)) {
			t.Errorf("got %v of %d bytes", e.Kind, len(e.Data))
		}
	}
}

func TestOneFrameArrivesAsOneWithItsEmptyOnes(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	s.run(time.Second)
	s.b = nil

	s.send("")
	s.send("6")
	s.latest(3, "four")
	s.latest(3, "")
	for len(s.b) == 0 {
		s.Advance(ms)
		s.pull()
	}

	if got := strings.Join(s.b, "|"); got != "|6|3=" {
		t.Errorf("heard %q, want all in one", got)
	}
}

func TestSeventyThousandMessagesArriveInOrderPastTheWrap(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	s.keep = false
	for n := 0; n < 70000; n++ {
		s.send(strconv.Itoa(n))
		if n%40 == 39 {
			s.Advance(aFrame)
			s.pull()
		}
	}
	s.run(time.Second)

	wantNumbered(t, messages(s.b), 70000)
	if got := s.A.Stats(); got.Unacked != 0 {
		t.Errorf("%d are not acknowledged one second later", got.Unacked)
	}
}

func TestSequencesAndValueNumbersWrapUnnoticed(t *testing.T) {
	s := newSimTest(t, &Config{GoodRate: 1000}, LinkConfig{Duplicate: 0.05, Jitter: 3 * ms}, LinkConfig{Latency: ms}, 1)
	s.keep = false
	const last = 65600
	for n := range last + 1 {
		s.latest(7, strconv.Itoa(n))
		if n == 10 {
			s.latest(8, "once")
		}
		s.Advance(ms)
		s.pull()
	}
	s.run(time.Second)

	wantRising(t, values(s.b, 7), last)
	if got := values(s.b, 8); !slices.Equal(got, []string{"once"}) {
		t.Errorf("stream 8: %q", got)
	}
	if sent := s.A.Stats().PacketsSent; sent <= 1<<16 {
		t.Errorf("only %d packets were sent", sent)
	}
	if got := s.A.Stats(); got.PacketsLost > 0 || got.Unacked > 0 {
		t.Errorf("lost %d on a link that loses none", got.PacketsLost)
	}
}

// blackout runs ten seconds in which, if dark, nothing gets from B to A from 2
// to 4 s while A sends a message a frame, and gives the datagrams A sent then.
func blackout(t *testing.T, dark bool, cfg *Config) (sent int) {
	s := newSimTest(t, cfg, LinkConfig{Latency: 25 * ms}, LinkConfig{Latency: 25 * ms}, 1)
	s.keep = false
	s.filter = func(fromA bool, p rawPacket) bool {
		during := s.Now() >= 2*time.Second && s.Now() < 4*time.Second
		if fromA && during {
			sent++
		}
		return fromA || !dark || !during
	}
	s.run(2 * time.Second)
	for n := range 120 {
		s.send(fmt.Sprintf("%040d", n))
		s.run(2*time.Second + time.Duration(n+1)*aFrame - s.Now())
	}
	s.run(5*time.Second - s.Now())
	got := messages(s.b)
	if len(got) != 120 || !slices.IsSorted(got) {
		t.Fatalf("%d of 120 were heard one second after the link healed", len(got))
	}
	s.run(10*time.Second - s.Now())
	s.send("late")
	s.run(6 * aFrame)
	if got := messages(s.b); len(got) != 121 || len(s.a) != 1 {
		t.Fatalf("the one at 10 s was not heard within 6 frames; %d heard, A heard %q", len(got), s.a)
	}
	return sent
}

func TestTwoSecondsWithoutAcknowledgementsCostLittle(t *testing.T) {
	for _, cfg := range []*Config{nil, {GoodRate: 60}, {GoodRate: 240}} {
		clear, dark := blackout(t, false, cfg), blackout(t, true, cfg)
		if float64(dark) > 2.5*float64(clear) {
			t.Errorf("%+v: %d datagrams in the dark, %d without it", cfg, dark, clear)
		}
	}
}

func TestAPeerThatIsNotTurnedForEightSecondsLosesNothingAndIsNotFlooded(t *testing.T) {
	for _, latency := range []time.Duration{0, 5 * ms, 20 * ms, 100 * ms} {
		s := newSimTest(t, nil, LinkConfig{Latency: latency}, LinkConfig{Latency: latency}, 1)
		s.A.SendReliable([]byte("warm"))
		s.run(2 * time.Second)
		s.ato, s.b = nil, nil

		// Only A lives: what it sends stays in the link, as in a socket.
		var arrived [][]byte
		buf := make([]byte, 1200)
		wire := map[uint16]int{}
		for n := range 8000 {
			now := s.Now() + time.Duration(n)*ms
			if n%500 == 0 {
				s.send(strconv.Itoa(n / 500))
			}
			for m := s.A.Transmit(now, buf); m > 0; m = s.A.Transmit(now, buf) {
				arrived = append(arrived, bytes.Clone(buf[:m]))
				for _, id := range takeApart(t, now, buf[:m]).ids {
					wire[id]++
				}
			}
		}
		back := s.Now() + 8*time.Second
		for _, d := range arrived {
			s.B.Receive(back, d)
		}
		sent := 0
		for m := s.B.Transmit(back, buf); m > 0; m = s.B.Transmit(back, buf) {
			sent++
		}
		s.pull()

		wantNumbered(t, messages(s.b), 16)
		if slices.Contains(s.a, "Left:TimedOut") || sent > 3 {
			t.Errorf("A heard %q, B sent %d at once", s.a, sent)
		}
		for id, n := range wire {
			if n > 12 {
				t.Errorf("latency %v: message %d was on the wire %d times in 8 s", latency, id, n)
			}
		}
	}
}

func TestWhatIsNotPulledIsBoundedAndComesLater(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	s.keep = false
	for n := range 1800 {
		s.latest(1, strconv.Itoa(n))
		if n%60 == 0 {
			s.send(strconv.Itoa(n / 60))
		}
		s.Advance(aFrame)
	}
	s.pull()

	wantNumbered(t, messages(s.b), 30)
	if got := values(s.b, 1); len(got) != 1 || got[0] < "1790" {
		t.Errorf("values of the stream: %q, want the newest alone", got)
	}
}

func TestAClockThatJumpsAheadEndsAConnectionOnce(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	s.run(time.Second)
	s.send("x")

	buf, sent := make([]byte, 1200), 0
	now := s.Now() + 3*time.Hour
	for n := s.A.Transmit(now, buf); n > 0; n = s.A.Transmit(now, buf) {
		sent++
	}
	s.pull()

	if got := strings.Join(s.a, " "); got != "Joined Left:TimedOut" || sent > 3 {
		t.Errorf("heard %q, sent %d", got, sent)
	}
}

func TestSizesAtEveryEdgeArriveWhole(t *testing.T) {
	link := LinkConfig{Loss: 0.1, Latency: 20 * ms}
	s := newSimTest(t, nil, link, link, 1)
	s.keep = false
	sizes := []int{0, 1, 585, 586, 587, 588, 1171, 1172, 1173}
	for range 200 {
		sizes = append(sizes, 1000)
	}
	var want []string
	for i, size := range sizes {
		text := strings.Repeat(string(rune('A'+i%60)), size)
		want = append(want, strings.ReplaceAll(text, "=", "?"))
		s.send(want[i])
	}
	for name, err := range map[string]error{
		"a message one over": s.A.SendReliable(patterned(1174)),
		"a value one over":   s.A.SendLatest(1, patterned(1172)),
	} {
		if err == nil {
			t.Errorf("%s was not refused", name)
		}
	}
	s.send("next")
	s.latest(1, string(patterned(1171)))
	s.run(30 * time.Second)

	if got := messages(s.b); !slices.Equal(got, append(want, "next")) {
		t.Errorf("%d of %d messages were heard, or not as sent", len(got), len(want)+1)
	}
}

func TestAHundredMessagesFinishWhenNineOfTenAcknowledgementsAreLost(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms, Loss: 0.9}, 1)
	for n := range 100 {
		s.send(strconv.Itoa(n))
		s.run(50 * ms)
	}
	s.run(10 * time.Second)

	wantNumbered(t, messages(s.b), 100)
	wire := 0
	for _, p := range s.ato {
		wire += len(p.ids)
	}
	if got := s.A.Stats(); got.Unacked != 0 || wire >= 1000 {
		t.Errorf("%d unacknowledged, on the wire %d times", got.Unacked, wire)
	}
}

func TestTheRoundTripIncludesThePeersWait(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 100 * ms}, LinkConfig{Latency: 100 * ms}, 1)
	for range 300 {
		s.A.SendLatest(1, []byte("a"))
		s.B.SendLatest(1, []byte("b"))
		s.run(interval(30))
	}
	if got := s.A.Stats(); got.RTT < 200*ms || got.RTT > 250*ms || !got.Good {
		t.Errorf("got %+v", got)
	}
}

func TestStatsSayWhatTheLinkDoes(t *testing.T) {
	link := LinkConfig{Latency: 50 * ms, Loss: 0.2}
	s := newSimTest(t, nil, link, link, 1)
	sum, looks := 0.0, 0
	for n := range 1000 {
		s.send("m")
		s.A.SendLatest(1, []byte("a"))
		s.B.SendLatest(1, []byte("b"))
		s.run(interval(30))
		if n > 200 {
			sum += s.A.Stats().Loss
			looks++
		}
	}
	s.run(2 * time.Second)

	got := s.A.Stats()
	if got.RTT < 100*ms || got.RTT > 220*ms {
		t.Errorf("round trip %v, want 100 to 220 ms", got.RTT)
	}
	if loss := sum / float64(looks); loss < 0.17 || loss > 0.23 {
		t.Errorf("loss %.3f on average, want .2", loss)
	}
	if got.MessagesSent != 1000 || s.B.Stats().MessagesReceived != 1000 || got.MessagesResent == 0 || got.Unacked != 0 {
		t.Errorf("messages: %+v, the peer received %d", got, s.B.Stats().MessagesReceived)
	}
	if share := float64(got.PacketsLost) / float64(got.PacketsSent); share < 0.15 || share > 0.25 {
		t.Errorf("%d of %d packets counted as lost", got.PacketsLost, got.PacketsSent)
	}
	if b := s.B.Stats(); b.PacketsReceived >= got.PacketsSent || b.BytesReceived >= got.BytesSent || b.ValuesReceived >= got.ValuesSent || b.ValuesReceived == 0 {
		t.Errorf("sent %+v, the peer %+v", got, b)
	}
}

func TestLossRisesInAnOutageAndFadesAfterIt(t *testing.T) {
	s := newSimTest(t, nil, LinkConfig{Latency: 20 * ms}, LinkConfig{Latency: 20 * ms}, 1)
	cut := false
	s.filter = func(fromA bool, _ rawPacket) bool { return !fromA || !cut }
	values := func(packets int) (peak float64) {
		for range packets {
			s.A.SendLatest(1, []byte("a"))
			s.B.SendLatest(1, []byte("b"))
			s.run(interval(30))
			peak = max(peak, s.A.Stats().Loss)
		}
		return peak
	}
	values(100)
	cut = true
	values(30)
	cut = false
	peak := values(100)
	values(100)

	if loss := s.A.Stats().Loss; peak < 0.2 || loss >= 0.05 {
		t.Errorf("loss rose to %.3f and is %.3f 200 packets later", peak, loss)
	}
}

func TestAnAcceptThatIsLostIsMadeUpForByTheFirstPayload(t *testing.T) {
	gate := newPlainGate(nil, gateKey)
	h := newTestHandshake(Config{}, 7)
	var server, client *ConnectionCore
	buf, reply := make([]byte, 1200), make([]byte, 100)
	joined := 0
	var heard, atServer []string
	for now := time.Duration(0); now < 3*time.Second; now += ms {
		for n := h.Transmit(now, buf); n > 0; n = h.Transmit(now, buf) {
			v := gate.Receive(now, guest1, buf[:n], reply)
			if v.Joined {
				joined++
				server = NewConnectionCore(nil, v.Session, now)
				server.SendReliable([]byte("welcome"))
			}
			if v.Reply > 0 && reply[4] != plainAccept {
				h.Receive(now, reply[:v.Reply])
			}
		}
		if server == nil {
			continue
		}
		for n := server.Transmit(now, buf); n > 0; n = server.Transmit(now, buf) {
			if client == nil && h.Receive(now, buf[:n]) {
				s, _, _ := h.Done()
				client = NewConnectionCore(nil, s, now)
				client.SendReliable([]byte("hello"))
			}
			client.Receive(now, buf[:n])
		}
		for n := client.Transmit(now, buf); n > 0; n = client.Transmit(now, buf) {
			server.Receive(now, buf[:n])
		}
		heard = append(heard, strings.Fields(events(client))...)
		atServer = append(atServer, strings.Fields(events(server))...)
	}
	if joined != 1 || strings.Join(heard, " ") != "Joined welcome" || strings.Join(atServer, " ") != "Joined hello" {
		t.Errorf("joined %d times; client heard %q, server %q", joined, heard, atServer)
	}
}

func TestWhateverHappensJoinedIsFirstAndLeftIsLastAndOnce(t *testing.T) {
	for seed := range uint64(200) {
		dice := rand.New(rand.NewPCG(seed, 2))
		s := newSimTest(t, nil, Awful(), Awful(), seed)
		s.keep = false
		closeAt := time.Duration(dice.IntN(2000)) * ms
		for s.Now() < closeAt {
			s.send("m")
			s.latest(1, "v")
			s.B.SendReliable([]byte("n"))
			s.run(time.Duration(1+dice.IntN(50)) * ms)
		}
		[]*ConnectionCore{s.A, s.B}[dice.IntN(2)].Close()
		s.run(15 * time.Second)

		for name, heard := range map[string][]string{"a": s.a, "b": s.b} {
			left := 0
			for _, e := range heard {
				if strings.HasPrefix(e, "Left") {
					left++
				}
			}
			if heard[0] != "Joined" || left != 1 || !strings.HasPrefix(heard[len(heard)-1], "Left") {
				t.Fatalf("seed %d: %s heard %q", seed, name, heard)
			}
		}
		if !s.A.done() || !s.B.done() {
			t.Fatalf("seed %d: done %v, %v", seed, s.A.done(), s.B.done())
		}
	}
}
