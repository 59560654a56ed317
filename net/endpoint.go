package netmsg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// An Endpoint owns a socket, or one for IPv4 and one for IPv6, and the
// connections on it: it takes clients, dials servers, or both. Its methods may
// be called from any goroutine and from handlers; those that a frame calls
// (Drain, Flush, KeepAlive) from one at a time.
//
// It runs in one of three ways.
//
//   - By itself, unless it is told otherwise: one goroutine a socket reads, and
//     one wakes at the earliest deadline of all connections. Nothing ticks when
//     there is nothing to do.
//   - Driven by frames, with Config.Driven: the program calls Drain at the start
//     of each frame and Flush at its end, and they do all the work without
//     waiting. When a frame is more than 100 ms late, a watchdog does the same
//     work; what came in waits for the frame.
//   - Stepped, on a [StepSocket]: there is no goroutine and no clock. Drain,
//     Flush and KeepAlive say what time it is.
type Endpoint struct {
	cfg    *Config
	out    outlet
	socks  []Socket
	mode   runMode
	ownUDP bool      // socks are UDP sockets of the endpoint's own making
	epoch  time.Time // live: time 0

	dialing context.Context // ends with the endpoint; names are looked up under it
	hangUp  context.CancelFunc
	closing chan struct{} // closed by Close
	gone    chan struct{} // closed when the last goroutine has ended

	mu        sync.Mutex    // guards what follows, and the lines of all connections
	clock     time.Duration // stepped
	timed     bool          // somebody has said what time it is
	closed    bool
	accepting bool
	stalled   bool // frames have stopped for StallTimeout

	gate   *plainGate  // Plain
	sealed *sealedDoor // otherwise

	peers      []*peer                  // all in the tables, by ID
	byAddr     map[netip.AddrPort]*peer // the connections of an address, linked by next
	dials      []*peer                  // those with a handshake in progress
	open       int                      // connections that have joined and not ended
	untold     int                      // connections whose Left the program has not heard
	lastID     ConnID
	timers     timers
	used       []*peer // since the timers were settled
	late       []*peer // those that a frame judges
	outbox     *outbox
	paths      []*Path // beside socks
	awaiting   []*peer // whose connections wait for a Punch
	pathNumber uint32  // of the next path's first address
	stats      EndpointStats

	goroutines int
	turns      int           // goroutines that will look at the timers before they rest
	turning    time.Duration // since when there are some
	judgeAt    time.Duration // after a suspension: when deadlines are judged again; 0: now
	armed      time.Duration // when the alarm rings
	alarm      *time.Timer   // of whichever goroutine wakes at deadlines
	polled     time.Duration // Driven: the last Drain, Flush or KeepAlive
	inbatch    []Datagram    // what a frame reads into
}

// A runMode is how an endpoint runs.
type runMode uint8

const (
	reading runMode = iota + 1 // by goroutines of its own
	driven                     // by frames, with a watchdog
	stepped                    // by frames that say what time it is
)

// Listen opens UDP sockets at addr and takes clients. It may also dial. addr
// is "host:port"; ":port" means every address of the machine, IPv4 and IPv6;
// port 0 lets the system choose one, which Addr tells. h hears the events of
// all connections; nil ignores them. A nil cfg is all defaults. It returns an
// error if cfg is not valid or a socket cannot be bound.
func Listen(addr string, h Handler, cfg *Config) (*Endpoint, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	socks, err := bind(addr)
	if err != nil {
		return nil, err
	}
	return newEndpoint(socks, true, h, cfg, true), nil
}

// Dial opens a UDP socket on a port that the system chooses and connects to
// addr, "host:port". It does not wait: the handshake runs behind, and the
// handler hears Joined, or Left with NoAnswer or Denied, exactly one of the
// two. The endpoint has this one connection, with ID 1, and takes no clients.
// A host name is looked up behind, too, and all its addresses are asked; a name
// that is not found is NoAnswer. Dial returns an error if cfg or addr is not
// valid, or the socket cannot be bound.
func Dial(addr string, h Handler, cfg *Config) (*Endpoint, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	target, err := parseTarget(addr)
	if err != nil {
		return nil, err
	}
	socks, err := bindFor(target)
	if err != nil {
		return nil, err
	}
	e := newEndpoint(socks, true, h, cfg, false)
	if err := e.dialTarget(target); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// MustListen is Listen for programs that cannot go on without: it panics where
// Listen returns an error.
func MustListen(addr string, h Handler, cfg *Config) *Endpoint { return must(Listen(addr, h, cfg)) }

// MustDial is Dial, and panics where Dial returns an error.
func MustDial(addr string, h Handler, cfg *Config) *Endpoint { return must(Dial(addr, h, cfg)) }

func must(e *Endpoint, err error) *Endpoint {
	if err != nil {
		panic(err)
	}
	return e
}

// NewEndpoint makes an endpoint on a socket of the caller's, which it closes
// in the end. It takes clients and may dial; SetAccepting(false) makes it only
// dial. On a [StepSocket] it is stepped. Fields of cfg that are not valid have
// the nearest value that is.
func NewEndpoint(sock Socket, h Handler, cfg *Config) *Endpoint {
	return newEndpoint([]Socket{sock}, false, h, cfg, true)
}

func newEndpoint(socks []Socket, ownUDP bool, h Handler, cfg *Config, accepting bool) *Endpoint {
	cfg = cfg.settle()
	e := &Endpoint{
		cfg: cfg, socks: socks, ownUDP: ownUDP, accepting: accepting, mode: modeOf(socks, cfg), epoch: time.Now(),
		closing: make(chan struct{}), gone: make(chan struct{}),
		byAddr: make(map[netip.AddrPort]*peer),
		armed:  never,
	}
	e.dialing, e.hangUp = context.WithCancel(context.Background())
	if e.mode == driven {
		e.socks = withoutWaiting(socks, e.bufferSize())
	}
	e.outbox = newOutbox(e.socks, e.mode != reading, e.bufferSize())
	e.inbatch = newBatch(firstBatch, e.bufferSize())
	if cfg.Plain {
		e.gate = newPlainGate(cfg, newGateKey(cfg.Random))
	} else {
		e.sealed = newSealedDoor(cfg, e.socks, 0)
	}
	e.out = newOutlet(h, e.mode != reading)
	e.logRoom()
	e.start()
	return e
}

// modeOf says how an endpoint on socks runs.
func modeOf(socks []Socket, cfg *Config) runMode {
	if _, ok := socks[0].(StepSocket); ok {
		return stepped
	}
	if cfg.Driven {
		return driven
	}
	return reading
}

// newGateKey draws the key that cookies are made with. Without randomness no
// handshake is safe, so it panics.
func newGateKey(random io.Reader) (key [16]byte) {
	if _, err := io.ReadFull(random, key[:]); err != nil {
		panic(fmt.Sprintf("netmsg: no random numbers: %v", err))
	}
	return key
}

// usualDatagram is the size of a read buffer: more than an Ethernet packet
// holds.
const usualDatagram = 2048

// bufferSize is that of one datagram, in bytes.
func (e *Endpoint) bufferSize() int { return max(usualDatagram, e.cfg.MaxPacket) }

// start starts the goroutines that the mode has.
func (e *Endpoint) start() {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch e.mode {
	case reading:
		e.alarm = time.NewTimer(never)
		for _, sock := range e.socks {
			e.goLocked(func() { e.read(sock) })
		}
		e.goLocked(e.wakeAtDeadlines)
	case driven:
		e.polled = e.now()
		e.alarm = time.NewTimer(lateFrame)
		e.goLocked(e.watch)
	}
}

// goLocked starts a goroutine that Close waits for. The lock is held.
func (e *Endpoint) goLocked(f func()) {
	e.goroutines++
	go func() {
		defer e.ended()
		f()
	}()
}

// ended notes the end of a goroutine.
func (e *Endpoint) ended() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.goroutines--; e.goroutines == 0 && e.closed {
		close(e.gone)
	}
}

// Addr is the address that the endpoint's socket is bound to. One with a
// socket of each family tells that of IPv4; the port is the same.
func (e *Endpoint) Addr() netip.AddrPort { return e.socks[0].LocalAddr() }

// Now is the endpoint's time: what the last Drain, Flush or KeepAlive said if
// it is stepped, otherwise the time since it was made.
func (e *Endpoint) Now() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.now()
}

func (e *Endpoint) now() time.Duration {
	if e.mode == stepped {
		return e.clock
	}
	return time.Since(e.epoch)
}

// SetAccepting switches the taking of clients on or off: Listen and
// NewEndpoint begin with on, Dial with off. Connections that are open stay. A
// client that asks while it is off hears nothing.
func (e *Endpoint) SetAccepting(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.accepting = on
}

// Conns yields the open connections by ID: those that have joined and not
// ended. The loop may use, close and dial connections; one that opens or ends
// meanwhile may be yielded or not. Ranging allocates nothing.
func (e *Endpoint) Conns() iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		for p := e.openAfter(0); p != nil; p = e.openAfter(p.conn.id) {
			if !yield(&p.conn) {
				return
			}
		}
	}
}

// openAfter gives the open connection with the lowest ID above id, or nil.
func (e *Endpoint) openAfter(id ConnID) *peer {
	e.mu.Lock()
	defer e.mu.Unlock()
	at, _ := slices.BinarySearchFunc(e.peers, id+1, comparePeer)
	for _, p := range e.peers[at:] {
		if p.state == peerOpen {
			return p
		}
	}
	return nil
}

// Len is the number of open connections.
func (e *Endpoint) Len() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open
}

// closePatience is how long Close waits at most for handlers and goroutines
// that are busy. It is never the network that it waits for.
const closePatience = 200 * time.Millisecond

// Close ends every connection: each peer is sent what is queued for it and
// told, before Close returns, so a program may exit then. The sockets are
// closed, the goroutines end, and the handler hears Left with Local for each
// connection: before Close returns, unless a handler is what calls Close or is
// busy for long. It never waits for the network. More calls do nothing.
func (e *Endpoint) Close() error {
	if !e.shut() {
		return nil
	}
	e.hangUp()
	var errs []error
	for _, sock := range e.socks {
		errs = append(errs, sock.Close())
	}
	for _, p := range e.takePaths() {
		errs = append(errs, p.Close())
	}
	close(e.closing)
	if e.mode != reading {
		e.out.run()
	}
	e.out.end(closePatience)
	if !insideHandler() {
		awaitClosed(e.gone, closePatience)
	}
	return errors.Join(errs...)
}

// shut ends every connection and sends what that takes. It returns false if it
// was done before.
func (e *Endpoint) shut() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.closed = true
	now := e.now()
	for _, p := range slices.Clone(e.peers) {
		p.hurry(now)
		e.transmit(p, now)
	}
	e.outbox.send()
	if e.goroutines == 0 {
		close(e.gone)
	}
	return true
}

// awaitClosed waits until c is closed, at most for patience.
func awaitClosed(c <-chan struct{}, patience time.Duration) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c:
	case <-timer.C:
	}
}
