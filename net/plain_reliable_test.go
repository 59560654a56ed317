package netmsg

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// times gives when message id was in a packet.
func times(sent []rawPacket, id uint16) (at []time.Duration) {
	for _, p := range sent {
		if slices.Contains(p.ids, id) {
			at = append(at, p.at)
		}
	}
	return at
}

func TestTheFirstPayloadHasSequenceZeroAndAcknowledgesNothing(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.SendReliable([]byte("x"))
	r.core.SendLatest(3, []byte("y"))

	p := r.run(0)[0]
	if p.seq != 0 || p.ack != 0xffff || p.bits != 0 || p.ids[0] != 0 || p.values[0] != "3#0=y" {
		t.Errorf("got %v", p)
	}
}

func TestAcknowledgementsSayWhatHasCome(t *testing.T) {
	r := newRawPeer(t, nil)
	give := func(seq uint16) rawPacket {
		r.core.Receive(r.now, r.packet(seq, 0xffff, 0, []item{msg(seq, "")}, nil))
		sent := r.run(100 * time.Millisecond)
		return sent[len(sent)-1]
	}
	give(0)
	give(1)
	if p := give(3); p.ack != 3 || p.bits != 0b110 {
		t.Errorf("after 0, 1, 3: got %v", p)
	}
	if p := give(2); p.ack != 3 || p.bits != 0b111 {
		t.Errorf("after 2 too: got %v", p)
	}
}

func TestAPacketMoreThan32BehindTheNewestIsDropped(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.Receive(0, r.packet(33, 0xffff, 0, nil, nil))
	r.core.Receive(0, r.packet(0, 0xffff, 0, []item{msg(0, "old")}, nil))
	wantEvents(t, r.core, "Joined")

	r.core.Receive(0, r.packet(1, 0xffff, 0, []item{msg(0, "just in time")}, nil))
	wantEvents(t, r.core, "just in time")
}

func TestARepeatedPacketCountsOnce(t *testing.T) {
	r := newRawPeer(t, nil)
	again := r.packet(0, 0xffff, 0, []item{msg(0, "once")}, []item{val(1, 0, "v")})
	for range 3 {
		if !r.core.Receive(0, again) {
			t.Error("refused")
		}
	}
	wantEvents(t, r.core, "Joined once 1=v")
	if got := r.core.Stats(); got.PacketsReceived != 1 || got.Rejected != 2 {
		t.Errorf("received %d, rejected %d", got.PacketsReceived, got.Rejected)
	}
}

func TestAMessageToAcknowledgeIsAcknowledgedByTheNextTick(t *testing.T) {
	for after := range 100 * time.Millisecond / time.Millisecond {
		r := newRawPeer(t, nil)
		r.run(time.Second + after*time.Millisecond)
		r.give([]item{msg(0, "x")}, nil)

		given := r.now
		sent := r.run(100 * time.Millisecond)
		if len(sent) == 0 || sent[0].ack != 0 || sent[0].at-given > interval(30) {
			t.Fatalf("given at %v: sent %v", given, sent)
		}
	}
}

func TestMoreMessagesPutNoAcknowledgementOff(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(250 * ms)
	for id := range uint16(10) {
		r.give([]item{msg(id, "x")}, nil)
		if sent := r.run(5 * ms); len(sent) > 0 {
			if at := sent[0].at - 250*ms; at != interval(30)/2 {
				t.Errorf("acknowledged %v after the first, want half a tick", at)
			}
			return
		}
	}
	t.Error("nothing was acknowledged in 50 ms")
}

func TestThe32ndPacketBeforeTheNewestIsAcknowledgedToo(t *testing.T) {
	r := newRawPeer(t, &Config{ResendMin: time.Hour})
	r.core.SendReliable([]byte("x"))
	r.run(3300 * ms)
	r.acknowledge(32, 1<<31)
	if got := r.core.Stats(); got.Unacked != 0 {
		t.Error("the message in packet 0 is not acknowledged by the highest bit of ack 32")
	}
}

func TestAnAcknowledgementGoesWithTheAnswer(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(250 * time.Millisecond)
	r.give([]item{msg(0, "question")}, nil)
	r.core.SendReliable([]byte("answer"))

	sent := r.run(40 * time.Millisecond)
	if len(sent) != 1 || sent[0].ack != 0 || sent[0].messages[0] != "answer" {
		t.Errorf("sent %v, want one packet with both", sent)
	}
}

func TestFlushDoesNotWaitToAcknowledge(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(250 * time.Millisecond)
	r.give([]item{msg(0, "x")}, nil)
	if sent := r.run(0); len(sent) != 0 {
		t.Fatalf("sent %v", sent)
	}

	r.core.Flush()

	if sent := r.run(0); len(sent) != 1 || sent[0].ack != 0 {
		t.Errorf("sent %v, want the acknowledgement", sent)
	}
	r.core.Flush()
	if sent := r.run(0); len(sent) != 0 {
		t.Errorf("a tick with nothing to say sent %v", sent)
	}
}

func TestAnIdleConnectionSends23BytesTenTimesASecond(t *testing.T) {
	r := newRawPeer(t, nil)
	sent := r.run(5 * time.Second)
	if len(sent) != 50 {
		t.Errorf("sent %d packets in 5 s, want 50", len(sent))
	}
	for i, p := range sent {
		if p.size != 23 || p.seq != uint16(i) {
			t.Errorf("packet %d: %d bytes, %v", i, p.size, p)
		}
	}
}

func TestValuesAloneAreNotAcknowledgedAtOnce(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(10 * time.Millisecond)
	r.give(nil, []item{val(1, 0, "v")})
	if sent := r.run(80 * time.Millisecond); len(sent) != 0 {
		t.Errorf("sent %v before the keep-alive", sent)
	}
}

func TestAMessageComesAgainUntilAPacketThatCarriedItIsAcknowledged(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.SendReliable([]byte("x"))
	first := r.run(150 * time.Millisecond)
	if n := len(times(first, 0)); n != 2 {
		t.Fatalf("in %d packets in 150 ms, want 2", n)
	}

	r.acknowledge(first[0].seq, 0) // the first of the two is enough
	if n := len(times(r.run(3*time.Second), 0)); n != 0 {
		t.Errorf("in %d packets after it was acknowledged", n)
	}
}

func TestNoSequenceIsUsedTwiceAndAMessageRidesInSeveral(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.SendReliable([]byte("x"))
	seen := map[uint16]bool{}
	sent := r.run(3 * time.Second)
	for _, p := range sent {
		if seen[p.seq] {
			t.Errorf("sequence %d twice", p.seq)
		}
		seen[p.seq] = true
	}
	if n := len(times(sent, 0)); n < 4 {
		t.Errorf("the message was in %d packets, want several", n)
	}
}

func TestResendsBeginAt100MillisecondsAndDoubleToASecondWhileNothingIsAcknowledged(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.SendReliable([]byte("x"))
	at := times(r.run(8*time.Second), 0)

	want := []time.Duration{100, 200, 400, 800, 1000, 1000, 1000}
	for i, w := range want {
		gap, w := at[i+1]-at[i], w*time.Millisecond
		if gap < w || gap > w+interval(30) {
			t.Errorf("gap %d: %v, want %v", i, gap, w)
		}
	}
	if len(at) > 12 {
		t.Errorf("on the wire %d times in 8 s, want at most 12", len(at))
	}
}

func TestARoundOfResendsTakesAsManyPacketsAsItNeeds(t *testing.T) {
	r := newRawPeer(t, &Config{GoodRate: -1})
	for range 3 {
		r.core.SendReliable(patterned(1000))
	}
	sent := r.run(1200 * ms)
	for id := range uint16(3) {
		if at := times(sent, id); !slices.Equal(at, []time.Duration{0, 100 * ms, 300 * ms, 700 * ms}) {
			t.Errorf("message %d went at %v, want with the others", id, at)
		}
	}
}

func TestRecordsOfPacketsAreBoundedWhenNothingIsAcknowledged(t *testing.T) {
	r := newRawPeer(t, &Config{GoodRate: -1, Timeout: -1})
	c := r.core.machine.(*plainConn)
	for range 1000 {
		r.core.SendReliable(nil)
	}
	r.run(30 * time.Second) // about 30 rounds of 1,000 messages in 4 packets
	if n := c.sent.ids.len(); n > plainSentIDs || n < plainSentIDs/2 {
		t.Errorf("%d ids are kept, at most %d", n, plainSentIDs)
	}
	for range 2000 {
		r.core.SendLatest(1, nil)
		r.run(ms)
	}
	if n := c.sent.packets.len(); n != plainSentPackets {
		t.Errorf("%d packets are kept, want %d", n, plainSentPackets)
	}

	for range 4 { // a whole round, all of it remembered
		r.acknowledge(c.sent.next-1, ^uint32(0))
		r.run(2 * time.Second)
	}
	r.acknowledge(c.sent.next-1, ^uint32(0))
	if got := r.core.Stats().Unacked; got != 0 {
		t.Errorf("%d are not acknowledged", got)
	}
}

func TestAnyAcknowledgementEndsTheDoubling(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.SendReliable([]byte("x"))
	first := r.run(3 * time.Second)
	lastAt := times(first, 0)

	// The newest packet was a keep-alive without the message.
	newest := first[len(first)-1]
	if len(newest.ids) > 0 {
		t.Fatalf("the newest carries %v", newest.ids)
	}
	r.acknowledge(newest.seq, 0)
	again := times(r.run(300*time.Millisecond), 0)

	delay := r.core.machine.(*plainConn).resendDelay()
	if due := max(3*time.Second, lastAt[len(lastAt)-1]+delay); len(again) == 0 || again[0]-due > interval(30) {
		t.Errorf("came again at %v, want by %v", again, due)
	}
}

func TestTheResendDelayFollowsTheRoundTripButIsNeverUnderItsMinimum(t *testing.T) {
	r := newRawPeer(t, nil)
	c := r.core.machine.(*plainConn)
	if got := c.resendDelay(); got != 100*time.Millisecond {
		t.Errorf("before a measurement: %v, want 100ms", got)
	}
	c.rtt = rttEstimator{smoothed: 80 * time.Millisecond, deviation: 10 * time.Millisecond, measured: true}
	if got := c.resendDelay(); got != 120*time.Millisecond {
		t.Errorf("80 ms and 10 ms deviation: %v, want 120ms", got)
	}
	c.rtt = rttEstimator{smoothed: time.Millisecond, measured: true}
	if got := c.resendDelay(); got != 40*time.Millisecond {
		t.Errorf("1 ms: %v, want 40ms", got)
	}
}

func TestDueMessagesGoFirstOldestFirstThenValues(t *testing.T) {
	r := newRawPeer(t, nil)
	for n := range 20 {
		r.core.SendReliable([]byte(fmt.Sprintf("%02d", n) + strings.Repeat(".", 298)))
	}
	for s := range uint16(3) {
		r.core.SendLatest(s, []byte("v"))
	}

	sent := r.run(220 * time.Millisecond)
	var order []uint16
	for _, p := range sent {
		if p.size > 1200 {
			t.Errorf("a packet of %d bytes", p.size)
		}
		order = append(order, p.ids...)
	}
	// Three fit a packet. The first is due again once 100 ms have passed.
	if want := []uint16{0, 1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(order[:9], want) {
		t.Errorf("order %v, want %v first", order, want)
	}
	if len(sent[0].values) != 3 {
		t.Errorf("the values are not in the rest of the first packet: %v", sent[0])
	}
	if !slices.Contains(order[9:], 0) || slices.Index(order[9:], 0) > slices.Index(order[9:], 12) && slices.Contains(order, 12) {
		t.Errorf("order %v: 0 should come again before newer ones", order)
	}
}

func TestAMessageThatDoesNotFitIsNotOvertaken(t *testing.T) {
	r := newRawPeer(t, nil)
	for _, size := range []int{1000, 500, 10} {
		r.core.SendReliable(patterned(size))
	}
	sent := r.run(40 * ms)
	if len(sent) != 2 || !slices.Equal(sent[0].ids, []uint16{0}) || !slices.Equal(sent[1].ids, []uint16{1, 2}) {
		t.Errorf("sent %v, want 0, then 1 and 2", sent)
	}
}

func TestFourHundredEmptyMessagesGoInTwoPackets(t *testing.T) {
	r := newRawPeer(t, nil)
	for range 400 {
		r.core.SendReliable(nil)
	}
	sent := r.run(40 * time.Millisecond)
	if len(sent) != 2 || len(sent[0].ids) != 255 || len(sent[1].ids) != 145 {
		t.Errorf("sent %v", sent)
	}
}

func TestEarlyMessagesWaitDeliveredOnesAreIgnoredAndFarOnesAreDroppedUnacknowledged(t *testing.T) {
	r := newRawPeer(t, nil)
	r.give([]item{msg(1, "1")}, nil)
	wantEvents(t, r.core, "Joined")
	r.give([]item{msg(0, "0")}, nil)
	r.give([]item{msg(0, "0 again")}, nil)
	if r.give([]item{msg(1500, "far"), msg(2, "with it")}, []item{val(1, 0, "v")}) {
		t.Error("the far one was taken")
	}

	wantEvents(t, r.core, "0 1")
	sent := r.run(100 * time.Millisecond)
	if sent[0].ack != 2 || sent[0].bits != 0b11 {
		t.Errorf("acknowledges %v, want 2 and the two before", sent[0])
	}
	if r.give([]item{msg(2+1024, "one too far")}, nil) {
		t.Error("one 1,024 ahead was taken")
	}
	r.give([]item{msg(2+1023, "the farthest")}, nil)
	sent = r.run(100 * time.Millisecond)
	if sent[0].ack != 5 || sent[0].bits != 0b11100 {
		t.Errorf("acknowledges %v, want 5, and neither 4 nor 3", sent[0])
	}
}

func TestAnEarlyMessageThatComesAgainIsTheFirstOne(t *testing.T) {
	r := newRawPeer(t, nil)
	r.give([]item{msg(1, "first")}, nil)
	r.give([]item{msg(1, "again")}, nil)
	r.give([]item{msg(0, "before")}, nil)
	wantEvents(t, r.core, "Joined before first")
}

func TestOfAStreamOnlyNewerValuesAreHeard(t *testing.T) {
	r := newRawPeer(t, nil)
	var heard []string
	for _, number := range []uint16{5, 4, 5, 6, 6 + 32767, 5, 6 + 32767 + 1} {
		r.give(nil, []item{val(1, number, fmt.Sprint(number))})
		heard = append(heard, events(r.core))
	}
	if got, want := strings.Join(heard, "|"), "Joined 1=5|||1=6|1=32773||1=32774"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStreamsBeyondTheLimitAreNotHeard(t *testing.T) {
	r := newRawPeer(t, &Config{MaxStreams: 2})
	r.give([]item{msg(0, "m")}, []item{val(1, 0, "a"), val(2, 0, "b"), val(3, 0, "c"), val(1, 1, "d")})
	wantEvents(t, r.core, "Joined m 2=b 1=d")
}

func TestAnAcknowledgementOfWhatWasNeverSentIsIgnored(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.SendReliable([]byte("x"))
	r.run(0)
	r.acknowledge(1, 0)
	r.acknowledge(500, 0)
	r.acknowledge(0xffff, 0xffffffff)

	if got := r.core.Stats(); got.Unacked != 1 || got.RTT != 0 || got.PacketsLost != 0 {
		t.Errorf("got %+v", got)
	}
	r.acknowledge(0, 0)
	if got := r.core.Stats(); got.Unacked != 0 {
		t.Errorf("after the true one: got %+v", got)
	}
}

func TestAPacketIsLostWhenItIs33BehindTheNewestAcknowledged(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(3500 * time.Millisecond) // 35 keep-alives, 0 to 34
	r.acknowledge(32, 0xffff_fffe>>1)

	// 0 is 32 behind: it may still be acknowledged; 31 never came.
	if got := r.core.Stats(); got.PacketsLost != 0 {
		t.Errorf("lost %d, want 0", got.PacketsLost)
	}
	r.acknowledge(33, 0)
	if got := r.core.Stats(); got.PacketsLost != 1 {
		t.Errorf("lost %d, want 1: packet 0", got.PacketsLost)
	}
	r.acknowledge(34, 0)
	if got := r.core.Stats(); got.PacketsLost != 1 {
		t.Errorf("lost %d, want 1: packet 1 was acknowledged", got.PacketsLost)
	}
}

func TestWhatIsForgottenUnacknowledgedIsNotLost(t *testing.T) {
	r := newRawPeer(t, &Config{GoodRate: 1000})
	r.core.SendLatest(1, nil)
	r.run(ms)
	r.acknowledge(0, 0)
	for range plainSentPackets + 100 {
		r.core.SendLatest(1, nil)
		r.run(ms)
	}
	r.acknowledge(0, 0)
	if got := r.core.Stats(); got.PacketsLost != 0 {
		t.Errorf("%d packets count as lost, though none was passed by an acknowledgement", got.PacketsLost)
	}
}

func TestEachAcknowledgedPacketIsASampleOfTheRoundTripOldestFirst(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(350 * time.Millisecond) // packets at 100, 200 and 300 ms
	r.acknowledge(2, 0b11)

	// 250 ms, then 150 ms, then 50 ms: 250 - 100/8 = 237.5, less 187.5/8.
	const want = 214062500 * time.Nanosecond
	if got := r.core.Stats(); got.RTT != want {
		t.Errorf("got %v, want %v", got.RTT, want)
	}
	r.now += time.Second
	r.acknowledge(2, 0b11)
	if got := r.core.Stats(); got.RTT != want {
		t.Errorf("the same acknowledgement again changed it to %v", got.RTT)
	}
}

func TestAtMostThirtyPacketsGoInASecondAndTenWhileTheRoundTripIsBad(t *testing.T) {
	for _, c := range []struct {
		rtt  time.Duration
		most int
	}{{50 * time.Millisecond, 31}, {300 * time.Millisecond, 11}} {
		p := NewSimPair(&Config{Plain: true}, LinkConfig{Latency: c.rtt / 2}, LinkConfig{Latency: c.rtt / 2}, 1)
		var at []time.Duration
		p.Tap = func(now time.Duration, fromA bool, _ []byte) bool {
			if fromA && now > 2*time.Second {
				at = append(at, now)
			}
			return true
		}
		for range 6000 {
			p.A.SendLatest(1, []byte("v"))
			p.Advance(time.Millisecond)
		}
		if most := mostInASecond(at); most > c.most || most < c.most-1 {
			t.Errorf("round trip %v: %d in one second, want %d", c.rtt, most, c.most)
		}
	}
}
