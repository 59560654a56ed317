package tests

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
	"github.com/partyline-go/partyline/tests/simnet"
)

const (
	soakFrame       = time.Second / 60
	partyHealed     = 120 * time.Second // after the network heals, all that was sent is heard
	mostFrameSends  = 64                // datagrams in one frame for each who was ever there: bulk at full pace
	kindWords       = party.Kind(10)    // a reliable message of a ledger
	kindValue       = party.Kind(11)    // a value of a ledger
	kindPassedWords = party.Kind(12)    // a reliable message from guest to guest
	kindPassedValue = party.Kind(13)    // a guest's value, forwarded by the host
)

// A soakedParty is a host and its guests on one simulated network, and the
// accounts of who said what to whom.
type soakedParty struct {
	*soak
	net     *simnet.Network
	host    *member
	guests  []*member
	run     time.Duration
	calm    bool // the script is over: nobody joins, leaves or stalls, nothing new is said
	ledgers map[[2]int]*ledger
	lives   int // members so far, those that came back counted anew
}

// A member is one party in one life: who leaves and joins again is another.
type member struct {
	life    int
	seat    int // which place of the script, 0 the host
	socket  *simnet.Socket
	party   *party.Party
	stalls  []span
	cuts    []span // this member's network is away
	talk    int    // says something every so many frames
	last    time.Duration
	next    time.Duration  // when it joins, or leaves
	pid     party.PID      // once joined
	outcome party.FactKind // of its join: Joined or Down
	down    bool
	hears   map[*party.Peer]*member // at the host: who is behind a peer
	gone    map[*party.Peer]bool    // at the host: let go
}

// soakParty runs a party until the script ends, lets the network heal, sees
// everything arrive, and ends it.
func soakParty(s *soak) {
	p := newSoakedParty(s)
	for p.now < p.run {
		p.comeAndGo()
		p.frame()
	}

	p.calm = true
	p.net.SetDefault(netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	p.frame() // which ends the cuts that were on
	for end := p.now + partyHealed; p.now < end && !p.settled(); {
		p.frame()
	}
	if !p.settled() {
		p.failf("the network has healed, and not all is heard: %s", p.unheard())
	}

	p.end()
}

func newSoakedParty(s *soak) *soakedParty {
	p := &soakedParty{
		soak:    s,
		net:     simnet.New(s.seed),
		run:     time.Duration(4+s.dice.IntN(16)) * time.Second,
		ledgers: map[[2]int]*ledger{},
	}
	p.net.Watch = p.watch
	link := s.pickLink()
	p.net.SetDefault(link)

	p.host = p.newMember(0)
	p.host.hears, p.host.gone = map[*party.Peer]*member{}, map[*party.Peer]bool{}
	if err := p.host.party.Host(0, 77); err != nil {
		p.failf("Host: %v", err)
	}
	for seat := range 1 + s.dice.IntN(party.MaxMembers-1) {
		p.guests = append(p.guests, p.newMember(1+seat))
	}
	s.script = fmt.Sprintf("a host and %d guests for %v, links %+v", len(p.guests), p.run, link)
	return p
}

// newMember gives a member of a seat that has not joined.
func (p *soakedParty) newMember(seat int) *member {
	p.lives++
	m := &member{
		life:   p.lives,
		seat:   seat,
		socket: p.net.Socket(fmt.Sprintf("10.0.%d.%d:27415", p.lives/250, p.lives%250+1)),
		stalls: p.pickSpans(1, p.run, 300*time.Millisecond, 3*time.Second, 8*time.Second, 12*time.Second),
		cuts:   p.pickSpans(1, p.run, time.Second, 5*time.Second, 9*time.Second, 11*time.Second),
		talk:   pick(p.soak, 1, 3, 20),
		last:   p.now,
		next:   p.now + p.upTo(p.run/3),
	}
	m.party = party.New(party.Config{
		Socket:    m.socket,
		NoHandOff: true,
		Random:    rand.NewChaCha8([32]byte{byte(p.seed), byte(p.seed >> 8), byte(m.life), byte(m.life >> 8)}),
	})
	return m
}

// watch sees every datagram: it is in the trace, and within the limit.
func (p *soakedParty) watch(from, to netip.AddrPort, data []byte) simnet.Fate {
	p.note('d', 0, fmt.Appendf(nil, "%v %v %x", from, to, data))
	if len(data) > party.MaxDatagram {
		p.failf("%v sends %d bytes, the limit is %d", from, len(data), party.MaxDatagram)
	}
	return simnet.Fate{}
}

// comeAndGo has guests join and leave as their time comes.
func (p *soakedParty) comeAndGo() {
	for i, m := range p.guests {
		if p.now < m.next {
			continue
		}
		m.next = p.now + time.Second + p.upTo(p.run)
		switch {
		case m.outcome == 0 && m.party.State() == party.StateIdle && !m.down:
			p.join(m)
		case m.down:
			p.guests[i] = p.newMember(m.seat)
		case p.dice.IntN(2) == 0:
			m.party.Leave()
			p.guests[i] = p.newMember(m.seat)
		default: // dies without a word
			m.socket.Close()
			p.guests[i] = p.newMember(m.seat)
		}
	}
}

// join dials the host; the hello says who is behind the peer.
func (p *soakedParty) join(m *member) {
	w := m.party.Write(party.Hello)
	w.Int(int32(m.life))
	w.SetHello()
	if err := m.party.Join(codes.Target{Addr: p.host.socket.LocalAddr()}); err != nil {
		p.failf("guest %d: Join: %v", m.life, err)
	}
}

// frame moves the network on, and gives each member that does not stall its
// frame.
func (p *soakedParty) frame() {
	p.now += soakFrame
	p.net.Advance(soakFrame)
	for _, m := range p.everyone() {
		p.cut(m)
		if !p.calm && anyHas(m.stalls, p.now) {
			continue
		}
		m.party.Begin(p.now - m.last)
		m.last = p.now
		for message := range m.party.Inbox() {
			p.hear(m, message)
		}
		m.party.Update()
		if !p.calm {
			p.say(m)
		}
		before := m.socket.Sent.Datagrams
		m.party.End()
		if n := m.socket.Sent.Datagrams - before; n > mostFrameSends*p.lives {
			p.failf("member %d sends %d datagrams in one frame", m.life, n)
		}
		for f := range m.party.Facts() {
			p.fact(m, f)
		}
	}
}

func (p *soakedParty) everyone() []*member { return append([]*member{p.host}, p.guests...) }

// cut takes a member's network away, or gives it back.
func (p *soakedParty) cut(m *member) {
	at, all := m.socket.LocalAddr(), netip.AddrPort{}
	if !p.calm && anyHas(m.cuts, p.now) {
		p.net.Cut(at, all)
		p.net.Cut(all, at)
	} else {
		p.net.Mend(at, all)
		p.net.Mend(all, at)
	}
}

// ledger is the account of what one life says to another.
func (p *soakedParty) ledger(from, to *member) *ledger {
	key := [2]int{from.life, to.life}
	if p.ledgers[key] == nil {
		p.ledgers[key] = newLedger(p.soak, uint64(from.life)<<16|uint64(to.life), 200, 200)
	}
	return p.ledgers[key]
}

// say has a member say what it has to say in a frame.
func (p *soakedParty) say(m *member) {
	if m.talk > 1 && p.dice.IntN(m.talk) > 0 {
		return
	}
	if m == p.host {
		for peer := range m.party.Peers() {
			if to := m.hears[peer]; to != nil && !m.gone[peer] {
				p.sayWords(m, to, peer)
				p.sayValue(m, to, peer)
			}
		}
		return
	}
	for peer := range m.party.Peers() {
		p.sayWords(m, p.host, peer)
		p.sayValue(m, p.host, peer)
	}
	p.sayPassed(m)
}

// mostWaiting keeps the script from saying more than a line can carry.
const mostWaiting = 300

func (p *soakedParty) sayWords(from, to *member, peer *party.Peer) {
	l := p.ledger(from, to)
	if l.sent-l.heard > mostWaiting || p.dice.IntN(3) > 0 {
		return
	}
	w := from.party.Write(kindWords)
	w.Bytes(l.message(l.sent))
	if err := w.Send(peer, party.Reliable); err != nil {
		p.failf("member %d: Send: %v", from.life, err)
	}
	l.sent++
}

func (p *soakedParty) sayValue(from, to *member, peer *party.Peer) {
	stream := uint16(p.dice.IntN(3)) * 30
	w := from.party.Write(kindValue)
	w.Uint16(stream)
	w.Bytes(p.ledger(from, to).nextValue(stream))
	if err := w.Send(peer, party.Latest(stream)); err != nil {
		p.failf("member %d: Send: %v", from.life, err)
	}
}

// sayPassed says something to another guest, over the host.
func (p *soakedParty) sayPassed(from *member) {
	to := p.guests[p.dice.IntN(len(p.guests))]
	if to == from || to.pid == 0 || from.pid == 0 || to.down || p.dice.IntN(3) > 0 {
		return
	}
	l := p.ledger(from, to)
	if l.sent-l.heard > mostWaiting {
		return
	}
	w := from.party.Write(kindPassedWords)
	w.Bytes(l.message(l.sent))
	if err := w.SendTo(party.Reliable, to.pid); err != nil {
		return // the guest does not know yet, or not any more, who is there
	}
	l.sent++
}

// hear checks what a member is told.
func (p *soakedParty) hear(m *member, message *party.Message) {
	data := message.Bytes()
	p.note('m', m.life, fmt.Appendf(nil, "%d %d %x", message.By, message.Kind, data))
	if m.down {
		p.failf("member %d is told something after Down", m.life)
	}
	if m == p.host && m.gone[message.From] {
		p.failf("the host is told something by pid %d, which is gone", message.By)
	}
	switch message.Kind {
	case party.Hello:
		p.hearHello(m, message.From, data)
	case kindWords:
		p.ledger(p.author(m, message), m).hearMessage(data)
	case kindValue:
		stream := binary.LittleEndian.Uint16(data)
		p.ledger(p.author(m, message), m).hearValue(stream, data[2:])
	case kindPassedWords:
		p.ledger(p.author(m, message), m).hearMessage(data)
	default:
		p.failf("member %d is told kind %d, which nobody says", m.life, message.Kind)
	}
}

// author is the life that wrote a message.
func (p *soakedParty) author(m *member, message *party.Message) *member {
	if m == p.host {
		return m.hears[message.From]
	}
	if message.By == p.host.party.MyPID() {
		return p.host
	}
	for peer, behind := range p.host.hears {
		if peer.PID() == message.By {
			return behind
		}
	}
	p.failf("member %d is told something by pid %d, which is nobody's", m.life, message.By)
	return nil
}

func (p *soakedParty) hearHello(m *member, from *party.Peer, data []byte) {
	if m != p.host || m.hears[from] != nil {
		p.failf("member %d is told a hello that is not for it, or twice", m.life)
	}
	life := int(binary.LittleEndian.Uint32(data))
	for _, guest := range p.guests {
		if guest.life == life {
			m.hears[from] = guest
		}
	}
	if m.hears[from] == nil { // it has left since
		m.party.Refuse(from, "too late")
		return
	}
	m.party.Accept(from)
}

// fact checks what a member is told about the session.
func (p *soakedParty) fact(m *member, f party.Fact) {
	p.note('f', m.life, fmt.Appendf(nil, "%v %d %v %s", f.Kind, f.PID, f.Why, f.Text))
	if m == p.host {
		p.hostFact(f)
		return
	}
	switch f.Kind {
	case party.Joined:
		if m.outcome != 0 {
			p.failf("guest %d hears Joined after %v", m.life, m.outcome)
		}
		m.outcome, m.pid = party.Joined, m.party.MyPID()
	case party.Down:
		if m.down {
			p.failf("guest %d hears Down(%v) after Down", m.life, f.Why)
		}
		m.down = true
		if m.outcome == 0 {
			m.outcome = party.Down
		}
	case party.PeersChanged:
	default:
		p.failf("guest %d hears %v(%v)", m.life, f.Kind, f.Why)
	}
}

func (p *soakedParty) hostFact(f party.Fact) {
	switch f.Kind {
	case party.Joined:
		if p.host.gone[f.Peer] {
			p.failf("the host hears Joined of pid %d after it was gone", f.PID)
		}
	case party.Gone:
		if p.host.gone[f.Peer] {
			p.failf("the host hears twice that pid %d is gone", f.PID)
		}
		p.host.gone[f.Peer] = true
	case party.PeersChanged:
	default:
		p.failf("the host hears %v(%v)", f.Kind, f.Why)
	}
}

// settled: everyone who is in the party has heard all that was said to it,
// and nobody is on the way.
func (p *soakedParty) settled() bool { return p.unheard() == "" }

func (p *soakedParty) unheard() string {
	for _, m := range p.guests {
		if m.party.State() == party.StateJoining {
			return fmt.Sprintf("guest %d is still joining", m.life)
		}
		if m.down || m.outcome != party.Joined {
			continue
		}
		if !p.hosted(m) {
			return fmt.Sprintf("guest %d does not know yet that it is out", m.life)
		}
		for _, l := range []*ledger{p.ledger(p.host, m), p.ledger(m, p.host)} {
			if l.heard != l.sent {
				return fmt.Sprintf("%d of %d messages between the host and guest %d", l.heard, l.sent, m.life)
			}
		}
	}
	return ""
}

// hosted says whether the host has m among its guests.
func (p *soakedParty) hosted(m *member) bool {
	for peer, behind := range p.host.hears {
		if behind == m && !p.host.gone[peer] {
			return true
		}
	}
	return false
}

// end has the host leave; its guests hear it once.
func (p *soakedParty) end() {
	p.host.party.Leave()
	for range 3 * 60 {
		p.frame()
	}
	for _, m := range p.guests {
		if m.outcome == party.Joined && !m.down {
			p.failf("guest %d has not heard that the host left", m.life)
		}
	}
}
