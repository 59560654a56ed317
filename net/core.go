package netmsg

import (
	"iter"
	"net/netip"
	"time"
)

// Session is what a handshake agreed.
type Session struct {
	ID uint64 // NMS1: salt xor cookie
}

// Verdict is the gate's answer to one datagram.
type Verdict struct {
	Reply   int  // bytes of buf to send back
	Joined  bool // a new connection is open: Session
	Session Session
}

// ConnectionCore is one connection's half, without a socket.
type ConnectionCore struct{}

func NewConnectionCore(cfg *Config, s Session, now time.Duration) *ConnectionCore { panic("skeleton") }
func (c *ConnectionCore) Receive(now time.Duration, datagram []byte) bool         { panic("skeleton") }
func (c *ConnectionCore) Transmit(now time.Duration, buf []byte) int              { panic("skeleton") }
func (c *ConnectionCore) Deadline() time.Duration                                 { panic("skeleton") }
func (c *ConnectionCore) Events() iter.Seq[Event]                                 { panic("skeleton") }
func (c *ConnectionCore) SendReliable(data []byte) error                          { panic("skeleton") }
func (c *ConnectionCore) SendOn(ch Channel, data []byte) error                    { panic("skeleton") }
func (c *ConnectionCore) SendUnreliable(data []byte) error                        { panic("skeleton") }
func (c *ConnectionCore) SendLatest(stream uint16, data []byte) error             { panic("skeleton") }
func (c *ConnectionCore) SetStreamWeight(stream uint16, weight int) error         { panic("skeleton") }
func (c *ConnectionCore) Flush()                                                  { panic("skeleton") }
func (c *ConnectionCore) Stats() Stats                                            { panic("skeleton") }
func (c *ConnectionCore) Close()                                                  { panic("skeleton") }
func (c *ConnectionCore) CloseWith(code uint16, text string)                      { panic("skeleton") }

// end ends the connection at once with reason, as TimedOut does: Left is the
// last event. tell: the peer is sent the close datagrams.
func (c *ConnectionCore) end(now time.Duration, reason CloseReason, tell bool) { panic("skeleton") }

// hurry: an endpoint shuts down; what is queued and all the close datagrams
// are due now.
func (c *ConnectionCore) hurry(now time.Duration) { panic("skeleton") }

// pending says whether Events would yield something.
func (c *ConnectionCore) pending() bool { panic("skeleton") }

// done says that the connection has ended, Left was taken, and nothing remains to be sent.
func (c *ConnectionCore) done() bool { panic("skeleton") }

// ChallengeGate is the server's side of the handshake.
type ChallengeGate struct{}

func NewChallengeGate(cfg *Config, key [16]byte) *ChallengeGate { panic("skeleton") }
func (g *ChallengeGate) Receive(now time.Duration, from netip.AddrPort, datagram, buf []byte) Verdict {
	panic("skeleton")
}

// ClientHandshake is the client's side of the handshake.
type ClientHandshake struct{}

func NewClientHandshake(cfg *Config, now time.Duration) *ClientHandshake   { panic("skeleton") }
func (h *ClientHandshake) Receive(now time.Duration, datagram []byte) bool { panic("skeleton") }
func (h *ClientHandshake) Transmit(now time.Duration, buf []byte) int      { panic("skeleton") }
func (h *ClientHandshake) Deadline() time.Duration                         { panic("skeleton") }
func (h *ClientHandshake) Done() (s Session, failed CloseReason, done bool) {
	panic("skeleton")
}
