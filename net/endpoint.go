package netmsg

import (
	"iter"
	"net/netip"
	"time"
)

// Handler takes an endpoint's events. It must not wait.
type Handler interface{ HandleEvent(Event) }

// HandlerFunc is a Handler that is a function. Data is borrowed until it returns.
type HandlerFunc func(Event)

func (f HandlerFunc) HandleEvent(e Event) { f(e) }

// ChannelHandler gives a Handler that puts each event on ch. Data is a copy.
func ChannelHandler(ch chan<- Event) Handler { panic("skeleton") }

// Mailbox is a Handler that a loop drains.
type Mailbox struct{}

func NewMailbox(limit int) *Mailbox     { panic("skeleton") }
func (m *Mailbox) HandleEvent(e Event)  { panic("skeleton") }
func (m *Mailbox) All() iter.Seq[Event] { panic("skeleton") }

// Endpoint owns a socket and the connections on it.
type Endpoint struct{}

// DialOptions of one dial; zero: the Config's.
type DialOptions struct {
	ID ConnID // 0: the next free one
}

func Listen(addr string, h Handler, cfg *Config) (*Endpoint, error) { panic("skeleton") }
func Dial(addr string, h Handler, cfg *Config) (*Endpoint, error)   { panic("skeleton") }
func MustListen(addr string, h Handler, cfg *Config) *Endpoint      { panic("skeleton") }
func MustDial(addr string, h Handler, cfg *Config) *Endpoint        { panic("skeleton") }
func NewEndpoint(sock Socket, h Handler, cfg *Config) *Endpoint     { panic("skeleton") }

func (e *Endpoint) Addr() netip.AddrPort                                     { panic("skeleton") }
func (e *Endpoint) Dial(to []netip.AddrPort, opt DialOptions) (*Conn, error) { panic("skeleton") }
func (e *Endpoint) SetAccepting(on bool)                                     { panic("skeleton") }
func (e *Endpoint) Conns() iter.Seq[*Conn]                                   { panic("skeleton") }
func (e *Endpoint) Len() int                                                 { panic("skeleton") }
func (e *Endpoint) Stats() EndpointStats                                     { panic("skeleton") }
func (e *Endpoint) Close() error                                             { panic("skeleton") }

// Drain starts a frame: it reads everything the socket holds, without
// waiting, and runs the deadlines. Driven: the clock is the endpoint's own and
// now is not looked at. Stepped: now is the time, and never turns back.
func (e *Endpoint) Drain(now time.Duration) { panic("skeleton") }

// Flush ends a frame: every connection has a tick, within its rate, and all
// that is due is sent without waiting. now is as in Drain.
func (e *Endpoint) Flush(now time.Duration) { panic("skeleton") }

// KeepAlive does what the watchdog does, in a long load: it reads, acks and
// resends, hands nothing out, and puts off StallTimeout.
func (e *Endpoint) KeepAlive(now time.Duration) { panic("skeleton") }

// Now is the endpoint's time.
func (e *Endpoint) Now() time.Duration { panic("skeleton") }

// EndpointStats counts datagrams that no connection owns, by why they were dropped.
type EndpointStats struct {
	Received, Sent uint64
}

// Conn is one connection of an endpoint. Its methods may be called from any goroutine.
type Conn struct{}

func (c *Conn) ID() ConnID                                      { panic("skeleton") }
func (c *Conn) Addr() netip.AddrPort                            { panic("skeleton") }
func (c *Conn) Stats() Stats                                    { panic("skeleton") }
func (c *Conn) Close()                                          { panic("skeleton") }
func (c *Conn) CloseWith(code uint16, text string)              { panic("skeleton") }
func (c *Conn) SendReliable(data []byte) error                  { panic("skeleton") }
func (c *Conn) SendOn(ch Channel, data []byte) error            { panic("skeleton") }
func (c *Conn) SendUnreliable(data []byte) error                { panic("skeleton") }
func (c *Conn) SendLatest(stream uint16, data []byte) error     { panic("skeleton") }
func (c *Conn) SetStreamWeight(stream uint16, weight int) error { panic("skeleton") }
func (c *Conn) Flush()                                          { panic("skeleton") }
