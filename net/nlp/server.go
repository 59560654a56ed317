package nlp

import (
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"
)

// A Server is a Hub on a UDP socket, with one goroutine that reads and one that
// keeps its times. Its methods may be called from any goroutine.
type Server struct {
	conn  *net.UDPConn
	epoch time.Time
	wake  chan struct{}
	stop  chan struct{}
	once  sync.Once
	done  sync.WaitGroup

	mu  sync.Mutex
	hub *Hub
	buf [MaxDatagram]byte
}

// Listen binds addr ("host:port"; port 0: the system chooses) and serves until
// Close. It returns an error if addr cannot be bound.
func Listen(addr string, cfg HubConfig) (*Server, error) {
	at, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("nlp: address %q: %w", addr, err)
	}
	conn, err := net.ListenUDP("udp", at)
	if err != nil {
		return nil, fmt.Errorf("nlp: listen on %q: %w", addr, err)
	}
	s := &Server{conn: conn, epoch: time.Now(), hub: NewHub(cfg), wake: make(chan struct{}, 1), stop: make(chan struct{})}
	s.done.Go(s.read)
	s.done.Go(s.keepTime)
	return s, nil
}

// Addr is the address listened on.
func (s *Server) Addr() netip.AddrPort { return s.conn.LocalAddr().(*net.UDPAddr).AddrPort() }

// Send sends a packet to the clients that recipients names, bit n-1 for client n.
// Errors are as in Hub.Send.
func (s *Server) Send(kind uint8, flags Flags, recipients uint32, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.hub.Send(kind, flags, recipients, data)
	s.flush()
	return err
}

// Poll gives what has happened since the last call, without waiting: 1,024 events
// wait at most, and beyond them the packets at their senders. The events and their
// data are the caller's.
func (s *Server) Poll() []HubEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []HubEvent
	for e := range s.hub.Events() {
		all = append(all, e)
	}
	return all
}

// Len is how many clients there are.
func (s *Server) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hub.Len()
}

// Kick frees a client's number at once, as Hub.Kick does.
func (s *Server) Kick(client int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub.Kick(client)
}

// Close frees the socket and ends the goroutines. More calls do nothing but tell
// that it is closed.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.stop) })
	err := s.conn.Close()
	s.done.Wait()
	return err
}

func (s *Server) read() {
	buf := make([]byte, MaxDatagram+1)
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			select {
			case <-s.stop:
				return
			default:
				continue // an ICMP answer to some client's port: a lost packet
			}
		}
		if n > MaxDatagram {
			continue
		}
		s.mu.Lock()
		s.hub.Receive(s.now(), netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), buf[:n])
		s.flush()
		s.mu.Unlock()
	}
}

// flush sends all that is due and has the time keeper look at the new deadline.
func (s *Server) flush() {
	for {
		n, to := s.hub.Transmit(s.now(), s.buf[:])
		if n == 0 {
			break
		}
		s.conn.WriteToUDPAddrPort(s.buf[:n], to)
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Server) keepTime() {
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	for {
		s.mu.Lock()
		at := s.hub.Deadline()
		s.mu.Unlock()
		t.Reset(min(max(at-s.now(), 0), time.Hour))
		select {
		case <-s.stop:
			return
		case <-s.wake:
		case <-t.C:
			s.mu.Lock()
			s.flush()
			s.mu.Unlock()
		}
	}
}

func (s *Server) now() time.Duration { return time.Since(s.epoch) }
