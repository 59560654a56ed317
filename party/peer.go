package party

import (
	"iter"
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
	netmsg "github.com/partyline-go/partyline/net"
)

// A Peer is the other end of one connection: at a host a guest or a stranger,
// at a guest the host. It is made per join, so an old one never means a new
// guest. It is used from the party's goroutine.
type Peer struct {
	party *Party
	conn  *netmsg.Conn // nil: this side itself
	role  role
	open  bool // the connection is open: Joined was heard
	shut  bool // this side let it go: what it said is left out of the inbox

	pid  PID
	slot int
	key  [keySize]byte  // its public key
	seat [seatSize]byte // hosting: what its guest was given

	since   time.Duration // when the connection began
	heardAt time.Duration // when something came last, to the frame
	packets uint64        // that had come by then
	posted  uint64        // reliable messages sent
	own     []uint64      // which of the newest of them were the library's
	ended   netmsg.Stats  // what the connection had done when it ended

	waitBy  time.Duration // stranger, asker: when the wait ends
	waitMax time.Duration
	early   *early // stranger, asker: its early data
	hello   []byte // its hello, kept for the day it is taken, or until double is settled
	greeted bool   // stranger: its hello came
	double  *Peer  // stranger: a guest at the very same address, which may be its ghost

	openedAt    time.Duration
	cands       []matchmaker.Candidate // what it told the matchmaker, where this side held the room
	relays      []netip.AddrPort       // those that are at a relay
	directAt    time.Duration          // when a direct path is tried, if it is relayed
	directTry   int                    // the next of them
	directRound int                    // how often all were tried
	located     netip.AddrPort         // guest: where the roster has it
	ticket      int                    // guest: one over the version of the key to the room that it has; 0: it has none

	knows     uint32 // guest: version of the newest roster sent to it
	confirmed bool   // guest: it has answered
	closing   bool   // guest: CloseWhenSent
	closeBy   time.Duration

	goal     PID // dial: the member it goes to; 0: an address
	accepted accept

	firstPassing, lastPassing int32 // guest: its messages that wait to be passed on; -1: none

	why  Why // why it ends, if the peer or this side said
	text string
}

// A role is what a connection is for.
type role uint8

const (
	roleEnded    role = iota // no longer there
	roleStranger             // hosting: came in, not accepted
	roleGuest                // hosting: accepted
	roleDial                 // on the way out: a join, or a seeking
	roleHost                 // the host of this guest
	roleAsker                // a member that asks this guest to be host
	roleSelf                 // this side itself, where Loopback comes from
)

// PID is the peer's pid; 0 for a stranger.
func (r *Peer) PID() PID { return r.pid }

// On says that the peer is in the party.
func (r *Peer) On() bool {
	return r.role == roleGuest || r.role == roleHost || r.role == roleSelf
}

// Addr is the address and port of the peer's socket.
func (r *Peer) Addr() netip.AddrPort {
	if r.conn == nil {
		return netip.AddrPort{}
	}
	return r.conn.Addr()
}

// LastHeard is how long ago something came from the peer, keep-alives
// included, to the frame. It goes on rising once the peer has gone.
func (r *Peer) LastHeard() time.Duration { return r.party.now - r.heardAt }

// RTT is the smoothed round trip; 0 until it is measured.
func (r *Peer) RTT() time.Duration { return r.Stats().RTT }

// Loss is the share of packets to the peer that were lost lately, 0 to 1.
func (r *Peer) Loss() float64 { return r.Stats().Loss }

// Stats is what the connection has done. Unacked counts all reliable messages
// that the peer has not acknowledged, also those that have not left yet.
func (r *Peer) Stats() netmsg.Stats {
	switch {
	case r.conn == nil:
		return netmsg.Stats{}
	case r.role == roleEnded:
		return r.ended
	}
	return r.conn.Stats()
}

// unacked is how many reliable messages the peer has not acknowledged.
func (r *Peer) unacked() int { return r.Stats().Unacked }

// noteHeard looks whether anything came from the peer.
func (r *Peer) noteHeard() {
	if r.role == roleEnded || r.conn == nil {
		return
	}
	if n := r.conn.Stats().PacketsReceived; n != r.packets {
		r.packets, r.heardAt = n, r.party.now
	}
}

// end marks the connection's end. It stays in the list until the frame's.
func (r *Peer) end() {
	if r.role != roleEnded && r.conn != nil {
		r.ended = r.conn.Stats()
		r.party.meter.closed += r.ended.BytesSent
	}
	r.role, r.open = roleEnded, false
}

// close ends the connection without a word of the party's.
func (r *Peer) close() {
	if r.role == roleEnded {
		return
	}
	if r.conn != nil {
		r.conn.Close()
	}
	r.end()
}

// addPeer begins a connection's story.
func (p *Party) addPeer(conn *netmsg.Conn, role role) *Peer {
	r := &Peer{party: p, conn: conn, role: role, since: p.now, heardAt: p.now, firstPassing: -1, lastPassing: -1}
	p.peers = append(p.peers, r)
	return r
}

// me is this side itself as a peer: where Loopback comes from.
func (p *Party) me() *Peer {
	if p.self == nil {
		p.self = &Peer{party: p, role: roleSelf}
	}
	p.self.pid, p.self.slot = p.place.pid, p.mySlot()
	return p.self
}

// has says whether a peer that the game gives is one of this party's.
func (p *Party) has(r *Peer) bool { return r != nil && r.party == p }

// peerBy is the peer of a connection; nil: none of this session's.
func (p *Party) peerBy(conn *netmsg.Conn) *Peer {
	for _, r := range p.peers {
		if r.conn == conn {
			return r
		}
	}
	return nil
}

// count is how many peers have a role.
func (p *Party) count(role role) (n int) {
	for _, r := range p.peers {
		if r.role == role {
			n++
		}
	}
	return n
}

// forgetEnded takes the ended out of the list.
func (p *Party) forgetEnded() {
	kept := p.peers[:0]
	for _, r := range p.peers {
		if r.role != roleEnded {
			kept = append(kept, r)
		}
	}
	clear(p.peers[len(kept):])
	p.peers = kept
}

// Peers gives those this side is connected to: at the host the guests that were
// accepted, in the order in which they came; at a guest the host.
func (p *Party) Peers() iter.Seq[*Peer] {
	return func(yield func(*Peer) bool) {
		for i := 0; i < len(p.peers); i++ {
			if r := p.peers[i]; r.On() && !yield(r) {
				return
			}
		}
	}
}

// PeerCount is how many Peers gives.
func (p *Party) PeerCount() int { return p.count(roleGuest) + p.count(roleHost) }

// PeerOf is the peer of a pid; nil if this side is not connected to it.
func (p *Party) PeerOf(pid PID) *Peer {
	for _, r := range p.peers {
		if r.On() && r.pid == pid {
			return r
		}
	}
	return nil
}

// Receiving says how far a large message of the peer's is that has come in
// part: so many bytes of total, its header included. Of several channels it is
// the one with the largest. Zeros: there is none.
func (r *Peer) Receiving() (got, total int) { return r.progress((*netmsg.Conn).Receiving) }

// Sending says how far the oldest message is that the peer has not acknowledged
// whole: so many bytes of total are. Of several channels it is the one with the
// largest. Zeros: there is none.
func (r *Peer) Sending() (acked, total int) { return r.progress((*netmsg.Conn).Sending) }

func (r *Peer) progress(of func(*netmsg.Conn, netmsg.Channel) (int, int)) (done, total int) {
	if r.conn == nil || r.role == roleEnded {
		return 0, 0
	}
	for ch := netmsg.Unordered; ch <= netmsg.Ordered3; ch++ {
		if d, t := of(r.conn, ch); t > total {
			done, total = d, t
		}
	}
	return done, total
}
