package netmsg

import (
	"net/netip"
	"time"
)

const (
	maxTargets      = 8                      // addresses of an attempt
	privateRequests = 8                      // to a private one of several: it may be somebody else's in this network
	choiceTime      = 50 * time.Millisecond  // after the first Challenge, for a better address to be heard
	deniedPatience  = 800 * time.Millisecond // after a Denied, for a Challenge to prove it false
)

// A dialTarget is one address that the server may be at.
type dialTarget struct {
	addr     netip.AddrPort
	rank     int // lower is better
	requests int
	next     time.Duration // the next Request is due

	heard     bool      // a usable Challenge came from it, ever
	offered   bool      // one came that has had no turn yet
	tried     bool      // Responses went to it, since all had their turn
	challenge challenge // the newest usable one

	denied   denial        // the first that it said; 0: none
	deniedAt time.Duration // and when
}

// givesUpAt is when the target is given up because it said Denied; never if it
// did not, or a Challenge came too.
func (t *dialTarget) givesUpAt() time.Duration {
	if t.denied == 0 || t.heard {
		return never
	}
	return t.deniedAt + deniedPatience
}

// private says whether an address is of a local network. Synthetic ones, which
// stand for paths that are not UDP, are not.
func private(a netip.Addr) bool {
	return !synthetic(a) && (a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast())
}

// syntheticPrefix holds the addresses by which paths that are not plain UDP
// are named; nothing is ever sent to one.
var syntheticPrefix = netip.MustParsePrefix("fd6e:6d00::/24")

func synthetic(a netip.Addr) bool { return syntheticPrefix.Contains(a) }
