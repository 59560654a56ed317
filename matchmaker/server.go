package matchmaker

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// DefaultPort is where a matchmaker listens: HTTP, WebSocket, STUN and TURN on
// TCP, STUN and TURN on UDP.
const DefaultPort = 27400

// A ServerConfig sets up a Server. A zero field is the default.
type ServerConfig struct {
	Addr           string         // to listen on, TCP and UDP; ":27400"
	PublicIP       netip.Addr     // what players reach; the address listened on, else the machine's first
	AllowPrivate   bool           // the relay may reach private and loopback addresses: tests and LANs
	NoRelay        bool           // STUN and TURN are not served here
	RelayPort0     uint16         // first relay port; 60000
	RelayPorts     uint16         // how many; 4096
	RelaySecret    string         // of TURN's credentials; random
	RelayQuota     int            // allocations of one room; 32
	RelayRate      int            // bytes a second of one allocation, each way; 1 MiB
	STUN           []string       // other STUN servers to hand out, "stun:host:port"
	TURN           []string       // other TURN servers with the same RelaySecret, "turn:host:port"
	TLS            *tls.Config    // nil: plain HTTP, as behind a proxy
	TrustedProxies []netip.Prefix // whose X-Forwarded-For counts
	Limits         Limits
	Log            *slog.Logger // nil: silence
}

// A Server is the matchmaker's edge: the Directory on real sockets. Start makes
// one; a game or a test may run it in process.
type Server struct {
	cfg   ServerConfig
	log   *slog.Logger
	tcp   net.Listener
	udp   net.PacketConn
	split *split
	http  *http.Server
	relay *relayServer
	epoch time.Time
	ctx   context.Context // of all clients; ends with the server
	stop  context.CancelFunc
	done  sync.WaitGroup

	mu      sync.Mutex
	dir     *Directory
	clients map[SocketID]*client
	lastID  SocketID
	closed  bool
}

// client is one WebSocket.
type client struct {
	id   SocketID
	conn *websocket.Conn
	out  outbox
	end  context.CancelFunc
}

// Start listens and serves until Close.
func Start(cfg ServerConfig) (*Server, error) {
	cfg.setDefaults()
	s := &Server{cfg: cfg, log: cfg.Log, epoch: time.Now(), clients: make(map[SocketID]*client)}
	if err := s.listen(); err != nil {
		return nil, err
	}
	relay := Relay{STUN: cfg.STUN, TURN: cfg.TURN, Secret: cfg.RelaySecret, TTL: credentialLife}
	if !cfg.NoRelay {
		if err := s.startRelay(&relay); err != nil {
			s.closeSockets()
			return nil, err
		}
	}
	unix := func(now time.Duration) int64 { return s.epoch.Add(now).Unix() }
	s.dir = NewDirectory(cfg.Limits, relay, rand.Reader, unix)

	ctx, stop := context.WithCancel(context.Background())
	s.ctx, s.stop = ctx, stop
	s.http = &http.Server{Handler: s.askedFirst(s.Handler()),
		ReadHeaderTimeout: headerTime, WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: 16 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, sniffedOf(c))
		},
		BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	s.done.Go(s.split.run)
	s.done.Go(func() { s.http.Serve(s.httpListener()) })
	s.done.Go(func() { s.tick(ctx) })
	s.log.Info("matchmaker listens", "addr", s.Addr().String(), "relay", !cfg.NoRelay)
	return s, nil
}

// What HTTP may take before it is a WebSocket, which has times of its own.
const (
	headerTime = 10 * time.Second // for a request's header
	answerTime = 10 * time.Second // for the answer to be taken
	idleTime   = 30 * time.Second // between two requests
)

// connKey is the key of a request's connection in its context.
type connKey struct{}

// askedFirst tells the gate that a connection has sent a whole request.
func (s *Server) askedFirst(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, _ := r.Context().Value(connKey{}).(*sniffed); c != nil {
			s.split.gate.asked(c)
		}
		h.ServeHTTP(w, r)
	})
}

func (c *ServerConfig) setDefaults() {
	if c.Addr == "" {
		c.Addr = fmt.Sprintf(":%d", DefaultPort)
	}
	if c.RelayPort0 == 0 {
		c.RelayPort0 = RelayPort0
	}
	if c.RelayPorts == 0 {
		c.RelayPorts = 4096
	}
	if c.RelayQuota == 0 {
		c.RelayQuota = 32
	}
	if c.RelayRate == 0 {
		c.RelayRate = 1 << 20
	}
	if c.RelaySecret == "" {
		var b [24]byte
		rand.Read(b[:])
		c.RelaySecret = base64.RawURLEncoding.EncodeToString(b[:])
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// portTries is how often a port is drawn that has to be free on TCP and UDP.
const portTries = 32

// listen binds TCP first and then UDP at the same port. Where the system
// chooses the port, another program may have the other half of it: then
// another is drawn.
func (s *Server) listen() (err error) {
	at, _ := net.ResolveTCPAddr("tcp", s.cfg.Addr)
	for range portTries {
		if err = s.listenOnce(); err == nil || at == nil || at.Port != 0 {
			return err
		}
	}
	return err
}

func (s *Server) listenOnce() error {
	tcp, err := net.Listen("tcp", s.cfg.Addr)
	if err != nil {
		return fmt.Errorf("matchmaker: listen on %q: %w", s.cfg.Addr, err)
	}
	s.tcp, s.split = tcp, newSplit(tcp, s.newGate())
	if s.cfg.NoRelay {
		return nil
	}
	udp, err := net.ListenPacket("udp", tcp.Addr().String())
	if err != nil {
		tcp.Close()
		return fmt.Errorf("matchmaker: listen on udp %v: %w", tcp.Addr(), err)
	}
	s.udp = udp
	return nil
}

// newGate lets each network have twice as many TCP connections as WebSockets: its
// players may be on the relay over TCP too.
func (s *Server) newGate() *gate {
	per := s.cfg.Limits.withDefaults().Sockets
	if per < math.MaxInt/2 {
		per *= 2
	}
	return &gate{perNetwork: per, mostWaiting: mostWaiting, trusted: s.trusted, open: make(map[netip.Prefix]int)}
}

func (s *Server) httpListener() net.Listener {
	if s.cfg.TLS == nil {
		return s.split.http
	}
	// WebSocket is of HTTP/1.1, so HTTP/2 is not offered.
	c := s.cfg.TLS.Clone()
	c.NextProtos = slices.DeleteFunc(slices.Clone(c.NextProtos), func(p string) bool { return p == "h2" })
	if !slices.Contains(c.NextProtos, "http/1.1") {
		c.NextProtos = append(c.NextProtos, "http/1.1")
	}
	return tls.NewListener(s.split.http, c)
}

// startRelay runs STUN and TURN and adds them to what is handed out.
func (s *Server) startRelay(relay *Relay) error {
	public := s.publicIP()
	bind := s.Addr().Addr()
	r, err := startRelay(relayConfig{
		udp: s.udp, tcp: s.split.stun, public: public, bind: bind.String(),
		port0: s.cfg.RelayPort0, ports: s.cfg.RelayPorts, secret: s.cfg.RelaySecret,
		quota: s.cfg.RelayQuota, rate: s.cfg.RelayRate, allowPrivate: s.cfg.AllowPrivate, log: s.log,
	})
	if err != nil {
		return err
	}
	s.relay = r
	at := netip.AddrPortFrom(public, s.Addr().Port())
	relay.STUN = append([]string{"stun:" + at.String()}, relay.STUN...)
	relay.TURN = append([]string{"turn:" + at.String() + "?transport=udp", "turn:" + at.String() + "?transport=tcp"}, relay.TURN...)
	return nil
}

func (s *Server) publicIP() netip.Addr {
	if s.cfg.PublicIP.IsValid() {
		return s.cfg.PublicIP
	}
	if a := s.Addr().Addr(); !a.IsUnspecified() {
		return a
	}
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if p, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(p.IP); ok && ip.Unmap().Is4() && ip.IsGlobalUnicast() {
				return ip.Unmap()
			}
		}
	}
	return netip.MustParseAddr("127.0.0.1")
}

// Addr is the address listened on.
func (s *Server) Addr() netip.AddrPort {
	a := s.tcp.Addr().(*net.TCPAddr).AddrPort()
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// URL is what a party's SignalURL is set to, to use this server from this machine.
func (s *Server) URL() string {
	scheme := "ws"
	if s.cfg.TLS != nil {
		scheme = "wss"
	}
	a := s.Addr()
	if a.Addr().IsUnspecified() {
		a = netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), a.Port())
	}
	return fmt.Sprintf("%s://%v", scheme, a)
}

// Shutdown tells hosts and guests to come back in a moment, and closes. Hosts
// then open their rooms again, at this server's successor or at another.
func (s *Server) Shutdown(retry time.Duration) error {
	s.mu.Lock()
	s.dir.Stop(retry)
	s.act()
	s.mu.Unlock()
	time.Sleep(100 * time.Millisecond) // the words are on their way
	return s.Close()
}

// Close ends the server at once and waits until it has ended.
func (s *Server) Close() error {
	s.stop()
	err := s.http.Close()
	s.mu.Lock()
	s.closed = true
	for _, c := range s.clients {
		c.end()
	}
	s.mu.Unlock()
	if s.relay != nil {
		err = errors.Join(err, s.relay.close())
	}
	s.closeSockets()
	s.split.gate.shut()
	s.done.Wait()
	return err
}

func (s *Server) closeSockets() {
	s.tcp.Close()
	s.split.stun.end()
	s.split.http.end()
	if s.udp != nil {
		s.udp.Close()
	}
}

func (s *Server) now() time.Duration { return time.Since(s.epoch) }

// tick runs the Directory's deadlines.
func (s *Server) tick(ctx context.Context) {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.mu.Lock()
			s.dir.Tick(s.now())
			s.act()
			s.mu.Unlock()
		}
	}
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

// writeTime is how long a client may take to take one message.
const writeTime = 10 * time.Second

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
