package session

import (
	"errors"
	"net"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

// echo answers every datagram with itself, until the test ends.
func echo(t *testing.T) *net.UDPConn {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		buf := make([]byte, lagRoom)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			conn.WriteToUDPAddrPort(buf[:n], from)
		}
	}()
	return conn
}

func TestALagSocketDelaysBothWaysFromTheMomentItIsTold(t *testing.T) {
	server := echo(t).LocalAddr().(*net.UDPAddr).AddrPort()
	l, err := OpenLag(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	round := func(text string) time.Duration {
		start := time.Now()
		if _, err := l.WriteBatch([]netmsg.Datagram{{Addr: server, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
		in := []netmsg.Datagram{{Data: make([]byte, 0, lagRoom)}}
		if n, err := l.ReadBatch(in); err != nil || n != 1 || string(in[0].Data) != text || in[0].Addr != server {
			t.Fatalf("got %d datagrams, %q from %v, error %v", n, in[0].Data, in[0].Addr, err)
		}
		return time.Since(start)
	}

	quick := round("as it is")
	l.SetLink(netmsg.LinkConfig{Latency: 60 * time.Millisecond})
	slow := round("delayed")
	l.SetLink(netmsg.LinkConfig{})
	again := round("as it is")

	if slow < 120*time.Millisecond || quick > slow || again > slow+time.Second {
		t.Errorf("round trips of %v, with lag %v, then %v", quick, slow, again)
	}
}

func TestATakenPortIsToldAsOne(t *testing.T) {
	first, err := OpenLag(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()

	_, err = OpenLag(first.LocalAddr().Port(), 1)

	if !errors.Is(err, party.WhyPortInUse) {
		t.Errorf("error %v", err)
	}
}

func TestClosingALagSocketEndsItsReader(t *testing.T) {
	l, err := OpenLag(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := l.ReadBatch([]netmsg.Datagram{{Data: make([]byte, 0, lagRoom)}})
		ended <- err
	}()

	l.Close()

	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
