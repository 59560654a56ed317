package session

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/demo/ebiten/arena"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
	"github.com/partyline-go/partyline/tests/simnet"
)

// A table is a host and its guests on a simulated network, all driven by one
// clock. Every player is a brain.
type table struct {
	t       *testing.T
	net     *simnet.Network
	members []*Session // the host first
	brains  []*arena.Brain
	dead    map[*Session]bool // not driven any more, as after kill -9
}

const hostAt = "10.0.0.1:27415"

// newTable seats a host and some guests over links of one kind.
func newTable(t *testing.T, guests int, link netmsg.LinkConfig) *table {
	tb := &table{t: t, net: simnet.New(7), dead: map[*Session]bool{}}
	tb.net.SetDefault(link)
	host := tb.seat("Host")
	if err := host.Host(0); err != nil {
		t.Fatal(err)
	}
	for i := range guests {
		tb.join(fmt.Sprintf("Guest %d", i+1))
	}
	tb.until(10*time.Second, "everyone has joined", func() bool {
		for _, m := range tb.members {
			if m.Status() != Playing || len(m.Players()) != guests+1 {
				return false
			}
		}
		return true
	})
	return tb
}

// seat makes a member with an address of its own.
func (tb *table) seat(name string) *Session {
	n := len(tb.members) + 1
	s := New(Config{Name: name, Seed: 5, Party: party.Config{
		Socket: tb.net.Socket(fmt.Sprintf("10.0.0.%d:27415", n)),
		Random: rand.NewChaCha8([32]byte{byte(n)}),
	}})
	tb.members = append(tb.members, s)
	tb.brains = append(tb.brains, arena.NewBrain(uint64(n)))
	return s
}

// join sends a new guest to the host.
func (tb *table) join(name string) *Session {
	s := tb.seat(name)
	if err := s.Join(codes.Target{Addr: netip.MustParseAddrPort(hostAt)}); err != nil {
		tb.t.Fatal(err)
	}
	return s
}

// tick lets everyone play a frame.
func (tb *table) tick() {
	tb.net.Advance(Tick)
	for i, m := range tb.members {
		if !tb.dead[m] {
			m.Frame(tb.brains[i].Think(m.Shown(), m.Place()))
		}
	}
}

func (tb *table) run(d time.Duration) {
	for range int(d / Tick) {
		tb.tick()
	}
}

// until runs until something holds.
func (tb *table) until(limit time.Duration, what string, holds func() bool) {
	tb.t.Helper()
	for range int(limit / Tick) {
		if holds() {
			return
		}
		tb.tick()
	}
	if !holds() {
		tb.t.Fatalf("after %v: not so: %s", limit, what)
	}
}

// rest lets all letters arrive, and wants none to be lost or out of order.
func (tb *table) rest() {
	tb.t.Helper()
	var alive []*Session
	for _, m := range tb.members {
		if !tb.dead[m] && m.Status() == Playing {
			m.Quiet()
			alive = append(alive, m)
		}
	}
	tb.until(5*time.Second, "all letters have arrived", func() bool { return Missing(alive) == 0 })
	for _, m := range alive {
		if got := m.Tally(); got.Lost != 0 || got.Disordered != 0 || got.Received == 0 {
			tb.t.Errorf("pid %d: %+v", m.Me(), got)
		}
	}
}

// notes gives all that a member's feed says.
func notes(s *Session) []string {
	var all []string
	for i := range s.Feed().Count() {
		if n := s.Feed().Note(i); n != nil {
			all = append(all, n.String())
		}
	}
	return all
}

// address is where the nth member is.
func (tb *table) address(n int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(n + 1)}), 27415)
}
