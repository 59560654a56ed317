package netmsg

import (
	"encoding/hex"
	"testing"
)

// writePacket gives the frames that write puts into a packet of size bytes.
func writePacket(size int, write func(w *packetWriter)) string {
	var w packetWriter
	w.begin(make([]byte, size), size, 0x80000001, 7)
	write(&w)
	w.finish()
	return hex.EncodeToString(w.b[sealedHeader:])
}

func reliableFrame(ch Channel, id uint16, data string) *frame {
	return &frame{kind: frameReliable, channel: ch, id: id, total: uint32(len(data)), data: []byte(data)}
}

func TestVectorTheLastMessageNeedsNoLengthAndTheNextNoId(t *testing.T) {
	for _, v := range []struct {
		want  string
		write func(w *packetWriter)
	}{
		{"490007 68656c6c6f", func(w *packetWriter) { w.reliable(reliableFrame(1, 7, "hello")) }},
		{"59000705 68656c6c6f 41 6f6b", func(w *packetWriter) {
			w.reliable(reliableFrame(1, 7, "hello"))
			w.reliable(reliableFrame(1, 8, "ok"))
		}},
		{"59000705 68656c6c6f 51026f6b 01", func(w *packetWriter) {
			w.reliable(reliableFrame(1, 7, "hello"))
			w.reliable(reliableFrame(1, 8, "ok"))
			w.wrote(appendPing(w.b), sentEliciting)
		}},
		{"59ffff0161 5a00000162 4163", func(w *packetWriter) {
			w.reliable(reliableFrame(1, 65535, "a"))
			w.reliable(reliableFrame(2, 0, "b"))
			w.reliable(reliableFrame(1, 0, "c"))
		}},
		{"5900070161 49000962", func(w *packetWriter) { // a gap between the ids
			w.reliable(reliableFrame(1, 7, "a"))
			w.reliable(reliableFrame(1, 9, "b"))
		}},
		{"8005 010203", func(w *packetWriter) {
			w.latest(&frame{kind: frameLatest, stream: 5, data: []byte{1, 2, 3}})
		}},
		{"900503010203 20 6162", func(w *packetWriter) {
			w.latest(&frame{kind: frameLatest, stream: 5, data: []byte{1, 2, 3}})
			w.unreliable([]byte("ab"))
		}},
		{"21026162 8005", func(w *packetWriter) {
			w.unreliable([]byte("ab"))
			w.latest(&frame{kind: frameLatest, stream: 5})
		}},
	} {
		if got := writePacket(1200, v.write); got != unspace(v.want) {
			t.Errorf("got %s, want %s", got, v.want)
		}
	}
}

func TestAFrameThatFillsThePacketHasNoLength(t *testing.T) {
	const size = sealedExtra + 20
	for n := range 20 {
		data := string(make([]byte, n))
		fits, after := false, 0
		got := writePacket(size, func(w *packetWriter) {
			fits = w.reliable(reliableFrame(1, 7, data))
			after = w.room()
		})
		if want := n <= 17; fits != want {
			t.Errorf("%d bytes and 3 of header into 20: fits is %v", n, fits)
		}
		if fits && len(got)/2 != 3+n {
			t.Errorf("%d bytes take %d", n, len(got)/2)
		}
		if n == 17 && after != 0 {
			t.Errorf("%d bytes are left behind a frame without a length", after)
		}
	}
}
