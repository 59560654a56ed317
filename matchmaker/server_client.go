package matchmaker

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/coder/websocket"
)

// client is one WebSocket.
type client struct {
	id   SocketID
	conn *websocket.Conn
	out  outbox
	end  context.CancelFunc
}

// serveSocket takes one client's WebSocket.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	addr, ok := s.clientAddr(r)
	if !ok {
		http.Error(w, "no address", http.StatusBadRequest)
		return
	}
	c, ok := s.enter(addr)
	if !ok {
		http.Error(w, "too many connections from your network", http.StatusTooManyRequests)
		return
	}
	// Any page may ask: a socket carries no cookie, and a room's secrets are in
	// the messages.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		s.leave(c)
		s.done.Done()
		return
	}
	conn.SetReadLimit(MaxMessage)
	ctx, end := context.WithCancel(s.ctx)
	s.mu.Lock()
	c.conn, c.end = conn, end
	s.mu.Unlock()
	go s.runSocket(ctx, end, c)
}

// runSocket runs a client to its end. It has a goroutine of its own, so that what
// the HTTP server keeps for a request, and the stack that it took, is free while
// a client waits for hours.
func (s *Server) runSocket(ctx context.Context, end context.CancelFunc, c *client) {
	defer s.done.Done()
	defer s.leave(c)
	defer c.conn.CloseNow()
	defer end()
	s.done.Go(func() { defer end(); s.write(ctx, c) })
	s.read(ctx, c)
}

// enter asks the Directory for a place, before anything is spent on the client.
func (s *Server) enter(addr netip.Addr) (*client, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	if s.closed || !s.dir.Connected(s.now(), s.lastID, addr) {
		return nil, false
	}
	s.done.Add(1)
	c := &client{id: s.lastID, out: newOutbox(s.dir.limits.MessagesQueue), end: func() {}}
	s.clients[c.id] = c
	return c, true
}

func (s *Server) leave(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c.id)
	s.dir.Disconnected(s.now(), c.id)
	s.act()
}

// idleSocket is how long a client may be silent; a host refreshes every 15 s,
// a guest that waits to be let in pings.
const idleSocket = 2 * time.Minute

func (s *Server) read(ctx context.Context, c *client) {
	for {
		one, cancel := context.WithTimeout(ctx, idleSocket)
		kind, data, err := c.conn.Read(one)
		cancel()
		if err != nil || kind != websocket.MessageText {
			return
		}
		s.mu.Lock()
		s.dir.Receive(s.now(), c.id, data)
		s.act()
		s.mu.Unlock()
	}
}

// write sends what the Directory has for one client.
func (s *Server) write(ctx context.Context, c *client) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.out.news:
			for _, a := range c.out.take() {
				if !s.do(ctx, c, a) {
					return
				}
			}
		}
	}
}

// writeTime is how long a client may take to take one message.
const writeTime = 10 * time.Second

// do does one thing with a client's WebSocket; false: it has ended.
func (s *Server) do(ctx context.Context, c *client, a Action) bool {
	switch {
	case a.Close:
		c.conn.Close(websocket.StatusServiceRestart, "")
		return false
	case a.Ping:
		s.done.Go(func() { s.ping(ctx, c) })
		return true
	}
	one, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return c.conn.Write(one, websocket.MessageText, a.Data) == nil
}

// ping asks whether the client is there; a silent one has five seconds.
func (s *Server) ping(ctx context.Context, c *client) {
	one, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	sent := time.Now()
	if c.conn.Ping(one) != nil {
		return
	}
	s.mu.Lock()
	s.dir.Ponged(s.now(), c.id, time.Since(sent))
	s.act()
	s.mu.Unlock()
}

// act hands the Directory's actions to the sockets' writers. A client that
// does not read is let go: nothing may pile up for it.
func (s *Server) act() {
	for _, a := range s.dir.Actions() {
		c := s.clients[a.To]
		if c == nil {
			continue
		}
		if !c.out.put(a) {
			c.end()
		}
	}
}
