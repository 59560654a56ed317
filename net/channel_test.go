package netmsg

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// channelPair is the two ends of a channel, without packets between: each
// "packet" is one frame, and its fate is decided at once or later.
type channelPair struct {
	t     *testing.T
	rng   *rand.Rand
	out   *sendChannel
	in    *receiveChannel
	inbox inbox
	store messageStore
	pool  buffers

	packet uint64
	flying []channelPacket
	sent   [][]byte
	heard  [][]byte
	number []uint64 // unordered: of heard
}

type channelPacket struct {
	packet uint64
	number uint32
	p      span
}

func newChannelPair(t *testing.T, unordered bool, window int, seed uint64) *channelPair {
	p := &channelPair{t: t, rng: rand.New(rand.NewPCG(seed, seed)), out: newSendChannel(window)}
	p.in = newReceiveChannel(unordered, 65_535, window)
	p.inbox.pool = &p.pool
	p.store.pool = &p.pool
	return p
}

// queue queues a message that begins with its own number.
func (p *channelPair) queue(size int) {
	b := noiseBytes(max(size, 4), uint64(len(p.sent)))
	b = PutU32(b[:0], uint32(len(p.sent)))[:len(b)]
	p.sent = append(p.sent, b)
	p.out.queue(p.pool.copyOf(b))
}

// send sends the next frame that is due, of at most room bytes; false if none.
func (p *channelPair) send(room int) bool {
	number, ok := p.out.ready()
	if !ok {
		return false
	}
	m := p.out.at(number)
	f := frame{kind: frameReliable, numbered: true, id: uint16(number), total: m.size}
	sent := channelPacket{packet: p.packet, number: uint32(number), p: span{0, m.size}}
	if m.split == nil && int(m.size) <= room {
		f.data = m.data
		p.out.sentWhole(number, p.packet)
	} else {
		if m.split == nil {
			m.split = p.store.newSplit()
		}
		sent.p = m.split.part(m.size)
		sent.p.to = min(sent.p.to, sent.p.from+uint32(room))
		f.fragment, f.offset, f.data = true, sent.p.from, m.data[sent.p.from:sent.p.to]
		p.out.sentPart(number, sent.p)
	}
	p.flying = append(p.flying, sent)
	if p.rng.IntN(100) >= 20 {
		for range 1 + p.rng.IntN(2) { // some come twice
			p.receive(&f)
		}
		if p.rng.IntN(10) > 0 {
			p.fate(len(p.flying)-1, true) // some acknowledgements come late or never
		}
	}
	p.packet++
	return true
}

func (p *channelPair) receive(f *frame) {
	if got := p.in.take(f, &p.store); got != takeOK {
		p.t.Fatalf("an honest frame is not taken: %d", got)
	}
	number, _, _ := p.in.resolve(f.id)
	for n, ok := p.in.ready(number); ok; n, ok = p.in.ready(number) {
		if p.in.unordered {
			p.number = append(p.number, n)
		}
		p.inbox.message(0, p.in.handOver(n))
	}
	if p.in.held > p.in.window {
		p.t.Fatalf("%d bytes are held, the window is %d", p.in.held, p.in.window)
	}
}

// fate decides what became of a packet.
func (p *channelPair) fate(i int, acked bool) {
	f := p.flying[i]
	p.flying = append(p.flying[:i], p.flying[i+1:]...)
	if !acked {
		p.out.lost(f.number, f.p, f.packet)
		return
	}
	if number, all := p.out.acked(f.number, f.p); all {
		p.finish(number)
	}
}

func (p *channelPair) finish(number uint64) {
	data, split := p.out.forget(number)
	p.pool.put(data)
	p.store.dropSplit(split)
}

// pull pulls up to n messages, and passes the credit on.
func (p *channelPair) pull(n int) {
	var e Event
	for ; n > 0 && p.inbox.next(&e); n-- {
		p.heard = append(p.heard, bytes.Clone(e.Data))
	}
	p.in.pull(p.inbox.taken[0], p.packet)
	if !p.in.creditDue {
		return
	}
	floor, window := p.in.credit()
	to, ok := p.out.credit(p.packet, floor, int(window))
	if !ok {
		p.t.Fatal("an honest credit is refused")
	}
	for p.out.floor < to {
		if !p.out.at(p.out.floor).done {
			p.finish(p.out.floor)
		}
		p.out.drop()
	}
}

func (p *channelPair) run(messages int, size func() int) {
	p.t.Helper()
	for queued, idle := 0, 0; idle < 200; {
		switch p.rng.IntN(6) {
		case 0:
			if queued < messages {
				p.queue(size())
				queued++
			}
		case 1:
			p.pull(p.rng.IntN(5))
		case 2:
			for i := len(p.flying) - 1; i >= 0; i-- {
				p.fate(i, false) // perhaps wrongly
			}
		default:
			p.send(64 + p.rng.IntN(1400))
		}
		idle++
		if len(p.heard) < messages {
			idle = 0
		}
		if p.packet > 200_000 {
			p.t.Fatalf("%d of %d messages after %d packets", len(p.heard), messages, p.packet)
		}
	}
}

func TestAnOrderedChannelDeliversEverythingInOrder(t *testing.T) {
	for seed := range uint64(8) {
		p := newChannelPair(t, false, 262_144, seed)
		p.run(600, func() int { return 4 + int(p.rng.ExpFloat64()*1500)%65_000 })
		for i := range p.sent {
			if !bytes.Equal(p.heard[i], p.sent[i]) {
				t.Fatalf("seed %d: message %d is wrong", seed, i)
			}
		}
		if len(p.heard) != len(p.sent) {
			t.Errorf("seed %d: %d messages heard, %d sent", seed, len(p.heard), len(p.sent))
		}
	}
}

func TestAnUnorderedChannelDeliversEverythingOnce(t *testing.T) {
	for seed := range uint64(8) {
		p := newChannelPair(t, true, 131_072, seed)
		p.run(600, func() int { return 4 + int(p.rng.ExpFloat64()*1500)%65_000 })
		seen, disorder := map[uint32]bool{}, 0
		for i, b := range p.heard {
			n := U32(b)
			if seen[n] || !bytes.Equal(b, p.sent[n]) {
				t.Fatalf("seed %d: message %d comes twice or is wrong", seed, n)
			}
			seen[n] = true
			if int(n) != i {
				disorder++
			}
		}
		if len(seen) != len(p.sent) || disorder == 0 {
			t.Errorf("seed %d: %d of %d messages, %d of them out of order", seed, len(seen), len(p.sent), disorder)
		}
	}
}

func TestManySmallMessagesPassTheIdsOf16Bits(t *testing.T) {
	p := newChannelPair(t, false, 262_144, 1)
	for len(p.heard) < 70_000 {
		p.queue(4)
		for p.send(1200) {
		}
		if p.rng.IntN(50) == 0 {
			for i := len(p.flying) - 1; i >= 0; i-- {
				p.fate(i, false)
			}
			p.pull(2000)
		}
	}
	for i, b := range p.heard {
		if U32(b) != uint32(i) {
			t.Fatalf("message %d comes as %d", U32(b), i)
		}
	}
}

func TestAPeerCannotBreakTheLimitsOfAChannel(t *testing.T) {
	whole := func(id uint16, n int) *frame {
		return &frame{kind: frameReliable, id: id, total: uint32(n), data: make([]byte, n)}
	}
	part := func(id uint16, total, offset, n uint32) *frame {
		return &frame{kind: frameReliable, fragment: true, id: id, total: total, offset: offset, data: make([]byte, n)}
	}
	for name, v := range map[string]struct {
		frames []*frame
		want   takeResult
	}{
		"1,023 messages ahead":               {[]*frame{whole(1023, 1)}, takeOK},
		"1,024 messages ahead":               {[]*frame{whole(1024, 1)}, takeOver},
		"32,767 messages ahead":              {[]*frame{whole(32767, 1)}, takeOver},
		"an old id":                          {[]*frame{whole(32768, 1)}, takeOK},
		"a message of max_message":           {[]*frame{part(0, 65_535, 0, 64)}, takeOK},
		"a message over max_message":         {[]*frame{part(0, 65_536, 0, 64)}, takeOver},
		"as many bytes as the window":        {[]*frame{part(0, 65_535, 0, 1), part(1, 65_535, 0, 1), part(2, 65_535, 0, 1), part(3, 65_535, 0, 1), part(4, 4, 0, 1)}, takeOK},
		"one byte more":                      {[]*frame{part(0, 65_535, 0, 1), part(1, 65_535, 0, 1), part(2, 65_535, 0, 1), part(3, 65_535, 0, 1), part(4, 5, 0, 1)}, takeOver},
		"a total that differs":               {[]*frame{part(0, 100, 0, 10), part(0, 101, 20, 10)}, takeBroken},
		"a whole message that differs":       {[]*frame{part(0, 100, 0, 10), whole(0, 99)}, takeBroken},
		"a fragment of a whole one, differs": {[]*frame{whole(0, 99), part(0, 100, 0, 10)}, takeBroken},
		"a whole message again":              {[]*frame{whole(0, 99), whole(0, 99)}, takeOK},
		"a whole one after its fragment":     {[]*frame{part(0, 100, 0, 10), whole(0, 100)}, takeOK},
	} {
		p := newChannelPair(t, false, 262_144, 1)
		var got takeResult
		for _, f := range v.frames {
			got = p.in.take(f, &p.store)
		}
		if got != v.want {
			t.Errorf("%s: %d, want %d", name, got, v.want)
		}
	}
}

func TestCreditBeyondWhatWasSentIsRefused(t *testing.T) {
	p := newChannelPair(t, false, 262_144, 1)
	for range 10 {
		p.queue(10)
	}
	for p.send(1200) {
	}
	if _, ok := p.out.credit(100, 11, 262_144); ok {
		t.Error("a floor beyond what was sent is taken")
	}
	if to, ok := p.out.credit(101, 10, 262_144); !ok || to != 10 {
		t.Errorf("a floor of all that was sent gives %d %v", to, ok)
	}
	if to, ok := p.out.credit(100, 11, 262_144); !ok || to != p.out.floor {
		t.Error("a CREDIT in an older packet is not ignored")
	}
}

func TestTheSenderWaitsForCredit(t *testing.T) {
	p := newChannelPair(t, false, 131_072, 1)
	for range 3 {
		p.queue(50_000)
	}
	for p.send(1200) {
	}
	if p.out.next != 2 {
		t.Errorf("%d messages of 50,000 bytes are sent into a window of 131,072, want 2", p.out.next)
	}

	p = newChannelPair(t, false, 131_072, 1)
	for range 1100 {
		p.queue(4)
	}
	for p.send(1200) {
	}
	if p.out.next != 1024 {
		t.Errorf("%d messages are sent without credit, want 1,024", p.out.next)
	}
}

func TestTheWindowIsRaisedWhenThePeerFillsIt(t *testing.T) {
	in := newReceiveChannel(false, 65_535, 262_144)
	in.filling.bytes = 270_000
	in.raise(190*ms, 50*ms, maxAutoWindow)
	if in.window != 524_288 || !in.creditDue {
		t.Errorf("window %d, credit due %v; want 524,288, true", in.window, in.creditDue)
	}
	in.filling.bytes = 500_000
	in.raise(200*ms, 50*ms, maxAutoWindow)
	if in.window != 524_288 {
		t.Errorf("window %d: not filled yet, want 524,288", in.window)
	}
	in.raise(400*ms, 50*ms, maxAutoWindow)
	in.filling.bytes = 900_000
	in.raise(601*ms, 50*ms, maxAutoWindow)
	if in.window != 524_288 {
		t.Errorf("window %d: filled too slowly, want 524,288", in.window)
	}
	in.filling.most = 350_000
	in.raise(700*ms, 50*ms, maxAutoWindow)
	if in.window != 1_048_576 {
		t.Errorf("window %d: two thirds were held at once, want 1,048,576", in.window)
	}
	in.window, in.filling.most = maxAutoWindow, maxAutoWindow
	in.raise(800*ms, 50*ms, maxAutoWindow)
	if in.window != maxAutoWindow {
		t.Errorf("window %d, want %d at most", in.window, maxAutoWindow)
	}
}

// A peer that only announces much, in the first bytes of many messages, has no
// window raised for it; one whose messages wait for a lost one has.
func TestAWindowFullOfWhatWaitsForALostMessageIsRaised(t *testing.T) {
	store := messageStore{pool: new(buffers)}
	in := newReceiveChannel(false, 65_535, 262_144)
	take := func(id uint16, from, to uint32) {
		t.Helper()
		f := frame{kind: frameReliable, numbered: true, fragment: true, id: id, total: 60_000, offset: from, data: make([]byte, to-from)}
		if in.take(&f, &store) != takeOK {
			t.Fatalf("message %d is not taken", id)
		}
	}
	for id := range uint16(4) {
		take(id, 0, 100)
		take(id, 0, 100)
	}
	if in.held != 240_000 || in.came != 400 || in.stuck() {
		t.Fatalf("%d bytes are told of and %d are here; stuck: %v", in.held, in.came, in.stuck())
	}

	for id := uint16(1); id < 4; id++ {
		take(id, 50, 60_000)
	}

	if in.came != 180_100 || !in.stuck() {
		t.Errorf("%d bytes are here, want 180,100; stuck: %v", in.came, in.stuck())
	}
	take(0, 0, 60_000)
	if in.stuck() {
		t.Error("stuck, though it is only to be pulled")
	}
}

func TestCreditRidesInThreePackets(t *testing.T) {
	in := newReceiveChannel(false, 65_535, 262_144)
	for i, due := range []bool{true, false, false} {
		if i == 0 {
			in.creditDue = true
		}
		if in.creditDue != due || !due && in.creditMore == 0 {
			t.Fatalf("packet %d: due %v, to be repeated %d times", i, in.creditDue, in.creditMore)
		}
		in.credit()
	}
	if in.creditDue || in.creditMore > 0 {
		t.Error("in a fourth, too")
	}
}

func TestALostFragmentIsTold(t *testing.T) {
	p := newChannelPair(t, false, 262_144, 1)
	p.queue(100)
	p.queue(3000)
	number, _ := p.out.ready()
	p.out.sentWhole(number, 1)
	p.out.at(1).split = p.store.newSplit()
	p.out.sentPart(1, span{0, 1000})
	if p.out.lost(0, span{0, 100}, 1) {
		t.Error("a whole message is called a fragment")
	}
	if !p.out.lost(1, span{0, 1000}, 2) {
		t.Error("a fragment is not")
	}
	p.out.acked(1, span{0, 1000})
	if p.out.lost(1, span{0, 1000}, 3) {
		t.Error("one that has come is due again")
	}
}
