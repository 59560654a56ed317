package party

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// A liar is a matchmaker that says whatever it is given, to whoever asks.
type liar struct{ in []matchmaker.Message }

func (l *liar) Up() int                      { return 1 }
func (l *liar) Err() error                   { return nil }
func (l *liar) Send(matchmaker.Message) bool { return true }
func (l *liar) Close()                       {}

func (l *liar) Receive() (m matchmaker.Message, ok bool) {
	if len(l.in) == 0 {
		return m, false
	}
	m, l.in = l.in[0], l.in[1:]
	return m, true
}

// believes gives a member a line to the liar.
func (l *liar) believes(c *Config) {
	c.SignalURL = "sim"
	c.Network.Signal = func(string) matchmaker.Line { return l }
	c.Network.Relay = func([]matchmaker.TURNServer) Relay { panic("no relay here") }
}

// FuzzMatchmakerThatLies: a host, and one who joins by a room's code, stand
// whatever the matchmaker says; a join ends.
func FuzzMatchmakerThatLies(f *testing.F) {
	say := func(all ...matchmaker.Message) (lines []byte) {
		for _, m := range all {
			lines = append(append(lines, m.Encode()...), '\n')
		}
		return lines
	}
	key, psk := bytes.Repeat([]byte{7}, 32), bytes.Repeat([]byte{8}, 32)
	peer := matchmaker.Message{T: matchmaker.Peer, ID: "0102030405060708", Key: key, PSK: psk, Cands: []matchmaker.Candidate{
		{Kind: matchmaker.PublicCandidate, Addr: codesAt("10.0.0.9:9").Addr}, {Kind: matchmaker.RelayCandidate, Addr: codesAt("10.0.0.8:8").Addr, Own: true}}}
	room := matchmaker.Message{T: matchmaker.RoomIs, Code: "7K3M-Q0ZD", Ticket: key[:16], STUN: []string{"stun:10.0.0.7:7"}}
	f.Add(say(room, peer, peer, matchmaker.Message{T: matchmaker.Claimed, Key: key}, matchmaker.Message{T: matchmaker.Moved, Epoch: 9}))
	f.Add(say(matchmaker.Message{T: matchmaker.Error, Why: matchmaker.Closed}, room, matchmaker.Message{T: matchmaker.Alive}, matchmaker.Message{T: matchmaker.Error, Why: matchmaker.NoRoom}))
	f.Add(say(peer, matchmaker.Message{T: matchmaker.Cands, ID: peer.ID, Cands: peer.Cands}, matchmaker.Message{T: matchmaker.Error, Why: matchmaker.Busy, RetryMS: 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		var lies []matchmaker.Message
		for _, line := range bytes.Split(data, []byte{'\n'}) {
			if m, err := matchmaker.Parse(line); err == nil && len(lies) < 200 {
				lies = append(lies, m)
			}
		}
		w := newWorld(t, 1)
		ear := &liar{}
		h := w.host(ear.believes)
		mouth := &liar{}
		g := w.add(mouth.believes)
		g.joinsRoom("7K3M-Q0ZD")
		for _, m := range lies {
			if len(m.TURN) > 0 {
				m.TURN = nil // a relay of the test's own would be a panic
			}
			ear.in, mouth.in = append(ear.in, m), append(mouth.in, m)
			w.frame()
			w.frame()
		}
		w.runFor(JoinTimeout + time.Second)
		if g.State() == StateJoining || len(g.find(Down)) != 1 {
			t.Errorf("the join is %v, facts %v", g.State(), g.facts)
		}
		if len(h.pairs) > maxPairs {
			t.Errorf("%d pairs", len(h.pairs))
		}
		for i := range h.pairs {
			if len(h.pairs[i].targets) > pairTargets {
				t.Errorf("%d addresses of one pair", len(h.pairs[i].targets))
			}
		}
	})
}

func TestAHostKeepsBoundedlyManyPairs(t *testing.T) {
	w := newWorld(t, 1)
	ear := &liar{}
	h := w.host(ear.believes)
	ear.in = append(ear.in, matchmaker.Message{T: matchmaker.RoomIs, Code: "7K3M-Q0ZD", Ticket: make([]byte, 16)})
	w.runFor(100 * time.Millisecond)
	for i := range 500 {
		m := matchmaker.Message{T: matchmaker.Peer, ID: fmt.Sprintf("%016x", i), Key: make([]byte, 32), PSK: make([]byte, 32)}
		for j := range 20 {
			m.Cands = append(m.Cands, matchmaker.Candidate{Kind: matchmaker.PublicCandidate, Addr: codesAt(fmt.Sprintf("203.0.113.%d:%d", j+1, 1000+i)).Addr})
		}
		ear.in = append(ear.in, m)
	}
	w.frame()
	w.frame()
	if len(h.pairs) != maxPairs || len(h.pairs[0].targets) != pairTargets {
		t.Errorf("%d pairs with %d addresses", len(h.pairs), len(h.pairs[0].targets))
	}
	w.runFor(pairLife + time.Second)
	ear.in = append(ear.in, matchmaker.Message{T: matchmaker.Peer, ID: "ffffffffffffffff", Key: make([]byte, 32), PSK: make([]byte, 32)})
	w.frame()
	if len(h.pairs) != 1 {
		t.Errorf("%d pairs after their time", len(h.pairs))
	}
	if data, err := json.Marshal(h.pairs[0].text); err != nil || len(data) != 18 {
		t.Errorf("the id is %s", data)
	}
}

func TestASteadyFrameWithARoomAllocatesNothing(t *testing.T) {
	if raceOn {
		t.Skip("the race detector allocates")
	}
	w := newWorld(t, 1)
	ear := &liar{}
	h := w.host(ear.believes)
	ear.in = append(ear.in, matchmaker.Message{T: matchmaker.RoomIs, Code: "7K3M-Q0ZD", Ticket: make([]byte, 16)})
	w.guest(h)
	var sum float32
	all := func() {
		w.net.Advance(frame)
		for _, m := range w.members {
			steady(m.Party, &sum)
		}
	}
	for range 600 {
		all()
	}
	h.room.refreshAt = h.now + time.Hour // what goes once in 15 s may allocate
	if got := testing.AllocsPerRun(300, all); got >= 1 || !h.room.held {
		t.Errorf("%v allocations, held %v", got, h.room.held)
	}
}
