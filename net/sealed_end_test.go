package netmsg

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

// frames opens a packet of one side of the pair of seed 1.
func (p *sealedPair) frames(fromA bool, datagram []byte) (frames []frame) {
	a, b := simSessions((*Config)(nil).settle(), 1)
	o := newOpener(a.secure.keys.send)
	if !fromA {
		o = newOpener(b.secure.keys.send)
	}
	_, low, _ := parseSealedHeader(datagram)
	plain, ok := o.open(nil, datagram, uint64(low))
	if !ok {
		p.t.Fatal("a packet does not open")
	}
	frames, _ = readFrames(uint64(low), plain)
	return frames
}

func TestCloseSaysWhyInFivePackets(t *testing.T) {
	p := newSealedPair(t, nil, LinkConfig{Latency: 20 * ms}, 1)
	p.run(time.Second)
	var at []time.Duration
	p.Tap = func(now time.Duration, fromA bool, datagram []byte) bool {
		for _, f := range p.frames(fromA, datagram) {
			if fromA && f.kind == frameClose {
				at = append(at, now)
				return false // none arrives
			}
		}
		return true
	}
	start := p.Now()
	p.A.CloseWith(77, strings.Repeat("é", 150)) // 300 bytes
	p.run(400 * time.Millisecond)

	if len(at) < closeCopies || at[0] != start || at[1] != start {
		t.Fatalf("CLOSE goes at %v, want twice at %v and three times more", at, start)
	}
	for i := 2; i < closeCopies; i++ {
		if gap := at[i] - at[i-1]; gap < closeGap {
			t.Errorf("copy %d comes %v after the one before", i, gap)
		}
	}
	if l := left(p.heardA); l == nil || l.Reason != Local {
		t.Errorf("A hears %v", l)
	}

	p.Tap = nil // B does not know, speaks on, and is answered
	p.run(2 * time.Second)
	l := left(p.heardB)
	if l == nil || l.Reason != Remote || l.Code != 77 || l.Text != strings.Repeat("é", 100) {
		t.Fatalf("B hears %+v", l)
	}
	if !p.A.done() || !p.B.done() {
		t.Error("the ends are not done")
	}
}

func TestWhatIsQueuedAtCloseStillArrives(t *testing.T) {
	p := newSealedPair(t, nil, LinkConfig{Latency: 20 * ms}, 1)
	p.run(time.Second)
	p.A.SendReliable([]byte("last words"))
	p.A.Close()
	p.run(time.Second)

	if got := messagesOn(p.heardB, Ordered1); len(got) != 1 || string(got[0]) != "last words" {
		t.Errorf("B hears %q", got)
	}
	if p.heardB[len(p.heardB)-1].Kind != Left {
		t.Error("Left is not the last")
	}
}

func TestSilenceEndsAConnectionWithoutAWord(t *testing.T) {
	p := newSealedPair(t, nil, LinkConfig{Latency: 20 * ms}, 1)
	p.run(time.Second)
	p.Tap = func(time.Duration, bool, []byte) bool { return false }
	p.run(9 * time.Second)
	p.wantOpen()
	p.run(2 * time.Second)
	for name, heard := range map[string][]heardEvent{"A": p.heardA, "B": p.heardB} {
		if l := left(heard); l == nil || l.Reason != TimedOut {
			t.Errorf("%s hears %v", name, l)
		}
	}
}

func TestAnIdleMinuteTakesFewPackets(t *testing.T) {
	p := newSealedPair(t, nil, LinkConfig{Latency: 20 * ms}, 1)
	p.run(10 * time.Second)
	a, b := p.A.Stats().PacketsSent, p.B.Stats().PacketsSent
	p.run(time.Minute)
	a, b = p.A.Stats().PacketsSent-a, p.B.Stats().PacketsSent-b
	if a < 50 || a > 150 || b < 50 || b > 150 {
		t.Errorf("%d and %d packets in an idle minute, want 50 to 150", a, b)
	}
	p.wantOpen()
}

func TestAPeerIsFollowedOnlyToAnAddressThatAnswers(t *testing.T) {
	p := newSealedPair(t, nil, LinkConfig{Latency: 20 * ms}, 1)
	p.run(time.Second)
	before := p.b.path.peer
	elsewhere := netip.MustParseAddrPort("198.51.100.7:9")
	buf := make([]byte, 1500)
	now := p.Now()
	p.A.SendLatest(1, []byte("here"))
	n := p.A.Transmit(now, buf)
	if !p.B.receiveFrom(now, elsewhere, buf[:n]) {
		t.Fatal("a packet from elsewhere is not taken")
	}
	to, sent := map[netip.AddrPort]int{}, 0
	var challenge []byte
	for range 400 { // nothing comes back from there
		now += 10 * ms
		for {
			n, addr := p.B.transmitTo(now, buf)
			if n == 0 {
				break
			}
			to[addr]++
			if addr == elsewhere {
				sent += n
				challenge = append(challenge[:0], buf[:n]...)
			}
		}
	}
	if to[elsewhere] != pathTries || sent > 93 {
		t.Errorf("%d packets of %d bytes go to an address that does not answer", to[elsewhere], sent)
	}
	if p.b.path.peer != before || to[before] == 0 {
		t.Errorf("the peer is at %v, want %v", p.b.path.peer, before)
	}

	// Another move, and the challenge is answered this time.
	p.A.SendLatest(1, []byte("there"))
	n = p.A.Transmit(now, buf)
	p.B.receiveFrom(now, elsewhere, buf[:n])
	for p.b.path.peer != elsewhere && now < 20*time.Second {
		for n, addr := p.B.transmitTo(now, buf); n > 0; n, addr = p.B.transmitTo(now, buf) {
			if addr == elsewhere || addr == before {
				p.A.Receive(now, buf[:n])
			}
		}
		for n := p.A.Transmit(now, buf); n > 0; n = p.A.Transmit(now, buf) {
			p.B.receiveFrom(now, elsewhere, buf[:n])
		}
		now += 10 * ms
	}
	if p.b.path.peer != elsewhere {
		t.Error("the peer is not followed to where it answers from")
	}
}
