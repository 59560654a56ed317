package netmsg

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
)

// ErrNoUDP is what Listen and Dial return where programs have no UDP sockets:
// in a browser. Give NewEndpoint a Socket of another kind there.
var ErrNoUDP = errors.New("netmsg: no UDP sockets in a browser: give NewEndpoint another Socket")

// bindTries is how often a port that the system chose for IPv6 is tried again
// when IPv4 has it in use.
const bindTries = 16

// bind opens the UDP sockets that addr names: one of its family, or one of
// each, on one port, when it names no host.
func bind(addr string) ([]Socket, error) {
	if runtime.GOOS == "js" {
		return nil, ErrNoUDP
	}
	host, service, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("netmsg: %w", err)
	}
	if host == "" || host == "::" {
		port, err := net.LookupPort("udp", service)
		if err != nil {
			return nil, fmt.Errorf("netmsg: %w", err)
		}
		return bindBoth(port)
	}
	at, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("netmsg: %w", err)
	}
	sock, err := bindOne(at.AddrPort())
	if err != nil {
		return nil, err
	}
	return []Socket{sock}, nil
}

// bindOne opens a socket of a's family alone.
func bindOne(a netip.AddrPort) (Socket, error) {
	network := "udp6"
	if a.Addr().Unmap().Is4() {
		network = "udp4"
	}
	conn, err := net.ListenUDP(network, net.UDPAddrFromAddrPort(a))
	if err != nil {
		return nil, fmt.Errorf("netmsg: %w", err)
	}
	makeRoom(conn)
	return newUDPSocket(conn), nil
}

// bindBoth opens an IPv4 and an IPv6 socket on port of every address. A
// machine without one of the two has the other alone.
func bindBoth(port int) ([]Socket, error) {
	v4 := netip.AddrPortFrom(netip.IPv4Unspecified(), uint16(port))
	if port == 0 {
		return bindChosen()
	}
	four, err4 := bindOne(v4)
	six, err6 := bindOne(netip.AddrPortFrom(netip.IPv6Unspecified(), uint16(port)))
	switch {
	case err4 == nil && err6 == nil:
		return []Socket{four, six}, nil
	case err4 == nil && !hasFamily(netip.IPv6Unspecified()):
		return []Socket{four}, nil
	case err6 == nil && !hasFamily(netip.IPv4Unspecified()):
		return []Socket{six}, nil
	case err4 == nil:
		four.Close()
		return nil, err6
	case err6 == nil:
		six.Close()
	}
	return nil, err4
}

// bindChosen opens both on a port that the system chooses, which may be in use
// for the other family.
func bindChosen() ([]Socket, error) {
	var last error
	for range bindTries {
		six, err := bindOne(netip.AddrPortFrom(netip.IPv6Unspecified(), 0))
		if err != nil {
			four, err := bindOne(netip.AddrPortFrom(netip.IPv4Unspecified(), 0))
			if err != nil {
				return nil, err
			}
			return []Socket{four}, nil
		}
		port := six.LocalAddr().Port()
		four, err := bindOne(netip.AddrPortFrom(netip.IPv4Unspecified(), port))
		if err == nil {
			return []Socket{four, six}, nil
		}
		if !hasFamily(netip.IPv4Unspecified()) {
			return []Socket{six}, nil
		}
		six.Close()
		last = err
	}
	return nil, last
}

// hasFamily says whether the machine has sockets of the family of any.
func hasFamily(any netip.Addr) bool {
	sock, err := bindOne(netip.AddrPortFrom(any, 0))
	if err != nil {
		return false
	}
	sock.Close()
	return true
}

// bindFor opens the sockets that can reach t, on ports that the system
// chooses, one a family. A host that is still to be looked up may have
// addresses of both.
func bindFor(t dialPlace) (socks []Socket, err error) {
	if runtime.GOOS == "js" {
		return nil, ErrNoUDP
	}
	for _, any := range []netip.Addr{netip.IPv4Unspecified(), netip.IPv6Unspecified()} {
		if t.host == "" && !sameFamily(any, t.addrs[0].Addr()) {
			continue
		}
		sock, bindErr := bindOne(netip.AddrPortFrom(any, 0))
		if bindErr != nil {
			err = bindErr // the other family may do
			continue
		}
		socks = append(socks, sock)
	}
	if len(socks) == 0 {
		return nil, err
	}
	return socks, nil
}
