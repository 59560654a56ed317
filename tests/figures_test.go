package tests

import (
	"slices"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// wireHeaders is what IPv4 and UDP add to a datagram.
const wireHeaders = 28

// A bench is one link each way and the pairs of cores that share it. Figures
// measured on it are exact: nothing depends on the machine.
type bench struct {
	now    time.Duration
	ab, ba *netmsg.LinkSim
	pairs  []*netmsg.SimPair // only their cores
	buf    []byte
	wireAB int // bytes put on the link from A to B, headers of IP and UDP included
}

func newBench(cfg *netmsg.Config, ab, ba netmsg.LinkConfig, pairs int, seed uint64) *bench {
	b := &bench{
		ab:  netmsg.NewLinkSim(ab, seed),
		ba:  netmsg.NewLinkSim(ba, seed+1),
		buf: make([]byte, 1<<16),
	}
	for i := range pairs {
		b.pairs = append(b.pairs, netmsg.NewSimPair(cfg, netmsg.LinkConfig{}, netmsg.LinkConfig{}, seed*100+uint64(i)))
	}
	return b
}

// runUntil moves the clock, doing everything at the time it is due.
func (b *bench) runUntil(end time.Duration) {
	for {
		b.deliver(b.ab, func(p *netmsg.SimPair) *netmsg.ConnectionCore { return p.B })
		b.deliver(b.ba, func(p *netmsg.SimPair) *netmsg.ConnectionCore { return p.A })
		next := min(b.ab.Deadline(), b.ba.Deadline())
		for i, p := range b.pairs {
			b.wireAB += b.transmit(p.A, b.ab, i)
			b.transmit(p.B, b.ba, i)
			next = min(next, p.A.Deadline(), p.B.Deadline())
		}
		next = min(next, b.ab.Deadline(), b.ba.Deadline())
		if next > end {
			break
		}
		b.now = max(b.now, next)
	}
	b.now = end
}

// deliver hands over what has arrived. The first byte says whose it is.
func (b *bench) deliver(link *netmsg.LinkSim, to func(*netmsg.SimPair) *netmsg.ConnectionCore) {
	for {
		n, ok := link.Deliver(b.now, b.buf)
		if !ok {
			return
		}
		to(b.pairs[b.buf[0]]).Receive(b.now, b.buf[1:n])
	}
}

func (b *bench) transmit(from *netmsg.ConnectionCore, link *netmsg.LinkSim, pair int) (wire int) {
	for {
		n := from.Transmit(b.now, b.buf[1:])
		if n == 0 {
			return wire
		}
		b.buf[0] = byte(pair)
		link.Send(b.now, b.buf[:1+n])
		wire += n + wireHeaders
	}
}

// percentile gives the value that the share p of all do not exceed.
func percentile(all []time.Duration, p float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(p*float64(len(sorted)-1))]
}

// round makes a delay readable.
func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

func TestPercentile(t *testing.T) {
	if got := percentile([]time.Duration{3, 1, 2}, 0.5); got != 2 {
		t.Errorf("the median of 3, 1, 2 is %d", got)
	}
}
