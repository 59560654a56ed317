package netmsg

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A fuzzScript reads a fuzzer's bytes as choices. At the end all are 0.
type fuzzScript struct{ PacketReader }

func newFuzzScript(b []byte) *fuzzScript { return &fuzzScript{NewPacketReader(b)} }

func (f *fuzzScript) more() bool { return f.Len() > 0 }

// pick gives a number from 0 to n-1.
func (f *fuzzScript) pick(n int) int { return int(f.U8()) % n }

// spoil gives a changed copy of a datagram: a bit flipped, cut, or longer.
func (f *fuzzScript) spoil(datagram []byte) []byte {
	b := bytes.Clone(datagram)
	switch f.pick(3) {
	case 0:
		if len(b) > 0 {
			b[int(f.U16())%len(b)] ^= 1 << f.pick(8)
		}
	case 1:
		b = b[:int(f.U16())%(len(b)+1)]
	case 2:
		b = append(b, f.U8())
	}
	return b
}

func FuzzPlainGate(f *testing.F) {
	f.Add([]byte{0, 1, 1, 2, 0, 1, 1, 3, 4, 200, 1, 1, 5, 0, 1})
	f.Add(bytes.Repeat([]byte{0, 1, 0, 2, 1, 1, 1, 2, 2, 0, 3, 9}, 20))
	f.Fuzz(func(t *testing.T, script []byte) {
		in := newFuzzScript(script)
		gate := newPlainGate(&Config{MaxClients: 3}, gateKey)
		now := time.Duration(0)
		guests := make([]*testGuest, 6)
		for i := range guests {
			// Guests i and i+4 share an address.
			guests[i] = newTestGuest(gate, fmt.Sprintf("192.0.2.%d:1000", i%4), uint64(i))
		}
		open := map[netip.AddrPort]uint64{}
		answer := make([]byte, 64)

		for in.more() {
			g := guests[in.pick(len(guests))]
			datagram := appendPlainResponse(nil, g.salt, g.cookie)
			genuine := false
			switch in.pick(6) {
			case 0:
				datagram = appendPlainRequest(nil, g.salt)
			case 1:
				genuine = g.cookie != 0
			case 2:
				datagram = in.spoil(datagram)
			case 3:
				datagram = in.Bytes(min(in.Len(), in.pick(40)))
			case 4:
				now += time.Duration(in.U8()) * 100 * ms
				continue
			case 5:
				if session, ok := open[g.from]; ok {
					gate.Left(now, g.from, Session{ID: session})
					delete(open, g.from)
				}
				continue
			}
			v := gate.Receive(now, g.from, datagram, answer)
			if v.Reply*50 > len(datagram) || v.Reply > 0 && len(datagram) != 1200 {
				t.Fatalf("%d bytes answer %d", v.Reply, len(datagram))
			}
			if _, cookie, ok := parsePlainChallenge(answer[:v.Reply]); ok {
				g.cookie = cookie
			}
			if old, taken := open[g.from]; v.Replaced && (!taken || v.Old.ID != old) || v.Joined && taken != v.Replaced {
				t.Fatalf("verdict %+v while %x is open: %v", v, old, taken)
			}
			if v.Joined {
				// Padding may be spoilt; nothing else may.
				if !genuine && (len(datagram) != 1200 || !bytes.Equal(datagram[:21], appendPlainResponse(nil, g.salt, g.cookie)[:21])) {
					t.Fatalf("%x opened a connection", datagram[:21])
				}
				open[g.from] = v.Session.ID
			}
			if gate.Len() != len(open) || gate.Len() > 3 {
				t.Fatalf("%d are open, want %d", gate.Len(), len(open))
			}
		}
	})
}

func FuzzPlainClient(f *testing.F) {
	f.Add([]byte{0, 5, 1, 5})
	f.Add([]byte{4, 50, 0, 5, 4, 2, 2, 6, 3, 0, 5, 1, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		in := newFuzzScript(script)
		h := newTestHandshake(Config{}, 7)
		now := time.Duration(0)
		var cookies []uint64
		var last []byte // datagram of the server's, as it should be
		buf := make([]byte, 1200)

		for in.more() && h.outcome() == "" {
			heard := ""
			switch in.pick(6) {
			case 0:
				cookie := uint64(in.U8())
				cookies = append(cookies, cookie)
				last = appendPlainChallenge(nil, testSalt, cookie)
			case 1:
				last = appendPlainShort(nil, plainAccept, testSalt^uint64(in.U8()))
			case 2:
				last = appendPlainHeader(nil, testSalt^uint64(in.U8()), 0, 0, 0)
			case 3:
				last = in.spoil(last)
			case 4:
				now += time.Duration(in.U8()) * 10 * ms
				for n := h.Transmit(now, buf); n > 0; n = h.Transmit(now, buf) {
					if n != 1200 || buf[4] != plainRequest && buf[4] != plainResponse || U64(buf[5:]) != testSalt {
						t.Fatalf("sent %x", buf[:min(n, 21)])
					}
				}
				if h.Deadline() <= now {
					t.Fatalf("the deadline %v is not after %v", h.Deadline(), now)
				}
				continue
			case 5:
				last, heard = appendPlainShort(nil, plainDenied, testSalt), "Denied"
			}
			took := h.Receive(now, last)
			if s, _, done := h.Done(); took && done && h.outcome() == "open" && !slices.Contains(cookies, testSalt^s.ID) {
				t.Fatalf("session %x is of no cookie that was heard", s.ID)
			}
			if heard != "" && h.outcome() != heard {
				t.Fatalf("outcome %q, want %q", h.outcome(), heard)
			}
		}
	})
}

// A fuzzWire is one way of a fuzzed connection: what was sent, in no order.
type fuzzWire struct{ under [][]byte }

// FuzzPlainConnection runs a whole connection over wires that lose, repeat,
// reorder, spoil and invent as the fuzzer likes, then lets them heal.
func FuzzPlainConnection(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 2, 2, 2, 3, 2, 10, 4, 0, 5, 1, 6, 2, 7, 0})
	f.Add(bytes.Repeat([]byte{0, 2, 40, 3, 1, 1, 0, 2, 3, 4}, 50))
	f.Add(bytes.Repeat([]byte{0, 1, 2, 30, 5, 0, 6, 1, 3, 0, 0, 2, 1, 4, 1}, 30))
	f.Fuzz(func(t *testing.T, script []byte) {
		c := newFuzzConnection(t, script[:min(len(script), 1500)])
		for c.in.more() {
			c.step()
		}
		c.heal()
	})
}

// A fuzzConnection is two cores, a wire each way, and what was sent and heard.
type fuzzConnection struct {
	t     *testing.T
	in    *fuzzScript
	now   time.Duration
	cores [2]*ConnectionCore
	wires [2]fuzzWire // wires[i] holds what cores[i] sent
	sent  [2]int      // messages, and values, of each side
	heard [2]int      // messages of the other side
	value [2]int      // newest of the other side's
	ends  [2]string
}

func newFuzzConnection(t *testing.T, script []byte) *fuzzConnection {
	c := &fuzzConnection{t: t, in: newFuzzScript(script)}
	cfg := &Config{MaxPacket: 64 + c.in.pick(64), GoodRate: 20 + c.in.pick(200)}
	session := SipHash24(gateKey, script) // nothing that a script can name
	for i := range c.cores {
		c.cores[i] = NewConnectionCore(cfg, Session{ID: session}, 0)
	}
	return c
}

func (c *fuzzConnection) step() {
	i := c.in.pick(2)
	wire := &c.wires[i].under
	switch c.in.pick(9) {
	case 0:
		c.send(i)
	case 1:
		c.cores[i].SendLatest(3, []byte(strconv.Itoa(c.sent[i])))
	case 2:
		c.now += time.Duration(c.in.U8()) * ms
		c.transmit(i)
	case 3: // any of those under way arrives
		if len(*wire) > 0 {
			at := c.in.pick(len(*wire))
			c.cores[1-i].Receive(c.now, (*wire)[at])
			*wire = slices.Delete(*wire, at, at+1)
		}
	case 4: // repeated
		if len(*wire) > 0 {
			c.cores[1-i].Receive(c.now, (*wire)[c.in.pick(len(*wire))])
		}
	case 5: // lost
		if len(*wire) > 0 {
			at := c.in.pick(len(*wire))
			*wire = slices.Delete(*wire, at, at+1)
		}
	case 6: // spoilt where the session or the kind catches it
		if len(*wire) > 0 {
			b := bytes.Clone((*wire)[c.in.pick(len(*wire))])
			b[c.in.pick(13)] ^= 1 << c.in.pick(8)
			c.cores[1-i].Receive(c.now, b)
		}
	case 7:
		c.cores[1-i].Receive(c.now, c.in.Bytes(min(c.in.Len(), c.in.pick(64))))
	case 8:
		c.pull(i)
	}
}

func (c *fuzzConnection) send(i int) {
	if c.cores[i].SendReliable([]byte(strconv.Itoa(c.sent[i]))) == nil {
		c.sent[i]++
	}
}

// transmit puts what is due on the wire.
func (c *fuzzConnection) transmit(i int) {
	buf := make([]byte, 1200)
	for n := c.cores[i].Transmit(c.now, buf); n > 0; n = c.cores[i].Transmit(c.now, buf) {
		c.wires[i].under = append(c.wires[i].under, bytes.Clone(buf[:n]))
	}
	if d := c.cores[i].Deadline(); d <= c.now {
		c.t.Fatalf("side %d: the deadline %v is not after the turn at %v", i, d, c.now)
	}
}

// pull checks what a side has to tell: messages are the next of the other
// side's, values rise.
func (c *fuzzConnection) pull(i int) {
	for e := range c.cores[i].Events() {
		switch e.Kind {
		case Message:
			if string(e.Data) != strconv.Itoa(c.heard[i]) {
				c.t.Fatalf("side %d heard %q, want %d", i, e.Data, c.heard[i])
			}
			c.heard[i]++
		case Update:
			n, err := strconv.Atoi(string(e.Data))
			if err != nil || n < c.value[i] || n > c.sent[1-i] {
				c.t.Fatalf("side %d heard the value %q after %d", i, e.Data, c.value[i])
			}
			c.value[i] = n
		}
		if strings.HasPrefix(c.ends[i], "Left") {
			c.t.Fatalf("side %d heard %v after %s", i, e.Kind, c.ends[i])
		}
		c.ends[i] = eventText(e)
	}
	if held := c.cores[i].in.held[Ordered1].messages; held > plainWindow {
		c.t.Fatalf("side %d holds %d messages", i, held)
	}
}

// heal lets everything pass for a while: all that was sent is heard, unless
// the connection has ended.
func (c *fuzzConnection) heal() {
	for range 6000 {
		c.now += 10 * ms
		for i := range c.cores {
			c.transmit(i)
		}
		for i := range c.cores {
			for _, d := range c.wires[i].under {
				c.cores[1-i].Receive(c.now, d)
			}
			c.wires[i].under = nil
			c.pull(1 - i)
		}
		if c.heard[0] == c.sent[1] && c.heard[1] == c.sent[0] {
			return
		}
		if strings.HasPrefix(c.ends[0], "Left") || strings.HasPrefix(c.ends[1], "Left") {
			return
		}
	}
	c.t.Fatalf("heard %v of %v after a minute of good links", c.heard, c.sent)
}
