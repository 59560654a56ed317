package world

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/inbox"
)

// A Relayed is the client of a [Relay]: a party.Relay. It asks over UDP and,
// when that brings nothing and the servers are also reached by it, over TCP.
type Relayed struct {
	inbox.Inbox // what has come through the relay

	host        *Host
	relay       *Relay
	credentials string
	overTCP     bool // the servers say that it may
	socket      *Socket
	stream      *stream // over TCP; nil: over UDP

	relayed netip.AddrPort
	err     error
	permits map[netip.Addr]time.Duration // until when; 0: asked for
}

const (
	relayRetry  = 500 * time.Millisecond // between two askings over UDP
	relayTCP    = 1500 * time.Millisecond
	relayGiveUp = 5 * time.Second
)

var errNoRelay = errors.New("world: no relay answers")

// newRelayed begins an allocation at a relay.
func (h *Host) newRelayed(relay *Relay, servers []matchmaker.TURNServer) *Relayed {
	c := &Relayed{Inbox: inbox.New(h.world.buffers), host: h, relay: relay, permits: make(map[netip.Addr]time.Duration)}
	if relay == nil || len(servers) == 0 {
		c.err = errNoRelay
		return c
	}
	c.credentials = servers[0].User + "\x00" + servers[0].Pass
	for _, url := range servers[0].URLs {
		c.overTCP = c.overTCP || strings.HasSuffix(url, "transport=tcp")
	}
	c.socket = h.anySocket(49152)
	c.socket.answer = func(_ netip.AddrPort, data []byte) { c.hear(data) }
	c.allocate()
	h.world.After(relayTCP, c.tryTCP)
	h.world.After(relayGiveUp, c.giveUp)
	return c
}

func (c *Relayed) waiting() bool {
	return !c.relayed.IsValid() && c.err == nil && !c.Closed && !c.host.dead
}

func (c *Relayed) allocate() {
	if c.waiting() {
		c.say(append([]byte{relayAllocate}, c.credentials...))
		c.host.world.After(relayRetry, c.allocate)
	}
}

func (c *Relayed) tryTCP() {
	if !c.waiting() || !c.overTCP {
		return
	}
	var at relayClientOn
	c.stream = newStream(c.host, c.relay.host, func(data []byte) {
		if data == nil {
			data = []byte{relayFree}
		}
		c.relay.receive(at, data)
	}, c.hear)
	at.pipe = c.stream.down
	c.allocate()
}

func (c *Relayed) giveUp() {
	if c.waiting() {
		c.err = errNoRelay
	}
}

// say sends something to the relay.
func (c *Relayed) say(data []byte) {
	if c.stream != nil {
		c.stream.up.send(data)
	} else if !c.socket.Closed {
		c.socket.Send(netip.AddrPortFrom(c.relay.host.addr, matchmaker.DefaultPort), data)
	}
}

// hear takes what the relay says.
func (c *Relayed) hear(data []byte) {
	if c.Closed {
		return
	}
	if data == nil && c.err == nil {
		c.err = errBroken
	}
	if len(data) == 0 {
		return
	}
	body := data[1:]
	switch data[0] {
	case relayAllocated:
		c.relayed = addrOf(body)
	case relayRefused:
		if !c.relayed.IsValid() {
			c.err = errors.New("world: " + string(body))
		}
	case relayPermitted:
		c.permits[addrOf(body).Addr()] = c.host.world.now + permissionLife
	case relayForbidden:
		c.permits[addrOf(body).Addr()] = never // not to be asked for again
	case relayHeard:
		c.Put(addrOf(body), body[18:])
	}
}

// Relayed is the address at which the relay stands for this host; not valid:
// not yet. An error is for good.
func (c *Relayed) Relayed() (netip.AddrPort, error) { return c.relayed, c.err }

// Permit lets peers at an IP send; it is asked for until the relay has heard,
// and again before it ends.
func (c *Relayed) Permit(to netip.Addr) {
	if _, asked := c.permits[to]; !asked {
		c.permits[to] = 0
		c.permit(to)
	}
}

func (c *Relayed) permit(to netip.Addr) {
	w := c.host.world
	switch until := c.permits[to]; {
	case c.Closed || c.host.dead || c.err != nil:
	case until > w.now+time.Minute:
		w.After(until-w.now-time.Minute, func() { c.permit(to) })
	default:
		if c.relayed.IsValid() {
			c.say(appendAddr([]byte{relayPermit}, netip.AddrPortFrom(to, 0)))
		}
		w.After(relayRetry, func() { c.permit(to) })
	}
}

// WriteBatch sends through the relay.
func (c *Relayed) WriteBatch(b []netmsg.Datagram) (int, error) {
	if c.Closed {
		return 0, net.ErrClosed
	}
	for _, d := range b {
		c.say(append(appendAddr([]byte{relaySend}, d.Addr), d.Data...))
	}
	return len(b), nil
}

// LocalAddr is the address of the client's own socket.
func (c *Relayed) LocalAddr() netip.AddrPort {
	if c.socket == nil {
		return netip.AddrPort{}
	}
	return c.socket.addr
}

// Close gives the allocation back.
func (c *Relayed) Close() error {
	if c.Closed || c.socket == nil {
		c.Closed = true
		return nil
	}
	c.say([]byte{relayFree})
	c.Closed = true
	c.socket.Close()
	if c.stream != nil {
		c.stream.close(c.host)
	}
	return nil
}
