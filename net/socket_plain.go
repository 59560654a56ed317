package netmsg

import (
	"net"
	"net/netip"
)

// A plainSocket is a UDP socket by the calls that every system has, one
// datagram each.
type plainSocket struct {
	conn  *net.UDPConn
	local netip.AddrPort
	whole bool // the system never cuts what it sends
}

func newPlainSocket(conn *net.UDPConn) *plainSocket {
	return &plainSocket{conn: conn, local: localAddrOf(conn), whole: neverCutSocket(conn)}
}

func (s *plainSocket) neverCuts() bool { return s.whole }

func (s *plainSocket) ReadBatch(b []Datagram) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	d := &b[0]
	n, from, err := s.conn.ReadFromUDPAddrPort(d.Data[:cap(d.Data)])
	if err != nil {
		return 0, err
	}
	d.Data = d.Data[:n]
	d.Addr = netip.AddrPortFrom(numericZone(from.Addr().Unmap()), from.Port())
	return 1, nil
}

func (s *plainSocket) WriteBatch(b []Datagram) (int, error) {
	for i := range b {
		if _, err := s.conn.WriteToUDPAddrPort(b[i].Data, b[i].Addr); err != nil {
			return i, err
		}
	}
	return len(b), nil
}

func (s *plainSocket) LocalAddr() netip.AddrPort { return s.local }

func (s *plainSocket) Close() error { return s.conn.Close() }

// localAddrOf gives the address that conn is bound to, IPv4 as such.
func localAddrOf(conn *net.UDPConn) netip.AddrPort {
	a := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
