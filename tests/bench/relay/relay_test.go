package relay

import (
	"net"
	"testing"
	"time"
)

func socket(t *testing.T) *net.UDPConn {
	t.Helper()
	s, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestARelayPassesDatagramsBothWaysAndCountsThem(t *testing.T) {
	server, client := socket(t), socket(t)
	r, err := Start(server.LocalAddr().(*net.UDPAddr).Port, Link{Latency: time.Millisecond, Rate: 1 << 20}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	buf := make([]byte, 100)

	if _, err := client.WriteTo([]byte("there"), &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: r.Port()}); err != nil {
		t.Fatal(err)
	}
	n, from, err := server.ReadFrom(buf)
	if err != nil || string(buf[:n]) != "there" {
		t.Fatalf("got %q, %v", buf[:n], err)
	}
	if _, err := server.WriteTo([]byte("and back"), from); err != nil {
		t.Fatal(err)
	}
	n, _, err = client.ReadFrom(buf)
	if err != nil || string(buf[:n]) != "and back" {
		t.Fatalf("got %q, %v", buf[:n], err)
	}

	if up, down := r.Up().Bytes(), r.Down().Bytes(); up != 5+headers || down != 8+headers {
		t.Errorf("counted %v up and %v down, want 33 and 36", up, down)
	}
}

func TestTheRateIsThatOfTheMedianSecond(t *testing.T) {
	var c Count
	for second, bytes := range []int{9999, 100, 300, 200, 0, 5} { // the first and the last do not count
		if bytes > 0 {
			c.add(time.Duration(second)*time.Second+time.Millisecond, bytes)
		}
	}
	if got := c.Rate(); got != 200 {
		t.Errorf("got %v, want 200", got)
	}
	if got := (&Count{}).Rate(); got != 0 {
		t.Errorf("of nothing: got %v", got)
	}
}
