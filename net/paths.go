package netmsg

import (
	"errors"
	"net/netip"
	"slices"
)

// An endpoint reaches some peers by other ways than its own socket: over a
// relay, say. Each such way is a Path, and each remote end of it has a synthetic
// address, by which everything else in this package names it.

const (
	// pathRemotes is how many remote ends one path has at most. A datagram from
	// a further one is dropped, so that nobody fills the table from outside.
	pathRemotes = 32

	// maxPaths is how many paths an endpoint has at most.
	maxPaths = 4096
)

// A Path is a Socket of an endpoint beside its own. Its methods may be called
// from any goroutine.
type Path struct {
	e       *Endpoint
	sock    Socket
	number  uint32           // the synthetic address of remote i has number + i
	remotes []netip.AddrPort // the real addresses, as sock knows them
	closing chan struct{}
}

var errManyPaths = errors.New("netmsg: the endpoint has 4,096 paths already")

// AddPath gives the endpoint another way to reach peers than its own socket.
// Datagrams that sock reads come in with synthetic addresses, and what goes to
// such an address goes out by sock to the real one, which Address and Remote
// turn into each other. The endpoint's other rules hold for a path too, but its
// packets stay at 1,200 bytes. The endpoint closes sock when the path or it is
// closed. It returns ErrClosed on a closed endpoint, and an error when there are
// 4,096 paths. On a stepped endpoint sock must be a StepSocket. PROTOCOL.md,
// Addresses.
func (e *Endpoint) AddPath(sock Socket) (*Path, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, steps := sock.(StepSocket)
	switch {
	case e.closed:
		return nil, ErrClosed
	case len(e.paths) == maxPaths:
		return nil, errManyPaths
	case e.mode == stepped && !steps:
		return nil, errors.New("netmsg: a stepped endpoint takes no path that waits")
	}
	if e.mode == driven && !steps {
		sock = withoutWaiting([]Socket{sock}, e.bufferSize())[0]
	}
	p := &Path{e: e, sock: sock, number: e.pathNumber, closing: make(chan struct{})}
	e.pathNumber += pathRemotes
	e.paths = append(e.paths, p)
	e.outbox.paths = e.paths
	if e.mode == reading {
		e.goLocked(p.read)
	}
	return p, nil
}

// Address is the synthetic address of a remote end of the path, to be given to
// Dial, Probe and Punch. False: the path has had 32 others, or is closed.
func (p *Path) Address(remote netip.AddrPort) (netip.AddrPort, bool) {
	p.e.mu.Lock()
	defer p.e.mu.Unlock()
	return p.address(canonical(remote))
}

func (p *Path) address(remote netip.AddrPort) (netip.AddrPort, bool) {
	i := slices.Index(p.remotes, remote)
	switch {
	case isDone(p.closing):
		return netip.AddrPort{}, false
	case i < 0 && len(p.remotes) == pathRemotes:
		return netip.AddrPort{}, false
	case i < 0:
		i = len(p.remotes)
		p.remotes = append(p.remotes, remote)
	}
	return syntheticAddr(p.number + uint32(i)), true
}

// Remote is the real address behind a synthetic one of this path; false: it is
// not of this path.
func (p *Path) Remote(synthetic netip.AddrPort) (netip.AddrPort, bool) {
	p.e.mu.Lock()
	defer p.e.mu.Unlock()
	return p.remote(synthetic)
}

func (p *Path) remote(at netip.AddrPort) (netip.AddrPort, bool) {
	n, ok := syntheticNumber(at)
	if i := n - p.number; ok && i < uint32(len(p.remotes)) {
		return p.remotes[i], true
	}
	return netip.AddrPort{}, false
}

// Close takes the path from the endpoint and closes its socket. What is sent to
// its addresses afterwards is lost, so connections over it that do not move fall
// silent. More calls do nothing.
func (p *Path) Close() error {
	if !p.end() {
		return nil
	}
	return p.sock.Close()
}

// end takes the path from its endpoint. False: that was done before.
func (p *Path) end() bool {
	e := p.e
	e.mu.Lock()
	defer e.mu.Unlock()
	if isDone(p.closing) {
		return false
	}
	close(p.closing)
	e.paths = slices.DeleteFunc(e.paths, func(q *Path) bool { return q == p })
	e.outbox.paths = e.paths
	return true
}

// takePaths gives a copy of the list, to close them.
func (e *Endpoint) takePaths() []*Path {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.paths)
}

// arrive takes what was read from the path. The lock is held.
func (p *Path) arrive(d *Datagram) {
	at, ok := p.address(canonical(d.Addr))
	if !ok {
		p.e.stats.NoConnection++
		return
	}
	d.Addr = at
	p.e.take(p.e.now(), d)
}

// read takes in what comes until the path or its endpoint is closed.
func (p *Path) read() {
	e := p.e
	batch := newBatch(firstBatch, e.bufferSize())
	for n := nextRead(p.sock, batch, p.closing); n > 0; n = nextRead(p.sock, batch, p.closing) {
		e.mu.Lock()
		e.beginTurn()
		for i := range n {
			p.arrive(&batch[i])
		}
		e.outbox.send()
		e.mu.Unlock()
		e.finishTurn()
	}
}

// readPaths takes in what the paths hold, without waiting. The lock is held.
func (e *Endpoint) readPaths() {
	for _, p := range e.paths {
		if s, ok := p.sock.(StepSocket); ok {
			for d := e.lendOne(); s.TryRead(d); d = e.lendOne() {
				p.arrive(d)
			}
			continue
		}
		for more := true; more; {
			n, err := p.sock.(frameSocket).tryReadBatch(e.inbatch)
			for i := range n {
				p.arrive(&e.inbatch[i])
			}
			more = err == nil && n == len(e.inbatch)
		}
	}
}

// sendPath sends datagrams over the paths that they are for. Where there is
// none any more they are lost.
func (o *outbox) sendPath(batch []Datagram) {
	for i := range batch {
		if o.passOver(&batch[i]) {
			o.sent++
			o.bytes += uint64(len(batch[i].Data))
		} else {
			o.unsent++
		}
	}
}

func (o *outbox) passOver(d *Datagram) bool {
	for _, p := range o.paths {
		if to, ok := p.remote(d.Addr); ok {
			o.single[0] = Datagram{Addr: to, Data: d.Data}
			n, err := o.write(p.sock, o.single[:])
			return n == 1 && err == nil
		}
	}
	return false
}

// IsPath says whether an address is a synthetic one: that the peer is reached
// over a Path and not by the endpoint's own socket.
func IsPath(a netip.AddrPort) bool { return synthetic(a.Addr()) }

// syntheticAddr is fd6e:6dpp:pppp:pp00::1, port 1, for a number p.
func syntheticAddr(p uint32) netip.AddrPort {
	a := [16]byte{0: 0xfd, 1: 0x6e, 2: 0x6d, 15: 1}
	PutU32(a[:3], p)
	return netip.AddrPortFrom(netip.AddrFrom16(a), 1)
}

func syntheticNumber(at netip.AddrPort) (uint32, bool) {
	if !at.Addr().Is6() || !synthetic(at.Addr()) {
		return 0, false
	}
	a := at.Addr().As16()
	n := U32(a[3:])
	return n, at == syntheticAddr(n)
}
