package s64

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Times and limits of a Server's transfers.
const (
	maxTransfers = 64
	writeTime    = 30 * time.Second // for one chunk
)

// A Server is a Master on real sockets: UDP for its packets and TCP, at the same
// port, for its files, 64 at once. Its methods may be called from any goroutine.
type Server struct {
	udp   *net.UDPConn
	tcp   *net.TCPListener
	dir   *Dir
	epoch time.Time
	wake  chan struct{}
	stop  chan struct{}
	once  sync.Once
	done  sync.WaitGroup
	slots chan struct{}

	mu     sync.Mutex
	master *Master
	open   map[net.Conn]struct{}
}

// Serve listens on addr ("host:port", usually port 6464; port 0: the system
// chooses) and gives the files of directory files ("": none) until Close. It
// returns an error if the address cannot be listened on, or the directory not be
// read.
func Serve(addr, files string) (*Server, error) {
	s := &Server{epoch: time.Now(), wake: make(chan struct{}, 1), stop: make(chan struct{}),
		slots: make(chan struct{}, maxTransfers), open: make(map[net.Conn]struct{})}
	if err := s.listen(addr); err != nil {
		return nil, err
	}
	if files == "" {
		s.master = NewMaster(nil)
	} else {
		dir, err := OpenDir(files)
		if err != nil {
			s.udp.Close()
			s.tcp.Close()
			return nil, err
		}
		s.dir, s.master = dir, NewMaster(dir)
	}
	s.done.Go(s.read)
	s.done.Go(s.keepTime)
	s.done.Go(s.accept)
	return s, nil
}

// portTries is how often a port is drawn that has to be free on TCP and UDP.
const portTries = 32

// listen binds TCP first and then UDP at the same port. Where the system
// chooses the port, another program may have the other half of it: then
// another is drawn.
func (s *Server) listen(addr string) error {
	at, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return fmt.Errorf("s64: address %q: %w", addr, err)
	}
	for range portTries {
		if err = s.listenAt(at); err == nil || at.Port != 0 {
			return err
		}
	}
	return err
}

func (s *Server) listenAt(at *net.TCPAddr) (err error) {
	if s.tcp, err = net.ListenTCP("tcp", at); err != nil {
		return fmt.Errorf("s64: listen on %v: %w", at, err)
	}
	ua := net.UDPAddrFromAddrPort(netip.AddrPortFrom(s.Addr().Addr(), s.Addr().Port()))
	if s.udp, err = net.ListenUDP("udp", ua); err != nil {
		s.tcp.Close()
		return fmt.Errorf("s64: listen on udp %v: %w", ua, err)
	}
	return nil
}

// Addr is the address listened on.
func (s *Server) Addr() netip.AddrPort { return s.tcp.Addr().(*net.TCPAddr).AddrPort() }

// Len is how many servers are known.
func (s *Server) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.master.Len()
}

// Close ends everything, transfers included, and waits until it has. More calls
// do nothing but tell that it is closed.
func (s *Server) Close() error {
	s.once.Do(func() { close(s.stop) })
	err := errors.Join(s.udp.Close(), s.tcp.Close())
	s.mu.Lock()
	for c := range s.open {
		c.Close()
	}
	s.mu.Unlock()
	s.done.Wait()
	if s.dir != nil {
		err = errors.Join(err, s.dir.Close())
	}
	return err
}

func (s *Server) now() time.Duration { return time.Since(s.epoch) }

// unmap gives an IPv4 address as one, also where a socket takes both families.
func unmap(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

func (s *Server) stopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

func (s *Server) read() {
	buf := make([]byte, MaxDatagram+1)
	for {
		n, from, err := s.udp.ReadFromUDPAddrPort(buf)
		if err != nil {
			if s.stopped() {
				return
			}
			continue // an ICMP answer to somebody's port: a lost packet
		}
		s.mu.Lock()
		s.master.Receive(s.now(), unmap(from), buf[:min(n, MaxDatagram)])
		s.flush()
		s.mu.Unlock()
	}
}

func (s *Server) flush() {
	var buf [MaxDatagram]byte
	for {
		n, to := s.master.Transmit(s.now(), buf[:])
		if n == 0 {
			break
		}
		s.udp.WriteToUDPAddrPort(buf[:n], to)
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
		at := s.master.Deadline()
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

func (s *Server) accept() {
	for {
		c, err := s.tcp.AcceptTCP()
		if err != nil {
			if s.stopped() {
				return
			}
			time.Sleep(10 * time.Millisecond) // out of descriptors, say
			continue
		}
		select {
		case s.slots <- struct{}{}:
			s.done.Go(func() { s.give(c); <-s.slots })
		default:
			c.Close()
		}
	}
}

// give sends the file that the connection's address asked for.
func (s *Server) give(c *net.TCPConn) {
	s.mu.Lock()
	s.open[c] = struct{}{}
	from := unmap(c.RemoteAddr().(*net.TCPAddr).AddrPort())
	hash, ok := s.master.Fetch(s.now(), from)
	s.mu.Unlock()
	defer func() {
		c.Close()
		s.mu.Lock()
		delete(s.open, c)
		if ok {
			s.master.Fetched(from)
		}
		s.mu.Unlock()
	}()
	if !ok || s.dir == nil || s.stopped() {
		return
	}
	f, err := s.dir.Open(hash)
	if err != nil {
		return
	}
	defer f.Close()
	for {
		c.SetWriteDeadline(time.Now().Add(writeTime))
		if n, err := io.CopyN(c, f, 64*chunk); n == 0 || err != nil {
			return
		}
	}
}
