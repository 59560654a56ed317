package netmsg

import (
	"runtime"
	"testing"
	"time"
)

// A steadyPair is two cores that have talked long enough for every buffer to
// have its size.
type steadyPair struct {
	a, b *ConnectionCore
	now  time.Duration
	wire [1200]byte
	data [200]byte
}

func newSteadyPair() *steadyPair {
	p := &steadyPair{
		a: NewConnectionCore(nil, Session{ID: 1}, 0),
		b: NewConnectionCore(nil, Session{ID: 1}, 0),
	}
	events(p.a) // Joined
	events(p.b)
	for range 3000 {
		p.tick()
	}
	return p
}

// tick is a tick of both: messages and values each way, and the events pulled.
func (p *steadyPair) tick() {
	p.now += interval(30)
	p.pass(p.a, p.b)
	p.pass(p.b, p.a)
}

func (p *steadyPair) pass(from, to *ConnectionCore) {
	for s := range uint16(3) {
		from.SendLatest(s, p.data[:40])
	}
	from.SendReliable(p.data[:100])
	from.SendReliable(p.data[:])
	for n := from.Transmit(p.now, p.wire[:]); n > 0; n = from.Transmit(p.now, p.wire[:]) {
		to.Receive(p.now, p.wire[:n])
	}
	events := 0
	for range to.Events() {
		events++
	}
	if events != 5 {
		panic("a tick did not bring its five events")
	}
	from.Deadline()
	from.Stats()
}

func TestASteadyConnectionAllocatesNothing(t *testing.T) {
	p := newSteadyPair()
	if allocs := testing.AllocsPerRun(1000, p.tick); allocs != 0 {
		t.Errorf("got %v allocations a tick, want 0", allocs)
	}
}

func TestResendingAndReorderingAllocatesNothing(t *testing.T) {
	p := NewSimPair(plainly(nil), Awful(), Awful(), 1)
	data := make([]byte, 100)
	step := func() {
		if p.A.Stats().Unacked < 50 {
			p.A.SendReliable(data)
		}
		p.B.SendLatest(1, data)
		p.Advance(10 * ms)
		for range p.EventsB() {
		}
		for range p.EventsA() {
		}
	}
	for range 20000 {
		step()
	}
	if allocs := testing.AllocsPerRun(5000, step); allocs != 0 {
		t.Errorf("got %v allocations in 10 ms, want 0", allocs)
	}
}

func TestAnIdleConnectionIsSmall(t *testing.T) {
	const many = 1000
	cfg := (*Config)(nil).settle()
	cores := make([]*ConnectionCore, many)
	buf := make([]byte, 1200)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)

	for i := range cores {
		cores[i] = NewConnectionCore(cfg, Session{ID: testSession}, 0)
		for now := time.Duration(0); now < 5*time.Second; now += 100 * ms {
			cores[i].Transmit(now, buf)
			b := appendPlainHeader(buf[:0], testSession, uint16(now/(100*ms)), uint16(now/(100*ms)), ^uint32(0))
			cores[i].Receive(now, b)
		}
		for range cores[i].Events() {
		}
	}

	runtime.GC()
	runtime.ReadMemStats(&after)
	each := int(after.HeapAlloc-before.HeapAlloc) / many
	t.Logf("%d bytes a connection", each)
	if each > 4096 {
		t.Errorf("an idle connection takes %d bytes, want at most 4,096", each)
	}
	runtime.KeepAlive(cores)
}

func BenchmarkPlainTick(b *testing.B) {
	p := newSteadyPair()
	b.ReportAllocs()
	for b.Loop() {
		p.tick()
	}
}

func BenchmarkPlainTransmit(b *testing.B) {
	c := NewConnectionCore(&Config{GoodRate: -1, Timeout: -1}, Session{ID: testSession}, 0)
	data, wire := make([]byte, 100), make([]byte, 1200)
	b.ReportAllocs()
	for now := time.Duration(0); b.Loop(); now += ms {
		c.SendLatest(1, data)
		if c.Transmit(now, wire) == 0 {
			b.Fatal("nothing was due")
		}
	}
}

func BenchmarkPlainReceive(b *testing.B) {
	c := NewConnectionCore(nil, Session{ID: testSession}, 0)
	data := make([]byte, 100)
	wire := make([]byte, 0, 1200)
	b.ReportAllocs()
	for n := uint16(0); b.Loop(); n++ {
		wire = appendPlainHeader(wire[:0], testSession, n, 0xffff, 0)
		wire = appendPlainMessage(wire, n, data)
		wire = appendPlainValue(wire, 1, n, data)
		setPlainCounts(wire, 1, 1)
		c.Receive(0, wire)
		for range c.Events() {
		}
	}
}

func BenchmarkPlainGateRequest(b *testing.B) {
	gate := newPlainGate(nil, gateKey)
	request, answer := appendPlainRequest(nil, 1), make([]byte, 100)
	b.ReportAllocs()
	for b.Loop() {
		gate.Receive(0, guest1, request, answer)
	}
}
