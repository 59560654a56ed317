package simnet

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

const (
	one   = "10.0.0.1:1000"
	two   = "10.0.0.2:1000"
	three = "10.0.0.3:1000"
)

func (s *Socket) say(t *testing.T, to *Socket, text string) {
	t.Helper()
	if _, err := s.WriteBatch([]netmsg.Datagram{{Addr: to.LocalAddr(), Data: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
}

// heard reads all that has come.
func (s *Socket) heard() (all []string) {
	d := netmsg.Datagram{Data: make([]byte, 0, maxDatagram)}
	for s.TryRead(&d) {
		all = append(all, fmt.Sprintf("%v %s", d.Addr.Addr(), d.Data))
	}
	return all
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
}

func TestPerfectLinkDeliversAtOnceAndInOrder(t *testing.T) {
	n := New(1)
	a, b := n.Socket(one), n.Socket(two)

	a.say(t, b, "x")
	a.say(t, b, "y")

	want(t, b.heard(), "10.0.0.1 x", "10.0.0.1 y")
	want(t, b.heard())
}

func TestDatagramsArriveInTheOrderInWhichTheyAreDue(t *testing.T) {
	n := New(1)
	a, b, c := n.Socket(one), n.Socket(two), n.Socket(three)
	n.SetLink(a.LocalAddr(), c.LocalAddr(), netmsg.LinkConfig{Latency: 30 * time.Millisecond})
	n.SetLink(b.LocalAddr(), c.LocalAddr(), netmsg.LinkConfig{Latency: 10 * time.Millisecond})

	a.say(t, c, "slow")
	b.say(t, c, "quick")
	n.Advance(9 * time.Millisecond)
	want(t, c.heard())
	n.Advance(21 * time.Millisecond)

	want(t, c.heard(), "10.0.0.2 quick", "10.0.0.1 slow")
}

func TestCutLosesOneWayUntilMended(t *testing.T) {
	n := New(1)
	a, b := n.Socket(one), n.Socket(two)

	n.Cut(a.LocalAddr(), netip.AddrPort{})
	a.say(t, b, "lost")
	b.say(t, a, "heard")
	n.Mend(a.LocalAddr(), netip.AddrPort{})
	a.say(t, b, "again")

	want(t, b.heard(), "10.0.0.1 again")
	want(t, a.heard(), "10.0.0.2 heard")
}

func TestWatchDropsAndDelays(t *testing.T) {
	n := New(1)
	a, b := n.Socket(one), n.Socket(two)
	n.Watch = func(_, _ netip.AddrPort, data []byte) Fate {
		return Fate{Drop: string(data) == "drop", Delay: map[string]time.Duration{"late": time.Second}[string(data)]}
	}

	a.say(t, b, "late")
	a.say(t, b, "drop")
	a.say(t, b, "go")
	want(t, b.heard(), "10.0.0.1 go")
	n.Advance(time.Second)

	want(t, b.heard(), "10.0.0.1 late")
}

func TestClosedSocketFreesItsAddress(t *testing.T) {
	n := New(1)
	a, b := n.Socket(one), n.Socket(two)

	b.Close()
	a.say(t, b, "nobody")
	again := n.Socket(two)
	a.say(t, again, "somebody")

	want(t, again.heard(), "10.0.0.1 somebody")
}

func TestSameSeedIsTheSameNetwork(t *testing.T) {
	run := func(seed uint64) []string {
		n := New(seed)
		n.SetDefault(netmsg.LinkConfig{Loss: 0.5, Jitter: 50 * time.Millisecond, Duplicate: 0.1})
		a, b, c := n.Socket(one), n.Socket(two), n.Socket(three)
		var all []string
		for i := range 100 {
			a.say(t, c, fmt.Sprint(i))
			b.say(t, c, fmt.Sprint(i))
			n.Advance(10 * time.Millisecond)
			all = append(all, c.heard()...)
		}
		return all
	}

	first := run(7)

	if !slices.Equal(first, run(7)) {
		t.Error("seed 7 gave two different runs")
	}
	if slices.Equal(first, run(8)) {
		t.Error("seeds 7 and 8 gave the same run")
	}
}
