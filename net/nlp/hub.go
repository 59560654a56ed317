package nlp

import (
	"iter"
	"net/netip"
	"time"
)

// MaxClients is how many clients a Hub can number: one bit of the recipients
// each.
const MaxClients = 32

// Types that a Hub says itself, as most servers of this kind do.
const (
	DefaultConnect = 1 // a new client says it, and hears it with its number
	DefaultFull    = 4 // what a client hears for whom there is no place
)

// A HubConfig sets up a Hub. A zero field is the default.
type HubConfig struct {
	Clients int   // places, 1 to 32; 32
	Connect uint8 // type of the packet that asks for a place, and of the answer, whose data is the client's number (1 byte); 1
	Full    uint8 // type of the answer when there is no place; 4
}

// A HubEventKind says what a HubEvent tells.
type HubEventKind uint8

const (
	ClientJoined HubEventKind = iota + 1 // Client has a number now
	ClientSaid                           // Packet is for the game: its recipients are 0
	ClientLeft                           // Client was silent for too long; its number is free
)

// A HubEvent is something that happened at a Hub.
type HubEvent struct {
	Kind   HubEventKind
	Client int    // 1 to 32
	Packet Packet // ClientSaid: Data is borrowed until the next call of Events
}

// A Hub is a server's side: a session per client, numbers given out lowest
// first, and packets passed on to the other clients that their recipients name.
// It is plain data; [Server] puts one on a socket. Make it with NewHub.
type Hub struct {
	cfg     HubConfig
	clients [MaxClients]*hubClient // at n-1
	byAddr  map[netip.AddrPort]*hubClient
	refused []netip.AddrPort // wait to hear that all places are taken
	events  []HubEvent
	turn    int // whose datagram goes next

	Ignored uint64 // datagrams that were no packet, or came from no client
}

type hubClient struct {
	number  int
	addr    netip.AddrPort
	session *Session
}

// NewHub makes a Hub without clients.
func NewHub(cfg HubConfig) *Hub {
	if cfg.Clients < 1 || cfg.Clients > MaxClients {
		cfg.Clients = MaxClients
	}
	if cfg.Connect == 0 {
		cfg.Connect = DefaultConnect
	}
	if cfg.Full == 0 {
		cfg.Full = DefaultFull
	}
	return &Hub{cfg: cfg, byAddr: make(map[netip.AddrPort]*hubClient)}
}

// Receive acts on one datagram. A source that is no client is answered only
// when it asks for a place. False: the datagram is no packet, or of no client.
func (h *Hub) Receive(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	c := h.byAddr[from]
	if c == nil {
		p, ok := Parse(datagram)
		if !ok || p.Type != h.cfg.Connect || p.Recipients != 0 {
			h.Ignored++
			return false
		}
		if c = h.take(now, from); c == nil {
			return true
		}
	}
	if !c.session.Receive(now, datagram) {
		h.Ignored++
		return false
	}
	h.gather(c)
	return true
}

// take gives from the lowest free number, or notes that it is refused.
func (h *Hub) take(now time.Duration, from netip.AddrPort) *hubClient {
	for i := range h.clients[:h.cfg.Clients] {
		if h.clients[i] != nil {
			continue
		}
		c := &hubClient{number: i + 1, addr: from, session: NewSession(now)}
		h.clients[i], h.byAddr[from] = c, c
		h.events = append(h.events, HubEvent{Kind: ClientJoined, Client: c.number})
		c.session.Send(h.cfg.Connect, 0, 1<<i, []byte{byte(c.number)})
		return c
	}
	if len(h.refused) < MaxClients {
		h.refused = append(h.refused, from)
	}
	return nil
}

// maxHubEvents is how many events wait for the game. Beyond, packets wait in
// their sessions, which stop acknowledging when they are full.
const maxHubEvents = 1024

// gather takes what a client's session has: packets for others are passed on,
// the rest is the game's.
func (h *Hub) gather(c *hubClient) {
	for len(h.events) < maxHubEvents {
		e, ok := c.session.event()
		if !ok {
			return
		}
		p := e.Packet
		switch {
		case e.Kind == Lost:
			h.drop(c)
			return
		case p.Recipients != 0:
			h.pass(c, p)
		case p.Type != h.cfg.Connect:
			h.events = append(h.events, HubEvent{Kind: ClientSaid, Client: c.number, Packet: p})
		}
	}
}

// pass sends a packet on: the same type, flags and data, to every other client
// whose bit is set. Its own recipients are 0 and nothing says who sent it.
func (h *Hub) pass(from *hubClient, p Packet) {
	for i, c := range h.clients {
		if c != nil && c != from && p.Recipients>>i&1 == 1 {
			c.session.Send(p.Type, p.Flags, 0, p.Data)
		}
	}
}

func (h *Hub) drop(c *hubClient) {
	h.clients[c.number-1] = nil
	delete(h.byAddr, c.addr)
	h.events = append(h.events, HubEvent{Kind: ClientLeft, Client: c.number})
}

// Send queues a packet for the clients that recipients names. An error is the
// first client's that would not take it; the others have it.
func (h *Hub) Send(kind uint8, flags Flags, recipients uint32, data []byte) (err error) {
	for i, c := range h.clients {
		if c != nil && recipients>>i&1 == 1 {
			if e := c.session.Send(kind, flags, 0, data); e != nil && err == nil {
				err = e
			}
		}
	}
	return err
}

// Transmit writes the next datagram that is due, for to; 0 when there is none.
func (h *Hub) Transmit(now time.Duration, buf []byte) (n int, to netip.AddrPort) {
	if len(h.refused) > 0 {
		to, h.refused = h.refused[0], h.refused[1:]
		p := Packet{Version: Version, Type: h.cfg.Full, Flags: Unreliable, Seq: UnreliableNumber(1), Ack: 0xFFFF}
		b, _ := p.Append(buf[:0])
		return len(b), to
	}
	for range h.clients {
		c := h.clients[h.turn]
		if c != nil {
			if n := c.session.Transmit(now, buf); n > 0 {
				return n, c.addr
			}
			h.gather(c)
		}
		h.turn = (h.turn + 1) % len(h.clients)
	}
	return 0, netip.AddrPort{}
}

// Deadline is when Transmit has something to do.
func (h *Hub) Deadline() time.Duration {
	at := never
	for _, c := range h.clients {
		if c != nil {
			at = min(at, c.session.Deadline())
		}
	}
	if len(h.refused) > 0 {
		at = 0
	}
	return at
}

// Events gives what has happened, in order; a break leaves the rest.
func (h *Hub) Events() iter.Seq[HubEvent] {
	return func(yield func(HubEvent) bool) {
		for len(h.events) > 0 {
			e := h.events[0]
			h.events = append(h.events[:0], h.events[1:]...)
			if !yield(e) {
				return
			}
		}
		for _, c := range h.clients {
			if c != nil {
				h.gather(c)
			}
		}
	}
}

// Len is how many clients there are.
func (h *Hub) Len() int { return len(h.byAddr) }

// Kick frees a client's number at once. The protocol has no word for it: the
// client finds out by silence.
func (h *Hub) Kick(client int) {
	if client >= 1 && client <= MaxClients && h.clients[client-1] != nil {
		h.drop(h.clients[client-1])
	}
}
