package party

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// How a party learns at which address others see its socket: it asks STUN
// servers, from that very socket, and asks again, so that the router keeps the
// way open.

const (
	stunServers = 2 // that are asked
	stunTries   = 5 // questions of one round
	stunRetry   = 250 * time.Millisecond
	stunAgain   = 15 * time.Second // between rounds
	lookUpTime  = 5 * time.Second
)

// An outside is what STUN servers say of this side.
type outside struct {
	asks  []stunAsk
	names chan netip.AddrPort // of a look-up that is on
	told  int                 // how many servers were named by Config or matchmaker

	learned   bool // an address was
	learnedAt time.Duration
}

// A stunAsk is one server, and the question that is on.
type stunAsk struct {
	server netip.AddrPort
	id     matchmaker.TransactionID
	tries  int
	next   time.Duration
	seen   netip.AddrPort // not valid: it has not answered yet
}

// startOutside asks the servers of the Config.
func (p *Party) startOutside() {
	if p.cfg.NoStun {
		return
	}
	if at, err := netip.ParseAddrPort(p.cfg.StunAt); err == nil {
		p.askServer(at)
	}
	if p.cfg.StunHost != "" {
		p.askName(p.cfg.StunHost, p.cfg.StunPort)
	}
}

// askOutside asks the matchmaker's servers, unless the Config names others.
func (p *Party) askOutside(uris []string) {
	if p.cfg.NoStun || p.cfg.StunAt != "" || p.cfg.StunHost != "" {
		return
	}
	for _, uri := range uris {
		if host, port, err := matchmaker.STUNHost(uri); err == nil && p.out.told < stunServers {
			p.askName(host, port)
		}
	}
}

// askName asks a server that may have a name. A name is looked up in a
// goroutine; a stepped party has none.
func (p *Party) askName(host string, port uint16) {
	if ip, err := netip.ParseAddr(host); err == nil {
		p.askServer(netip.AddrPortFrom(ip.Unmap(), port))
		return
	}
	if p.clock.stepped || p.out.told == stunServers {
		return
	}
	p.out.told++
	names := make(chan netip.AddrPort, 1)
	p.out.names = names
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), lookUpTime)
		defer cancel()
		if ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", host); err == nil {
			names <- netip.AddrPortFrom(ips[0].Unmap(), port)
		}
	}()
}

func (p *Party) askServer(at netip.AddrPort) {
	known := slices.ContainsFunc(p.out.asks, func(a stunAsk) bool { return a.server == at })
	if known || len(p.out.asks) == stunServers || !at.IsValid() {
		return
	}
	p.out.told = max(p.out.told, len(p.out.asks)+1)
	p.out.asks = append(p.out.asks, stunAsk{server: at, next: p.now})
}

// tendOutside hears the answers and asks what is due.
func (p *Party) tendOutside() {
	select {
	case at := <-p.out.names:
		p.askServer(at)
	default:
	}
	for a, ok := p.ears.heardSTUN(); ok; a, ok = p.ears.heardSTUN() {
		p.answered(a)
	}
	for i := range p.out.asks {
		p.askOn(&p.out.asks[i])
	}
}

// askOutsideAgain asks the servers at once that were to be asked later.
func (p *Party) askOutsideAgain() {
	for i := range p.out.asks {
		if a := &p.out.asks[i]; a.tries == 0 {
			a.next = p.now
		}
	}
}

// answered takes an answer, if it is the one to the question that is on.
func (p *Party) answered(a stunAnswer) {
	for i := range p.out.asks {
		ask := &p.out.asks[i]
		if ask.server != a.from || ask.tries == 0 || ask.id != a.id {
			continue
		}
		changed := ask.seen != a.seen
		ask.seen, ask.tries, ask.next = a.seen, 0, p.now+stunAgain
		if changed {
			p.log.Debug("seen from outside", "server", a.from, "as", a.seen)
			p.out.learned, p.out.learnedAt = true, p.now
			p.candidatesChanged()
		}
	}
}

// askOn sends a server's question when it is due. One that does not answer is
// asked again in the next round.
func (p *Party) askOn(a *stunAsk) {
	switch {
	case p.now < a.next:
		return
	case a.tries == stunTries:
		a.tries, a.next = 0, p.now+stunAgain
		return
	case a.tries == 0:
		p.fillRandom(a.id[:])
	}
	p.ep.SendForeign(a.server, matchmaker.BindingRequest(a.id)) // what cannot be sent is asked again
	a.next = p.now + stunRetry<<a.tries
	a.tries++
}

// Outside is the address at which a STUN server sees this side's socket; not
// valid before one has answered. It is that of the router, if there is one.
func (p *Party) Outside() netip.AddrPort {
	for _, a := range p.out.asks {
		if a.seen.IsValid() {
			return a.seen
		}
	}
	return netip.AddrPort{}
}
