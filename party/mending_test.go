package party

import (
	"net/netip"
	"testing"
	"time"
)

// relayedPair is a host and a guest that reach each other over the relay alone,
// and talk; n counts what each has said.
func relayedPair(t *testing.T, w *world, d *desk) (h, g *member, n *uint32) {
	t.Helper()
	h = w.roomHost(d)
	g = w.add(d.with("10.0.0.2"))
	w.block(h.addr(), g.addr())
	g.joinsRoom(h.Room())
	w.until(func() bool { return g.State() == StateJoined })
	w.runFor(lineLingers) // what it said to the matchmaker is over
	n = new(uint32)
	g.play = func() { g.sayNumber(kindA, *n, Reliable); h.sayNumber(kindB, *n, Reliable); *n++ }
	return h, g, n
}

// wantWhole checks that nothing that was said is missing, and that neither has
// lost the other.
func wantWhole(t *testing.T, w *world, h, g *member, n *uint32) {
	t.Helper()
	g.play = nil
	w.runFor(2 * time.Second)
	wantUpTo(t, w.seed, h.numbers(kindA), int(*n))
	wantUpTo(t, w.seed, g.numbers(kindB), int(*n))
	if len(g.find(Down)) > 0 || len(h.find(Gone)) > 0 || len(g.find(Joined)) != 1 {
		t.Errorf("the guest hears %v, the host %v", g.facts, h.facts)
	}
}

func TestGuestWhoseRelayDiesMovesToAnotherWithoutLosingAMessage(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h, g, n := relayedPair(t, w, d)

		first := g.meeting.relay.(*deskRelay)
		first.allowed = map[netip.Addr]bool{}  // nothing comes in any more
		w.net.Cut(first.LocalAddr(), h.addr()) // or goes out
		w.runFor(8 * time.Second)

		if now := g.meeting.relay; now == nil || now.LocalAddr() == first.LocalAddr() {
			t.Errorf("the guest is still at the relay that is dead")
		}
		if g.host.Path() != Relayed || h.PeerOf(g.MyPID()).Path() != Relayed {
			t.Errorf("paths %v and %v, want relayed", g.host.Path(), h.PeerOf(g.MyPID()).Path())
		}
		wantWhole(t, w, h, g, n)
	})
}

func TestGuestThatHearsItsHostAgainKeepsTheWayItHas(t *testing.T) {
	roomSeeds(t, func(t *testing.T, w *world, d *desk) {
		h, g, n := relayedPair(t, w, d)
		d.slow = true // the relay gives no other address

		first := g.meeting.relay.(*deskRelay)
		w.net.Cut(h.addr(), first.LocalAddr())
		w.runFor(mendAfter + 2*time.Second)
		if g.mending == nil {
			t.Fatal("it does not look for another way")
		}
		d.slow = false
		w.net.Mend(h.addr(), first.LocalAddr())
		w.runFor(2 * time.Second)

		if g.mending != nil || g.room.errand != errandNone {
			t.Error("it still looks for another way")
		}
		wantWhole(t, w, h, g, n)
	})
}

func TestGuestThatHearsItsHostAsksTheMatchmakerNothing(t *testing.T) {
	w := newWorld(t, 1)
	d := newDesk(w)
	_, guests := w.roomParty(d, 2)

	w.runFor(time.Minute)

	for _, g := range guests {
		if g.room.line != nil || g.mending != nil {
			t.Errorf("%s has a line, or looks for another way", g.name)
		}
	}
}
