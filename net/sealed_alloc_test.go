package netmsg

import (
	"runtime"
	"testing"
	"time"
)

// A sealedLane is two cores without a link between: what one transmits the
// other receives at once.
type sealedLane struct {
	a, b *ConnectionCore
	buf  []byte
	now  time.Duration
}

func newSealedLane() *sealedLane {
	cfg := (&Config{GoodRate: -1, Random: newSimRandom(1)}).settle()
	a, b := simSessions(cfg, 1)
	return &sealedLane{a: NewConnectionCore(cfg, a, 0), b: NewConnectionCore(cfg, b, 0), buf: make([]byte, 1500)}
}

// turn passes on what is due, a frame later, and pulls all events.
func (l *sealedLane) turn() {
	l.now += time.Second / 60
	for _, way := range [2][2]*ConnectionCore{{l.a, l.b}, {l.b, l.a}} {
		for n := way[0].Transmit(l.now, l.buf); n > 0; n = way[0].Transmit(l.now, l.buf) {
			way[1].Receive(l.now, l.buf[:n])
		}
	}
	for range l.a.Events() {
	}
	for range l.b.Events() {
	}
}

func TestASteadySealedConnectionAllocatesNothing(t *testing.T) {
	l := newSealedLane()
	small, large := make([]byte, 64), make([]byte, 5000)
	frame := func() {
		l.a.SendReliable(small)
		l.b.SendOn(Unordered, small)
		l.a.SendLatest(1, small)
		l.b.SendLatest(1, large)
		l.a.SendOn(Ordered2, large)
		l.b.SendUnreliable(small)
		l.turn()
	}
	for range 5000 {
		frame()
	}
	// A packet key is made every 65,536 packets, which is not a steady matter.
	if allocs := testing.AllocsPerRun(1000, frame); allocs != 0 {
		t.Errorf("got %v allocations a frame, want 0", allocs)
	}
}

func TestAnIdleSealedConnectionOfAServerIsSmall(t *testing.T) {
	const many = 500
	cfg := (&Config{Random: newSimRandom(1)}).settle()
	servers := make([]*ConnectionCore, many)
	var work sealedWork
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range servers {
		l := newSealedLane()
		_, session := simSessions(cfg, 1)
		l.b = NewConnectionCore(cfg, session, 0)
		l.b.conn().workWith(&work)
		for range 300 {
			l.turn()
		}
		servers[i] = l.b
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := int(after.HeapAlloc-before.HeapAlloc) / many
	t.Logf("%d bytes a connection", each)
	if each > 4096 {
		t.Errorf("an idle connection takes %d bytes, want at most 4,096", each)
	}
	runtime.KeepAlive(servers)
}

func (c *ConnectionCore) conn() *sealedConn { return c.machine.(*sealedConn) }

func BenchmarkSealedTransmit(b *testing.B) {
	l := newSealedLane()
	data := make([]byte, 100)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		l.turn()
		l.a.SendLatest(1, data)
		b.StartTimer()
		l.a.Transmit(l.now, l.buf)
	}
}

func BenchmarkSealedReceive(b *testing.B) {
	l := newSealedLane()
	data := make([]byte, 100)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		l.turn()
		l.a.SendLatest(1, data)
		n := l.a.Transmit(l.now, l.buf)
		b.StartTimer()
		l.b.Receive(l.now, l.buf[:n])
	}
}

func BenchmarkSealedFrame(b *testing.B) {
	l := newSealedLane()
	data := make([]byte, 64)
	b.ReportAllocs()
	for b.Loop() {
		l.a.SendReliable(data)
		l.a.SendLatest(1, data)
		l.b.SendLatest(1, data)
		l.turn()
	}
}
