package netmsg

import (
	"net"
	"net/netip"
	"testing"
)

// A wrappedUDP is a Socket that a program makes of a UDP socket for both
// families. It reads as an io.Reader does, into what it is given, and names
// IPv4 peers as the system does, in their IPv6 form.
type wrappedUDP struct{ *net.UDPConn }

func (s wrappedUDP) ReadBatch(b []Datagram) (int, error) {
	n, from, err := s.ReadFromUDPAddrPort(b[0].Data)
	b[0].Data, b[0].Addr = b[0].Data[:n], from
	return 1, err
}

func (s wrappedUDP) WriteBatch(b []Datagram) (int, error) {
	for i, d := range b {
		if _, err := s.WriteToUDPAddrPort(d.Data, d.Addr); err != nil {
			return i, err
		}
	}
	return len(b), nil
}

func (s wrappedUDP) LocalAddr() netip.AddrPort { return localAddrOf(s.UDPConn) }

func TestASocketThatAProgramWrapsTalksToIPv4(t *testing.T) {
	eachProtocol(t, func(t *testing.T, plain bool) {
		for name, driven := range map[string]bool{"reading": false, "driven": true} {
			t.Run(name, func(t *testing.T) {
				conn, err := net.ListenUDP("udp", nil)
				if err != nil {
					t.Fatal(err)
				}
				if localAddrOf(conn).Addr().Is4() {
					conn.Close()
					t.Skip("no IPv6, so no socket for both families")
				}
				server := MustListen("127.0.0.1:0", nil, &Config{Plain: plain})
				defer server.Close()
				client := NewEndpoint(wrappedUDP{conn}, nil, &Config{Plain: plain, Driven: driven})
				defer client.Close()

				if _, err := client.Dial(addrs(server.Addr()), DialOptions{}); err != nil {
					t.Fatal(err)
				}

				eventually(t, "the two are connected", func() bool {
					client.Drain(0)
					client.Flush(0)
					return client.Len() == 1 && server.Len() == 1
				})
			})
		}
	})
}

// A readerSocket is a stepped one that reads as an io.Reader does.
type readerSocket struct{ stepSocket }

func (s readerSocket) TryRead(d *Datagram) bool {
	var got Datagram
	if !s.poll(&got) {
		return false
	}
	d.Addr, d.Data = got.Addr, d.Data[:copy(d.Data, got.Data)]
	return true
}

func TestASteppedSocketIsLentWholeBuffers(t *testing.T) {
	eachProtocol(t, func(t *testing.T, plain bool) {
		w := newStepWorld(t)
		w.endpoint(1, nil, &Config{Plain: plain})
		client := NewEndpoint(readerSocket{stepSocket{w.socket(fakeAddr(2))}}, nil, &Config{Plain: plain})
		w.all = append(w.all, client)

		w.dial(t, client, 1)
		w.runFor(client.cfg.ConnectRetry)

		if client.Len() != 1 {
			t.Error("the two are not connected")
		}
	})
}
