package netmsg

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func newTestInbox() *inbox {
	return &inbox{pool: new(buffers), limit: plainWindow}
}

// put adds a message, as a machine does.
func (in *inbox) put(text string) { in.message(Ordered1, in.pool.copyOf([]byte(text))) }

// set adds a value with the given version.
func (in *inbox) set(stream uint16, version uint64, text string) bool {
	return in.value(stream, version, []byte(text), 4)
}

// pulled gives up to n events as text, all for a negative n.
func (in *inbox) pulled(n int) string {
	var all []string
	var e Event
	for len(all) != n && in.next(&e) {
		switch e.Kind {
		case Joined:
			all = append(all, "joined")
		case Left:
			all = append(all, "left:"+e.Reason.String())
		case Message:
			all = append(all, string(e.Data))
		case Update:
			all = append(all, fmt.Sprintf("%d=%s", e.Stream, e.Data))
		case Refused:
			all = append(all, fmt.Sprintf("refused:%d", e.Size))
		}
	}
	return strings.Join(all, " ")
}

func TestEventsComeInTheOrderTheyHappened(t *testing.T) {
	in := newTestInbox()

	in.put("a")
	in.set(7, 1, "x")
	in.refuse(RefusedError{Size: 9})
	in.put("b")
	in.set(8, 1, "y")

	if got, want := in.pulled(-1), "a 7=x refused:9 b 8=y"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if in.pending() {
		t.Error("something is pending in an empty inbox")
	}
}

func TestOfAStreamOnlyTheNewestValueWaitsInTheNewestPlace(t *testing.T) {
	in := newTestInbox()

	in.set(7, 1, "old")
	in.set(8, 1, "y")
	in.put("a")
	in.set(7, 2, "new")

	if got, want := in.pulled(-1), "8=y a 7=new"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAValueThatIsNotNewerIsNotTaken(t *testing.T) {
	in := newTestInbox()

	for _, version := range []uint64{5, 4, 5, 6} {
		in.set(7, version, fmt.Sprint(version))
		in.put("-")
	}

	if got, want := in.pulled(-1), "- - - 7=6 -"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if in.set(7, 6, "again") {
		t.Error("a value came again after it was pulled")
	}
}

func TestAStreamBeyondTheLimitIsNotTakenAndTheOthersGoOn(t *testing.T) {
	in := newTestInbox()
	for s := range uint16(4) {
		in.set(s, 1, "a")
	}

	if in.set(99, 1, "b") {
		t.Error("a fifth stream of four was taken")
	}
	if !in.set(3, 2, "c") {
		t.Error("a stream that was known is no longer taken")
	}
}

func TestJoinedIsFirstAndLeftIsLastAndOnce(t *testing.T) {
	in := newTestInbox()

	in.put("a")
	in.joined = true
	in.leave(Event{Reason: Remote})
	in.leave(Event{Reason: Local})
	in.put("b")
	in.refuse(RefusedError{Size: 9})

	if in.told() {
		t.Error("Left is told before it was pulled")
	}
	if got, want := in.pulled(-1), "joined a b left:Remote"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !in.told() || in.pending() {
		t.Errorf("after Left: told %v, pending %v", in.told(), in.pending())
	}
}

func TestWhatABreakLeavesComesTheNextTime(t *testing.T) {
	in := newTestInbox()
	in.joined = true
	in.put("a")
	in.put("b")

	first, rest := in.pulled(2), in.pulled(-1)

	if first != "joined a" || rest != "b" {
		t.Errorf("got %q, then %q", first, rest)
	}
}

func TestAtMost64RefusalsWait(t *testing.T) {
	in := newTestInbox()
	for n := range 100 {
		in.refuse(RefusedError{Size: n})
	}

	got := strings.Fields(in.pulled(-1))
	if len(got) != refusedKept || got[0] != "refused:0" {
		t.Errorf("got %d, the first %s", len(got), got[0])
	}
}

func TestAMessagesBufferIsUsedAgainOnlyAfterTheLoan(t *testing.T) {
	in := newTestInbox()
	in.put("first")
	var e Event
	in.next(&e)

	if b := in.pool.get(5); &b[0] == &e.Data[0] {
		t.Fatal("the buffer was given away while it was lent")
	}
	in.settle()
	if b := in.pool.get(5); &b[0] != &e.Data[0] {
		t.Error("the buffer was not given back")
	}
}

func TestAnInboxCountsWhatWaitsAndWhatWasTaken(t *testing.T) {
	in := newTestInbox()
	in.put("four")
	in.put("three")
	var e Event
	in.next(&e)

	if got, want := in.held[Ordered1], (inHeld{messages: 1, bytes: 5}); got != want {
		t.Errorf("held: got %+v, want %+v", got, want)
	}
	if in.taken[Ordered1] != 1 {
		t.Errorf("taken: got %d, want 1", in.taken[Ordered1])
	}
}

func TestASteadyInboxAllocatesNothing(t *testing.T) {
	in := newTestInbox()
	data := slices.Repeat([]byte{1}, 300)
	version := uint64(0)

	allocs := testing.AllocsPerRun(100, func() {
		version++
		for range 20 {
			in.message(Ordered1, in.pool.copyOf(data))
		}
		for s := range uint16(4) {
			in.value(s, version, data, 4)
		}
		var e Event
		for in.next(&e) {
		}
	})

	if allocs != 0 {
		t.Errorf("got %v allocations a round, want 0", allocs)
	}
}
