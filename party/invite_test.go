package party

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

// invited gives the target of a host's invitation, at its simulated address.
func invited(t *testing.T, h *member) codes.Target {
	t.Helper()
	code, err := codes.Invite(h.addr(), netmsg.Fingerprint(h.key[:]), h.secret)
	if err != nil {
		t.Fatal(err)
	}
	to, err := codes.Parse(code, 0)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func TestGuestWithAnInvitationIsVerifiedAtBothEnds(t *testing.T) {
	w := newWorld(t, 1)
	h, g, bare := w.host(), w.add(), w.add()
	if err := g.Join(invited(t, h)); err != nil {
		t.Fatal(err)
	}
	bare.joins(h)
	w.runFor(time.Second)

	if !g.host.Verified() || !h.PeerOf(g.MyPID()).Verified() {
		t.Errorf("invited: host verified %v, guest %v", g.host.Verified(), h.PeerOf(g.MyPID()).Verified())
	}
	if bare.host.Verified() || h.PeerOf(bare.MyPID()).Verified() {
		t.Error("a bare join code verifies somebody")
	}
	if g.host.Fingerprint() != h.Fingerprint() || len(h.Fingerprint()) != 12 {
		t.Errorf("fingerprints %q and %q", g.host.Fingerprint(), h.Fingerprint())
	}
}

func TestInvitationOfAnotherHostIsDownWithKey(t *testing.T) {
	w := newWorld(t, 1)
	h, other, g := w.host(), w.host(), w.add()
	to := invited(t, other)
	to.Addr = h.addr()
	g.Join(to)
	w.runFor(JoinTimeout + time.Second)
	g.wantFacts(Fact{Kind: Down, Why: WhyKey})
	if len(h.got) > 0 {
		t.Errorf("the host heard %v", h.got)
	}
}

func TestInvitationWithAWrongSecretHearsNobody(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.host(), w.add()
	to := invited(t, h)
	to.Secret++
	g.Join(to)
	w.runFor(JoinTimeout + time.Second)
	g.wantFacts(Fact{Kind: Down, Why: WhyNoAnswer})
}

func TestInviteOnlyHostTakesNoBareJoinCode(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host(func(c *Config) { c.InviteOnly = true })
	bare, g := w.add(), w.add()
	bare.joins(h)
	g.Join(invited(t, h))
	w.runFor(JoinTimeout + time.Second)
	g.wantFacts(Fact{Kind: Joined, PID: 2})
	if down := bare.find(Down); len(down) != 1 {
		t.Errorf("without an invitation: %v", bare.facts)
	}
}

func TestPlayerIsKnownByItsKeyWithoutASeat(t *testing.T) {
	identity := bytes.Repeat([]byte{7}, 32)
	mine := func(c *Config) { c.Identity = identity }
	w := newWorld(t, 1)
	h := w.host()
	g := w.guest(h, mine)
	g.die()
	w.runFor(time.Second)

	again := w.add(mine)
	again.joins(h)
	w.runFor(time.Second)

	h.wantFacts(Fact{Kind: Gone, PID: 2, Why: WhyReplaced}, Fact{Kind: Joined, PID: 3})
	again.wantFacts(Fact{Kind: Joined, PID: 3})
}

func TestALevelOf256KiBArrivesWhole(t *testing.T) {
	large := func(c *Config) { c.MaxMessage = 300 << 10 }
	w := newWorld(t, 1)
	w.link(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.05})
	h := w.host(large)
	g := w.guest(h, large)
	level := make([]byte, 256<<10)
	rand.NewChaCha8([32]byte{3}).Read(level)

	wr := h.Write(kindA)
	wr.Bytes(level)
	if err := wr.SendAll(Reliable); err != nil {
		t.Fatal(err)
	}
	halfway := false
	w.until(func() bool {
		got, total := g.host.Receiving()
		halfway = halfway || total == len(level)+3 && got > total/4 && got < total
		return len(g.heardGame()) == 1
	})

	g.wantGame(said{1, kindA, string(level)})
	if !halfway {
		t.Error("no progress was seen on the way")
	}
	wr = h.Write(kindA)
	wr.Bytes(make([]byte, 300<<10+1))
	if err := wr.SendAll(Reliable); err == nil || err.Error() != "party: message too large: 307201, at most 307200" {
		t.Errorf("one byte more: %v", err)
	}
}

func TestMembersShareTheHostsClock(t *testing.T) {
	w := newWorld(t, 1)
	w.link(netmsg.LinkConfig{Latency: 15 * time.Millisecond})
	h := w.host()
	g := w.guest(h)
	w.runFor(6 * time.Second)

	at, _, _ := h.Clock()
	got, uncertainty, state := g.Clock()

	if d := (got - at).Abs(); d > frame || state != netmsg.ClockGood || uncertainty > 40*time.Millisecond {
		t.Errorf("the guest is %v off, says %v, %v", d, uncertainty, state)
	}
}

func TestNoNameAndNoChatIsReadableOnTheWire(t *testing.T) {
	w := newWorld(t, 1)
	seen := false
	w.net.Watch = func(_, _ netip.AddrPort, data []byte) simnet.Fate {
		seen = seen || bytes.Contains(data, []byte("Annabelle")) || bytes.Contains(data, []byte("hello there"))
		return simnet.Fate{}
	}
	h, g := w.host(), w.add()
	wr := g.Write(Hello)
	wr.Str("Annabelle")
	wr.SetHello()
	g.joins(h)
	w.runFor(time.Second)
	g.say(kindA, "hello there", Reliable)
	w.runFor(time.Second)
	h.wantGame(said{2, kindA, "hello there"})
	if seen {
		t.Error("a text was on the wire as it is")
	}
}
