package netmsg

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

var (
	gateKey = [16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	guest1  = netip.MustParseAddrPort("192.0.2.1:1000")
)

// newTestHandshake gives a client whose salt is made of one byte.
func newTestHandshake(cfg Config, salt byte) *plainClient {
	cfg.Random = bytes.NewReader(bytes.Repeat([]byte{salt}, 8))
	return newPlainClient(&cfg, 0)
}

// transmitted gives the next datagram due, nil if there is none.
func transmitted(from interface {
	Transmit(time.Duration, []byte) int
}, now time.Duration) []byte {
	buf := make([]byte, 1500)
	if n := from.Transmit(now, buf); n > 0 {
		return buf[:n]
	}
	return nil
}

// answered gives the gate's verdict and its answer.
func answered(g *plainGate, now time.Duration, from netip.AddrPort, datagram []byte) (Verdict, []byte) {
	buf := make([]byte, 100)
	v := g.Receive(now, from, datagram, buf)
	return v, buf[:v.Reply]
}

func TestAHandshakeGivesBothSidesTheSameSession(t *testing.T) {
	g := newPlainGate(nil, gateKey)
	h := newTestHandshake(Config{}, 7)

	_, challenge := answered(g, 0, guest1, transmitted(h, 0))
	h.Receive(0, challenge)
	v, accept := answered(g, 0, guest1, transmitted(h, 0))
	h.Receive(0, accept)

	s, failed, done := h.Done()
	if !v.Joined || !done || failed != 0 || s != v.Session {
		t.Errorf("got verdict %+v, client %v %v %v", v, s, failed, done)
	}
}
