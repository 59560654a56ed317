package world

import (
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// A Matchmaker drives the real matchmaker.Directory, as a server does over
// WebSockets.
type Matchmaker struct {
	host    *Host
	relay   matchmaker.Relay
	dir     *matchmaker.Directory // nil: it is gone
	clients map[matchmaker.SocketID]*client
	last    matchmaker.SocketID
	lives   int
}

// A client is one socket of the matchmaker's.
type client struct {
	*stream
	id     matchmaker.SocketID
	heard  time.Duration // its last message
	pinged time.Duration
}

const (
	idleSocket = 2 * time.Minute // without a message, then the matchmaker closes a socket
	pongTime   = 5 * time.Second // how long a ping's answer is waited for
)

// What goes over a stream besides messages, which are JSON objects.
const (
	framePing = 'p'
	framePong = 'q'
)

func newMatchmaker(h *Host, relay matchmaker.Relay) *Matchmaker {
	m := &Matchmaker{host: h, relay: relay}
	m.Start()
	m.tick()
	return m
}

// Start has it come back after Stop, knowing nothing of what was.
func (m *Matchmaker) Start() {
	m.lives++
	m.dir = matchmaker.NewDirectory(matchmaker.Limits{}, m.relay, m.host.world.Random("matchmaker"+string(rune('0'+m.lives))), unix)
	m.clients = make(map[matchmaker.SocketID]*client)
}

// Stop kills it: all sockets break at once, and what it knew is gone.
func (m *Matchmaker) Stop() {
	for id := range m.last {
		if c := m.clients[id+1]; c != nil {
			c.stream.close(m.host)
		}
	}
	m.dir, m.clients = nil, nil
}

// Directory is the table of rooms; nil while the matchmaker is gone.
func (m *Matchmaker) Directory() *matchmaker.Directory { return m.dir }

func (m *Matchmaker) tick() {
	if m.dir != nil {
		m.dir.Tick(m.host.world.now)
		m.dropIdle()
		m.act()
	}
	m.host.world.After(time.Second, m.tick)
}

// dropIdle closes sockets that have said nothing for long.
func (m *Matchmaker) dropIdle() {
	for id := range m.last {
		if c := m.clients[id+1]; c != nil && m.host.world.now-c.heard >= idleSocket {
			c.close(m.host)
			m.gone(c)
		}
	}
}

// enter takes a new socket; nil: it has no place for it.
func (m *Matchmaker) enter(l *line) *client {
	if m.dir == nil {
		return nil
	}
	m.last++
	if !m.dir.Connected(m.host.world.now, m.last, l.host.Outside()) {
		return nil
	}
	c := &client{id: m.last, heard: m.host.world.now}
	c.stream = newStream(l.host, m.host, func(data []byte) { m.receive(c, data) }, func(data []byte) { l.receive(c, data) })
	m.clients[c.id] = c
	return c
}

func (m *Matchmaker) gone(c *client) {
	delete(m.clients, c.id)
	m.dir.Disconnected(m.host.world.now, c.id)
	m.act()
}

// receive takes what a client sent.
func (m *Matchmaker) receive(c *client, data []byte) {
	now := m.host.world.now
	switch {
	case m.dir == nil || m.clients[c.id] != c:
	case data == nil:
		m.gone(c)
	case data[0] == framePing:
		c.down.send([]byte{framePong})
	case data[0] == framePong:
		if rtt := now - c.pinged; rtt < pongTime {
			m.dir.Ponged(now, c.id, rtt)
		}
	default:
		c.heard = now
		m.dir.Receive(now, c.id, data)
	}
	m.act()
}

// act does what the directory wants.
func (m *Matchmaker) act() {
	if m.dir == nil {
		return
	}
	for _, a := range m.dir.Actions() {
		c := m.clients[a.To]
		switch {
		case c == nil:
		case a.Close:
			c.close(m.host)
			m.gone(c)
		case a.Ping:
			c.pinged = m.host.world.now
			c.down.send([]byte{framePing})
		default:
			c.down.send(a.Data)
		}
	}
}
