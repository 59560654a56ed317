package world

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/tests/inbox"
)

// A World is everything that the package comment names.
type World struct {
	// Internet is the network that everything else hangs on.
	Internet *Network

	seed     uint64
	dice     *rand.Rand
	now      time.Duration
	ways     []*way // as they were made, so that a run repeats
	timers   timers
	hosts    []*Host
	services []*Service
	cuts     map[[2]*Host]bool
	trace    hash.Hash64
	buf      []byte
	buffers  *inbox.Buffers
}

// New makes a world without anything in it, at time zero.
func New(seed uint64) *World {
	w := &World{
		seed:    seed,
		dice:    rand.New(rand.NewPCG(seed, 0x77_6f_72_6c_64)),
		cuts:    make(map[[2]*Host]bool),
		trace:   fnv.New64a(),
		buf:     make([]byte, headerSize+maxDatagram),
		buffers: inbox.NewBuffers(headerSize + maxDatagram),
	}
	w.Internet = newNetwork(w, nil)
	return w
}

// Now is the time, from zero.
func (w *World) Now() time.Duration { return w.now }

// Random gives one of a run's sources of random numbers: the same for the same
// seed and name.
func (w *World) Random(name string) io.Reader {
	var seed [32]byte
	h := fnv.New64a()
	fmt.Fprint(h, name)
	binary.LittleEndian.PutUint64(seed[:], w.seed)
	binary.LittleEndian.PutUint64(seed[8:], h.Sum64())
	return rand.NewChaCha8(seed)
}

// Trace is a hash of all that was sent so far, by whom and when.
func (w *World) Trace() uint64 { return w.trace.Sum64() }

// Note puts something that happened into the trace.
func (w *World) Note(format string, args ...any) {
	fmt.Fprintf(w.trace, "%d ", w.now)
	fmt.Fprintf(w.trace, format, args...)
}

// Advance moves the clock by d; whatever is due until then happens, in order.
func (w *World) Advance(d time.Duration) {
	until := w.now + d
	for {
		way, due := w.next()
		if due > until {
			break
		}
		w.now = max(w.now, due)
		if way == nil {
			w.timers.fire()
		} else {
			way.deliver()
		}
	}
	w.now = until
}

// next is what happens first, and when; nil: a timer.
func (w *World) next() (first *way, due time.Duration) {
	due = w.timers.due()
	for _, y := range w.ways {
		if y.sim != nil && y.sim.Deadline() < due {
			first, due = y, y.sim.Deadline()
		}
	}
	return first, due
}

// After has f called when d has passed.
func (w *World) After(d time.Duration, f func()) { w.timers.add(w.now+d, f) }

// CutBetween loses every datagram that one host sends to another, one way,
// whatever its path, but for those a relay passes on. It lasts until
// MendBetween.
func (w *World) CutBetween(from, to *Host) { w.cuts[[2]*Host{from, to}] = true }

// MendBetween undoes CutBetween.
func (w *World) MendBetween(from, to *Host) { delete(w.cuts, [2]*Host{from, to}) }

// never is later than anything that happens.
const never = time.Duration(math.MaxInt64)

// A packet is a datagram on its way. Routers change its addresses; from which
// host it came they do not.
type packet struct {
	origin   *Host
	from, to netip.AddrPort
	data     []byte
}

const (
	maxDatagram = 2048
	headerSize  = 2 + 2*18
)

// appendPacket writes a packet as a way carries it.
func appendPacket(b []byte, p packet) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(p.origin.number))
	b = appendAddr(appendAddr(b, p.from), p.to)
	return append(b, p.data...)
}

func (w *World) parsePacket(b []byte) packet {
	return packet{
		origin: w.hosts[binary.LittleEndian.Uint16(b)],
		from:   addrOf(b[2:]), to: addrOf(b[20:]),
		data: b[headerSize:],
	}
}

// appendAddr and addrOf are the two ways between an address and 18 bytes.
func appendAddr(b []byte, a netip.AddrPort) []byte {
	ip := a.Addr().As16()
	return binary.LittleEndian.AppendUint16(append(b, ip[:]...), a.Port())
}

func addrOf(b []byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16([16]byte(b)).Unmap(), binary.LittleEndian.Uint16(b[16:]))
}
