package netmsg

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestASendOverTheLimitIsRefusedAndTheConnectionGoesOn(t *testing.T) {
	r := newRawPeer(t, nil)

	errReliable := r.core.SendReliable(patterned(1174))
	errLatest := r.core.SendLatest(9, patterned(1172))

	var refused *RefusedError
	if !errors.As(errReliable, &refused) || *refused != (RefusedError{Reliable: true, Why: TooLarge, Size: 1174, Limit: 1173}) {
		t.Errorf("message: got %v", errReliable)
	}
	if !errors.As(errLatest, &refused) || *refused != (RefusedError{Stream: 9, Why: TooLarge, Size: 1172, Limit: 1171}) {
		t.Errorf("value: got %v", errLatest)
	}
	wantEvents(t, r.core, "Joined Refused:true,0,TooLarge,1174/1173 Refused:false,9,TooLarge,1172/1171")
	if sent := r.run(50 * time.Millisecond); len(sent) != 0 {
		t.Errorf("sent %+v", sent)
	}
	if err := r.core.SendReliable([]byte("small")); err != nil {
		t.Error(err)
	}
	if sent := r.run(50 * time.Millisecond); len(sent) != 1 || sent[0].messages[0] != "small" {
		t.Errorf("sent %+v, want the small message", sent)
	}
}

func TestThe65thStreamIsRefused(t *testing.T) {
	r := newRawPeer(t, nil)
	for n := range uint16(64) {
		if err := r.core.SendLatest(n*1000, []byte("v")); err != nil {
			t.Fatal(err)
		}
	}

	if err := r.core.SetStreamWeight(65535, 2); err == nil {
		t.Error("a weight made a 65th stream")
	}
	var refused *RefusedError
	if err := r.core.SendLatest(65535, []byte("v")); !errors.As(err, &refused) || refused.Why != TooManyStreams || refused.Limit != 64 {
		t.Errorf("got %v", err)
	}
	wantEvents(t, r.core, "Joined Refused:false,65535,TooManyStreams,1/64")
}

func TestAWeightUnderOneIsAnError(t *testing.T) {
	r := newRawPeer(t, nil)
	for _, weight := range []int{0, -1} {
		if err := r.core.SetStreamWeight(1, weight); !errors.Is(err, ErrWeight) {
			t.Errorf("weight %d: got %v", weight, err)
		}
	}
	if err := r.core.SetStreamWeight(1, math.MaxInt); err != nil {
		t.Errorf("a very large weight: %v", err)
	}
}

func TestWhatOnlyNMS2HasIsAnError(t *testing.T) {
	r := newRawPeer(t, nil)
	for _, ch := range []Channel{Unordered, Ordered2, Ordered3} {
		if err := r.core.SendOn(ch, nil); !errors.Is(err, ErrNotInPlain) {
			t.Errorf("channel %d: got %v", ch, err)
		}
	}
	if err := r.core.SendUnreliable(nil); !errors.Is(err, ErrNotInPlain) {
		t.Errorf("unreliable: got %v", err)
	}
}

func TestThe1025thUnacknowledgedMessageEndsTheConnection(t *testing.T) {
	r := newRawPeer(t, nil)
	for range 1024 {
		if err := r.core.SendReliable(nil); err != nil {
			t.Fatal(err)
		}
	}

	err := r.core.SendReliable(nil)

	if !errors.Is(err, ErrClosed) {
		t.Errorf("the 1,025th: got %v", err)
	}
	wantEvents(t, r.core, "Joined Left:Overflow")
	if sent := r.run(time.Second); len(sent) != 5 || sent[0].kind != plainDisconnect {
		t.Errorf("sent %+v, want 5 Disconnects and no more messages", sent)
	}
}

func TestTheWindowCountsFromTheOldestUnacknowledgedMessage(t *testing.T) {
	r := newRawPeer(t, &Config{GoodRate: -1})
	for range 1024 {
		r.core.SendReliable(nil)
	}
	first := r.run(0)

	// All but the first packet's messages are acknowledged: no more room yet.
	r.acknowledge(first[len(first)-1].seq, 1<<(len(first)-2)-1)
	if unacked := r.core.Stats().Unacked; unacked != 1024 {
		t.Errorf("%d count as waiting, want all from the oldest on: 1024", unacked)
	}
	r.acknowledge(first[0].seq, 0)
	if unacked := r.core.Stats().Unacked; unacked != 0 {
		t.Errorf("%d are waiting, want 0", unacked)
	}
	if err := r.core.SendReliable(nil); err != nil {
		t.Error(err)
	}
}

func TestCloseSendsFiveDisconnectsTheFirstAtOnceTheOthersWithTheTicks(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(time.Second)

	r.core.Close()
	wantEvents(t, r.core, "Joined Left:Local")
	if r.core.done() {
		t.Error("it is done before the Disconnects went")
	}
	sent := r.run(time.Second)

	if len(sent) != 5 {
		t.Fatalf("sent %+v", sent)
	}
	for i, p := range sent {
		if want := time.Second + time.Duration(i)*interval(30); p.kind != plainDisconnect || p.at != want {
			t.Errorf("copy %d: kind %d at %v, want a Disconnect at %v", i, p.kind, p.at, want)
		}
	}
	if !r.core.done() || r.core.Deadline() != never {
		t.Errorf("done %v, deadline %v", r.core.done(), r.core.Deadline())
	}
}

func TestWhatWasQueuedGoesBeforeTheDisconnects(t *testing.T) {
	r := newRawPeer(t, nil)
	for range 3 {
		r.core.SendReliable(patterned(1000))
	}
	r.core.SendLatest(4, []byte("last"))
	r.core.Close()

	sent := r.run(interval(30))

	if len(sent) != 4 || sent[2].at != 0 || sent[3].kind != plainDisconnect || sent[2].ids[0] != 2 || sent[0].values[0] != "4#0=last" {
		t.Errorf("sent %+v, want three messages at once, the value with the first, a Disconnect", sent)
	}
}

func TestHurrySendsAllThatIsQueuedAndAllDisconnectsAtOnce(t *testing.T) {
	for name, before := range map[string]func(*ConnectionCore){
		"open":           func(*ConnectionCore) {},
		"already closed": func(c *ConnectionCore) { c.Close() },
	} {
		r := newRawPeer(t, nil)
		r.core.SendReliable([]byte("bye"))
		r.run(0)
		r.core.SendReliable([]byte("really"))
		before(r.core)
		r.run(0)

		r.core.hurry(r.now)
		sent := r.run(0)

		last := sent[len(sent)-1]
		if last.kind != plainDisconnect || len(sent) < 4 {
			t.Errorf("%s: sent %+v", name, sent)
		}
		if more := r.run(time.Second); len(more) != 0 || !r.core.machine.quiet() {
			t.Errorf("%s: sent %+v later", name, more)
		}
		wantEvents(t, r.core, "Joined Left:Local")
	}
}

func TestSendsAfterTheEndReturnErrClosed(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.Close()
	events(r.core)

	for name, err := range map[string]error{
		"SendReliable":    r.core.SendReliable(nil),
		"too large":       r.core.SendReliable(patterned(5000)),
		"SendLatest":      r.core.SendLatest(1, nil),
		"SetStreamWeight": r.core.SetStreamWeight(1, 2),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	r.core.Close()
	r.core.Flush()
	wantEvents(t, r.core, "")
}

func TestTheFirstReasonCounts(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.Receive(0, appendPlainShort(nil, plainDisconnect, testSession))
	r.core.Close()
	r.core.end(0, Stalled, true)
	r.run(20 * time.Second)

	wantEvents(t, r.core, "Joined Left:Remote")
	if !r.core.done() {
		t.Error("it is not done")
	}
}

func TestADisconnectEndsTheConnectionAfterWhatHadArrived(t *testing.T) {
	r := newRawPeer(t, nil)
	r.give([]item{msg(0, "a"), msg(2, "c")}, []item{val(1, 0, "x")})

	r.core.Receive(0, appendPlainShort(nil, plainDisconnect, testSession))
	r.give([]item{msg(1, "b")}, nil)

	wantEvents(t, r.core, "Joined a 1=x Left:Remote")
	if sent := r.run(time.Second); len(sent) != 0 {
		t.Errorf("sent %+v after the peer had left", sent)
	}
}

func TestTenSecondsOfSilenceEndTheConnectionWithoutAWord(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(3 * time.Second)
	r.give(nil, nil)

	r.run(9999 * time.Millisecond)
	wantEvents(t, r.core, "Joined")
	sent := r.run(5 * time.Second)

	wantEvents(t, r.core, "Left:TimedOut")
	for _, p := range sent {
		if p.kind == plainDisconnect || p.at > 13*time.Second {
			t.Errorf("sent %+v", p)
		}
	}
}

func TestALongGapIsJudgedAfterWhatHasArrived(t *testing.T) {
	r := newRawPeer(t, nil)
	r.now = time.Hour

	r.give([]item{msg(0, "here")}, nil)
	r.core.expire(r.now)

	wantEvents(t, r.core, "Joined here")
	r.now += time.Hour
	r.core.expire(r.now)
	wantEvents(t, r.core, "Left:TimedOut")
}

func TestWhatIsNegativeIsOff(t *testing.T) {
	r := newRawPeer(t, &Config{Timeout: -1, KeepAlive: -1})

	if sent := r.run(time.Hour); len(sent) != 0 {
		t.Errorf("sent %d packets", len(sent))
	}
	if r.core.Deadline() != never {
		t.Errorf("the deadline is %v", r.core.Deadline())
	}
	wantEvents(t, r.core, "Joined")
}

func TestATimeBeforeTheLastOneIsTakenAsTheLastOne(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(5 * time.Second)
	r.now = time.Second
	r.core.Transmit(r.now, make([]byte, 1200))

	if at := r.core.Deadline(); at < 5*time.Second {
		t.Errorf("the deadline is %v, before 5 s", at)
	}
	r.now = 5 * time.Second
	r.run(4 * time.Second)
	wantEvents(t, r.core, "Joined")
}

func TestABufferSmallerThanAPacketGetsNothing(t *testing.T) {
	r := newRawPeer(t, nil)
	r.core.SendReliable([]byte("x"))
	if n := r.core.Transmit(0, make([]byte, 1199)); n != 0 {
		t.Errorf("got %d bytes", n)
	}
	if sent := r.run(0); len(sent) != 1 {
		t.Errorf("sent %+v", sent)
	}
}

func TestForeignAndMalformedDatagramsChangeNothing(t *testing.T) {
	r := newRawPeer(t, nil)
	good := r.packet(0, 0xffff, 0, []item{msg(0, "ok")}, []item{val(5, 0, "z")})
	bad := map[string][]byte{
		"nothing":               {},
		"four bytes":            []byte("NMS1"),
		"another protocol":      bytes.Replace(good, []byte("NMS1"), []byte("NMS2"), 1),
		"an unknown kind":       unhex(t, "4e4d5331 07 1010101010101010"),
		"another session":       bytes.Replace(good, []byte{0x10}, []byte{0x11}, 1),
		"another's Disconnect":  appendPlainShort(nil, plainDisconnect, testSession^1),
		"a cut Disconnect":      appendPlainShort(nil, plainDisconnect, testSession)[:12],
		"a Denied":              appendPlainShort(nil, plainDenied, testSession),
		"a Request":             appendPlainRequest(nil, testSession),
		"a Challenge":           appendPlainChallenge(nil, 1, 2),
		"another's Accept":      appendPlainShort(nil, plainAccept, 7),
		"its packet, one short": good[:len(good)-1],
		"over 1,200 bytes":      r.packet(0, 0xffff, 0, []item{msg(0, strings.Repeat("x", 1174))}, nil),
	}
	for name, fault := range payloadFaults {
		bad[name] = unhex(t, payloadStart+fault)
	}
	own := make([]byte, 1200)
	r.core.SendReliable([]byte("own"))
	r.core.Transmit(0, own)

	for name, datagram := range bad {
		if r.core.Receive(0, datagram) {
			t.Errorf("%s: taken", name)
		}
	}

	if got := r.core.Stats(); got.Rejected != uint64(len(bad)) || got.PacketsReceived != 0 {
		t.Errorf("rejected %d, received %d; want %d and 0", got.Rejected, got.PacketsReceived, len(bad))
	}
	wantEvents(t, r.core, "Joined")
	if sent := r.run(100 * time.Millisecond); sent[0].ack != 0xffff || sent[0].bits != 0 {
		t.Errorf("acknowledges %04x %08x", sent[0].ack, sent[0].bits)
	}
	if !r.core.Receive(r.now, good) {
		t.Error("the good one is not taken after them")
	}
	wantEvents(t, r.core, "ok 5=z")
}

func TestTheHandshakesAcceptAgainIsNothingNew(t *testing.T) {
	r := newRawPeer(t, nil)
	if !r.core.Receive(0, appendPlainShort(nil, plainAccept, testSession)) {
		t.Error("refused")
	}
	wantEvents(t, r.core, "Joined")
}

func TestAPacketAtATimeBeforeTheLastOneCountsAsHeardAtTheLastOne(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(5 * time.Second)
	r.core.Receive(time.Second, r.packet(0, 0xffff, 0, nil, nil))
	r.run(9900 * ms)
	wantEvents(t, r.core, "Joined")
}

func TestASendIsDueAtTheCoresTimeNotBefore(t *testing.T) {
	r := newRawPeer(t, nil)
	r.run(1050 * ms) // the last keep-alive went at 1 s
	r.run(0)
	r.core.SendReliable([]byte("y"))
	if at := r.core.Deadline(); at != r.now {
		t.Errorf("due at %v, want at once, %v", at, r.now)
	}
}

func TestReceiveEndsTheLoanOfTheEventBefore(t *testing.T) {
	r := newRawPeer(t, nil)
	r.give([]item{msg(0, "lent")}, nil)
	events(r.core)
	for range r.core.Events() {
	}
	r.give([]item{msg(1, "next")}, nil)
	for e := range r.core.Events() {
		if e.Kind == Message {
			break
		}
	}
	if r.core.in.lent == nil {
		t.Fatal("nothing is lent after a break")
	}
	r.give(nil, nil)
	if r.core.in.lent != nil {
		t.Error("it is still lent after Receive")
	}
}
