package matchmaker

import (
	"crypto/tls"
	"fmt"
	"math"
	"net"
	"net/netip"
	"slices"
)

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

func (s *Server) closeSockets() {
	s.tcp.Close()
	s.split.stun.end()
	s.split.http.end()
	if s.udp != nil {
		s.udp.Close()
	}
}
