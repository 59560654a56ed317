package party

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// A leaver is the guest of one cycle, and what it has to wait for before it
// leaves.
type leaver struct {
	moment string
	relay  bool               // over the relay alone
	at     func(g *live) bool // nil: at once
	then   func(h, g, other *live)
}

var leavers = []leaver{
	{moment: "asking, the line not up"},
	{moment: "asking", at: func(g *live) bool { return g.lineUp() && g.meeting == nil }},
	{moment: "STUN", at: func(g *live) bool { return len(g.out.asks) > 0 }},
	{moment: "punching", at: func(g *live) bool { return g.Stage() == StagePunching }},
	{moment: "hello sent", at: func(g *live) bool { return g.Stage() == StageGreeting }},
	{moment: "just joined", at: func(g *live) bool { return g.State() == StateJoined }},
	{moment: "half a message sent", at: func(g *live) bool { return g.State() == StateJoined }, then: sendHalf},
	{moment: "during hand-off", at: func(g *live) bool { return g.State() == StateJoined }, then: handOffHalf},
	{moment: "the relay asked for", relay: true, at: func(g *live) bool { return g.meeting != nil && g.meeting.relay != nil }},
	{moment: "on the relay", relay: true, at: func(g *live) bool { return g.State() == StateJoined && g.host.Path() == Relayed }, then: sendHalf},
}

// sendHalf sends the first fragments of a large message.
func sendHalf(h, g, _ *live) {
	g.say(kindA, text(30_000), Reliable)
	g.frame()
	h.frame()
}

// handOffHalf begins a hand-off that nobody finishes.
func handOffHalf(h, g, other *live) {
	other.joinsRoom(h.Room())
	liveUntil(h.t, func() bool { return len(h.find(Joined)) == 2 }, h, g, other)
	h.HandOff(0)
	h.frame()
	g.frame()
}

func TestCaseT29Rooms(t *testing.T) { // leave at every moment of a join by room
	if testing.Short() {
		t.Skip("200 cycles on real sockets")
	}
	s, err := matchmaker.Start(matchmaker.ServerConfig{
		Addr: "127.0.0.1:0", PublicIP: netip.MustParseAddr("127.0.0.1"), AllowPrivate: true,
		Limits: matchmaker.Limits{Sockets: -1, Rooms: -1, OpensPerMin: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	member := func(forceRelay bool) *live {
		return newLive(t, Config{SignalURL: s.URL(), ForceRelay: forceRelay, Network: Network{LocalAddrs: onLoopback}})
	}
	h, direct, relayed, other := member(false), member(false), member(true), member(false)
	cycles := 200
	if raceOn {
		cycles = 50
	}
	var goroutines, files int
	for cycle := -len(leavers); cycle < cycles; cycle++ {
		if cycle == 0 { // what the runtime and the server keep for good, they have now
			time.Sleep(time.Second)
			goroutines, files = runtime.NumGoroutine(), openFiles(t)
		}
		c := leavers[(cycle+len(leavers))%len(leavers)]
		g := direct
		if c.relay {
			g = relayed
		}
		leaveOnce(t, c, h, g, other)
		if t.Failed() {
			t.Fatalf("cycle %d: %s", cycle, c.moment)
		}
	}
	left := time.Now()
	wantBack(t, goroutines, files)
	t.Logf("%d goroutines and %d files, as before, %v after the last leave", goroutines, files, time.Since(left).Round(time.Millisecond))
}

// leaveOnce is one cycle: a party, a guest on its way, and all leave. The parties
// serve the next cycle, which may hear nothing of this one.
func leaveOnce(t *testing.T, c leaver, h, g, other *live) {
	h.facts, g.facts, other.facts = nil, nil, nil
	if err := h.Host(0, 77); err != nil {
		t.Fatal(err)
	}
	liveUntil(t, func() bool { return len(h.facts) > 0 }, h)
	if f := h.facts[0]; len(h.facts) != 1 || f.Kind != RoomOpen || f.Text != h.Room() {
		t.Errorf("the host heard %v first, want RoomOpen", h.facts)
	}
	g.joinsRoom(h.Room())
	g.HelloWait(MaxHelloWait) // a machine that is busy is not what is tested
	if c.at != nil {
		liveUntil(t, func() bool { return c.at(g) }, h, g)
	}
	if c.then != nil {
		c.then(h, g, other)
	}
	for i, f := range g.facts {
		if i > 0 && f.Kind == Joined || f.Kind == Down {
			t.Errorf("the guest heard %v", g.facts)
		}
	}

	g.Leave()
	for range 3 {
		h.frame()
		other.frame()
	}
	h.Leave()
	other.Leave()

	if g.State() != StateIdle || g.ep != nil || g.meeting != nil || g.room.line != nil || g.Stage() != StageNone {
		t.Errorf("something of the guest stays: %v", g.State())
	}
}
