package session

import (
	"strings"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

func TestEachLineIsSealedAndOnlyTheInvitedAreVerifiedAndAllShareAClock(t *testing.T) {
	tb := newTable(t, 1, netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	host, bare := tb.members[0], tb.members[1]
	to, err := ParseCode(host.Invitation())
	if err != nil {
		t.Fatal(err)
	}
	to.Addr = tb.address(0)
	invited := tb.seat("Invited")
	if err := invited.Join(to); err != nil {
		t.Fatal(err)
	}
	tb.until(10*time.Second, "it has joined", func() bool { return invited.Status() == Playing && len(bare.Players()) == 3 })

	for guest, want := range map[*Session]Lock{bare: Sealed, invited: Verified} {
		if got := host.Lock(guest.Me()); got != want || guest.Lock(host.Me()) != want {
			t.Errorf("the host says %v, the guest %v, want %v", got, guest.Lock(host.Me()), want)
		}
		if !guest.Sealed() {
			t.Error("a guest's line is not sealed")
		}
	}
	if _, within, state := bare.Clock(); state == 0 || within <= 0 || within > 100*time.Millisecond {
		t.Errorf("the guest's clock is %v, within %v", state, within)
	}
	if words := host.ClockWords(); !strings.HasSuffix(words, "± 0.0 ms, good") {
		t.Errorf("the host's clock: %q", words)
	}
	if !host.Sealed() || host.Lock(host.Me()) != NoLock || bare.Lock(invited.Me()) != NoLock {
		t.Error("a lock where there is no line, or none where there is one")
	}
}
