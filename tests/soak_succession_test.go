package tests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
	"github.com/partyline-go/partyline/tests/simnet"
)

const (
	unitedWithin = 60 * time.Second // after its host is gone, a party has another
	saidWithin   = 20 * time.Second // and all hear each other
	kindRound    = party.Kind(20)
)

// An heirloom is a party that is handed on: one host after another leaves,
// hands over or dies, and the others go on.
type heirloom struct {
	*soak
	net    *simnet.Network
	living []*heir
	token  uint32
}

// An heir is a member of it.
type heir struct {
	name     int
	party    *party.Party
	socket   *simnet.Socket
	pid      party.PID
	newHosts int
	down     party.Why
	heard    []string // what was said in this round
}

// soakSuccession runs a party whose hosts go, one after the other.
func soakSuccession(s *soak) {
	link := netmsg.LinkConfig{
		Loss:    pick(s, 0, 0.02, 0.1),
		Latency: s.upTo(150 * time.Millisecond),
		Jitter:  s.upTo(30 * time.Millisecond),
	}
	n := 3 + s.dice.IntN(5)
	s.script = fmt.Sprintf("a party of %d that is handed on, links %+v", n, link)
	h := &heirloom{soak: s, net: simnet.New(s.seed)}
	h.net.SetDefault(link)
	h.gather(n)

	for round := 1; len(h.living) >= 3 && round <= 3; round++ {
		h.loseHost()
		h.unite(round)
		h.talk(round)
	}
}

// gather has a host and n-1 guests.
func (h *heirloom) gather(n int) {
	for i := range n {
		m := &heir{name: i + 1, socket: h.net.Socket(fmt.Sprintf("10.0.0.%d:27415", i+1))}
		m.party = party.New(party.Config{
			Socket: m.socket,
			Random: rand.NewChaCha8([32]byte{byte(h.seed), byte(h.seed >> 8), byte(m.name)}),
		})
		h.living = append(h.living, m)
	}
	if err := h.living[0].party.Host(0, 1); err != nil {
		h.failf("Host: %v", err)
	}
	for _, m := range h.living[1:] {
		if err := m.party.Join(codes.Target{Addr: h.living[0].socket.LocalAddr()}); err != nil {
			h.failf("member %d: Join: %v", m.name, err)
		}
	}
	h.runUntil(saidWithin, "all are in", func() bool {
		return h.host() != nil && h.host().party.PeerCount() == n-1 && h.united()
	})
	for _, m := range h.living {
		m.pid = m.party.MyPID()
		h.run(time.Second) // rosters and addresses reach all
	}
}

// loseHost ends the host in one of the ways there are.
func (h *heirloom) loseHost() {
	host := h.host()
	h.token = host.party.Token()
	for _, m := range h.living {
		m.newHosts, m.heard = 0, nil
	}
	how := pick(h.soak, "leaves", "dies", "hands over", "hands over to one")
	h.script += fmt.Sprintf("; at %v member %d %s", h.now, host.name, how)
	others := slices.DeleteFunc(slices.Clone(h.living), func(m *heir) bool { return m == host })
	switch how {
	case "leaves":
		host.party.Leave()
	case "dies":
		host.socket.Close()
	case "hands over":
		h.handOff(host, 0)
	default:
		h.handOff(host, others[h.dice.IntN(len(others))].pid)
	}
	h.living = others
}

func (h *heirloom) handOff(host *heir, to party.PID) {
	if err := host.party.HandOff(to); err != nil {
		h.failf("member %d: HandOff(%d): %v", host.name, to, err)
	}
	h.runUntil(5*time.Second, "the old host is gone", func() bool { return host.down == party.WhyMoved })
}

// unite sees the living go on under one new host, with the pids they had.
func (h *heirloom) unite(round int) {
	h.runUntil(unitedWithin, "the party is one again", h.united)
	h.run(2 * time.Second)
	if !h.united() {
		h.failf("round %d: the party was one and is not: %s", round, h.states())
	}
	for _, m := range h.living {
		if m.party.MyPID() != m.pid {
			h.failf("round %d: member %d has pid %d, and had %d", round, m.name, m.party.MyPID(), m.pid)
		}
		if m.newHosts != 1 {
			h.failf("round %d: member %d hears %d times of a new host", round, m.name, m.newHosts)
		}
		if m.party.Token() == h.token {
			h.failf("round %d: member %d still has the token of the old host", round, m.name)
		}
	}
}

// talk sees the host heard by all, and all heard by the host.
func (h *heirloom) talk(round int) {
	host := h.host()
	var want []string
	for _, m := range h.living {
		h.sayAll(m, fmt.Sprintf("round %d from %d", round, m.pid))
		if m != host {
			want = append(want, fmt.Sprintf("round %d from %d", round, m.pid))
		}
	}
	slices.Sort(want)
	h.runUntil(saidWithin, "all hear each other", func() bool {
		slices.Sort(host.heard)
		for _, m := range h.living {
			if m != host && !slices.Equal(m.heard, []string{fmt.Sprintf("round %d from %d", round, host.pid)}) {
				return false
			}
		}
		return slices.Equal(host.heard, want)
	})
}

func (h *heirloom) sayAll(m *heir, text string) {
	w := m.party.Write(kindRound)
	w.Str(text)
	if err := w.SendAll(party.Reliable); err != nil {
		h.failf("member %d: SendAll: %v", m.name, err)
	}
}

// host is the one that hosts; nil: none does, or several.
func (h *heirloom) host() (host *heir) {
	for _, m := range h.living {
		if m.party.Hosting() {
			if host != nil {
				return nil
			}
			host = m
		}
	}
	return host
}

// united: one hosts, with a token that all the others have joined under.
func (h *heirloom) united() bool {
	host := h.host()
	if host == nil || host.party.PeerCount() != len(h.living)-1 {
		return false
	}
	for _, m := range h.living {
		if !m.party.State().Live() || m.party.Token() != host.party.Token() || m.party.PeerCount() == 0 {
			return false
		}
	}
	return true
}

func (h *heirloom) states() string {
	var b strings.Builder
	for _, m := range h.living {
		fmt.Fprintf(&b, "member %d (pid %d) is %v with %d peers; ", m.name, m.party.MyPID(), m.party.State(), m.party.PeerCount())
	}
	return b.String()
}

func (h *heirloom) runUntil(limit time.Duration, what string, holds func() bool) {
	for end := h.now + limit; !holds(); h.run(soakFrame) {
		if h.now > end {
			h.failf("%v have passed, and it does not hold that %s: %s", limit, what, h.states())
		}
	}
}

// run draws frames. Those that have left, but for the dead, draw theirs too.
func (h *heirloom) run(d time.Duration) {
	for end := h.now + d; h.now < end; {
		h.now += soakFrame
		h.net.Advance(soakFrame)
		for _, m := range h.living {
			h.frame(m)
		}
	}
}

func (h *heirloom) frame(m *heir) {
	m.party.Begin(soakFrame)
	for message := range m.party.Inbox() {
		h.note('m', m.name, fmt.Appendf(nil, "%d %d", message.By, message.Kind))
		switch message.Kind {
		case party.Hello:
			m.party.Accept(message.From)
		case kindRound:
			m.heard = append(m.heard, message.Str())
		}
	}
	m.party.Update()
	m.party.End()
	for f := range m.party.Facts() {
		h.note('f', m.name, fmt.Appendf(nil, "%v %d %s %s", f.Kind, f.PID, f.Why.String(), f.Text))
		switch f.Kind {
		case party.NewHost:
			m.newHosts++
		case party.Down:
			m.down = f.Why
			if f.Why != party.WhyMoved {
				h.failf("member %d hears Down(%v)", m.name, f.Why)
			}
		}
	}
}
