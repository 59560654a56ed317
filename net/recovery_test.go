package netmsg

import (
	"slices"
	"testing"
	"time"
)

// testRecovery sends and hears ACK frames on a clock of its own.
type testRecovery struct {
	recovery
	fateList
	t       *testing.T
	now     time.Duration
	carrier uint64
}

func newTestRecovery(t *testing.T) *testRecovery {
	return &testRecovery{t: t, recovery: newRecovery(0, 40*ms)}
}

// send sends n packets that ask for an acknowledgement.
func (r *testRecovery) send(n int) {
	for range n {
		r.recovery.sent(r.now, 100, sentEliciting|sentInFlight)
	}
}

// hear reads the ACK frame in hex, whose delay is in the frame.
func (r *testRecovery) hear(text string) ackResult {
	r.t.Helper()
	frames, ok := readFrames(0, fromHex(r.t, unspace(text)))
	if !ok || len(frames) != 1 {
		r.t.Fatalf("%s is not one frame", text)
	}
	r.carrier++
	return r.recovery.ack(r.now, r.carrier, &frames[0], &r.fateList)
}

func (r *testRecovery) wantLost(want ...uint64) {
	r.t.Helper()
	if !slices.Equal(r.lostNumbers, want) {
		r.t.Errorf("lost %v, want %v", r.lostNumbers, want)
	}
}

func TestAPacketThreeBelowTheNewestAcknowledgedIsLost(t *testing.T) {
	r := newTestRecovery(t)
	r.send(6)

	r.hear("04 0002 0000 00 01") // 1 and 2
	r.wantLost()
	r.hear("04 0003 0000 00 00") // 3
	r.wantLost(0)
}

func TestALatePacketIsLostByTime(t *testing.T) {
	r := newTestRecovery(t)
	for range 3 {
		r.send(1)
		r.now += ms
	}
	r.now = 100 * ms

	r.hear("03 0002 0000 04 00000000") // 2, sent at 2 ms: a round trip of 98 ms
	r.wantLost()
	if want := 0 + 98*ms + 98*ms/8; r.lossAt != want {
		t.Errorf("the next loss is at %v, want %v", r.lossAt, want)
	}
	r.now = r.lossAt
	r.detect(r.now, &r.fateList)
	r.wantLost(0)
	r.now = r.lossAt
	r.detect(r.now, &r.fateList)
	r.wantLost(0, 1)
	if r.lossAt != never {
		t.Errorf("a loss is due at %v with nothing outstanding", r.lossAt)
	}
}

func TestALossTakenBackPutsTheRuleOfThreeAside(t *testing.T) {
	r := newTestRecovery(t)
	r.send(20)
	r.hear("03 0004 0000 04 00000000") // 4
	r.wantLost(0, 1)

	r.hear("03 0004 0000 04 0c000000") // 1 and 0, after all
	if !r.reordered || r.reorder != 2 {
		t.Errorf("reordered %v, window %d eighths; want true, 2: it grows once a round trip", r.reordered, r.reorder)
	}
	r.lostNumbers = nil
	r.hear("03 000a 0000 04 00000000") // 10
	r.wantLost()                       // 2, 3, 5 to 9 are waited for
}

func TestTheReorderWindowShrinksAfterCalm(t *testing.T) {
	r := newTestRecovery(t)
	r.send(20)
	r.hear("03 0004 0000 04 00000000")
	r.hear("03 0004 0000 04 0c000000")
	r.hear("03 0013 0000 04 ffffffff")

	r.now += 16 * r.srtt()
	r.detect(r.now, &r.fateList)
	if r.reorder != 1 || !r.reordered {
		t.Errorf("window %d eighths, reordered %v; want 1, true", r.reorder, r.reordered)
	}
}

func TestARoundTripLeavesOutThePeersWait(t *testing.T) {
	r := newTestRecovery(t)
	r.send(1)
	r.now = 50 * ms
	r.hear("02 0000 0000")
	if r.srtt() != 50*ms || r.rtt.deviation != 25*ms {
		t.Fatalf("the first sample sets %v and %v, want 50ms and 25ms", r.srtt(), r.rtt.deviation)
	}

	r.send(1) // at 50 ms
	r.now = 120 * ms
	r.hear("02 0001 04e2") // 1,250 units of 16 us: 20 ms
	if r.latest != 50*ms {
		t.Errorf("a sample of %v, want 70ms less 20ms", r.latest)
	}

	r.send(1) // at 120 ms
	r.now = 175 * ms
	r.hear("02 0002 04e2")
	if r.latest != 55*ms {
		t.Errorf("a sample of %v, want 55ms: 35ms would be less than any round trip took", r.latest)
	}

	r.send(1) // at 175 ms
	r.now = 375 * ms
	r.hear("02 0003 1770") // 6,000 units: 96 ms
	if r.latest != 160*ms {
		t.Errorf("a sample of %v, want 200ms less 40ms at most", r.latest)
	}

	before := r.rtt
	r.send(1)
	r.hear("02 0004 ffff")
	if r.rtt != before {
		t.Error("an unknown delay gave a sample")
	}
}

func TestAnAckThatLiesIsFoundOut(t *testing.T) {
	for name, v := range map[string]struct {
		sent  int
		frame string
		want  ackResult
	}{
		"of the next number":               {10, "02 000a 0000", ackFalse},
		"of the one after":                 {10, "02 000b 0000", ackFalse},
		"of a number before the first":     {10, "02 ffff 0000", ackFalse},
		"before anything was sent":         {0, "02 0000 0000", ackFalse},
		"of a skipped number, ACK_ALL":     {10, "02 0006 0000", ackFalse},
		"of a skipped number, in bits":     {10, "03 0006 0000 01 01", ackFalse},
		"of a skipped number, in ranges":   {10, "04 0009 0000 01 00 02 00", ackFalse},
		"of the skipped number as largest": {10, "04 0005 0000 00 00", ackFalse},
		"around the skipped number":        {10, "04 0009 0000 01 03 00 04", ackTaken},
		"bits below number 0":              {10, "03 0002 0000 01 04", ackBroken},
		"bits down to number 0":            {10, "03 0002 0000 01 03", ackTaken},
		"ranges below number 0":            {10, "04 0004 0000 01 00 02 01", ackBroken},
		"ranges down to number 0":          {10, "04 0004 0000 01 00 02 00", ackTaken},
		"first below number 0":             {10, "04 0004 0000 00 05", ackBroken},
		"far behind the next":              {40_000, "04 1c3f 0000 00 00", ackFalse},
		"as far behind as may be":          {40_000, "04 1c40 0000 00 00", ackTaken},
	} {
		r := newTestRecovery(t)
		for range v.sent {
			flags := sentEliciting
			if r.log.next == 5 {
				flags = sentSkipped
			}
			r.makeRoom(r.now, &r.fateList)
			r.recovery.sent(r.now, 100, flags)
		}
		if got := r.hear(v.frame); got != v.want {
			t.Errorf("an ACK %s: %v, want %v", name, got, v.want)
		}
	}
}

func TestAnAckFrameInAnOldPacketIsNotRead(t *testing.T) {
	r := newTestRecovery(t)
	r.send(3)
	r.carrier = 99
	r.hear("02 0000 0000") // in packet 100

	r.carrier = 34
	if got := r.hear("02 ffff 0000"); got != ackIgnored { // in packet 35
		t.Errorf("an ACK 65 packets late: %v, want ignored", got)
	}
	r.carrier = 35
	if got := r.hear("02 0001 0000"); got != ackTaken {
		t.Errorf("an ACK 64 packets late: %v, want taken", got)
	}
}

func TestTheProbeTimeoutDoublesUntilSomethingIsAcknowledged(t *testing.T) {
	r := newTestRecovery(t)
	if r.ptoAt() != never {
		t.Error("a probe is due with nothing outstanding")
	}
	r.send(1)
	r.now = 50 * ms
	r.hear("02 0000 0000")
	r.send(3) // at 50 ms; srtt 50, variation 25

	for i, want := range []time.Duration{190, 190 + 380, 190 + 380 + 760, 190 + 380 + 760 + 1520, 190 + 380 + 760 + 1520 + 2000, 190 + 380 + 760 + 1520 + 4000} {
		at := r.ptoAt()
		if at != 50*ms+want*ms {
			t.Errorf("probe %d is due at %v, want %v", i, at, 50*ms+want*ms)
		}
		r.probed(at)
	}
	r.now = r.ptoFrom + 10*ms
	r.hear("02 0001 0000")
	if want := r.now + r.pto(); r.ptoAt() != want || r.silent() {
		t.Errorf("after an acknowledgement a probe is due at %v, want %v", r.ptoAt(), want)
	}
}

func TestTheProbeTimeoutOfValuesWaitsForAPatientPeer(t *testing.T) {
	r := newTestRecovery(t)
	r.peerDelay = 250 * ms
	r.send(1)
	r.now = 50 * ms
	r.hear("02 0000 0000") // srtt 50, variation 25

	r.send(1) // a value, at 50 ms
	if got, want := r.ptoAt(), (50+50+100+250)*ms; got != want {
		t.Errorf("the probe of a value is due at %v, want %v", got, want)
	}
	r.now = 300 * ms
	r.recovery.sent(r.now, 100, sentEliciting|sentInFlight|sentReliable)
	if got, want := r.ptoAt(), (300+50+100+40)*ms; got != want {
		t.Errorf("that of a message sent later is due at %v, want %v", got, want)
	}
	r.now = 350 * ms
	r.hear("02 0001 3d09") // the value, after 250 ms: news begins the timeout anew
	if got, want := r.ptoAt(), r.now+r.pto(); got != want || r.pto() > 190*ms {
		t.Errorf("after news the probe is due at %v, want %v; the timeout is %v", got, want, r.pto())
	}
}

func TestTheOldestOfTooManyRecordsIsLost(t *testing.T) {
	r := newTestRecovery(t)
	for range maxRecords + 10 {
		r.makeRoom(r.now, &r.fateList)
		r.recovery.sent(r.now, 100, sentEliciting|sentInFlight)
	}
	r.wantLost(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	if len(r.log.records) != maxRecords || r.log.inFlight != maxRecords {
		t.Errorf("%d records, %d in flight", len(r.log.records), r.log.inFlight)
	}
}
