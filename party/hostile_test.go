package party

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

// A hostile is a program that speaks netmsg but not the party's language.
type hostile struct {
	sock *simnet.Socket
	ep   *netmsg.Endpoint
	mail *netmsg.Mailbox
	conn *netmsg.Conn
	open bool
	ends bool
	left netmsg.Event
}

// hostileParty is the party whose keys and settings a hostile has.
func hostileParty() *Party {
	p := New(Config{Random: rand.NewChaCha8([32]byte{1})})
	p.door.hosting, p.door.proto = true, 1
	return p
}

var goodEarly = appendEarly(nil, early{version: partyVersion, proto: 1})

// hostile adds one that connects to a member, or waits to be dialled.
func (w *world) hostile(addr string, to *member) *hostile { return w.hostileWith(addr, to, goodEarly) }

// hostileWith is hostile with early data of its own.
func (w *world) hostileWith(addr string, to *member, early []byte) *hostile {
	x := &hostile{sock: w.net.Socket(addr), mail: netmsg.NewMailbox(0)}
	x.ep = netmsg.NewEndpoint(x.sock, x.mail, hostileParty().netConfig())
	x.ep.Drain(w.net.Now())
	if to != nil {
		x.conn, _ = x.ep.Dial(addresses(to.addr()), netmsg.DialOptions{Only: true, Hello: early})
	}
	was := w.each
	w.each = func() {
		if was != nil {
			was()
		}
		x.ep.Drain(w.net.Now())
		for e := range x.mail.All() {
			x.conn = e.Conn
			x.open = x.open || e.Kind == netmsg.Joined
			if e.Kind == netmsg.Left {
				x.ends, x.left = true, e
			}
		}
		x.ep.Flush(w.net.Now())
	}
	return x
}

// says sends messages as they are.
func (x *hostile) says(all ...[]byte) {
	for _, b := range all {
		x.conn.SendReliable(b)
	}
}

func lib(op byte, fields []byte) []byte { return append([]byte{0, op}, fields...) }

func TestMalformedMessagesOfAGuestEndItAlone(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty":            {},
		"one byte":         {kindByte},
		"twelve pids":      append([]byte{kindByte, 12}, make([]byte, 40)...),
		"pids past end":    {kindByte, 3, 0, 1, 0},
		"short roster ack": lib(opRosterAck, []byte{1}),
		"long roster ack":  lib(opRosterAck, []byte{1, 2, 3, 4, 5}),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 1)
			h := w.host()
			g := w.guest(h)
			x := w.hostile("10.6.6.6:6", h)
			w.until(func() bool { return x.open })
			x.says([]byte{byte(Hello), 0})
			w.until(func() bool { return h.PeerOf(3) != nil })

			x.says(b)
			w.runFor(time.Second)

			h.wantFacts(Fact{Kind: Gone, PID: 3, Why: WhyProtocol})
			if g.State() != StateJoined || h.PeerCount() != 1 {
				t.Errorf("the other guest is %v", g.State())
			}
		})
	}
}

const kindByte = byte(kindA)

func TestUnknownOpsAreIgnored(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	x := w.hostile("10.6.6.6:6", h)
	w.until(func() bool { return x.open })
	x.says([]byte{byte(Hello), 0})
	w.until(func() bool { return h.PeerOf(2) != nil })

	x.says(lib(99, nil), lib(opAccept, nil), lib(opHandOff, nil), []byte{byte(Hello), 0}, []byte{kindByte, 0})
	w.runFor(time.Second)

	h.wantFacts()
	if len(h.got) != 2 {
		t.Errorf("%v", h.got)
	}
}

func TestGuestCannotNameSomebodyElseAsAuthorOrReachStrangers(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	g := w.guest(h)
	x := w.hostile("10.6.6.6:6", h)
	w.until(func() bool { return x.open })
	x.says([]byte{byte(Hello), 0})
	w.until(func() bool { return h.PeerOf(3) != nil })

	x.says([]byte{kindByte, 5, 0, 2, 0, 2, 0, 3, 0, 9, 0, 1, 'x'})
	w.runFor(time.Second)

	g.wantGame(said{3, kindA, "x"})
	h.wantGame(said{3, kindA, "x"})
}

func TestStrangerThatDoesNotIntroduceItselfIsRefused(t *testing.T) {
	for name, b := range map[string][]byte{
		"no early data":       nil,
		"odd early data":      {1, 2, 3},
		"more than early":     append(append([]byte{}, goodEarly...), 0),
		"something else":      []byte("hello?"),
		"the highest version": {255},
	} {
		w := newWorld(t, 1)
		h := w.host()
		x := w.hostileWith("10.6.6.6:6", h, append([]byte{}, b...))

		w.runFor(5 * time.Second)

		if !x.ends || x.open || x.left.Reason != netmsg.Denied || len(h.got) > 0 || len(h.peers) > 0 {
			t.Errorf("%s: ended=%v as %v, inbox %v", name, x.ends, x.left.Reason, h.got)
		}
	}
}

func TestStrangerThatSaysNothingOfTheLanguageIsLetGo(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	x := w.hostile("10.6.6.6:6", h)
	w.until(func() bool { return x.open })

	x.says([]byte{7})
	w.runFor(time.Second)

	if !x.ends || x.left.Code != uint16(codeProtocol) || len(h.got) > 0 || h.count(roleStranger) > 0 {
		t.Errorf("ended=%v with %d, inbox %v", x.ends, x.left.Code, h.got)
	}
}

func TestOnlyAHelloOfAStrangerReachesTheInbox(t *testing.T) {
	w := newWorld(t, 1)
	h := w.host()
	h.ignore = true
	x := w.hostile("10.6.6.6:6", h)
	w.until(func() bool { return x.open })

	for kind := byte(2); kind < 10; kind++ {
		x.says([]byte{kind, 0, 'x'})
	}
	x.says([]byte{byte(Hello), 0, 'h'}, []byte{9, 0, 'x'}, []byte{byte(Hello), 0, 'i'})
	w.runFor(time.Second)

	if !slices.Equal(h.got, []said{{0, Hello, "h"}}) {
		t.Errorf("%v", h.got)
	}
}

func TestHostThatAsksItsGuestsFollowsNobody(t *testing.T) {
	w := newWorld(t, 1)
	h, g := w.party(2)
	for _, m := range g {
		m.die()
	}
	w.until(func() bool { return h.count(roleDial) == 2 })

	r := roster{version: 1, epoch: 9, token: 5, last: 2}
	r.add(rosterMember{pid: 2, slot: 1, flags: isHost})
	r.add(rosterMember{pid: 1, key: h.key})
	for _, dial := range slices.Clone(h.peers) {
		h.dialSaid(dial, lib(opAccept, appendAccept(nil, accept{1, 5, [seatSize]byte{1}})))
		h.dialSaid(dial, lib(opRoster, appendRoster(nil, &r)))
	}
	w.runFor(time.Second)

	if h.State() != StateHosting || h.MyPID() != 1 {
		t.Errorf("%v, pid %d", h.State(), h.MyPID())
	}
}

// hostileRoster is what a hostile host shows the first guest of a world of seed
// 1, with the accept that goes before it.
func hostileRoster(last PID) (accepted []byte, r roster) {
	r = roster{version: 1, epoch: 1, token: 5, last: last}
	r.add(rosterMember{pid: 1, flags: isHost, key: hostileParty().key})
	r.add(rosterMember{pid: 2, slot: 1, key: newWorld(nil, 1).add().key})
	return lib(opAccept, appendAccept(nil, accept{2, 5, [seatSize]byte{1}})), r
}

func TestMalformedMessagesOfAHostAreDownWithProtocol(t *testing.T) {
	accepted, good := hostileRoster(2)
	welcome := [][]byte{accepted, lib(opRoster, appendRoster(nil, &good))}
	stolen := roster{version: 2, epoch: 1, token: 5, last: 2, members: slices.Clone(good.members)}
	stolen.members[0].key[0]++
	without := roster{version: 2, epoch: 1, token: 5, last: 2, members: good.members[:1]}

	for name, c := range map[string]struct {
		joined bool
		say    []byte
	}{
		"odd accept":             {false, lib(opAccept, []byte{1})},
		"roster without accept":  {false, welcome[1]},
		"odd roster":             {true, lib(opRoster, []byte{1})},
		"roster of another host": {true, lib(opRoster, appendRoster(nil, &stolen))},
		"roster without me":      {true, lib(opRoster, appendRoster(nil, &without))},
		"odd handoff":            {true, lib(opHandOff, []byte{1})},
		"message without author": {true, []byte{kindByte, 0}},
		"message of nothing":     {true, []byte{}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 1)
			x := w.hostile("10.6.6.6:6", nil)
			g := w.add()
			g.Join(codesAt("10.6.6.6:6"))
			w.until(func() bool { return x.open })
			if c.joined {
				x.says(welcome...)
				w.until(func() bool { return g.State() == StateJoined })
			}
			g.facts = nil

			x.says(c.say)
			w.runFor(time.Second)

			g.wantFacts(Fact{Kind: Down, Why: WhyProtocol})
		})
	}
}

// script sends what data says: a length, then so many bytes of a message, or,
// for lengths over 200, that many frames less 200.
func (x *hostile) script(w *world, data []byte) {
	for len(data) > 0 && !x.ends {
		n := int(data[0])
		data = data[1:]
		if n > 200 {
			for range n - 200 {
				w.frame()
			}
			continue
		}
		n = min(n, len(data))
		x.says(data[:n])
		data = data[n:]
	}
	w.runFor(time.Second)
}

// scriptOf is the script that sends messages, a frame after each.
func scriptOf(all ...[]byte) (script []byte) {
	for _, b := range all {
		script = append(append(append(script, byte(len(b))), b...), 201)
	}
	return script
}

func FuzzHostFedByAHostileGuest(f *testing.F) {
	hello := []byte{byte(Hello), 0, 'h'}
	f.Add(scriptOf(hello, []byte{kindByte, 1, 0, 2, 'x'}, lib(opRosterAck, []byte{0, 0, 0, 1})))
	f.Add(scriptOf(hello, lib(opHandOff, []byte{0, 0, 0, 2, 0, 2})))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWorld(t, 1)
		h := w.host()
		g := w.guest(h)
		x := w.hostile("10.6.6.6:6", h)
		w.until(func() bool { return x.open })

		x.script(w, data)

		h.say(kindB, "still here", Reliable)
		w.runFor(time.Second)
		if g.State() != StateJoined || !slices.Contains(g.got, said{1, kindB, "still here"}) {
			t.Errorf("the other guest is %v and heard %v", g.State(), g.got)
		}
		if h.State() != StateHosting || h.PeerOf(2) == nil {
			t.Errorf("the host is %v", h.State())
		}
		for _, s := range h.got {
			if s.kind == kindLibrary {
				t.Errorf("the game heard %v", s)
			}
		}
	})
}

func FuzzGuestFedByAHostileHost(f *testing.F) {
	accepted, r := hostileRoster(3)
	r.add(rosterMember{pid: 3, slot: 2})
	listed := lib(opRoster, appendRoster(nil, &r))
	f.Add(scriptOf(accepted, listed, []byte{kindByte, 0, 1, 'x'}, lib(opHandOff, []byte{0, 0, 0, 2, 0, 2})))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWorld(t, 1)
		x := w.hostile("10.6.6.6:6", nil)
		g := w.add()
		g.Join(codesAt("10.6.6.6:6"))
		w.until(func() bool { return x.open })

		x.script(w, data)
		x.sock.Close()
		w.runFor(70 * time.Second)

		if g.State() == StateJoining || g.State() == StateJoined {
			t.Errorf("still %v, long after the host has gone", g.State())
		}
		ends := len(g.find(Down)) + len(g.find(NewHost))
		if ends == 0 {
			t.Errorf("no end: %v", g.facts)
		}
	})
}

// A guest that says anything at any time, from a seed.
func TestHostOutlivesRandomGuests(t *testing.T) {
	runs := uint64(50)
	if raceOn {
		runs = 10
	}
	for seed := range runs {
		dice := rand.New(rand.NewPCG(seed, 2))
		w := newWorld(t, seed)
		h := w.host()
		g := w.guest(h)
		x := w.hostile("10.6.6.6:6", h)
		w.until(func() bool { return x.open })
		var script []byte
		if seed%2 == 0 {
			script = scriptOf([]byte{byte(Hello), 0})
		}
		for range 200 {
			b := make([]byte, dice.IntN(60))
			for i := range b {
				b[i] = byte(dice.IntN(256))
				if i < 2 {
					b[i] %= 8
				}
			}
			script = append(append(script, byte(len(b))), b...)
		}

		x.script(w, script)

		if g.State() != StateJoined || h.State() != StateHosting {
			t.Errorf("seed %d: %v, %v, %s", seed, h.State(), g.State(), fmt.Sprint(h.facts))
		}
	}
}
