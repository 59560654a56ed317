package tests

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

// The tests in this file speak NMS1 to an endpoint as net/PROTOCOL.md has it,
// with a decoder, a sender and a receiver of their own (nms1_*_test.go). The
// soak puts the same witnesses beside every pair that it runs.

// An nms1Bench is an endpoint on a simulated network without delay, a wire that
// speaks to it datagram by datagram, and a clock.
type nms1Bench struct {
	t        *testing.T
	net      *simnet.Network
	endpoint *netmsg.Endpoint
	wire     *simnet.Socket
	events   []string
}

const (
	benchAddr = "10.0.0.1:27415"
	wireAddr  = "10.0.0.2:4000"
	aSalt     = 0x0102030405060708
)

func newNMS1Bench(t *testing.T, cfg netmsg.Config) *nms1Bench {
	b := &nms1Bench{t: t, net: simnet.New(1)}
	cfg.Plain = true
	cfg.Random = rand.NewChaCha8([32]byte{1})
	b.endpoint = netmsg.NewEndpoint(b.net.Socket(benchAddr), netmsg.HandlerFunc(b.hear), &cfg)
	t.Cleanup(func() { b.endpoint.Close() })
	b.wire = b.net.Socket(wireAddr)
	return b
}

func (b *nms1Bench) hear(e netmsg.Event) {
	switch e.Kind {
	case netmsg.Message:
		b.events = append(b.events, fmt.Sprintf("message %q", e.Data))
	case netmsg.Update:
		b.events = append(b.events, fmt.Sprintf("value %d %q", e.Stream, e.Data))
	case netmsg.Left:
		b.events = append(b.events, fmt.Sprintf("left %d %v", e.ID, e.Reason))
	default:
		b.events = append(b.events, fmt.Sprintf("%v %d", e.Kind, e.ID))
	}
}

// run moves the clock, a millisecond at a time.
func (b *nms1Bench) run(d time.Duration) {
	for range d / time.Millisecond {
		b.net.Advance(time.Millisecond)
		b.turn()
	}
}

// turn has the endpoint take what has come, tell it, and send what is due. A
// Flush would ask for a tick as well.
func (b *nms1Bench) turn() {
	b.endpoint.Drain(b.net.Now())
	b.endpoint.KeepAlive(b.net.Now())
}

// send gives the endpoint a datagram from a wire.
func (b *nms1Bench) send(from *simnet.Socket, datagram []byte) {
	from.WriteBatch([]netmsg.Datagram{{Addr: netip.MustParseAddrPort(benchAddr), Data: datagram}})
	b.run(time.Millisecond)
}

// answers takes all that has come back to a wire, decoded.
func (b *nms1Bench) answers(to *simnet.Socket) (all []nms1Datagram) {
	b.t.Helper()
	for d := (netmsg.Datagram{Data: make([]byte, 2048)}); to.TryRead(&d); d.Data = make([]byte, 2048) {
		got, err := decodeNMS1(d.Data, 1200)
		if err != nil {
			b.t.Errorf("the endpoint sends %.40x: %v", d.Data, err)
		}
		all = append(all, got)
	}
	return all
}

// ask sends a datagram and gives the answers of the next millisecond.
func (b *nms1Bench) ask(from *simnet.Socket, d nms1Datagram) []nms1Datagram {
	b.t.Helper()
	b.answers(from)
	b.send(from, encodeNMS1(d))
	return b.answers(from)
}

// wantSilence fails if the endpoint answers a datagram.
func (b *nms1Bench) wantSilence(from *simnet.Socket, what string, datagram []byte) {
	b.t.Helper()
	b.answers(from)
	b.send(from, datagram)
	if got := b.answers(from); len(got) > 0 {
		b.t.Errorf("%s is answered by %+v", what, got)
	}
}

func (b *nms1Bench) wantEvents(want ...string) {
	b.t.Helper()
	if !slices.Equal(b.events, want) {
		b.t.Errorf("heard %q, want %q", b.events, want)
	}
	b.events = nil
}

// cookie asks for a Challenge.
func (b *nms1Bench) cookie(from *simnet.Socket, salt uint64) uint64 {
	b.t.Helper()
	got := b.ask(from, nms1Datagram{kind: nms1Request, salt: salt})
	if len(got) != 1 || got[0].kind != nms1Challenge || got[0].salt != salt {
		b.t.Fatalf("a Request is answered by %+v, want a Challenge", got)
	}
	return got[0].cookie
}

// join connects a wire and gives the session.
func (b *nms1Bench) join(from *simnet.Socket, salt uint64) (session uint64) {
	b.t.Helper()
	cookie := b.cookie(from, salt)
	got := b.ask(from, nms1Datagram{kind: nms1Response, salt: salt, cookie: cookie})
	if len(got) != 1 || got[0].kind != nms1Accept || got[0].session != salt^cookie {
		b.t.Fatalf("a Response is answered by %+v, want Accept of %016x", got, salt^cookie)
	}
	return salt ^ cookie
}

// conn is the endpoint's newest connection.
func (b *nms1Bench) conn() (conn *netmsg.Conn) {
	for conn = range b.endpoint.Conns() {
	}
	return conn
}

// payloads waits d and gives the Payloads that came.
func (b *nms1Bench) payloads(d time.Duration) (all []nms1Datagram) {
	b.t.Helper()
	b.answers(b.wire)
	b.run(d)
	for _, got := range b.answers(b.wire) {
		if got.kind == nms1Payload {
			all = append(all, got)
		}
	}
	return all
}

// lastAck is what the endpoint acknowledges by its next Payload.
func (b *nms1Bench) lastAck() string {
	b.t.Helper()
	all := b.payloads(150 * time.Millisecond)
	if len(all) == 0 {
		b.t.Fatal("no Payload in 150 ms")
	}
	last := all[len(all)-1]
	return fmt.Sprintf("%04x %08x", last.ack, last.ackBits)
}

// payload is a Payload of the wire's.
func payload(session uint64, sequence uint16, messages []nms1Message, values []nms1Value) nms1Datagram {
	return nms1Datagram{kind: nms1Payload, session: session, sequence: sequence, ack: 65535, messages: messages, values: values}
}

func TestNMS1ServerAnswersRequestsAndKeepsNothing(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	other := b.net.Socket("10.0.0.2:4001")

	first := b.cookie(b.wire, aSalt)

	if b.cookie(b.wire, aSalt) != first {
		t.Error("the cookie changes within its step")
	}
	if b.cookie(b.wire, aSalt+1) == first || b.cookie(other, aSalt) == first {
		t.Error("the cookie does not depend on salt and port")
	}
	b.run(10 * time.Second)
	if b.cookie(b.wire, aSalt) == first {
		t.Error("the cookie does not depend on the time")
	}
	b.run(11 * time.Second)
	b.wantSilence(b.wire, "a cookie of the step before last", encodeNMS1(nms1Datagram{kind: nms1Response, salt: aSalt, cookie: first}))
	b.wantEvents()
}

func TestNMS1ServerOpensForAGoodCookieAlone(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	other := b.net.Socket("10.0.0.2:4001")
	cookie := b.cookie(b.wire, aSalt)
	good := nms1Datagram{kind: nms1Response, salt: aSalt, cookie: cookie}
	for bit := range 64 {
		bad := good
		bad.cookie ^= 1 << bit
		b.wantSilence(b.wire, "a cookie of which a bit is flipped", encodeNMS1(bad))
	}
	b.wantSilence(other, "a cookie from another port", encodeNMS1(good))
	b.wantEvents()

	b.run(9 * time.Second) // the step after
	for range 3 {
		got := b.ask(b.wire, good)
		got = slices.DeleteFunc(got, func(d nms1Datagram) bool { return d.kind == nms1Payload })
		if len(got) != 1 || got[0].kind != nms1Accept || got[0].session != aSalt^cookie {
			t.Errorf("a good Response is answered by %+v", got)
		}
	}
	b.wantEvents("Joined 1")
}

func TestNMS1ServerIsSilentToWhatIsMalformed(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	request := encodeNMS1(nms1Datagram{kind: nms1Request, salt: aSalt})
	response := encodeNMS1(nms1Datagram{kind: nms1Response, salt: aSalt, cookie: b.cookie(b.wire, aSalt)})
	for name, datagram := range map[string][]byte{
		"nothing":                  {},
		"three bytes":              request[:3],
		"four bytes":               request[:4],
		"the kind alone":           request[:5],
		"a Request of 1,199":       request[:1199],
		"a Request of 1,201":       append(slices.Clone(request), 0),
		"a Response of 1,199":      response[:1199],
		"a Response of 1,201":      append(slices.Clone(response), 0),
		"NMS2":                     append([]byte("NMS2"), request[4:]...),
		"a Challenge":              encodeNMS1(nms1Datagram{kind: nms1Challenge, salt: 1, cookie: 2}),
		"an Accept":                encodeNMS1(nms1Datagram{kind: nms1Accept, session: 1}),
		"a Denied":                 encodeNMS1(nms1Datagram{kind: nms1Denied, salt: 1}),
		"a Payload of nobody's":    encodeNMS1(payload(1, 0, nil, nil)),
		"a Disconnect of nobody's": encodeNMS1(nms1Datagram{kind: nms1Disconnect, session: 1}),
	} {
		b.wantSilence(b.wire, name, datagram)
	}
	for kind := 7; kind < 256; kind++ {
		odd := slices.Clone(request)
		odd[4] = byte(kind)
		b.wantSilence(b.wire, fmt.Sprintf("kind %d", kind), odd)
	}

	padded := slices.Clone(request)
	padded[700] = 7 // padding is not looked at
	b.send(b.wire, padded)
	if got := b.answers(b.wire); len(got) != 1 {
		t.Errorf("a Request with odd padding is answered by %+v", got)
	}
}

func TestNMS1EndedConnectionIsNotOpenedByAReplay(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	cookie := b.cookie(b.wire, aSalt)
	response := nms1Datagram{kind: nms1Response, salt: aSalt, cookie: cookie}
	b.ask(b.wire, response)
	b.send(b.wire, encodeNMS1(nms1Datagram{kind: nms1Disconnect, session: aSalt ^ cookie}))
	b.wantEvents("Joined 1", "left 1 Remote")

	for range 24 {
		b.wantSilence(b.wire, "the Response of a connection that has ended", encodeNMS1(response))
		b.wantSilence(b.wire, "a Payload of a connection that has ended", encodeNMS1(payload(aSalt^cookie, 5, nil, nil)))
		b.run(time.Second)
	}

	b.wantEvents()
}

func TestNMS1NewSaltFromTheSameAddressReplacesTheConnection(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{MaxClients: 1})
	b.join(b.wire, aSalt)
	b.join(b.wire, aSalt+1)

	b.wantEvents("Joined 1", "left 1 Replaced", "Joined 2")
}

func TestNMS1FullServerDeniesAfterAGoodCookie(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{MaxClients: 1})
	b.join(b.wire, aSalt)
	other := b.net.Socket("10.0.0.3:4000")
	cookie := b.cookie(other, aSalt)

	b.wantSilence(other, "a bad cookie", encodeNMS1(nms1Datagram{kind: nms1Response, salt: aSalt, cookie: cookie + 1}))
	got := b.ask(other, nms1Datagram{kind: nms1Response, salt: aSalt, cookie: cookie})

	if len(got) != 1 || got[0].kind != nms1Denied || got[0].salt != aSalt {
		t.Errorf("a guest too many is answered by %+v, want Denied", got)
	}
	b.wantEvents("Joined 1")
}

func TestNMS1ExampleOfThePageIsUnderstood(t *testing.T) {
	text := document(t, "net/PROTOCOL.md")
	_, after, _ := strings.Cut(text, "Example, 36 bytes")
	_, after, _ = strings.Cut(after, "```\n")
	line, _, _ := strings.Cut(after, "\n")
	example, err := hex.DecodeString(strings.ReplaceAll(line, " ", ""))
	if err != nil || len(example) != 36 {
		t.Fatalf("the example is %q: %v", line, err)
	}
	d, err := decodeNMS1(example, 1200)
	if err != nil {
		t.Fatal(err)
	}
	if again := encodeNMS1(d); string(again) != string(example) {
		t.Errorf("it is written again as %x", again)
	}

	b := newNMS1Bench(t, netmsg.Config{})
	d.session = b.join(b.wire, aSalt)
	b.send(b.wire, encodeNMS1(d))

	b.wantEvents("Joined 1", `message "hi"`, `value 5 "z"`)
	if got := b.lastAck(); got != "0007 00000000" {
		t.Errorf("acknowledged: %s", got)
	}
}

func TestNMS1AcknowledgementsAreThoseOfThePage(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	session := b.join(b.wire, aSalt)
	steps := []struct {
		sequence uint16
		want     string
	}{
		{0, "0000 00000000"}, {1, "0001 00000001"}, {3, "0003 00000006"}, {2, "0003 00000007"},
		{34, "0022 c0000000"}, {1, "0022 c0000000"}, {2, "0022 c0000000"}, {35, "0023 80000001"},
		{65000, "0023 80000001"}, {32000, "7d00 00000000"}, {64000, "fa00 00000000"}, {10, "000a 00000000"},
		{65530, "000a 00008000"},
	}
	if got := b.lastAck(); got != "ffff 00000000" {
		t.Errorf("before anything has arrived: %s", got)
	}
	for _, step := range steps {
		b.send(b.wire, encodeNMS1(payload(session, step.sequence, nil, nil)))
		if got := b.lastAck(); got != step.want {
			t.Errorf("after sequence %d: %s, want %s", step.sequence, got, step.want)
		}
	}
}

func TestNMS1PayloadIsReadToItsEndBeforeAnythingCounts(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	session := b.join(b.wire, aSalt)
	b.wantEvents("Joined 1")
	good := encodeNMS1(payload(session, 0,
		[]nms1Message{{0, []byte("hi")}}, []nms1Value{{5, 1, []byte("z")}}))
	set := func(at int, v ...byte) []byte {
		return append(append(slices.Clone(good[:at]), v...), good[at+len(v):]...)
	}

	for name, datagram := range map[string][]byte{
		"a reserved bit of a message": set(25, 0x80, 2),
		"the other one":               set(25, 0x40, 2),
		"a reserved bit of a value":   set(33, 0x80, 1),
		"the other one of a value":    set(33, 0x40, 1),
		"a length past the end":       set(25, 0, 200),
		"a value's past the end":      set(33, 0, 2),
		"a message too many":          set(21, 2),
		"a value too many":            set(22, 2),
		"a message too few":           set(21, 0),
		"a value too few":             set(22, 0),
		"a trailing byte":             append(slices.Clone(good), 0),
		"a byte too few":              good[:len(good)-1],
		"counts alone":                good[:23],
		"no counts":                   good[:22],
		"another session":             set(12, good[12]^1),
		"a message 1,024 ahead":       set(23, 4, 0),
		"a message 32,767 ahead":      set(23, 0x7f, 0xff),
		"a Disconnect of 14 bytes":    append(encodeNMS1(nms1Datagram{kind: nms1Disconnect, session: session}), 0),
		"another's Disconnect":        encodeNMS1(nms1Datagram{kind: nms1Disconnect, session: session + 1}),
		"1,201 bytes": encodeNMS1(payload(session, 0,
			[]nms1Message{{0, make([]byte, 1201-27)}}, nil)),
	} {
		b.send(b.wire, datagram)
		if len(b.events) > 0 {
			t.Fatalf("%s: heard %q", name, b.events)
		}
		if got := b.lastAck(); got != "ffff 00000000" {
			t.Fatalf("%s is acknowledged: %s", name, got)
		}
	}

	b.send(b.wire, good)
	b.wantEvents(`message "hi"`, `value 5 "z"`)
}

func TestNMS1SixteenPacketsWithoutAMessageAreAcknowledgedInHalfATick(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{KeepAlive: time.Second})
	session := b.join(b.wire, aSalt)
	b.payloads(1001 * time.Millisecond) // a keep-alive has just gone
	for sequence := range uint16(16) {
		if got := b.payloads(time.Millisecond); len(got) > 0 {
			t.Errorf("after %d packets there comes %+v", sequence, got)
		}
		b.send(b.wire, encodeNMS1(payload(session, sequence, nil, nil)))
	}

	got := b.payloads(20 * time.Millisecond)

	if len(got) != 1 || got[0].ack != 15 || got[0].ackBits != 0x7fff {
		t.Errorf("after sixteen packets there comes %+v", got)
	}
}

func TestNMS1ReceiverThatTakesNothingKeepsPlacesForTheWindow(t *testing.T) {
	const session = 0x1010101010101010
	core := netmsg.NewConnectionCore(&netmsg.Config{Plain: true}, netmsg.Session{ID: session}, 0)
	var now time.Duration
	receive := func(id uint16) (acknowledged bool) {
		now += 200 * time.Millisecond
		core.Receive(now, encodeNMS1(payload(session, id, []nms1Message{{id, nil}}, nil)))
		buf := make([]byte, 1200)
		now += 200 * time.Millisecond
		d, err := decodeNMS1(buf[:core.Transmit(now, buf)], 1200)
		if err != nil {
			t.Fatal(err)
		}
		return d.ack == id
	}
	for id := range uint16(nms1Window) {
		if !receive(id) {
			t.Fatalf("message %d is not acknowledged", id)
		}
	}
	if receive(nms1Window) {
		t.Error("a message without a place is acknowledged")
	}

	taken := 0
	for e := range core.Events() {
		if taken++; e.Kind == netmsg.Message {
			break // Joined, and the oldest message
		}
	}

	if !receive(nms1Window) {
		t.Error("a message with a place is not acknowledged")
	}
	if receive(nms1Window + 1) {
		t.Errorf("a second message has a place after %d were taken", taken-1)
	}
}

func TestNMS1MessagesAreHeardInOrderAndOnce(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	session := b.join(b.wire, aSalt)
	for sequence, id := range []uint16{1, 0, 0, 1023 + 2, 2, 1500, 65535, 3} {
		m := nms1Message{id, fmt.Appendf(nil, "%d", id)}
		b.send(b.wire, encodeNMS1(payload(session, uint16(sequence), []nms1Message{m}, nil)))
	}

	b.wantEvents("Joined 1", `message "0"`, `message "1"`, `message "2"`, `message "3"`)
	if got := b.lastAck(); got != "0007 0000007d" { // all but the one with 1500
		t.Errorf("acknowledged: %s", got)
	}
}

func TestNMS1ValuesAreHeardIfTheyAreNewer(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	session := b.join(b.wire, aSalt)
	for sequence, number := range []uint16{5, 4, 5, 6, 6 + 32767, 6, 40000, 10, 9} {
		v := nms1Value{7, number, fmt.Appendf(nil, "%d", number)}
		b.send(b.wire, encodeNMS1(payload(session, uint16(sequence), nil, []nms1Value{v})))
	}

	b.wantEvents("Joined 1", `value 7 "5"`, `value 7 "6"`, `value 7 "32773"`, `value 7 "40000"`, `value 7 "10"`)
}

func TestNMS1LoneMessageGoesAgainWhenThePageSaysSo(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	b.join(b.wire, aSalt)
	b.payloads(500 * time.Millisecond)
	b.conn().SendReliable([]byte("alone"))
	began := b.net.Now()

	var at []time.Duration
	for b.net.Now() < began+6*time.Second {
		for _, d := range b.payloads(time.Millisecond) {
			if len(d.messages) > 0 {
				at = append(at, (b.net.Now()-began).Round(10*time.Millisecond)/time.Millisecond)
			}
		}
	}

	// Spacing may hold each up by a thirtieth of a second.
	want := []time.Duration{0, 100, 300, 700, 1500, 2500, 3500, 4500, 5500}
	if len(at) != len(want) {
		t.Fatalf("sent at %d ms, want %d", at, want)
	}
	for i := range want {
		if late := at[i] - want[i]; late < 0 || late > 70 {
			t.Errorf("sent at %d ms, want %d", at, want)
		}
	}
}

func TestNMS1CloseIsSaidFiveTimesATickApart(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	session := b.join(b.wire, aSalt)
	b.payloads(time.Second)
	conn := b.conn()
	conn.SendReliable([]byte("last"))
	conn.Close()

	last := b.net.Now()
	var kinds []byte
	for range 400 {
		b.run(time.Millisecond)
		for _, d := range b.answers(b.wire) {
			gap := b.net.Now() - last
			last = b.net.Now()
			if tick := time.Second / 30; len(kinds) > 0 && (gap < tick || gap > tick+2*time.Millisecond) || d.session != session {
				t.Errorf("kind %d is sent %v after the one before, for session %x", d.kind, gap, d.session)
			}
			kinds = append(kinds, d.kind)
		}
	}

	if want := []byte{4, 5, 5, 5, 5, 5}; !slices.Equal(kinds, want) {
		t.Errorf("sent kinds %d, want %d", kinds, want)
	}
	b.wantEvents("Joined 1", "left 1 Local")
}

func TestNMS1SilenceEndsAConnectionWithoutAWord(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	session := b.join(b.wire, aSalt)
	b.send(b.wire, encodeNMS1(payload(session, 0, nil, nil)))
	b.run(9900 * time.Millisecond)
	b.wantEvents("Joined 1")
	b.send(b.wire, encodeNMS1(payload(session, 0, nil, nil))) // a repeat is no sign of life
	b.run(101 * time.Millisecond)
	b.wantEvents("left 1 TimedOut")

	b.answers(b.wire)
	b.run(time.Second)
	if got := b.answers(b.wire); len(got) > 0 {
		t.Errorf("after the end there come %+v", got)
	}
}

func TestNMS1OneMessageOverTheWindowEndsTheConnection(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	b.join(b.wire, aSalt)
	conn := b.conn()
	for i := range nms1Window {
		if err := conn.SendReliable([]byte{1}); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	b.run(2 * time.Second)
	b.wantEvents("Joined 1")
	b.answers(b.wire)

	conn.SendReliable([]byte{2})
	b.run(time.Second)

	b.wantEvents("left 1 Overflow")
	got := b.answers(b.wire)
	if len(got) != 5 || slices.ContainsFunc(got, func(d nms1Datagram) bool { return d.kind != nms1Disconnect }) {
		t.Errorf("at the end it sends %+v, want five Disconnects", got)
	}
}

// dialWire has the endpoint dial the wire.
func (b *nms1Bench) dialWire() *netmsg.Conn {
	b.t.Helper()
	conn, err := b.endpoint.Dial([]netip.AddrPort{netip.MustParseAddrPort(wireAddr)}, netmsg.DialOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.turn()
	return conn
}

// request is the client's first Request.
func (b *nms1Bench) request() nms1Datagram {
	b.t.Helper()
	b.run(time.Millisecond)
	got := b.answers(b.wire)
	if len(got) != 1 || got[0].kind != nms1Request {
		b.t.Fatalf("a client sends first %+v, want a Request", got)
	}
	return got[0]
}

func TestNMS1ClientAsksUntilItGivesUp(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	b.dialWire()
	salt := b.request().salt
	count := 1
	for range 6 * 4 {
		b.run(250 * time.Millisecond)
		for _, d := range b.answers(b.wire) {
			if count++; d.kind != nms1Request || d.salt != salt {
				t.Errorf("request %d is %+v", count, d)
			}
		}
	}

	b.wantEvents("left 1 NoAnswer")
	if count < 20 || count > 21 {
		t.Errorf("%d Requests in five seconds, want 20", count)
	}

	b.dialWire()
	if b.request().salt == salt {
		t.Error("the next attempt has the same salt")
	}
}

func TestNMS1ClientRespondsAndThenAsksAgain(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	b.dialWire()
	salt := b.request().salt

	b.wantSilence(b.wire, "a Challenge with another salt", encodeNMS1(nms1Datagram{kind: nms1Challenge, salt: salt + 1, cookie: 9}))
	got := b.ask(b.wire, nms1Datagram{kind: nms1Challenge, salt: salt, cookie: 9})
	if len(got) != 1 || got[0].kind != nms1Response || got[0].salt != salt || got[0].cookie != 9 {
		t.Fatalf("a Challenge is answered by %+v", got)
	}
	var kinds []byte
	for range 5 {
		b.run(250 * time.Millisecond)
		for _, d := range b.answers(b.wire) {
			kinds = append(kinds, d.kind)
		}
	}

	if want := []byte{nms1Response, nms1Response, nms1Response, nms1Request, nms1Request}; !slices.Equal(kinds, want) {
		t.Errorf("then it sends kinds %d, want %d", kinds, want)
	}
}

func TestNMS1ClientOpensByAcceptOrByPayload(t *testing.T) {
	for name, opens := range map[string]nms1Datagram{
		"Accept":  {kind: nms1Accept},
		"Payload": {kind: nms1Payload, ack: 65535, messages: []nms1Message{{0, []byte("hi")}}},
	} {
		for i, cookie := range []uint64{1, 2, 3, 4, 5} {
			b := newNMS1Bench(t, netmsg.Config{})
			b.dialWire()
			salt := b.request().salt
			for c := range uint64(5) {
				b.ask(b.wire, nms1Datagram{kind: nms1Challenge, salt: salt, cookie: c + 1})
			}
			stranger := opens
			stranger.session = salt ^ 77
			b.send(b.wire, encodeNMS1(stranger))
			b.wantEvents()

			opens.session = salt ^ cookie
			b.send(b.wire, encodeNMS1(opens))

			var want []string
			if i > 0 { // the newest four cookies count
				want = append(want, "Joined 1")
			}
			if i > 0 && name == "Payload" {
				want = append(want, `message "hi"`)
			}
			b.wantEvents(want...)
		}
	}
}

func TestNMS1ClientIsDeniedByItsOwnSaltAlone(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	b.dialWire()
	salt := b.request().salt
	b.send(b.wire, encodeNMS1(nms1Datagram{kind: nms1Denied, salt: salt + 1}))
	b.wantEvents()
	b.send(b.wire, encodeNMS1(nms1Datagram{kind: nms1Denied, salt: salt}))
	b.wantEvents("left 1 Denied")

	b.answers(b.wire)
	b.dialWire()
	salt = b.request().salt
	b.ask(b.wire, nms1Datagram{kind: nms1Challenge, salt: salt, cookie: 5})
	b.send(b.wire, encodeNMS1(nms1Datagram{kind: nms1Accept, session: salt ^ 5}))
	b.send(b.wire, encodeNMS1(nms1Datagram{kind: nms1Denied, salt: salt}))
	b.run(100 * time.Millisecond)
	b.wantEvents("Joined 2")
}

func TestNMS1ClientThatGivesUpSaysSo(t *testing.T) {
	b := newNMS1Bench(t, netmsg.Config{})
	conn := b.dialWire()
	salt := b.request().salt
	b.ask(b.wire, nms1Datagram{kind: nms1Challenge, salt: salt, cookie: 5})
	b.ask(b.wire, nms1Datagram{kind: nms1Challenge, salt: salt, cookie: 6})

	conn.Close()
	b.run(time.Second)

	got := b.answers(b.wire)
	if len(got) != 5 || slices.ContainsFunc(got, func(d nms1Datagram) bool {
		return d.kind != nms1Disconnect || d.session != salt^6
	}) {
		t.Errorf("it sends %+v, want five Disconnects of session %x", got, salt^6)
	}
	b.wantEvents("left 1 Local")
}

func TestNMS1NumbersWrapUnnoticed(t *testing.T) {
	s := newSoak(t, 1)
	links := [2]netmsg.LinkConfig{netmsg.Lossy(0.01, 10*time.Millisecond, 2*time.Millisecond), netmsg.Lossy(0, 10*time.Millisecond, 0)}
	p := makePair(s, netmsg.Config{Plain: true, GoodRate: 250}, links)
	p.run = 280 * time.Second
	talker := p.sides[0]

	for p.now < p.run && talker.left == 0 {
		p.send(0, 1)
		data := talker.out.nextValue(3)
		if err := talker.core.SendLatest(3, data); err != nil {
			t.Fatal(err)
		}
		talker.witness.out.set(3, data)
		p.until(p.now+4*time.Millisecond, nil)
	}
	p.until(p.now+healedWithin, p.settled)

	if w := talker.witness.out; w.sequence < 66_000 || w.base < 66_000 || !p.settled() {
		t.Errorf("%d packets and %d messages were sent, and it is settled: %v", w.sequence, w.base, p.settled())
	}
}

func TestNMS1RecordedSessionIsOneOfThePage(t *testing.T) {
	file, err := os.Open("../net/testdata/plain_session.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ears := map[string]*nms1Receiver{"client": newNMS1Receiver(), "server": newNMS1Receiver()}
	other := map[string]string{"client": "server", "server": "client"}
	heard := map[string][]string{}

	lines := 0
	for scan := bufio.NewScanner(file); scan.Scan(); lines++ {
		words := strings.SplitN(scan.Text(), " ", 4)
		if len(words) < 3 || words[2] != "sends" && words[2] != "hears" {
			t.Fatalf("line %q", scan.Text())
		}
		who, what := words[1], ""
		if len(words) == 4 {
			what = words[3]
		}
		if words[2] == "hears" {
			heard[who] = append(heard[who], what)
			continue
		}
		text, isLost := strings.CutSuffix(what, ", which is lost")
		d, err := decodeNMS1(recorded(t, text), 1200)
		if err != nil {
			t.Errorf("%s: %v", scan.Text(), err)
		}
		if ear := ears[other[who]]; d.kind == nms1Payload && !isLost && ear.takes(d) {
			ear.take(d)
		}
	}

	for who, ear := range ears {
		got := slices.DeleteFunc(heard[who], func(s string) bool { return s == "Joined" || strings.HasPrefix(s, "Left:") })
		var want []string
		for h, ok := ear.taken(); ok; h, ok = ear.taken() {
			if text := string(h.data); h.message {
				want = append(want, text)
			} else {
				want = append(want, fmt.Sprintf("%d=%s", h.stream, text))
			}
		}
		checkHeard(t, who, got, want)
	}
	if lines < 50 {
		t.Errorf("the recorded session has %d lines", lines)
	}
}

// recorded reads a datagram of the recorded session: figures, and perhaps
// "and N zeros".
func recorded(t *testing.T, text string) []byte {
	figures, zeros, _ := strings.Cut(text, " and ")
	b, err := hex.DecodeString(figures)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	n, _ := strconv.Atoi(strings.TrimSuffix(zeros, " zeros"))
	return append(b, make([]byte, n)...)
}

// checkHeard compares what was heard with what the rules give. The rules'
// receiver was not asked in between, so of values it has the last alone.
func checkHeard(t *testing.T, who string, got, want []string) {
	isValue := func(s string) bool { return strings.Contains(s, "=") }
	messages := func(all []string) []string { return slices.DeleteFunc(slices.Clone(all), isValue) }
	if !slices.Equal(messages(got), messages(want)) {
		t.Errorf("the %s hears %q, by the rules %q", who, messages(got), messages(want))
	}
	for _, v := range want {
		if isValue(v) && !slices.Contains(got, v) {
			t.Errorf("the %s does not hear %q", who, v)
		}
	}
}
