package netmsg

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// An attacker holds the keys of one side of a sealed connection and says with
// them what it likes: a peer that was admitted and then breaks the rules.
type attacker struct {
	core   *ConnectionCore // the honest side
	conn   *sealedConn
	seal   sealer
	cid    uint32
	number uint64
	now    time.Duration
	heard  []heardEvent
}

func newAttacker(cfg *Config) *attacker {
	bad, good := simSessions(cfg.settle(), 7)
	core := NewConnectionCore(cfg, good, 0)
	return &attacker{core: core, conn: core.machine.(*sealedConn), seal: newSealer(bad.secure.keys.send), cid: bad.secure.peerCID}
}

// packet seals frames in a datagram of the next number.
func (a *attacker) packet(frames []byte) []byte {
	b := make([]byte, sealedHeader, sealedHeader+len(frames)+16)
	putSealedHeader(b, a.cid, a.number)
	b = a.seal.seal(append(b, frames...), a.number)
	a.number++
	return b
}

// says sends frames, and pulls what the honest side has to tell.
func (a *attacker) says(frames []byte) bool {
	ok := a.core.Receive(a.now, a.packet(frames))
	a.turn()
	return ok
}

func (a *attacker) turn() {
	var buf [2048]byte
	a.now += time.Millisecond
	for a.core.Transmit(a.now, buf[:]) > 0 {
	}
	for e := range a.core.Events() {
		e.Data = slices.Clone(e.Data)
		a.heard = append(a.heard, heardEvent{e, a.now})
	}
}

func reliable(id uint16, total, offset uint32, data []byte) []byte {
	return appendReliable(nil, &frame{kind: frameReliable, fragment: true, numbered: true, channel: Ordered1, id: id, total: total, offset: offset, data: data})
}

func whole(id uint16, data []byte) []byte {
	return appendReliable(nil, &frame{kind: frameReliable, numbered: true, channel: Ordered1, id: id, data: data})
}

// Every way in which an admitted peer can break the rules ends the connection
// with the code that the protocol has for it, and with nothing delivered.
func TestAPeerThatBreaksTheRulesIsClosedWithTheirCode(t *testing.T) {
	latest := func(stream, back uint16, index, count uint8, data string) []byte {
		return appendLatest(nil, &frame{kind: frameLatest, fragment: true, stream: stream, back: back, index: index, count: count, data: []byte(data)})
	}
	_, own := simSessions((&Config{}).settle(), 7)
	window := own.secure.own.window
	for name, c := range map[string]struct {
		packets [][]byte
		code    uint16
	}{
		"unknown frame":                      {[][]byte{{0x0C}}, closeProtocol},
		"reserved bit of RELIABLE":           {[][]byte{{0x4D, 0, 0, 'x'}}, closeProtocol},
		"varint not shortest":                {[][]byte{{0x59, 0, 0, 0x40, 1, 'x'}}, closeProtocol},
		"varint of form 11":                  {[][]byte{{0x59, 0, 0, 0xC0, 1, 'x'}}, closeProtocol},
		"two ACKs":                           {[][]byte{append(appendAckAll(nil, 0, 0), appendAckAll(nil, 0, 0)...)}, closeProtocol},
		"frame behind CLOSE":                 {[][]byte{append(appendClose(nil, 0, nil), byte(framePing))}, closeProtocol},
		"ACK of a number never sent":         {[][]byte{appendAckAll(nil, 9999, 0)}, closeFalseAck},
		"fragment beyond its total":          {[][]byte{reliable(0, 10, 8, []byte("abc"))}, closeProtocol},
		"empty fragment":                     {[][]byte{reliable(0, 10, 0, nil)}, closeProtocol},
		"total of 0":                         {[][]byte{reliable(0, 0, 0, []byte("x"))}, closeProtocol},
		"another total":                      {[][]byte{reliable(0, 10, 0, []byte("x")), reliable(0, 11, 5, []byte("x"))}, closeProtocol},
		"whole message of another total":     {[][]byte{reliable(0, 10, 0, []byte("x")), whole(0, []byte("xy"))}, closeProtocol},
		"id 1,024 above the floor":           {[][]byte{whole(1024, []byte("x"))}, closeLimit},
		"total over max_message":             {[][]byte{reliable(0, uint32(defaultParams.maxMessage)+1, 0, []byte("x"))}, closeLimit},
		"held bytes over the window":         {overWindow(window), closeLimit},
		"CREDIT for channel 4":               {[][]byte{{0x0A, 4, 0, 0, 1}}, closeProtocol},
		"CREDIT beyond what was sent":        {[][]byte{appendCredit(nil, Ordered1, 5, uint32(window))}, closeLimit},
		"LATEST of one fragment":             {[][]byte{latest(1, 0, 0, 1, "x")}, closeProtocol},
		"LATEST index over its count":        {[][]byte{latest(1, 0, 3, 3, "x")}, closeProtocol},
		"LATEST back over its packet":        {[][]byte{latest(1, 9, 0, 2, "x")}, closeProtocol},
		"LATEST of 65 streams":               {streams(65), closeLimit},
		"CLOSE whose text runs past the end": {[][]byte{{byte(frameClose), 0, 5, 'x'}}, closeProtocol},
		"ACK_BITS with n of 0":               {[][]byte{{byte(frameAckBits), 0, 0, 0, 0, 0}}, closeProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAttacker(nil)
			a.turn()
			for _, p := range c.packets {
				a.says(p)
			}
			l := left(a.heard)
			if l == nil || l.Reason != Protocol || a.conn.ending.code != c.code {
				t.Fatalf("left %+v, closed with %d, want Protocol and %d", l, a.conn.ending.code, c.code)
			}
			if n := len(messagesOn(a.heard, Ordered1)); n > 0 {
				t.Fatalf("%d messages were delivered", n)
			}
		})
	}
}

// overWindow are first fragments of messages that together are over a window.
func overWindow(window int) (all [][]byte) {
	for id := 0; id*65535 <= window; id++ {
		all = append(all, reliable(uint16(id+1), 65535, 0, []byte("x")))
	}
	return all
}

func streams(n int) (all [][]byte) {
	for i := range n {
		all = append(all, appendLatest(nil, &frame{kind: frameLatest, stream: uint16(i), data: []byte("x")}))
	}
	return all
}

// TestCaseT17: hostile fragments cost next to nothing, and what an honest peer
// sends meanwhile arrives whole. The number 10,000 is the case's; the window
// closes the connection of one that goes on.
func TestCaseT17(t *testing.T) {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	honest := newSealedPair(t, nil, LinkConfig{Latency: 20 * time.Millisecond}, 1)
	large := make([]byte, 60_000)
	rand.NewChaCha8([32]byte{4}).Read(large)
	honest.A.SendReliable(large)

	var all []*attacker
	before := heap()
	for sent := 0; sent < 10_000; {
		a := newAttacker(nil)
		all = append(all, a)
		for id := uint16(1); left(a.heard) == nil && sent < 10_000; id++ {
			a.says(reliable(id, 65535, 0, make([]byte, 1)))
			sent++
			if len(all) == 1 && id == 3 { // what one that keeps within its window costs
				if grown := int64(heap()) - int64(before); grown > 1<<20 {
					t.Fatalf("the heap grew by %d bytes", grown)
				}
			}
		}
		if l := left(a.heard); l != nil && l.Reason != Protocol {
			t.Fatalf("left as %v", l.Reason)
		}
		all = all[len(all)-1:]
	}
	if grown := int64(heap()) - int64(before); grown > 1<<20 {
		t.Fatalf("the heap grew by %d bytes over 10,000 first fragments", grown)
	}

	honest.run(3 * time.Second)
	wantMessages(t, messagesOn(honest.heardB, Ordered1), [][]byte{large})
}

// One-byte fragments of the most messages that the window lets be open take
// little memory.
func TestTinyFragmentsTakeLittleMemory(t *testing.T) {
	a := newAttacker(nil)
	a.turn()
	for id := range uint16(4) {
		for i := range uint32(100) {
			a.says(reliable(id+1, 65535, i*600, []byte("x")))
		}
	}
	if l := left(a.heard); l != nil {
		t.Fatalf("left as %v, code %d", l.Reason, a.conn.ending.code)
	}
	memory := 0
	in := a.conn.inc[Ordered1]
	for n := in.floor; n < in.end; n++ {
		if p := in.slot(n).parts; p != nil {
			memory += cap(p.data) + cap(p.have)*8
		}
	}
	if memory > 64<<10 {
		t.Fatalf("%d bytes held for 400 bytes", memory)
	}
}

// TestCaseT19: forged, altered and replayed packets do nothing but raise the
// counter of rejected ones, each by one.
func TestCaseT19(t *testing.T) {
	a := newAttacker(nil)
	a.turn()
	var recorded [][]byte
	for i := range 100 {
		p := a.packet(whole(uint16(i), []byte("genuine")))
		recorded = append(recorded, slices.Clone(p))
		a.core.Receive(a.now, p)
		a.turn()
	}
	before := a.core.Stats().Rejected

	injected := uint64(0)
	reject := func(b []byte) {
		t.Helper()
		if a.core.Receive(a.now, b) {
			t.Fatalf("took %x", b[:min(len(b), 8)])
		}
		a.turn()
		injected++
	}
	for _, p := range recorded { // replayed
		reject(slices.Clone(p))
	}
	for i, p := range recorded { // one bit flipped, of the header or what is sealed
		q := slices.Clone(p)
		bit := i * 37 % (8 * len(q))
		q[bit/8] ^= 1 << (bit % 8)
		reject(q)
	}
	old := newAttacker(nil) // another session's, of other keys
	other, _ := simSessions((&Config{}).settle(), 8)
	old.seal = newSealer(other.secure.keys.send)
	for range 10 {
		reject(old.packet(appendClose(nil, 0, nil)))
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 10 { // random, of the right connection, far ahead
		b := make([]byte, 100)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		putSealedHeader(b, a.cid, 1<<62)
		reject(b)
	}
	reject([]byte{1, 2, 3, 4, 5})
	reject(nil)

	if got := a.core.Stats().Rejected - before; got != injected {
		t.Fatalf("%d counted, %d injected", got, injected)
	}
	a.says(whole(100, []byte("after")))
	got := messagesOn(a.heard, Ordered1)
	if len(got) != 101 || string(got[100]) != "after" || left(a.heard) != nil {
		t.Fatalf("%d messages, left %v", len(got), left(a.heard))
	}
}

// Each bit of many packets flipped in turn: no event, and the counter exact.
func TestEveryFlippedBitIsRejected(t *testing.T) {
	a := newAttacker(nil)
	a.turn()
	flips := uint64(0)
	for i := range 200 {
		frames := whole(uint16(i), []byte("a message of some length"))
		number := a.number
		p := a.packet(frames)
		for bit := range 8 * len(p) {
			p[bit/8] ^= 1 << (bit % 8)
			if a.core.Receive(a.now, p) {
				t.Fatalf("packet %d with bit %d flipped was taken", number, bit)
			}
			flips++
			p[bit/8] ^= 1 << (bit % 8)
		}
		if !a.core.Receive(a.now, p) {
			t.Fatalf("packet %d was refused", number)
		}
		a.turn()
	}
	if got := a.core.Stats().Rejected; got != flips || len(messagesOn(a.heard, Ordered1)) != 200 {
		t.Fatalf("%d rejected of %d, %d messages", got, flips, len(messagesOn(a.heard, Ordered1)))
	}
}

// FuzzSealedPeer feeds a whole core sealed packets made of fuzzed frames.
func FuzzSealedPeer(f *testing.F) {
	for _, p := range [][]byte{whole(0, []byte("x")), reliable(1, 100, 50, []byte("abc")), appendAckAll(nil, 0, 0), appendClose(nil, 7, []byte("bye")), appendCredit(nil, Ordered1, 0, 70_000)} {
		f.Add(append([]byte{byte(len(p))}, p...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a := newAttacker(nil)
		a.turn()
		a.core.SendReliable(make([]byte, 3000))
		a.core.SendLatest(3, make([]byte, 3000))
		for len(data) > 0 {
			n := min(int(data[0]), len(data)-1)
			if n > 0 {
				a.says(data[1 : 1+n])
			}
			a.number += uint64(data[0] & 3)
			data = data[1+n:]
			held := a.conn.heldBytes()
			if limit := 4 * maxAutoWindow; held > limit {
				t.Fatalf("%d bytes held, at most %d", held, limit)
			}
			if at := a.core.Deadline(); at < a.now {
				t.Fatalf("deadline %v at %v", at, a.now)
			}
		}
	})
}

// A replay at every distance that the window has an edge at is refused.
func TestReplaysAtTheEdgesOfTheWindowAreRefused(t *testing.T) {
	a := newAttacker(nil)
	a.turn()
	first := a.packet(appendPing(nil))
	if !a.core.Receive(a.now, slices.Clone(first)) {
		t.Fatal("refused")
	}
	for n := 1; n <= 2050; n++ {
		if !a.core.Receive(a.now, a.packet(appendPing(nil))) {
			t.Fatalf("packet %d was refused", n)
		}
		if (n == 1 || n == 2047 || n == 2049) && a.core.Receive(a.now, slices.Clone(first)) {
			t.Fatalf("replayed %d packets later and taken", n)
		}
	}
}
