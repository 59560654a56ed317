package party

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/partyline-go/partyline/matchmaker/s64"
)

// A host may be listed at a master server of N64NL, which any tool can read: it
// registers there from its own socket, and from there answers who asks it for
// its name and players. That is the only word of N64NL that a party takes.

const (
	masterPort     = 6464 // of an address without one
	masterRetry    = time.Minute
	maxListedName  = 64 // bytes
	unlistedName   = "Partyline"
	discoverEvery  = 20 * time.Millisecond // answers to who asks, at most, after
	discoverBurst  = 50                    // of them at once
	maxListingData = 512                   // bytes of a datagram that has to do with listing
)

// ListingHash is what the listing of a party has in place of the SHA-256 of a
// file: it tells a browser which servers of a list are parties whose guests have
// this Config.Proto.
func ListingHash(proto uint16) [32]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint16([]byte("Partyline party"), max(proto, 1)))
}

// A listing is what a host has to do with the master server.
type listing struct {
	on        bool
	master    netip.AddrPort // not valid: not known yet
	names     chan netip.AddrPort
	lookUpAt  time.Duration // when the name is looked up, again if that failed
	registrar *s64.Registrar
	answered  time.Duration // when all answers that may go at once are free again
}

// Announced says that the master server of Config.Announce has acknowledged this
// host. It is false at guests, and again when the master does not answer any
// more.
func (p *Party) Announced() bool { return p.listing.registrar != nil && p.listing.registrar.Registered }

// tendListing registers a host that wants to be listed, and answers who asks.
func (p *Party) tendListing() {
	if p.cfg.Announce == "" || p.state != StateHosting {
		return
	}
	l := &p.listing
	if !l.on {
		l.on = true
		p.ears.listen()
	}
	p.findMaster()
	for d, ok := p.ears.heardListing(); ok; d, ok = p.ears.heardListing() {
		p.heardOfListing(d)
	}
	p.tellMaster()
}

// findMaster learns the master's address, and begins to register when it is
// known. A name is looked up in a goroutine; a stepped party has none.
func (p *Party) findMaster() {
	l := &p.listing
	select {
	case at := <-l.names:
		l.names, l.master = nil, at
	default:
	}
	switch {
	case l.registrar != nil:
	case l.master.IsValid():
		reg := s64.Registration{Port: p.Port(), Name: p.listedName(), Hash: ListingHash(p.cfg.Proto)}
		l.registrar = s64.NewRegistrar(reg, p.now)
	case l.names == nil && p.now >= l.lookUpAt:
		l.lookUpAt = p.now + masterRetry
		p.lookUpMaster()
	}
}

func (p *Party) lookUpMaster() {
	l := &p.listing
	host, port := splitMaster(p.cfg.Announce)
	if ip, err := netip.ParseAddr(host); err == nil {
		l.master = netip.AddrPortFrom(ip.Unmap(), port)
		return
	}
	if p.clock.stepped || port == 0 {
		return
	}
	names := make(chan netip.AddrPort, 1)
	l.names = names
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), lookUpTime)
		defer cancel()
		var at netip.AddrPort // not valid: it was not found
		if ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host); err == nil {
			at = netip.AddrPortFrom(preferIPv4(ips), port)
		}
		names <- at
	}()
}

// preferIPv4 picks an address that most networks can reach.
func preferIPv4(ips []netip.Addr) netip.Addr {
	for _, ip := range ips {
		if ip = ip.Unmap(); ip.Is4() {
			return ip
		}
	}
	return ips[0]
}

// splitMaster gives host and port of "host:port" or "host"; port 0: it is none.
func splitMaster(addr string) (host string, port uint16) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return addr, masterPort
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return host, 0
	}
	return host, uint16(n)
}

// listedName is Config.Name as a list shows it.
func (p *Party) listedName() string {
	name := p.cfg.Name
	if name == "" {
		return unlistedName
	}
	n := min(len(name), maxListedName)
	for n < len(name) && n > 0 && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n]
}

// heardOfListing takes what the master says, and answers what a browser asks.
func (p *Party) heardOfListing(d listingWord) {
	l := &p.listing
	if d.from == l.master {
		if l.registrar != nil && l.registrar.Receive(p.now, d.data) {
			return
		}
	}
	there := s64.Presence{Name: p.listedName(), Players: uint32(1 + p.count(roleGuest)), Max: MaxMembers}
	answer, ok := s64.AnswerDiscover(d.data, there)
	if !ok || l.answered > p.now+(discoverBurst-1)*discoverEvery {
		return
	}
	l.answered = max(l.answered, p.now) + discoverEvery
	_ = p.ep.SendForeign(d.from, answer) // what is lost is asked again
}

// tellMaster says what is due.
func (p *Party) tellMaster() {
	l := &p.listing
	if l.registrar == nil || p.now < l.registrar.Deadline() {
		return
	}
	buf := make([]byte, s64.MaxDatagram)
	if n := l.registrar.Transmit(p.now, buf); n > 0 {
		_ = p.ep.SendForeign(l.master, buf[:n]) // and said again, until it is acknowledged
	}
}
