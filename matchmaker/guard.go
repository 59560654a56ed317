package matchmaker

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/pion/stun/v4"
)

// stunPerSecond is how many STUN questions, and how many requests to the relay,
// one network may ask in a second over UDP. A datagram's source can be forged, so
// whoever is answered may be the victim of somebody else.
const stunPerSecond = 20

// A guardedConn is the UDP socket of STUN and TURN. It answers STUN's questions
// itself, never with more than mostLonger bytes over the question, and keeps each
// network to its pace. What nobody is answered passes (indications, channel
// data), and so do the requests of who is on the relay already: it has shown that
// it gets the answers.
type guardedConn struct {
	net.PacketConn
	epoch     time.Time
	questions paces
	requests  paces
	known     func(from net.Addr) bool // who is on the relay
	dropped   *atomic.Uint64           // datagrams over the pace
}

func newGuardedConn(conn net.PacketConn, known func(net.Addr) bool, dropped *atomic.Uint64) *guardedConn {
	return &guardedConn{
		PacketConn: conn, epoch: time.Now(), known: known, dropped: dropped,
		questions: newPaces(stunPerSecond), requests: newPaces(stunPerSecond),
	}
}

// ReadFrom gives the next datagram that is for the relay.
func (c *guardedConn) ReadFrom(p []byte) (int, net.Addr, error) {
	for {
		n, from, err := c.PacketConn.ReadFrom(p)
		if err != nil {
			return n, from, err
		}
		udp, ok := from.(*net.UDPAddr)
		if !ok || c.pass(p[:n], udp.AddrPort(), from) {
			return n, from, nil
		}
	}
}

// pass says whether a datagram is the relay's to answer, and may be.
func (c *guardedConn) pass(datagram []byte, from netip.AddrPort, to net.Addr) bool {
	now := time.Since(c.epoch)
	switch kindOfSTUN(datagram) {
	case stunQuestion:
		if !c.questions.take(now, from.Addr()) {
			c.dropped.Add(1)
		} else if answer, ok := BindingAnswer(datagram, from); ok {
			c.PacketConn.WriteTo(answer, to) // one that is lost is asked for again
		}
		return false
	case stunRequest:
		if !c.known(to) && !c.requests.take(now, from.Addr()) {
			c.dropped.Add(1)
			return false
		}
	}
	return true
}

// A stunKind is what a datagram wants of the server.
type stunKind uint8

const (
	stunOther    stunKind = iota // nothing that is answered
	stunQuestion                 // a Binding request
	stunRequest                  // any other request
)

// kindOfSTUN looks at a datagram's type alone. (RFC 8489, section 5)
func kindOfSTUN(datagram []byte) stunKind {
	const classBits = 0x0110 // 0: a request
	if !stun.IsMessage(datagram) {
		return stunOther
	}
	switch t := binary.BigEndian.Uint16(datagram); {
	case t == stun.BindingRequest.Value():
		return stunQuestion
	case t&classBits == 0:
		return stunRequest
	}
	return stunOther
}
