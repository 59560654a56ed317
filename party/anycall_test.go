package party

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
)

// A fumbler is a game that makes any call at any moment, with whatever is at
// hand: peers that have gone, pids of nobody, messages that are too large.
type fumbler struct {
	w     *world
	dice  *rand.Rand
	peers []*Peer // heard of, at any member
}

func TestAnyCallAtAnyMomentLeavesEveryoneInAParty(t *testing.T) {
	runs := uint64(60)
	if raceOn {
		runs = 12
	}
	for seed := range runs {
		w := newWorld(t, seed)
		f := &fumbler{w: w, dice: rand.New(rand.NewPCG(seed, 5))}
		w.link(netmsg.LinkConfig{Latency: 30 * time.Millisecond, Loss: 0.08 * float64(f.dice.IntN(3))})
		for range 3 + f.dice.IntN(4) {
			f.add()
		}

		w.runFor(40 * time.Second)
		for _, m := range w.members {
			m.onMsg, m.play, m.frozen = nil, nil, false
		}
		w.each = nil
		w.runFor(100 * time.Second)

		for _, m := range w.members {
			f.wantSettled(m)
		}
	}
}

// add makes a member that fumbles, and sometimes stands still.
func (f *fumbler) add() {
	m := f.w.add(func(c *Config) { c.NoHandOff = f.dice.IntN(8) == 0 })
	m.onMsg = func(msg *Message) {
		f.peers = append(f.peers, msg.From)
		if f.dice.IntN(6) == 0 {
			m.Forward(msg, f.mode())
		}
		if f.dice.IntN(40) == 0 {
			f.session(m)
		}
	}
	m.play = func() {
		switch f.dice.IntN(60) {
		case 0:
			f.session(m)
		case 1:
			f.peer(m)
		case 2:
			f.say(m)
		}
		m.frozen = f.dice.IntN(400) == 0
	}
	f.w.each = func() {
		for _, m := range f.w.members {
			m.frozen = m.frozen && f.dice.IntN(200) > 0
		}
	}
}

// session makes a call that begins a session, ends it or changes it.
func (f *fumbler) session(m *member) {
	to := codes.Target{Addr: f.w.members[f.dice.IntN(len(f.w.members))].addr()}
	pid := PID(f.dice.IntN(6))
	calls := []func(){
		func() { m.Host(0, 1) },
		func() { m.Join(to) },
		func() { m.Join(to) },
		func() { m.Join(to) },
		func() { m.Dial(to) },
		func() { m.Leave() },
		func() { m.Cancel() },
		func() { m.Follow(to) },
		func() { m.StandAlone() },
		func() { m.BecomeHost(0) },
		func() { m.HandOff(pid) },
		func() { m.Lose(WhyGame) },
		func() { m.Fresh() },
		func() { m.HelloWait(time.Duration(f.dice.IntN(20)) * time.Second) },
		func() { m.Begin(frame) },
		func() { m.Update() },
		func() { m.End() },
		func() { m.KeepAlive() },
		func() { m.FlushAll() },
	}
	calls[f.dice.IntN(len(calls))]()
}

// any is some peer: a living one of m's, a gone one, another's, or nil.
func (f *fumbler) any(m *member) (r *Peer) {
	if len(f.peers) > 0 && f.dice.IntN(4) > 0 {
		r = f.peers[f.dice.IntN(len(f.peers))]
	}
	for mine := range m.Peers() {
		if f.dice.IntN(2) == 0 {
			r = mine
		}
	}
	return r
}

func (f *fumbler) peer(m *member) {
	r := f.any(m)
	calls := []func(){
		func() { m.Accept(r) },
		func() { m.Refuse(r, "no") },
		func() { m.ClosePeer(r, "out") },
		func() { m.CloseWhenSent(r, time.Second) },
		func() { m.Flush(r) },
	}
	calls[f.dice.IntN(len(calls))]()
}

func (f *fumbler) mode() Mode {
	modes := []Mode{Reliable, Unreliable, Latest(0), Latest(MaxStream), On(netmsg.Unordered), 0, Latest(MaxStream + 1)}
	return modes[f.dice.IntN(len(modes))]
}

func (f *fumbler) say(m *member) {
	wr := m.Write(Kind(f.dice.IntN(8)))
	wr.Bytes(make([]byte, []int{0, 1, 3000, MaxMessage + 1}[f.dice.IntN(4)]))
	calls := []func(){
		func() { wr.SendAll(f.mode()) },
		func() { wr.SendAllBut(f.any(m), f.mode()) },
		func() { wr.Send(f.any(m), f.mode()) },
		func() { wr.SendTo(f.mode(), PID(f.dice.IntN(6))) },
		func() { wr.Loopback() },
		func() { wr.SetHello() },
	}
	calls[f.dice.IntN(len(calls))]()
}

// wantSettled checks that a member is idle, or in a party whose other end
// agrees.
func (f *fumbler) wantSettled(m *member) {
	f.w.t.Helper()
	switch m.State() {
	case StateJoining:
		f.w.t.Errorf("seed %d: %s is still joining", f.w.seed, m.name)
	case StateJoined:
		for _, h := range f.w.members {
			if r := h.PeerOf(m.MyPID()); h.Hosting() && r != nil && m.host != nil && h.addr() == m.host.Addr() && r.Addr() == m.addr() {
				return
			}
		}
		f.w.t.Errorf("seed %d: %s is in a party whose host does not know it", f.w.seed, m.name)
	case StateHosting:
		if n := len(m.place.roster.members); n != 1+m.PeerCount() {
			f.w.t.Errorf("seed %d: %s hosts %d members with %d guests", f.w.seed, m.name, n, m.PeerCount())
		}
	}
}
