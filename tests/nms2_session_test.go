package tests

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// The tests in this file speak NMS2 to an endpoint as net/PROTOCOL.md has it,
// with a decoder and a client of their own (nms2_decoder_test.go,
// nms2_wire_test.go).

var nms2PingFrame = []byte{nms2Ping}

// A text of n bytes that does not repeat soon.
func longText(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i/251)
	}
	return b
}

func reliableFrame(channel byte, id uint16, data string) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x58 | channel}, id)
	return append(appendNMS2Varint(b, uint64(len(data))), data...)
}

func fragmentFrame(channel byte, id uint16, total, offset int, data []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x68 | channel}, id)
	b = appendNMS2Varint(appendNMS2Varint(b, uint64(total)), uint64(offset))
	return append(b, data...)
}

func (w *nms2Wire) wantEvents(want ...string) {
	w.t.Helper()
	if !slices.Equal(w.events, want) {
		w.t.Errorf("heard %q, want %q", w.events, want)
	}
	w.events = nil
}

// open connects: the first packet opens the connection at the server, which has
// said nothing before.
func (w *nms2Wire) open() {
	w.t.Helper()
	w.run(100 * time.Millisecond)
	if w.conn != nil || w.next != 0 {
		w.t.Fatal("the server speaks before its client has")
	}
	w.send(nms2PingFrame)
	w.run(time.Millisecond)
	if w.conn == nil || len(w.packets) == 0 || !w.packets[0].frames[0].isAck() {
		w.t.Fatalf("the first packet is answered by %+v, want an ACK at once (4)", w.packets)
	}
}

func TestNMS2DecoderReadsThePagesFrames(t *testing.T) {
	page, err := os.ReadFile("../net/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "## 13. Frames to compare with\n\n```\n")
	list, _, _ = strings.Cut(list, "```")
	n := 0
	for line := range strings.Lines(list) {
		code, says, ok := strings.Cut(line, "   ")
		b, err := hex.DecodeString(strings.ReplaceAll(code, " ", ""))
		if !ok || err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		name, _, _ := strings.Cut(strings.TrimSpace(says), ":")
		frames, err := decodeNMS2(1000, b)
		if err != nil || nms2Names[frames[0].kind] != name {
			t.Errorf("%s is read as %+v, %v", line, frames, err)
		}
		n++
	}
	if n < 13 {
		t.Errorf("%d frames are on the page", n)
	}
}

var nms2Names = map[byte]string{
	nms2Ping: "PING", nms2AckAll: "ACK_ALL", nms2AckBits: "ACK_BITS", nms2AckRanges: "ACK_RANGES", nms2Credit: "CREDIT",
	nms2Close: "CLOSE", nms2Reliable: "RELIABLE", nms2Latest: "LATEST", nms2Unreliable: "UNRELIABLE",
}

func TestNMS2DecoderFindsThePagesNumbers(t *testing.T) {
	page, err := os.ReadFile("../net/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| e | low bits | number |\n| --- | --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.NewReplacer(",", "", "`", "", " ", "").Replace(row), "|")
		e, _ := strconv.ParseUint(cells[1], 10, 64)
		low, _ := strconv.ParseUint(cells[2], 16, 16)
		want, err := strconv.ParseUint(cells[3], 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		if got := nms2Number(e, uint16(low)); got != want {
			t.Errorf("e %d, low bits %04x: number %d, want %d", e, low, got, want)
		}
	}
}

func TestNMS2DecoderOpensTheRecordedPackets(t *testing.T) {
	b, err := os.ReadFile("../net/testdata/handshake.vectors")
	if err != nil {
		t.Fatal(err)
	}
	value := map[string][]byte{}
	opened := 0
	for line := range strings.Lines(string(b)) {
		name, code, _ := strings.Cut(strings.TrimSpace(line), " ")
		value[name], _ = hex.DecodeString(code)
		way, of, wants := "key_c2s", uint64(0), "01"
		switch name {
		case "packet_c2s_0":
		case "packet_c2s_65536":
			of = 65536
		case "packet_s2c_0":
			way, wants = "key_s2c", "020000000a49000068656c6c6f"
		default:
			continue
		}
		packet := value[name]
		_, frames, err := newNMS2Way(value[way]).open(binary.BigEndian.Uint32(packet), of, packet)
		if err != nil || hex.EncodeToString(frames) != wants {
			t.Errorf("%s has %x, %v; want %s", name, frames, err, wants)
		}
		if again := newNMS2Way(value[way]).seal(binary.BigEndian.Uint32(packet), of, frames); !bytes.Equal(again, packet) {
			t.Errorf("%s is sealed as %x", name, again)
		}
		opened++
	}
	if opened != 12 {
		t.Errorf("%d packets are recorded, want 12", opened)
	}
}

func TestNMS2EndpointHearsWhatTheWireSays(t *testing.T) {
	w := newNMS2Wire(t, 1, netmsg.Config{})
	w.open()
	long := longText(2500)

	w.send(reliableFrame(1, 0, "a"), []byte{0x51, 1, 'b'}, []byte{0x58, 0, 5, 1, 'u'})
	w.send(reliableFrame(1, 3, "d")) // waits for c
	w.send(fragmentFrame(1, 2, 2500, 1200, long[1200:2300]))
	w.send(fragmentFrame(1, 2, 2500, 2200, long[2200:])) // a part of it is there
	w.begun = [4]int{6, 4, 0, 0}
	w.run(50 * time.Millisecond)
	w.wantEvents(`message 1 "a"`, `message 1 "b"`, `message 0 "u"`)

	w.send(fragmentFrame(1, 2, 2500, 0, long[:1200]))
	w.run(time.Millisecond)
	w.send(reliableFrame(1, 2, "old"), reliableFrame(0, 5, "u")) // both known
	w.run(time.Millisecond)
	w.send([]byte{0x80, 9, 'v'})
	w.run(time.Millisecond)
	w.sent += 2 // numbers that do not come
	w.send([]byte{0xa0, 5, 0, 0, 2, 'h'})
	w.send([]byte{0x90, 9, 1, 'w', 0x21, 1, 'x', 0x20, 'y'})
	w.send([]byte{0xa0, 5, 2, 1, 2, 'i'})
	w.sendNumbered(w.sent-4, []byte{0x80, 9, 'o'}) // older than w
	w.run(100 * time.Millisecond)

	w.wantEvents("message 1 "+shortened(long), `message 1 "d"`, `value 9 "v"`, `value 9 "w"`, `message 4 "x"`, `message 4 "y"`, `value 5 "hi"`)

	w.send(append([]byte{nms2Close, 0x40, 0x40, 3}, "bye"...))
	w.run(time.Second)
	w.wantEvents(`left Remote 64 "bye"`)
	if len(w.closes) > 0 {
		t.Error("CLOSE is answered (9)")
	}
}

func TestNMS2SessionIsAsThePageHasIt(t *testing.T) {
	for name, lose := range map[string]func(uint64) bool{
		"nothing is lost":      nil,
		"every fourth is lost": func(number uint64) bool { return number%4 == 2 },
		"half is lost":         func(number uint64) bool { return number*0x9e3779b97f4a7c15>>63 == 1 },
	} {
		t.Run(name, func(t *testing.T) {
			w := newNMS2Wire(t, 2, netmsg.Config{MaxStreams: 4})
			w.lose = lose
			w.open()
			var want [4][]string
			say := func(ch netmsg.Channel, data []byte) {
				want[ch] = append(want[ch], shortened(data))
				if err := w.conn.SendOn(ch, data); err != nil {
					t.Fatal(err)
				}
			}
			for i := range 40 {
				say(netmsg.Ordered1, longText(i))
				say(netmsg.Channel(i%4), longText(200+30*i))
				w.conn.SendUnreliable(longText(i))
				w.conn.SendLatest(3, longText(100+i))
				w.send(reliableFrame(2, uint16(i), "from the wire"), nms2PingFrame)
				w.begun[2]++
				if i%10 == 0 {
					say(netmsg.Ordered2, longText(nms2MaxMessage-i))
					w.conn.SendLatest(4, longText(3000+i))
				}
				w.sent += uint64(i % 3) // what the wire sends is lost too
				w.run(70 * time.Millisecond)
			}
			for range 6 { // three times the window
				say(netmsg.Ordered3, longText(nms2MaxMessage-96))
			}
			for range 1500 { // more than may be under way
				say(netmsg.Ordered2, nil)
			}
			w.run(20 * time.Second)

			for ch := range want {
				if !slices.Equal(w.channels[ch].got, want[ch]) {
					t.Errorf("on channel %d came %q,\nwant %q", ch, w.channels[ch].got, want[ch])
				}
			}
			if lose == nil {
				if !bytes.Equal(w.values[4].whole, longText(3030)) || !bytes.Equal(w.values[3].whole, longText(139)) {
					t.Error("the newest values have not come")
				}
				if len(w.unreliable) != 40 {
					t.Errorf("%d unreliable messages came, want 40", len(w.unreliable))
				}
			}
			w.wantToldThrice()
			if err := w.conn.SendReliable(longText(nms2MaxMessage + 1)); err == nil {
				t.Error("a message over the peer's max_message is taken (6)")
			}
			w.wantCloses(5)
		})
	}
}

// wantToldThrice: each number that came was told of by three ACK frames (4),
// but for those that came last.
func (w *nms2Wire) wantToldThrice() {
	w.t.Helper()
	for number := range w.came {
		if number+8 < w.newest && w.told[number] < 3 {
			w.t.Errorf("%d ACK frames tell of number %d (4)", w.told[number], number)
		}
	}
}

// wantCloses closes the endpoint's side and looks at how it says so (9).
func (w *nms2Wire) wantCloses(copies int) {
	w.t.Helper()
	w.lose = nil
	w.conn.CloseWith(77, "enough")
	w.run(3 * time.Second)
	if w.closeCode != 77 || w.closeText != "enough" || len(w.closes) != copies {
		w.t.Fatalf("CLOSE %d %q came %d times, want 77 \"enough\" %d times (9)", w.closeCode, w.closeText, len(w.closes), copies)
	}
	if w.closes[0] != w.closes[1] {
		w.t.Errorf("the first two CLOSEs go at %v and %v (9)", w.closes[0], w.closes[1])
	}
	for i := 2; i < copies; i++ {
		if gap := w.closes[i] - w.closes[i-1]; gap < 20*time.Millisecond {
			w.t.Errorf("CLOSE %d goes %v after the one before (9)", i, gap)
		}
	}
}

func TestNMS2EndpointAnswersAsThePageSays(t *testing.T) {
	w := newNMS2Wire(t, 3, netmsg.Config{})
	w.open()
	w.run(200 * time.Millisecond)
	answer := func(kind byte) *nms2Frame {
		for _, p := range w.packets {
			for i := range p.frames {
				if p.frames[i].kind == kind {
					return &p.frames[i]
				}
			}
		}
		t.Fatalf("no frame %02x comes", kind)
		return nil
	}

	w.send([]byte{nms2TimePing, 1, 2, 3, 4, 5, 6, 7, 8})
	asked := uint64(w.net.Now() / time.Microsecond)
	w.run(50 * time.Millisecond)
	if f := answer(nms2TimePong); f.t1 != 0x0102030405060708 || f.t2 != asked {
		t.Errorf("TIME_PONG has %x and %d, want t1 and %d", f.t1, f.t2, asked)
	}
	w.send([]byte{nms2PathChallenge, 8, 7, 6, 5, 4, 3, 2, 1})
	w.run(10 * time.Millisecond)
	if f := answer(nms2PathResponse); f.path != [8]byte{8, 7, 6, 5, 4, 3, 2, 1} {
		t.Errorf("PATH_RESPONSE has %x", f.path)
	}
	if last := w.packets[len(w.packets)-1]; w.net.Now()-last.at > 10*time.Millisecond {
		t.Error("PATH_CHALLENGE is not acknowledged at once (4)")
	}

	for i := range 300 {
		w.send(reliableFrame(1, uint16(i), "x"))
		w.begun[1]++
		w.run(time.Millisecond)
	}
	w.run(100 * time.Millisecond)
	if w.floors[1] < 256 {
		t.Errorf("the floor told is %d after 300 messages (6)", w.floors[1])
	}
	w.send(nms2PingFrame)
	w.run(45 * time.Millisecond)
	before := len(w.packets)
	w.send([]byte{nms2Padding})
	w.sendNumbered(0, []byte{nms2Ping}) // a repeated number
	w.run(20 * time.Millisecond)
	if got := len(w.packets); got != before {
		t.Errorf("PADDING and a repeated packet are answered: %+v", w.packets[before:])
	}
}

func TestNMS2EndpointStepsToTheNextKeyAndDropsWhatIsOld(t *testing.T) {
	w := newNMS2Wire(t, 5, netmsg.Config{})
	w.open()
	say := func(number uint64, text string) {
		w.sendNumbered(number, append([]byte{nms2Unreliable}, text...))
		w.sent = max(w.sent, number+1)
		w.run(time.Millisecond)
	}
	sealed := func(number uint64) []byte {
		return w.out.seal(w.peerCID, number, append([]byte{nms2Unreliable}, "no"...))
	}

	forged := sealed(w.sent)
	for i := range forged {
		changed := bytes.Clone(forged)
		changed[i] ^= 1
		w.throw(changed)
	}
	w.run(time.Millisecond)
	w.wantEvents()

	for _, number := range []uint64{30000, 60000, 65535, 65540, 65536} {
		say(number, "yes")
	}
	say(65530, "late") // of the epoch before
	w.wantEvents(`message 4 "yes"`, `message 4 "yes"`, `message 4 "yes"`, `message 4 "yes"`, `message 4 "yes"`, `message 4 "late"`)

	w.throw(sealed(65540))
	w.throw(sealed(65540 - 2048))
	w.run(time.Millisecond)
	w.wantEvents()
	say(65540-2047, "oldest")
	say(65536+2048, "on")      // far enough into the epoch
	w.throw(sealed(65535 - 1)) // there is no key for it
	w.run(100 * time.Millisecond)
	w.wantEvents(`message 4 "oldest"`, `message 4 "on"`)
}

func TestNMS2EndpointEndsWithTheCodeThatThePageNames(t *testing.T) {
	long := string(longText(1000))
	for what, v := range map[string]struct {
		frames string
		code   int
	}{
		"a first byte without a meaning": {"0c", 2},
		"a first byte over bf":           {"c0", 2},
		"a reserved bit of RELIABLE":     {"5c000001", 2},
		"a reserved bit of LATEST":       {"910100", 2},
		"a field past the end":           {"0500", 2},
		"data past the end":              {"2105aa", 2},
		"a varint of form 11":            {"21c0000000", 2},
		"a varint longer than need be":   {"21400161", 2},
		"two ACK frames":                 {"02000000000200000000", 2},
		"a frame behind CLOSE":           {"0b000001", 2},
		"ACK_BITS of nothing":            {"030000000000", 2},
		"ACK_BITS below number 0":        {"030000000001ff", 2},
		"ACK_RANGES below number 0":      {"04000000000005", 2},
		"RELIABLE without an id":         {"51016f", 2},
		"a fragment without an id":       {"6105006f", 2},
		"an empty fragment":              {"6900000500", 2},
		"a fragment beyond its total":    {"69000001006162", 2},
		"another total":                  {"790000050001617900000600" + "0162", 2},
		"a stream over 65,535":           {"808001000061", 2},
		"back over 1,024":                {"a0017fff0102", 2},
		"back before number 0":           {"a001050102", 2},
		"index not below count":          {"a001000202", 2},
		"count of one":                   {"a001000001", 2},
		"another count":                  {"b00100000201" + "61" + "b00100010301" + "62", 2},
		"channel 4 of CREDIT":            {"0a04000000", 2},
		"CREDIT over 64 MiB":             {"0a01000084000001", 2},
		"a text over 200 bytes":          {"0b0040c9" + strings.Repeat("61", 201), 2},
		"an id 1,024 above the floor":    {"490400" + "61", 3},
		"an id 32,767 above the floor":   {"497fff" + "61", 3},
		"a message over max_message":     {"690000" + "80010000" + "00" + hex.EncodeToString([]byte(long)), 3},
		"a CREDIT of what was not sent":  {"0a01000100", 3},
		"a fifth stream":                 {"900100" + "900200" + "900300" + "900400" + "900500", 3},
		"an ACK of what was not sent":    {"0203e80000", 4},
	} {
		t.Run(what, func(t *testing.T) {
			w := newNMS2Wire(t, 4, netmsg.Config{MaxStreams: 4})
			w.open()
			b, err := hex.DecodeString(v.frames)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := decodeNMS2(w.sent, b); v.code == 2 && err == nil && !strings.Contains(what, "another") && !strings.Contains(what, "below number 0") {
				t.Error("the second decoder takes it")
			} else if v.code != 2 && err != nil {
				t.Errorf("the second decoder refuses it: %v", err)
			}
			w.send(b)
			w.run(2 * time.Second)
			if w.closeCode != v.code || len(w.closes) != 5 {
				t.Errorf("CLOSE %d came %d times, want %d five times", w.closeCode, len(w.closes), v.code)
			}
			if n := len(w.events); n == 0 || !strings.HasPrefix(w.events[n-1], "left Protocol") {
				t.Errorf("heard %q, want the end", w.events)
			} else if v.code == 2 && n > 1 && !strings.Contains(what, "another") {
				t.Errorf("heard %q of a malformed packet (1)", w.events)
			}
		})
	}
}
