package party

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
	netmsg "github.com/partyline-go/partyline/net"
)

// A Path says by which way a peer is reached.
type Path uint8

const (
	PathNone Path = iota // there is no connection
	Direct               // straight through the routers
	Local                // within one network, or on one machine
	Relayed              // over a TURN server
)

// String names it in a word, for logs.
func (w Path) String() string {
	switch w {
	case PathNone:
		return "none"
	case Direct:
		return "direct"
	case Local:
		return "local"
	case Relayed:
		return "relayed"
	}
	return fmt.Sprintf("Path(%d)", uint8(w))
}

// Path is the way on which the peer is reached now. A relayed connection moves
// to a direct path by itself when one is found.
func (r *Peer) Path() Path {
	at := r.Addr()
	switch a := at.Addr(); {
	case !at.IsValid():
		return PathNone
	case r.relayed():
		return Relayed
	case a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a == r.party.ownAddr().Addr():
		return Local
	}
	return Direct
}

// relayed says whether the peer is reached over a relay: this side's, or the one
// at which the peer has told the matchmaker that it is.
func (r *Peer) relayed() bool {
	at := r.Addr()
	return netmsg.IsPath(at) || slices.Contains(r.relays, at)
}

const (
	directFirst = 5 * time.Second  // after a relayed connection opened
	directAgain = 30 * time.Second // of the host's clock
	directEach  = time.Second      // for one address
)

// seekDirect has relayed connections try the direct paths, both sides at the
// same time, so that each opens its router for the other.
func (p *Party) seekDirect() {
	for _, r := range p.peers {
		if r.role == roleGuest || r.role == roleHost {
			p.seekDirectTo(r)
		}
	}
}

func (p *Party) seekDirectTo(r *Peer) {
	if !r.relayed() || p.cfg.ForceRelay {
		return
	}
	switch {
	case r.directAt == 0:
		r.directAt = r.openedAt + directFirst
	case p.now < r.directAt:
	default:
		list := p.directOf(r)
		if r.directTry < len(list) {
			r.conn.Probe(list[r.directTry])
			r.directTry++
			r.directAt = p.now + directEach
			return
		}
		r.directTry, r.directRound = 0, r.directRound+1
		r.directAt = p.nextRound()
	}
}

// nextRound is when both sides try again: the host's clock tells.
func (p *Party) nextRound() time.Duration {
	t, _, _ := p.Clock()
	return p.now + directAgain - t%directAgain
}

// directOf lists the addresses to try for a peer: the public ones, twice. Local
// ones were asked at the join, and may be somebody else's in this network; they
// have one more chance, in the second round.
func (p *Party) directOf(r *Peer) []netip.AddrPort {
	cands := r.cands
	if p.meeting != nil && p.meeting.peer == r {
		cands = p.meeting.cands
	}
	list := pick(nil, cands, matchmaker.PublicCandidate, dialPublics)
	list = append(list, list...)
	if r.directRound == 1 {
		list = pick(list, cands, matchmaker.LocalCandidate, dialLocals)
	}
	return list
}
