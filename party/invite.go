package party

import (
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
)

// secretMask keeps an invitation's 60 bits.
const secretMask = 1<<60 - 1

// Invitation is a host's join code with the fingerprint of its key and a secret
// of the session: whoever joins by it is sure to speak to this host, and nobody
// in between can listen. 34 symbols, or 54 with an IPv6 address; "" when this
// side is not hosting, or has no address that others could reach.
func (p *Party) Invitation() string {
	if p.state != StateHosting || !p.ownAddr().IsValid() {
		return ""
	}
	code, err := codes.Invite(p.ownAddr(), netmsg.Fingerprint(p.key[:]), p.secret)
	if err != nil {
		return ""
	}
	return code
}

// Fingerprint is that of this side's key, as 12 symbols, for two people who
// compare them aloud.
func (p *Party) Fingerprint() string { return netmsg.FingerprintText(netmsg.Fingerprint(p.key[:])) }

// Fingerprint is that of the peer's key, as 12 symbols; "" before it is known.
func (r *Peer) Fingerprint() string {
	if r.role == roleSelf {
		return r.party.Fingerprint()
	}
	if r.key == ([keySize]byte{}) {
		return ""
	}
	return netmsg.FingerprintText(netmsg.Fingerprint(r.key[:]))
}

// Verified says that the peer's key was known beforehand, or that it showed the
// invitation's secret: nobody can be in between. A guest that joined by a bare
// address has trusted the key that it saw first, and one that came by a room's
// code the matchmaker, which names the host's key.
func (r *Peer) Verified() bool {
	switch {
	case r.role == roleSelf:
		return true
	case r.conn == nil:
		return false
	}
	return r.conn.Verified()
}

// Clock is the host's game clock, the same for all members: at the host the
// time since its session began, at a guest what it estimates, within
// uncertainty of it (beside half of the difference between the two ways). It
// never runs back while the host is the same. All zero without a session, and
// before the guest knows. Party.Time is another: the sum of this side's dt.
func (p *Party) Clock() (t, uncertainty time.Duration, state netmsg.ClockState) {
	switch {
	case p.state == StateHosting:
		return p.ep.Now(), 0, netmsg.ClockGood
	case p.state == StateJoined && p.host != nil:
		return p.host.conn.Clock()
	}
	return 0, 0, 0
}
