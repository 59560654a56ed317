package matchmaker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// A Server is the matchmaker's edge: the Directory on real sockets. Start makes
// one; a game or a test may run it in process. Its methods may be called from any
// goroutine.
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

// Start listens and serves until Close or Shutdown. It returns an error if the
// address cannot be listened on, TCP or, for the relay, UDP.
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
	s.http = s.newHTTP()
	s.done.Go(s.split.run)
	s.done.Go(func() { s.http.Serve(s.httpListener()) })
	s.done.Go(func() { s.tick(ctx) })
	s.log.Info("matchmaker listens", "addr", s.Addr().String(), "relay", !cfg.NoRelay)
	return s, nil
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
// then open their rooms again, at this server's successor or at another. It takes
// a tenth of a second more than Close.
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
