package party

import (
	"encoding/binary"
	"iter"
	"net/netip"
	"slices"

	"github.com/partyline-go/partyline/matchmaker"
)

// A roster is everyone in the party, in the order in which they would become
// host. The host sends it to its guests whenever it changes.
//
// On the wire, after kind 0 and op 2: version 4, epoch 4, token 4, last 2,
// n 1, then n
// members; big-endian.
type roster struct {
	version uint32 // counts the host's changes
	epoch   uint32 // of the host: each that takes over has a higher one
	token   uint32
	last    PID // the highest pid ever handed out
	members []rosterMember
}

// A rosterMember is one of a roster's.
//
// On the wire: pid 2, slot 1, flags 1, key 32, c 1, then c candidates of kind 1,
// family 1, address 4 or 16, port 2.
type rosterMember struct {
	pid   PID
	slot  uint8
	flags uint8
	key   [32]byte // by which it is known to any host
	cands []candidate
}

const (
	cannotHost = 1 << iota // it is last in order
	relayOnly              // it has no candidates
	isHost                 // it sent this roster
)

// A candidate is an address at which a member may be reached.
type candidate struct {
	kind uint8
	addr netip.AddrPort
}

const (
	candLocal  = 1
	candPublic = 2
	candRelay  = 3

	maxCandidates = 8
)

// appendRoster appends a roster's wire form.
func appendRoster(b []byte, r *roster) []byte {
	b = binary.BigEndian.AppendUint32(b, r.version)
	b = binary.BigEndian.AppendUint32(b, r.epoch)
	b = binary.BigEndian.AppendUint32(b, r.token)
	b = binary.BigEndian.AppendUint16(b, uint16(r.last))
	b = append(b, uint8(len(r.members)))
	for _, m := range r.members {
		b = binary.BigEndian.AppendUint16(b, uint16(m.pid))
		b = append(b, m.slot, m.flags)
		b = append(b, m.key[:]...)
		b = append(b, uint8(len(m.cands)))
		for _, c := range m.cands {
			b = appendCandidate(b, c)
		}
	}
	return b
}

func appendCandidate(b []byte, c candidate) []byte {
	ip := c.addr.Addr().Unmap()
	family := uint8(4)
	if ip.Is6() {
		family = 6
	}
	b = append(b, c.kind, family)
	b = append(b, ip.AsSlice()...)
	return binary.BigEndian.AppendUint16(b, c.addr.Port())
}

// parseRoster reads what appendRoster wrote; false for anything odd: a pid or a
// slot twice, more than MaxMembers, not exactly one host, bytes left over.
func parseRoster(b []byte) (r roster, ok bool) {
	w := wireReader{b}
	r.version, r.epoch, r.token = w.uint32(), w.uint32(), w.uint32()
	r.last = PID(w.uint16())
	n := int(w.uint8())
	if n > MaxMembers || r.epoch > maxEpoch {
		return roster{}, false
	}
	for range n {
		m := w.rosterMember()
		if w.bad() || !r.mayAdd(m) {
			return roster{}, false
		}
		r.members = append(r.members, m)
	}
	if !w.done() || r.host() == nil {
		return roster{}, false
	}
	return r, true
}

func (w *wireReader) rosterMember() (m rosterMember) {
	m.pid, m.slot, m.flags = PID(w.uint16()), w.uint8(), w.uint8()
	copy(m.key[:], w.take(len(m.key)))
	n := int(w.uint8())
	if n > maxCandidates {
		w.spoil()
	}
	for range n {
		c := w.candidate()
		if w.bad() {
			return m
		}
		m.cands = append(m.cands, c)
	}
	return m
}

func (w *wireReader) candidate() (c candidate) {
	c.kind = w.uint8()
	size := 4
	switch w.uint8() {
	case 4:
	case 6:
		size = 16
	default:
		w.spoil()
	}
	if c.kind < candLocal || c.kind > candRelay {
		w.spoil()
	}
	ip, _ := netip.AddrFromSlice(w.take(size))
	c.addr = netip.AddrPortFrom(ip, w.uint16())
	return c
}

// mayAdd says whether m goes with the members so far.
func (r *roster) mayAdd(m rosterMember) bool {
	if m.pid == 0 || m.pid > r.last || m.slot >= MaxMembers || m.flags&isHost != 0 && r.host() != nil {
		return false
	}
	return !slices.ContainsFunc(r.members, func(o rosterMember) bool {
		return o.pid == m.pid || o.slot == m.slot
	})
}

// host is the member that sent the roster; nil: none did.
func (r *roster) host() *rosterMember {
	for i := range r.members {
		if r.members[i].flags&isHost != 0 {
			return &r.members[i]
		}
	}
	return nil
}

// member is the one of a pid; nil: it is not in the party.
func (r *roster) member(pid PID) *rosterMember {
	for i := range r.members {
		if r.members[i].pid == pid {
			return &r.members[i]
		}
	}
	return nil
}

// byKey is the member that a key belongs to; nil: a newcomer's.
func (r *roster) byKey(key [32]byte) *rosterMember {
	for i := range r.members {
		if r.members[i].key == key {
			return &r.members[i]
		}
	}
	return nil
}

// rank is a member's place in the order of heirs, from 0.
func (r *roster) rank(pid PID) int {
	return slices.IndexFunc(r.members, func(m rosterMember) bool { return m.pid == pid })
}

// add puts a member in its place in the order: by pid, those that cannot host
// last.
func (r *roster) add(m rosterMember) {
	at, _ := slices.BinarySearchFunc(r.members, m, func(a, b rosterMember) int {
		if x, y := a.flags&cannotHost, b.flags&cannotHost; x != y {
			return int(x) - int(y)
		}
		return int(a.pid) - int(b.pid)
	})
	r.members = slices.Insert(r.members, at, m)
}

// addresses are where a member may be reached.
func (m *rosterMember) addresses() (to []netip.AddrPort) {
	for _, c := range m.cands {
		to = append(to, c.addr)
	}
	return to
}

func addresses(to ...netip.AddrPort) []netip.AddrPort { return to }

// remove takes a member out.
func (r *roster) remove(pid PID) {
	r.members = slices.DeleteFunc(r.members, func(m rosterMember) bool { return m.pid == pid })
}

// freeSlot is the lowest slot that nobody has; -1: all are taken.
func (r *roster) freeSlot() int {
	var taken [MaxMembers]bool
	for _, m := range r.members {
		taken[m.slot] = true
	}
	return slices.Index(taken[:], false)
}

// sameMembers says whether two rosters have the same pids in the same order.
func sameMembers(a, b []rosterMember) bool {
	return slices.EqualFunc(a, b, func(x, y rosterMember) bool { return x.pid == y.pid })
}

// candidatesOf are the addresses at which others may reach a guest that this
// host sees at addr. One on this very machine is at this machine's address for
// everyone else.
func (p *Party) candidatesOf(addr netip.AddrPort) []candidate {
	kind := uint8(candPublic)
	if ip := addr.Addr(); ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		kind = candLocal
	}
	cands := []candidate{{kind, addr}}
	if own := p.ownAddr().Addr(); addr.Addr().IsLoopback() && own.IsValid() && !own.IsLoopback() {
		cands = append(cands, candidate{candLocal, netip.AddrPortFrom(own, addr.Port())})
	}
	return cands
}

// locate puts into a guest's place in the roster where the others may reach it:
// nowhere, if it is reached over a relay alone.
func (p *Party) locate(r *Peer, m *rosterMember) {
	r.located = r.Addr()
	m.flags &^= relayOnly | cannotHost
	m.cands = nil
	if r.relayed() {
		m.flags |= relayOnly | cannotHost
		return
	}
	m.cands = p.candidatesOf(r.Addr())
	for _, at := range append(pick(nil, r.cands, matchmaker.LocalCandidate, dialLocals), pick(nil, r.cands, matchmaker.PublicCandidate, dialPublics)...) {
		known := slices.ContainsFunc(m.cands, func(c candidate) bool { return c.addr == at })
		if known || len(m.cands) == maxCandidates {
			continue
		}
		kind := uint8(candPublic)
		if at.Addr().IsPrivate() {
			kind = candLocal
		}
		m.cands = append(m.cands, candidate{kind, at})
	}
}

// followMoves notes in the roster where guests are that have moved.
func (p *Party) followMoves() {
	for _, r := range p.peers {
		if r.role != roleGuest || r.located == r.Addr() {
			continue
		}
		if m := p.place.roster.member(r.pid); m != nil {
			moved := *m
			p.locate(r, &moved)
			p.place.roster.remove(r.pid)
			p.place.roster.add(moved)
			p.rosterChanged()
		}
	}
}

// A Member is someone in the party, connected to this side or not.
type Member struct {
	PID  PID
	Slot int   // 0 to 11, for tables: a slot is used again when its member has gone
	Host bool  // the host
	Me   bool  // this side
	Peer *Peer // its connection; nil for this side, and between guests
}

// Members gives everyone in the party, this side included, in the order in
// which they would become host. A guest knows it from its host, a little late.
func (p *Party) Members() iter.Seq[Member] {
	return func(yield func(Member) bool) {
		for i := 0; i < len(p.place.roster.members) && p.state.Live(); i++ {
			if !yield(p.memberAt(i)) {
				return
			}
		}
	}
}

func (p *Party) memberAt(i int) Member {
	m := &p.place.roster.members[i]
	return Member{
		PID:  m.pid,
		Slot: int(m.slot),
		Host: m.flags&isHost != 0,
		Me:   m.pid == p.place.pid,
		Peer: p.PeerOf(m.pid),
	}
}
