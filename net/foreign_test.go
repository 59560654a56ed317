package netmsg

import (
	"bytes"
	"net/netip"
	"testing"
	"time"
)

func TestForeignHearsWhatIsNotOfTheProtocolAndAnswersFromTheSameSocket(t *testing.T) {
	for _, plain := range []bool{false, true} {
		w := newStepWorld(t)
		var heard []string
		cfg := &Config{Plain: plain, Foreign: func(from netip.AddrPort, datagram []byte) bool {
			heard = append(heard, from.String()+" "+string(datagram))
			return string(datagram) != "not mine"
		}}
		e := w.endpoint(1, nil, cfg)
		other := w.socket(fakeAddr(7))
		for _, text := range []string{"S64 question", "not mine"} {
			other.WriteBatch([]Datagram{{Addr: fakeAddr(1), Data: []byte(text)}})
		}
		w.runFor(50 * time.Millisecond)
		if want := fakeAddr(7).String() + " S64 question"; len(heard) != 2 || heard[0] != want {
			t.Fatalf("plain %v: heard %q", plain, heard)
		}
		if n := e.Stats().UnknownKind; n != 1 {
			t.Errorf("plain %v: %d datagrams of an unknown kind, want the one that nobody took", plain, n)
		}

		if err := e.SendForeign(fakeAddr(7), []byte("S64 answer")); err != nil {
			t.Fatal(err)
		}
		w.runFor(50 * time.Millisecond)
		var d Datagram
		d.Data = make([]byte, 0, 100)
		if !other.poll(&d) || !bytes.Equal(d.Data, []byte("S64 answer")) || d.Addr != fakeAddr(1) {
			t.Errorf("plain %v: got %q from %v", plain, d.Data, d.Addr)
		}
	}
}

func TestSendForeignRefusesWhatItCannotSend(t *testing.T) {
	w := newStepWorld(t)
	e := w.endpoint(1, nil, nil)
	for _, n := range []int{0, maxForeign + 1} {
		if e.SendForeign(fakeAddr(7), make([]byte, n)) == nil {
			t.Errorf("%d bytes were taken", n)
		}
	}
	if e.SendForeign(netip.AddrPort{}, []byte{1}) == nil {
		t.Error("no address was taken")
	}
	e.Close()
	if err := e.SendForeign(fakeAddr(7), []byte{1}); err != ErrClosed {
		t.Errorf("closed: %v", err)
	}
}
