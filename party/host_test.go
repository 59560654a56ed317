package party

import (
	"slices"
	"testing"
	"time"
)

func TestGuestJoinsAndBothSidesTalk(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()

	g.joins(h)
	w.runFor(time.Second)
	h.say(kindA, "to guest", Reliable)
	g.say(kindB, "to host", Reliable)
	w.runFor(time.Second)

	h.wantFacts(Fact{Kind: Joined, PID: 2})
	g.wantFacts(Fact{Kind: Joined, PID: 2})
	h.wantGame(said{2, kindB, "to host"})
	g.wantGame(said{1, kindA, "to guest"})
	if token, pid := g.JoinedAs(); token != 77 || pid != 2 {
		t.Errorf("joined as %d, %d", token, pid)
	}
}

func TestPIDsAreNeverHandedOutTwice(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g1 := w.guest(h)

	g1.Leave()
	w.runFor(time.Second)
	g2 := w.guest(h)

	if !slices.Equal(h.pids, []PID{2, 3}) || g2.MyPID() != 3 {
		t.Errorf("pids %v, want 2 and 3", h.pids)
	}
}

func TestWhatIsSaidInTheFrameOfAcceptIsHeard(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	h.play = func() {
		if h.PeerCount() == 1 && len(h.pids) == 1 {
			h.say(kindA, "welcome", Reliable)
			h.play = nil
		}
	}

	g.joins(h)
	w.runFor(time.Second)

	g.wantGame(said{1, kindA, "welcome"})
}
