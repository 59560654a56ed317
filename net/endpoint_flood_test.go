package netmsg

import (
	"encoding/hex"
	"fmt"
	"slices"
	"testing"
	"time"
)

// What a stranger can send from a client's address without having read its
// packets, and what a client can send that means harm.
func foul(i int, session uint64) []byte {
	noise := uint64(i) * 0x9e3779b97f4a7c15
	switch i % 12 {
	case 0:
		return appendPlainRequest(nil, noise)
	case 1:
		return appendPlainResponse(nil, noise, noise^1)
	case 2:
		return appendPlainChallenge(nil, noise, noise)
	case 3, 4, 5:
		return appendPlainShort(nil, []byte{plainAccept, plainDisconnect, plainDenied}[i%12-3], noise)
	case 6:
		return appendPlainHeader(nil, noise, uint16(i), uint16(noise), uint32(noise))
	case 7:
		return append(appendPlainHeader(nil, session, uint16(i), uint16(noise), uint32(noise)), 1)
	case 8: // a message that cannot be yet
		b := appendPlainMessage(appendPlainHeader(nil, session, uint16(i), 0xffff, 0), 20_000, nil)
		setPlainCounts(b, 1, 0)
		return b
	case 9: // cut short
		b := appendPlainValue(appendPlainHeader(nil, session, uint16(i), 0xffff, 0), 1, 1, make([]byte, 50))
		setPlainCounts(b, 0, 1)
		return b[:len(b)-1]
	case 10:
		return []byte(plainMagic)[:i%5]
	}
	return appendPlainKind(nil, byte(7+i%249))
}

func TestAClientGoesOnUnderAFloodFromItsOwnAddress(t *testing.T) {
	w, server, heard := rawServer(t, plainConfig())
	r := w.raw(t, 2)
	text, _ := r.join(hexSalt)
	raw, _ := hex.DecodeString(text)
	session := U64(raw)
	flood := func(from, to int) {
		for i := from; i < to; i++ {
			w.send(r.sock.addr, fakeAddr(1), foul(i, session))
			if i%100 == 99 {
				w.now += time.Millisecond
				w.frame()
				r.answers()
			}
		}
	}

	flood(0, 10_000)
	before := heapInUse()
	for n := range 10 {
		message := appendPlainMessage(appendPlainHeader(nil, session, uint16(n), 0xffff, 0), uint16(n), fmt.Append(nil, n))
		setPlainCounts(message, 1, 0)
		w.send(r.sock.addr, fakeAddr(1), message)
		flood(10_000+n*10_000, 20_000+n*10_000)
	}

	if grown := int64(heapInUse()) - int64(before); grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	want := []string{"1 Joined"}
	for n := range 10 {
		want = append(want, fmt.Sprintf("1 message %d", n))
	}
	if got := heard.heard(); !slices.Equal(got, want) || server.Len() != 1 {
		t.Errorf("heard %q", got)
	}
	for c := range server.Conns() {
		if s := c.Stats(); s.PacketsReceived != 10 || s.Rejected < 50_000 {
			t.Errorf("of the connection: %+v", s)
		}
	}
}

func TestADialGoesOnUnderAFloodFromTheServersAddress(t *testing.T) {
	w := newStepWorld(t)
	var heard listener
	client := w.endpoint(2, &heard, plainConfig())
	w.dial(t, client, 1)
	flood := func(from, to int) {
		for i := from; i < to; i++ {
			w.send(fakeAddr(1), fakeAddr(2), foul(i, uint64(i)))
			if i%100 == 99 {
				w.now += time.Millisecond
				w.frame()
			}
		}
	}

	flood(0, 1_000)
	before := heapInUse()
	flood(1_000, 101_000)
	if grown := int64(heapInUse()) - int64(before); grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	heard.want(t)
	w.endpoint(1, nil, plainConfig())
	w.runFor(time.Second)

	heard.want(t, "1 Joined")
}
