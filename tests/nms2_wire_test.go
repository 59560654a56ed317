package tests

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/flynn/noise"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

// An nms2Wire is a client of an endpoint that is written from net/PROTOCOL.md
// alone: it shakes hands, sends frames one by one as the test says, and holds
// every packet that comes against the page.
type nms2Wire struct {
	t        *testing.T
	net      *simnet.Network
	endpoint *netmsg.Endpoint
	conn     *netmsg.Conn
	socket   *simnet.Socket
	events   []string

	random           *rand.ChaCha8
	out, in          *nms2Way
	ownCID, peerCID  uint32
	lose             func(number uint64) bool // packets of the server's that are checked, and then do as if lost
	pending          []uint64                 // numbers that the endpoint gets when it is turned
	sent             uint64                   // the next number of the wire's
	came             map[uint64]time.Duration // numbers of the wire's, and when the endpoint got them
	newest           uint64                   // of those, the largest
	begun, floors    [4]int                   // reliable messages of the wire's: sent, and below the floor of a CREDIT
	told             map[uint64]int           // of those, in how many ACK frames
	next             uint64                   // one more than the largest number of the server's
	skipped          uint64                   // the last number that it left out
	taken            map[uint64]bool
	asked            bool // something came that asks
	packets          []nms2Packet
	channels         [4]nms2Incoming
	values           map[uint16]nms2Value
	versions         map[uint16]uint64
	unreliable       []string
	closes           []time.Duration
	closeCode        int
	closeText        string
	ackForms, frames map[byte]int
}

// An nms2Packet is what one packet of the server's held.
type nms2Packet struct {
	number uint64
	at     time.Duration
	size   int
	frames []nms2Frame
}

// An nms2Incoming is a channel on which the server sends.
type nms2Incoming struct {
	messages map[int]*nms2Message
	next     int // in order
	credited int // floor of the last CREDIT of the wire's
	got      []string
}

type nms2Message struct {
	total int
	data  []byte
	have  []bool
	went  []bool // in a packet, lost or not
}

// An nms2Value is a value that comes in fragments.
type nms2Value struct {
	version uint64
	parts   map[int][]byte
	whole   []byte
}

// What the wire announces: the least that the page allows, so that the limits
// are met.
const (
	nms2MaxMessage = 4096
	nms2Window     = 8192
	nms2MaxPacket  = 1200
	nms2MaxLatest  = 16384 // the default
)

func newNMS2Wire(t *testing.T, seed byte, cfg netmsg.Config) *nms2Wire {
	w := &nms2Wire{
		t: t, net: simnet.New(1), random: rand.NewChaCha8([32]byte{seed, 1}), ownCID: 0x8a0b0c0d,
		came: map[uint64]time.Duration{}, told: map[uint64]int{}, taken: map[uint64]bool{},
		values: map[uint16]nms2Value{}, versions: map[uint16]uint64{}, ackForms: map[byte]int{}, frames: map[byte]int{},
	}
	for ch := range w.channels {
		w.channels[ch].messages = map[int]*nms2Message{}
	}
	cfg.AppID = [8]byte([]byte("testgame"))
	cfg.Random = rand.NewChaCha8([32]byte{seed})
	cfg.Identity = bytes.Repeat([]byte{7}, 32)
	w.endpoint = netmsg.NewEndpoint(w.net.Socket(benchAddr), netmsg.HandlerFunc(w.hear), &cfg)
	t.Cleanup(func() { w.endpoint.Close() })
	w.socket = w.net.Socket(wireAddr)
	w.shakeHands()
	return w
}

func (w *nms2Wire) hear(e netmsg.Event) {
	switch e.Kind {
	case netmsg.Joined:
		w.conn = e.Conn
	case netmsg.Message:
		w.events = append(w.events, fmt.Sprintf("message %d %s", e.Channel, shortened(e.Data)))
	case netmsg.Update:
		w.events = append(w.events, fmt.Sprintf("value %d %s", e.Stream, shortened(e.Data)))
	case netmsg.Left:
		w.events = append(w.events, fmt.Sprintf("left %v %d %q", e.Reason, e.Code, e.Text))
	}
}

// shortened names data that is too long to be shown.
func shortened(b []byte) string {
	if len(b) <= 16 {
		return fmt.Sprintf("%q", b)
	}
	return fmt.Sprintf("%q... of %d, sum %d", b[:8], len(b), binary.BigEndian.Uint32(nms2MAC(b, "")))
}

// shakeHands is the page's part on the handshake, sections 2, 5 and 6, with
// pattern 1.
func (w *nms2Wire) shakeHands() {
	w.t.Helper()
	salt := []byte("saltsalt")
	core := append([]byte{1, 1, 0}, salt...)
	core = append(core, "testgame\x00\x00\x00\x00\x00\x00\x00\x00"...)
	challenge := w.ask(append([]byte("NMS2\x00"), core...))
	if len(challenge) != 56 || string(challenge[:5]) != "NMS2\x01" || !bytes.Equal(challenge[8:16], salt) {
		w.t.Fatalf("a Request is answered by %x, want a Challenge", challenge)
	}

	payload := binary.BigEndian.AppendUint32(nil, w.ownCID)
	for _, p := range [][2]uint64{{2, nms2MaxMessage}, {3, nms2Window}} {
		value := appendNMS2Varint(nil, p[1])
		payload = appendNMS2Varint(appendNMS2Varint(payload, p[0]), uint64(len(value)))
		payload = append(payload, value...)
	}
	header := append([]byte("NMS2\x02"), core...)
	header = append(header, challenge[16:24]...)
	header = append(header, challenge[5:8]...)
	header = append(header, 1, 0, 0)
	header = binary.BigEndian.AppendUint16(header, uint16(32+len(payload)+16))
	hs, err := noise.NewHandshakeState(noise.Config{
		CipherSuite: noise.NewCipherSuite(noise.DH25519, noise.CipherChaChaPoly, noise.HashSHA256),
		Pattern:     noise.HandshakeNK, Initiator: true, Random: w.random,
		Prologue: append([]byte("NMS2 prologue v1"), header...), PeerStatic: challenge[24:56],
	})
	if err != nil {
		w.t.Fatal(err)
	}
	message, _, _, err := hs.WriteMessage(nil, payload)
	if err != nil {
		w.t.Fatal(err)
	}
	accept := w.ask(append(header, message...))
	if len(accept) < 69 || string(accept[:5]) != "NMS2\x03" || !bytes.Equal(accept[8:16], salt) {
		w.t.Fatalf("a Response is answered by %x, want an Accept", accept)
	}
	answer, toServer, toClient, err := hs.ReadMessage(nil, accept[16:])
	if err != nil || answer[0] != 0 {
		w.t.Fatalf("the Accept says %x, %v", answer, err)
	}
	w.peerCID = binary.BigEndian.Uint32(answer[1:])
	c, s := toServer.UnsafeKey(), toClient.UnsafeKey()
	w.out, w.in = newNMS2Way(c[:]), newNMS2Way(s[:])
}

// ask sends a handshake datagram, padded, and gives the one answer.
func (w *nms2Wire) ask(b []byte) []byte {
	w.t.Helper()
	w.socket.WriteBatch([]netmsg.Datagram{{Addr: netip.MustParseAddrPort(benchAddr), Data: append(b, make([]byte, 1200-len(b))...)}})
	w.net.Advance(time.Millisecond)
	w.turnEndpoint()
	w.net.Advance(time.Millisecond)
	d := netmsg.Datagram{Data: make([]byte, 2048)}
	if !w.socket.TryRead(&d) {
		w.t.Fatalf("no answer to %.8q", b)
	}
	return d.Data
}

// turnEndpoint lets the endpoint take what has come, and send.
func (w *nms2Wire) turnEndpoint() {
	for _, number := range w.pending {
		if _, again := w.came[number]; !again {
			w.came[number] = w.net.Now()
			w.newest = max(w.newest, number)
		}
	}
	w.pending = nil
	w.endpoint.Drain(w.net.Now())
	w.endpoint.Flush(w.net.Now())
}

// send sends one packet of these frames, which arrives at once.
func (w *nms2Wire) send(frames ...[]byte) {
	w.sendNumbered(w.sent, frames...)
	w.sent++
}

func (w *nms2Wire) sendNumbered(number uint64, frames ...[]byte) {
	w.throw(w.out.seal(w.peerCID, number, slices.Concat(frames...)))
	w.pending = append(w.pending, number)
}

// throw sends a datagram that the endpoint should drop.
func (w *nms2Wire) throw(datagram []byte) {
	w.socket.WriteBatch([]netmsg.Datagram{{Addr: netip.MustParseAddrPort(benchAddr), Data: datagram}})
	w.net.Advance(0)
}

// run turns the endpoint every millisecond, and acknowledges what comes from
// it.
func (w *nms2Wire) run(d time.Duration) {
	w.t.Helper()
	for range d / time.Millisecond {
		w.turnEndpoint()
		w.net.Advance(0)
		w.read()
		if w.asked {
			w.asked = false
			w.send(w.ack(), w.credit())
		}
		w.net.Advance(time.Millisecond)
	}
}

// read takes what has come.
func (w *nms2Wire) read() {
	w.t.Helper()
	for d := (netmsg.Datagram{Data: make([]byte, 2048)}); w.socket.TryRead(&d); d.Data = make([]byte, 2048) {
		if err := w.take(d.Data); err != nil {
			w.t.Errorf("%v: a packet of %d bytes: %v", w.net.Now(), len(d.Data), err)
		}
	}
}

// take holds a packet of the server's against the page.
func (w *nms2Wire) take(packet []byte) error {
	if len(packet) > nms2MaxPacket {
		return fmt.Errorf("max_datagram is %d (1)", nms2MaxPacket)
	}
	number, plain, err := w.in.open(w.ownCID, w.next, packet)
	if err != nil {
		return err
	}
	if err := w.takeNumber(number); err != nil {
		return err
	}
	frames, err := decodeNMS2(number, plain)
	if err != nil {
		return fmt.Errorf("%.40x: %w", plain, err)
	}
	if err := nms2Order(frames); err != nil {
		return err
	}
	w.packets = append(w.packets, nms2Packet{number, w.net.Now(), len(packet), frames})
	lost := w.lose != nil && w.lose(number)
	if !lost {
		w.taken[number] = true
	}
	for i := range frames {
		w.frames[frames[i].kind]++
		w.asked = w.asked || frames[i].asks() && !lost
		if err := w.takeFrame(number, &frames[i], lost); err != nil {
			return fmt.Errorf("packet %d, frame %02x: %w", number, frames[i].kind, err)
		}
	}
	return nil
}

// takeNumber: none twice, and none left out but one in 128 at most (1). The
// network neither loses nor reorders.
func (w *nms2Wire) takeNumber(number uint64) error {
	switch {
	case len(w.closes) == 0 && number == w.next+1 && number-w.skipped >= 128:
		w.skipped = w.next
	case number != w.next:
		return fmt.Errorf("number %d after %d, the last left out was %d (1)", number, w.next-1, w.skipped)
	}
	w.next = number + 1
	return nil
}

// nms2Order holds the order of a packet's frames against section 3.
func nms2Order(frames []nms2Frame) error {
	rank := map[byte]int{nms2AckBits: 1, nms2AckRanges: 1, nms2AckAll: 1, nms2Credit: 2, nms2TimePong: 3, nms2TimePing: 4, nms2Reliable: 5, nms2Latest: 6, nms2Unreliable: 8, nms2Ping: 9, nms2Close: 10}
	last := 0
	for i, f := range frames {
		r := rank[f.kind]
		if f.kind == nms2Reliable && last >= 5 {
			r = max(last, 5) // repeats, and bulk, come after values
		}
		if r < last {
			return fmt.Errorf("frame %02x comes too late (3)", f.kind)
		}
		last = r
		if end := i == len(frames)-1; f.hasData() && f.sized == end {
			return fmt.Errorf("frame %d of %d, %02x, has a length: %v (3)", i, len(frames), f.kind, f.sized)
		}
	}
	return nil
}

func (w *nms2Wire) takeFrame(number uint64, f *nms2Frame, lost bool) error {
	switch f.kind {
	case nms2AckAll, nms2AckBits, nms2AckRanges:
		w.ackForms[f.kind]++
		return w.takeAck(f)
	case nms2Credit:
		if sent := w.begun[f.channel]; int(f.floor) > sent {
			return fmt.Errorf("floor %d of channel %d, on which %d were sent (6)", f.floor, f.channel, sent)
		}
		w.floors[f.channel] = int(f.floor)
	case nms2Close:
		w.closes = append(w.closes, w.net.Now())
		w.closeCode, w.closeText = f.code, string(f.data)
	case nms2Reliable:
		return w.takeReliable(f, lost)
	case nms2Latest:
		return w.takeLatest(number, f, lost)
	case nms2Unreliable:
		if !lost {
			w.unreliable = append(w.unreliable, shortened(f.data))
		}
	}
	return nil
}

// takeAck: it says exactly what has come (4).
func (w *nms2Wire) takeAck(f *nms2Frame) error {
	come, largest, err := f.told(w.sent)
	if err != nil {
		return err
	}
	if largest != w.newest {
		return fmt.Errorf("largest is %d, the newest that came is %d (4)", largest, w.newest)
	}
	for number, has := range come {
		if _, did := w.came[number]; did != has {
			return fmt.Errorf("number %d has come: %v, it says %v (4)", number, did, has)
		}
		w.told[number]++
	}
	if want := (w.net.Now() - w.came[largest]) / (16 * time.Microsecond); f.delay != uint16(min(want, 65535)) {
		return fmt.Errorf("the delay is %d, want %d (4)", f.delay, want)
	}
	return nil
}

// takeReliable: within window and max_message, the same total and bytes each
// time, no small fragments (6).
func (w *nms2Wire) takeReliable(f *nms2Frame, lost bool) error {
	c := &w.channels[f.channel]
	n := int(f.id) // no test sends 65,536
	switch {
	case f.total > nms2MaxMessage:
		return fmt.Errorf("a message of %d bytes (6)", f.total)
	case n >= c.credited+1024:
		return fmt.Errorf("message %d, the floor is %d (6)", n, c.credited)
	}
	m := c.messages[n]
	if m == nil {
		m = &nms2Message{f.total, make([]byte, f.total), make([]bool, f.total), make([]bool, f.total)}
		c.messages[n] = m
	}
	held := 0
	for k := c.credited; k <= n; k++ {
		if c.messages[k] != nil {
			held += c.messages[k].total
		}
	}
	if held > nms2Window {
		return fmt.Errorf("messages %d to %d have %d bytes, the window %d (6)", c.credited, n, held, nms2Window)
	}
	if m.total != f.total {
		return fmt.Errorf("message %d has %d bytes, then %d (6)", n, m.total, f.total)
	}
	if end := f.offset + len(f.data); f.fragment && len(f.data) < 64 && end < f.total && slices.Contains(m.went[f.offset:end], false) {
		return fmt.Errorf("a fragment of %d new bytes inside a message (6)", len(f.data))
	}
	for i := range f.data {
		m.went[f.offset+i] = true
	}
	if lost {
		return nil
	}
	for i, b := range f.data {
		if at := f.offset + i; m.have[at] && m.data[at] != b {
			return fmt.Errorf("byte %d of message %d changes (6)", at, n)
		}
		m.data[f.offset+i], m.have[f.offset+i] = b, true
	}
	for c.messages[c.next] != nil && !slices.Contains(c.messages[c.next].have, false) {
		c.got = append(c.got, shortened(c.messages[c.next].data))
		c.next++
	}
	return nil
}

// takeLatest: a value goes once, whole or in fragments of one version (7).
func (w *nms2Wire) takeLatest(number uint64, f *nms2Frame, lost bool) error {
	version := number - f.back
	last, any := w.versions[f.stream]
	if any && (version < last || version == last && !f.fragment) {
		return fmt.Errorf("version %d of stream %d after %d (7)", version, f.stream, last)
	}
	w.versions[f.stream] = version
	if f.fragment && (f.index == 0) != (f.back == 0) {
		return fmt.Errorf("fragment %d is %d packets behind fragment 0 (2)", f.index, f.back)
	}
	v := w.values[f.stream]
	if v.parts == nil || v.version != version {
		v = nms2Value{version: version, parts: map[int][]byte{}, whole: v.whole}
	}
	if v.parts[f.index] != nil {
		return fmt.Errorf("fragment %d of version %d goes twice (7)", f.index, version)
	}
	if !lost {
		v.parts[f.index] = f.data
	}
	if len(v.parts) == max(f.count, 1) {
		v.whole = nil
		for i := range max(f.count, 1) {
			v.whole = append(v.whole, v.parts[i]...)
		}
		if len(v.whole) > nms2MaxLatest {
			return fmt.Errorf("a value of %d bytes (7)", len(v.whole))
		}
	}
	w.values[f.stream] = v
	return nil
}

// ack writes an ACK frame of all that has come, in a form that changes (4).
func (w *nms2Wire) ack() []byte {
	largest := w.next - 1
	for !w.taken[largest] {
		largest--
	}
	head := func(kind byte) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{kind}, uint16(largest)), 0, 0)
	}
	all := true
	for n := largest - min(largest, 32); n < largest; n++ {
		all = all && w.taken[n]
	}
	switch {
	case all && w.sent%3 == 0:
		return head(nms2AckAll)
	case w.sent%3 == 1:
		b := append(head(nms2AckBits), 8)
		for k := range uint64(64) {
			if k%8 == 0 {
				b = append(b, 0)
			}
			if k < largest && w.taken[largest-1-k] {
				b[len(b)-1] |= 1 << (k % 8)
			}
		}
		return b
	}
	return w.ackRanges(head(nms2AckRanges), largest)
}

func (w *nms2Wire) ackRanges(b []byte, at uint64) []byte {
	run := func(has bool) (n uint64) {
		for ; n <= at && w.taken[at-n] == has; n++ {
		}
		return n
	}
	count := len(b)
	b = append(b, 0)
	n := run(true)
	b = appendNMS2Varint(b, n-1)
	for b[count] < 64 {
		if n > at {
			break
		}
		at -= n
		gap := run(false)
		if gap > at {
			break
		}
		at -= gap
		n = run(true)
		b = appendNMS2Varint(appendNMS2Varint(b, gap-1), n-1)
		b[count]++
	}
	return b
}

// credit writes CREDIT for each channel on which messages were taken (6).
func (w *nms2Wire) credit() (b []byte) {
	for ch := range w.channels {
		c := &w.channels[ch]
		if c.next > c.credited {
			c.credited = c.next
			b = append(b, nms2Credit, byte(ch))
			b = binary.BigEndian.AppendUint16(b, uint16(c.next))
			b = appendNMS2Varint(b, nms2Window)
		}
	}
	return b
}
