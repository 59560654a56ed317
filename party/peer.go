package party

import (
	"iter"
	"net/netip"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// A Peer is the other end of one connection: at a host a guest or a stranger,
// at a guest the host. It is made per join, so an old one never means a new
// guest.
type Peer struct{}

// PID is the peer's pid; 0 for a stranger.
func (r *Peer) PID() PID { return 0 }

// On says that the peer is in the party.
func (r *Peer) On() bool { return false }

// Addr is the address and port of the peer's socket.
func (r *Peer) Addr() netip.AddrPort { return netip.AddrPort{} }

// LastHeard is how long ago anything came from the peer, to the frame.
func (r *Peer) LastHeard() time.Duration { return 0 }

// RTT is the smoothed round trip; 0 until it is measured.
func (r *Peer) RTT() time.Duration { return 0 }

// Loss is the share of packets to the peer that were lost lately, 0 to 1.
func (r *Peer) Loss() float64 { return 0 }

// Stats is what the connection has done. Unacked counts all reliable messages
// that the peer has not acknowledged, also those that have not left yet.
func (r *Peer) Stats() netmsg.Stats { return netmsg.Stats{} }

// A Member is someone in the party, connected to this side or not.
type Member struct {
	PID  PID
	Slot int   // 0 to 11, for tables: a slot is used again when its member has gone
	Host bool  // the host
	Me   bool  // this side
	Peer *Peer // its connection; nil for this side, and between guests
}

// Peers gives those this side is connected to: at the host the guests that were
// accepted, at a guest the host.
func (p *Party) Peers() iter.Seq[*Peer] { return func(yield func(*Peer) bool) {} }

// PeerCount is how many Peers gives.
func (p *Party) PeerCount() int { return 0 }

// PeerOf is the peer of a pid; nil if this side is not connected to it.
func (p *Party) PeerOf(pid PID) *Peer { return nil }

// Members gives everyone in the party, this side included, in the order in
// which they would become host.
func (p *Party) Members() iter.Seq[Member] { return func(yield func(Member) bool) {} }
